"""``rewardlab convert``: preferences from any layout into TRL's or rewardlab's own."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.preferences.options import ReadOptions


class Target(StrEnum):
    """Layout to write."""

    TRL = "trl"
    NATIVE = "native"


class Ties(StrEnum):
    """What TRL's layout is to do with ties."""

    REFUSE = "refuse"
    LEAVE_OUT = "leave-out"


@reads_preferences()
def convert(
    files: FilesArgument,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE", help="File to write: .jsonl or .parquet, also .gz."),
    ],
    to: Annotated[
        Target, typer.Option("--to", help="TRL's prompt, chosen, rejected; or every field.")
    ] = Target.TRL,
    ties: Annotated[
        Ties, typer.Option("--ties", help="TRL's layout holds no ties: refuse or leave out.")
    ] = Ties.REFUSE,
    *,
    reading: ReadOptions,
) -> None:
    """Rewrite preferences as TRL or native files.

    Reading them back loses nothing; what a layout cannot hold is refused or counted.

    Example: rewardlab convert votes.csv --join texts.jsonl --on pair_id --ties leave-out
    --out pairs.jsonl
    """
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.preferences.table_writing import require_other_file
    from rewardlab.preferences.writing import write_preferences

    require_other_file(out, [*files, *reading.files_besides])
    reader = open_preferences(files, reading)
    typer.echo(f"Reading as {reader.layout.sentence}.")
    with progress_bar("Converting (several passes)") as on_progress:
        written = write_preferences(
            lambda: reader.some_chunks(on_progress=on_progress),
            out,
            layout=to.value,
            ties=ties.value,
        )
    for sentence in (*reader.report.sentences[1:], *written.sentences):
        typer.echo(sentence)
