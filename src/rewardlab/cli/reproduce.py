"""``rewardlab reproduce``: a system of the exact laboratory, at any settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rewardlab.errors import InputError

if TYPE_CHECKING:
    from rewardlab.systems.declaration import System

_EXPECTED = Path("tests/systems/expected")


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="A system's name or row, or all (with --check).")
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="Name every system, a line each.")
    ] = False,
    choose: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="CONTROL=VALUE", help="Set a control; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the chart as SVG.")
    ] = None,
    answer: Annotated[
        bool, typer.Option("--answer", help="Answer the question, with the figures.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Print each figure beside its expected value.")
    ] = False,
    expected: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the expected figures lie.")
    ] = _EXPECTED,
) -> None:
    """Run a system of the exact laboratory.

    Prints what it is about, what happened, its figures, the table behind its chart, what can be
    changed, and a question; with --set only what happened. With --check (in a checkout, whose tests
    keep the expected figures) exit code 1 if one is outside its range.

    Example: rewardlab reproduce --list

    Example: rewardlab reproduce leash

    Example: rewardlab reproduce leash --set beta=0.1 --plot leash.svg

    Example: rewardlab reproduce all --check
    """
    from rewardlab.systems.catalogue import all_systems, find_system

    if listing:
        from rewardlab.cli.system_tables import print_list

        print_list(all_systems())
        return
    if name is None:
        raise InputError("reproduce: expected the name of a system, or --list to see them")
    if name == "all" and not check:
        raise InputError("reproduce all: expected --check with it; name one system to see it")
    systems = all_systems() if name == "all" else (find_system(name),)
    if check:
        if choose or plot is not None or as_json or seed or answer:
            raise InputError(
                "--check: its figures name their own settings and seeds; "
                "leave --set, --seed, --plot, --json and --answer out"
            )
        _check(systems, expected)
    else:
        _show(systems[0], choose or [], seed=seed, as_json=as_json, plot=plot, answer=answer)


def _show(
    system: System, chosen: list[str], *, seed: int, as_json: bool, plot: Path | None, answer: bool
) -> None:
    from rewardlab.cli.system_tables import print_result
    from rewardlab.cli.writing import check_outputs, write_text
    from rewardlab.plots.chart import save
    from rewardlab.report.as_json import json_text, to_json

    settings = system.settings(_read_settings(system, chosen))
    check_outputs([plot], [])
    result = system.evaluate(settings, seed=seed)
    if plot is not None:
        svg = save(result.chart, title=system.title, description=result.sentence)
        write_text(plot, svg)
    if as_json:
        about = {"row": system.row, "name": system.name, "settings": settings, "seed": seed}
        answers = {"answers": [q.answer() for q in system.questions]} if answer else {}
        typer.echo(json_text({**about, **to_json(result), **answers}))
    else:
        print_result(system, result, settings, introduce=not chosen, answer=answer)
        if plot is not None:
            typer.echo(f"\nWritten: {plot}")


def _read_settings(system: System, chosen: list[str]) -> dict[str, Any]:
    controls = {control.name: control for control in system.controls}
    settings = {}
    for text in chosen:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set: expected CONTROL=VALUE, got {text!r}")
        if name not in controls:
            known = ", ".join(controls)
            raise InputError(f"--set: {system.name} has the controls {known}, not {name!r}")
        settings[name] = controls[name].read(value)
    return settings


def _check(systems: tuple[System, ...], folder: Path) -> None:
    from rewardlab.cli.system_tables import CheckTable
    from rewardlab.systems.checking import check, read_expected

    if not folder.is_dir():
        raise InputError(
            f"--check: expected figures lie in {_EXPECTED} of a source checkout, and {folder} is "
            "no folder here; run it there, or name the folder with --expected"
        )
    wanted = [(system, read_expected(folder / f"{system.name}.toml")) for system in systems]
    table = CheckTable(wanted)
    for system, expected in wanted:
        for checked in check(system, expected):
            table.add(system, checked)
    table.finish()
    if table.failed:
        raise typer.Exit(1)
