"""Files that commands write: whole or not at all, and never in the place of an input."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from rewardlab.errors import InputError


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path]) -> None:
    """Refuse, before any work, outputs that are inputs or each other.

    Args:
        outputs: Files to be written; None is one that was not asked for.
        inputs: Files that are read; of a folder, the files in it.

    Raises:
        InputError: An output is an input, or two outputs are one file.
    """
    from rewardlab.preferences.table_writing import require_other_file

    wanted = [path for path in outputs if path is not None]
    if len({path.resolve() for path in wanted}) < len(wanted):
        raise InputError(f"{wanted[0]}: is named for two outputs; expected a file for each")
    read = [file for path in inputs for file in (path.iterdir() if path.is_dir() else [path])]
    for path in wanted:
        require_other_file(path, read)


def write_results(page: Path | None, html: str, data: Path | None, result: object) -> None:
    """Write the page and the JSON that were asked for, and say so.

    Args:
        page: Where the page goes; None if it was not asked for.
        html: The page.
        data: Where the JSON goes; None likewise.
        result: What the JSON holds.
    """
    from rewardlab.report.as_json import json_text, to_json

    if page is not None:
        write_text(page, html)
    if data is not None:
        write_text(data, json_text(to_json(result)))
    for written in filter(None, (page, data)):
        typer.echo(f"Written: {written}")


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text; an interruption leaves the old file, never half of a new one.

    Raises:
        InputError: The folder does not exist or cannot be written.
    """
    from rewardlab.preferences.table_writing import whole_file

    with whole_file(path) as file:
        file.write(text.encode())
