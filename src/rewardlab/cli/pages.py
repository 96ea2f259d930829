"""The pages of docs/systems, written anew: ``python -m rewardlab.cli.pages docs/systems``."""

from __future__ import annotations

import io
from pathlib import Path

import typer
from rich.console import Console

from rewardlab.cli.showing import WIDEST
from rewardlab.cli.system_tables import print_result
from rewardlab.cli.writing import write_text
from rewardlab.plots.chart import save
from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.declaration import System
from rewardlab.systems.pages import index_text, page_text


def page_and_plot(system: System) -> tuple[str, str]:
    """A system's page as Markdown and its plot as SVG, at its default settings and seed."""
    settings, result = system.settings(), system.evaluate()
    printed = io.StringIO()
    console = Console(file=printed, width=WIDEST, highlight=False)
    print_result(system, result, settings, introduce=False, answer=False, console=console)
    return page_text(system, printed.getvalue()), save(
        result.chart, title=system.title, description=result.sentence
    )


def write_pages(folder: Path) -> None:
    """Write the index, a page and a plot a system, and name files that belong to none."""
    folder.mkdir(parents=True, exist_ok=True)
    systems = all_systems()
    write_text(folder / "README.md", index_text(systems))
    for system in systems:
        page, plot = page_and_plot(system)
        write_text(folder / f"{system.name}.md", page)
        write_text(folder / f"{system.name}.svg", plot)
    known = {"README", *(system.name for system in systems)}
    for path in sorted(folder.iterdir()):
        if path.stem not in known:
            typer.echo(f"belongs to no system: {path}")


if __name__ == "__main__":
    typer.run(write_pages)
