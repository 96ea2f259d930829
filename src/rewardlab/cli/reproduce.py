"""``rewardlab reproduce``: a system of the exact laboratory, at any settings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rewardlab.errors import InputError

if TYPE_CHECKING:
    from rewardlab.systems.declaration import System

_EXPECTED = Path("tests/systems/expected")


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(help="A system's name or row; all with --check; any word with --list."),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="Name every system (that speaks of NAME), a line each.")
    ] = False,
    choose: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="CONTROL=VALUE", help="Set a control; may be repeated."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, show_default="0", help="Seed of all randomness, where any is drawn."),
    ] = None,
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

    Prints what it is about, a question to answer first, what happened, its figures, the table
    behind its chart, and what can be changed; with --set only what happened. With --check (in a
    checkout, whose tests keep the expected figures) exit code 1 if one is outside its range.

    Example: rewardlab reproduce --list

    Example: rewardlab reproduce GRPO --list

    Example: rewardlab reproduce leash

    Example: rewardlab reproduce leash --set beta=0.1 --plot leash.svg

    Example: rewardlab reproduce all --check
    """
    from rewardlab.systems.catalogue import all_systems, find_system, speaking_of

    if listing:
        _list(speaking_of(name) if name else all_systems(), as_json=as_json)
        return
    if name is None:
        raise InputError("reproduce: expected the name of a system, or --list to see them")
    if name == "all" and not check:
        raise InputError("reproduce all: expected --check with it; name one system to see it")
    systems = all_systems() if name == "all" else (find_system(name),)
    if check:
        if choose or plot is not None or seed is not None or answer:
            raise InputError(
                "--check: its figures name their own settings and seeds; "
                "leave --set, --seed, --plot and --answer out"
            )
        _check(systems, expected, as_json=as_json)
    else:
        _show(systems[0], choose or [], seed=seed, as_json=as_json, plot=plot, answer=answer)


def _list(systems: tuple[System, ...], *, as_json: bool) -> None:
    from rewardlab.report.as_json import json_text
    from rewardlab.systems.words import described

    if as_json:
        typer.echo(json_text([described(system) for system in systems]))
    else:
        from rewardlab.cli.system_tables import print_list

        print_list(systems)


def _show(
    system: System,
    chosen: list[str],
    *,
    seed: int | None,
    as_json: bool,
    plot: Path | None,
    answer: bool,
) -> None:
    from rewardlab.cli.system_tables import print_result
    from rewardlab.cli.writing import check_outputs, write_text
    from rewardlab.plots.chart import save

    if seed is not None and not system.draws:
        raise InputError(f"--seed: {system.name} draws nothing at random; leave it out")
    if plot is not None and plot.suffix != ".svg":
        raise InputError(f"--plot: expected a name that ends in .svg, got {plot}")
    settings = system.settings(_read_settings(system, chosen))
    check_outputs([plot], [])
    result = system.evaluate(settings, seed=seed or 0)
    if plot is not None:
        svg = save(result.chart, title=system.title, description=result.sentence)
        write_text(plot, svg)
    if as_json:
        from rewardlab.report.as_json import json_text
        from rewardlab.systems.words import described, shown

        about = {"settings": settings, "seed": (seed or 0) if system.draws else None}
        typer.echo(json_text({**described(system, answer=answer), **about, **shown(result)}))
    else:
        print_result(system, result, settings, introduce=not chosen, answer=answer)
        if plot is not None:
            typer.echo(f"\nWritten: {plot}")


def _read_settings(system: System, chosen: list[str]) -> dict[str, Any]:
    controls = {control.name: control for control in system.controls}
    settings: dict[str, Any] = {}
    for text in chosen:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set: expected CONTROL=VALUE, got {text!r}")
        if name not in controls:
            known = ", ".join(controls)
            raise InputError(f"--set: {system.name} has the controls {known}, not {name!r}")
        if name in settings:
            raise InputError(f"--set: {name} is set twice; expected each control once")
        settings[name] = controls[name].read(value)
    return settings


def _check(systems: tuple[System, ...], folder: Path, *, as_json: bool) -> None:
    from rewardlab.cli.system_tables import CheckTable
    from rewardlab.report.as_json import json_text
    from rewardlab.systems.checking import check, read_expected

    if not folder.is_dir():
        raise InputError(
            f"--check: expected figures lie in {_EXPECTED} of a source checkout, and {folder} is "
            "no folder here; run it there, or name the folder with --expected"
        )
    wanted = [(system, read_expected(folder / f"{system.name}.toml")) for system in systems]
    checked = ((system, one) for system, figures in wanted for one in check(system, figures))
    if as_json:
        rows = [{"system": system.name, **asdict(one)} for system, one in checked]
        typer.echo(json_text(rows))
        failed = any(not row["passed"] for row in rows)
    else:
        table = CheckTable(wanted)
        for system, one in checked:
            table.add(system, one)
        table.finish()
        failed = bool(table.failed)
    if failed:
        raise typer.Exit(1)
