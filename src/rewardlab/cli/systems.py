"""``rewardlab systems export``: the systems' pages as files for any file server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rewardlab.app.systems.static_copy import Progress

_INTERRUPTED = 130

systems = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@systems.callback()
def group() -> None:
    """The systems of the laboratory as pages."""


@systems.command()
def export(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="New, empty, or an earlier copy to go on with.")
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Names or rows of systems; all if none is given."),
    ] = None,
    states: Annotated[
        int, typer.Option(min=1, metavar="N", help="Most states of a system to compute.")
    ] = 150,
    force: Annotated[
        bool, typer.Option("--force", help="Make every state anew, also of the same version.")
    ] = False,
) -> None:
    """Write the systems' pages with results computed beforehand, for any file server.

    Choices, switches and sliders move between the states that were computed; what did not fit into
    --states stays at its default, and the page says so. An interrupted export goes on where it
    stopped when the same command runs again. The copy then holds the systems named and no others.

    Example: rewardlab systems export copy leash the-loop

    Example: rewardlab systems export copy --states 400
    """
    from rewardlab.app.systems.static_copy import write_copy
    from rewardlab.systems.catalogue import all_systems, find_system

    wanted = {find_system(name).name for name in names or []}
    chosen = tuple(one for one in all_systems() if not wanted or one.name in wanted)
    try:
        written = write_copy(folder, chosen, n_states=states, force=force, tell=_tell)
    except KeyboardInterrupt:
        typer.echo("\nInterrupted; the same command goes on from here.", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    plural = "s" * (written.n_systems != 1)
    size = written.n_bytes / 1e6
    typer.echo(
        f"Written: {folder} ({written.n_systems} system{plural}, {written.n_states:,} states, "
        f"{size:.1f} MB)\nServe it with any file server, such as: "
        f"python -m http.server --bind 127.0.0.1 --directory {folder}"
    )


def _tell(progress: Progress) -> None:
    """A line for each system; on a terminal it counts while the states are made."""
    if progress.done == progress.total:
        kept = f", {progress.kept} of them kept" if progress.kept else ""
        counted = f"{progress.total} state{'s' * (progress.total != 1)}"
        said = f"{progress.name}: {counted}{kept}"
        counting = sys.stderr.isatty() and sys.stdout.isatty()
        typer.echo(f"\r{said:<60}" if counting else said)
    elif sys.stderr.isatty():
        typer.echo(f"\r{progress.name}: {progress.done} of {progress.total}", nl=False, err=True)
