"""Options shared by the commands that read preferences, and the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

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


def _pairs(option: str, given: list[str] | None) -> dict[str, str]:
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
        columns=_pairs("--column", column),
        where=_pairs("--where", where),
        join=join,
        join_on=on,
        rating=rating,
        from_rankings=from_rankings,
        on_bad="count" if skip_bad else "raise",
    )


def reads_preferences(
    *, counts_bad_rows: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options by which preferences are read.

    The command has a keyword ``reading: ReadOptions``; the command line sees the single options in
    its place, after the command's own.

    Args:
        counts_bad_rows: True for commands that always count rows which cannot be read, and so
            have no use for --skip-bad.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shared = dict(signature(_read_options, eval_str=True).parameters)
        if counts_bad_rows:
            del shared["skip_bad"]

        @wraps(command)
        def with_options(**given: Any) -> None:
            single = {name: given.pop(name) for name in shared}
            reading = _read_options(**single, skip_bad=True) if counts_bad_rows else None
            command(**given, reading=reading or _read_options(**single))

        own = signature(command, eval_str=True)
        mine = [p for name, p in own.parameters.items() if name != "reading"]
        parameters = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in (*mine, *shared.values())]
        # The command line is built from these two attributes.
        with_options.__dict__["__signature__"] = own.replace(parameters=parameters)
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate


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
