"""Options shared by the commands that read preferences, and the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Annotated

import typer

from rewardlab.cli.option_groups import Command, takes
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="JSONL, JSON, CSV or Parquet, each also .gz, or a directory saved by HF datasets. "
        "Several files are splits, each named by its stem.",
        show_default=False,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="Force a convention; else it is recognised."),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column", metavar="FIELD=COLUMN", help="Which column holds a field. Repeatable."
    ),
]
LabelsOption = Annotated[
    str,
    typer.Option(
        "--labels",
        metavar="VALUE=OUTCOME,...",
        help="What the file's own labels mean: a, b, tie or both_bad, as in 1=a,0=b.",
        show_default=False,
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="COLUMN=VALUE", help="Keep only such rows. Repeatable."),
]
JoinOption = Annotated[
    Path | None,
    typer.Option("--join", metavar="FILE", help="File with the texts of the pairs voted on."),
]
OnOption = Annotated[
    str, typer.Option("--on", metavar="COLUMN", help="The column that votes and texts share.")
]
RatingOption = Annotated[
    str | None,
    typer.Option("--rating", metavar="NAME", help="Turn ratings into comparisons by this one."),
]
FromRankingsOption = Annotated[
    bool, typer.Option("--from-rankings", help="Turn rankings into comparisons.")
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out and count rows that cannot be read.")
]


def named_pairs(option: str, given: list[str] | None) -> dict[str, str]:
    """What a repeatable option of the form NAME=VALUE says.

    Raises:
        InputError: One is not of that form, or a name is given twice.
    """
    pairs: dict[str, str] = {}
    for item in given or []:
        name, equals, value = item.partition("=")
        if not equals or not name or (not value and option == "--column"):
            raise InputError(f"{option} {item}: expected NAME=VALUE")
        if name in pairs:
            raise InputError(f"{option} {item}: {name!r} is given twice")
        pairs[name] = value
    return pairs


def _read_options(
    *,
    format: FormatOption = None,
    column: ColumnOption = None,
    labels: LabelsOption = "",
    where: WhereOption = None,
    join: JoinOption = None,
    on: OnOption = "",
    rating: RatingOption = None,
    from_rankings: FromRankingsOption = False,
    skip_bad: SkipBadOption = False,
) -> ReadOptions:
    """The command line's options as ``ReadOptions``.

    Raises:
        InputError: An option is not of the form NAME=VALUE, or one of --join and --on is missing.
    """
    if (join is None) != (not on):
        raise InputError("--join FILE and --on COLUMN go together; one of them is missing")
    return ReadOptions(
        format=format,
        columns=named_pairs("--column", column),
        labels=named_pairs("--labels", labels.split(",") if labels else None),
        where=named_pairs("--where", where),
        join=join,
        join_on=on,
        rating=rating,
        from_rankings=from_rankings,
        on_bad="count" if skip_bad else "raise",
    )


def reads_preferences(*, counts_bad_rows: bool = False) -> Callable[[Command], Command]:
    """Give a command the options by which preferences are read.

    The command has a keyword ``reading: ReadOptions``; the command line sees the single options in
    its place, after the command's own.

    Args:
        counts_bad_rows: True for commands that always count rows which cannot be read, and so
            have no use for --skip-bad.
    """

    shared = dict(signature(_read_options, eval_str=True).parameters)
    if not counts_bad_rows:
        return takes("reading", _read_options, shared)
    del shared["skip_bad"]
    return takes("reading", partial(_read_options, skip_bad=True), shared)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float], None]]:
    """A bar on standard error while the block runs; nothing where that is no terminal.

    Yields:
        A callback for the share done, in [0, 1].
    """
    if not sys.stderr.isatty():
        yield lambda _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=1.0)
        yield lambda share: bar.update(task, completed=share)
