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
    check: Annotated[
        bool, typer.Option("--check", help="Print each figure beside its expected value.")
    ] = False,
    expected: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the expected figures lie.")
    ] = _EXPECTED,
) -> None:
    """Run a system of the exact laboratory.

    Prints what happened in a sentence, its figures, and the table behind its chart. With --check
    (in a checkout, whose tests keep the expected figures) exit code 1 if one is outside its range.

    Example: rewardlab reproduce leash --set beta=0.1 --plot leash.svg

    Example: rewardlab reproduce --list
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
        if choose or plot is not None or as_json:
            raise InputError("--check: it has settings of its own; leave --set, --plot, --json out")
        _check(systems, expected)
    else:
        _show(systems[0], choose or [], seed=seed, as_json=as_json, plot=plot)


def _show(
    system: System, chosen: list[str], *, seed: int, as_json: bool, plot: Path | None
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
        typer.echo(json_text({**about, **to_json(result)}))
    else:
        print_result(system, result, settings)


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
    table = CheckTable()
    for system in systems:
        expected = read_expected(folder / f"{system.name}.toml")
        for checked in check(system, expected):
            table.add(system, checked)
    table.finish()
    if table.n_failed:
        raise typer.Exit(1)
