"""Telling which convention a file follows, and saying it aloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rewardlab.errors import FormatError
from rewardlab.preferences.column_names import did_you_mean, no_such_column
from rewardlab.preferences.conventions import ALL
from rewardlab.preferences.conventions.convention import Convention, Kind
from rewardlab.preferences.options import Needs
from rewardlab.preferences.refusals import (
    Lacking,
    lacking_columns,
    nothing_fits,
    other_kind,
    required_columns,
)
from rewardlab.preferences.rows import Row


@dataclass(frozen=True, slots=True)
class Layout:
    """What was recognised in a file, or forced upon it.

    Attributes:
        name: The convention, such as "trl-explicit".
        kind: What its rows are: "preferences", "rankings", "ratings", "unpaired" or "steps".
        sentence: The same for a reader.
        columns: Field -> column of the file.
        sides_recorded: True if side a is the one that was shown first (or left).
    """

    name: str
    kind: str
    sentence: str
    columns: Mapping[str, str]
    sides_recorded: bool


def recognise(
    source: str,
    rows: Sequence[Row],
    *,
    forced: str | None,
    mapped: Mapping[str, str],
    kinds: Sequence[Kind],
    needs: Needs = "texts",
) -> tuple[Convention, Layout]:
    """The convention of the file whose first rows are given, and its layout.

    Args:
        source: Name of the file, for messages.
        rows: The first rows of the file, at least one.
        forced: Name of the convention to take, whatever the columns look like; or None.
        mapped: Field -> column, where the file's names are others.
        kinds: The kinds wanted.
        needs: What of the rows is made use of.

    Raises:
        FormatError: No convention fits, several do, or the forced one or the mapping cannot hold.
    """
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    for field, column in mapped.items():
        if column not in present:
            raise no_such_column(source, f"--column {field}={column}", column, present)
    if forced is None:
        convention, columns = _fitting(source, rows, present, mapped, kinds, needs)
    else:
        convention = _named(forced)
        _check_fields(mapped, [convention])
        columns, missing = _resolve(convention, present, mapped)
        if missing:
            raise FormatError(
                f"{source}: not readable as {forced}: missing "
                f"{lacking_columns(convention, missing, present)}; columns found: "
                f"{', '.join(present)}; name a column with --column {missing[0]}=NAME"
            )
    if convention.kind not in kinds:
        raise FormatError(other_kind(rows, convention, columns, kinds, needs))
    return convention, _layout(convention, columns, rows)


def _fitting(
    source: str,
    rows: Sequence[Row],
    present: Sequence[str],
    mapped: Mapping[str, str],
    kinds: Sequence[Kind],
    needs: Needs,
) -> tuple[Convention, dict[str, str]]:
    """(the convention whose columns and values these are, field -> column)."""
    wanted = [c for c in ALL if c.kind in kinds]
    _check_fields(mapped, wanted)
    fitting = []
    for convention in ALL:
        columns, missing = _resolve(convention, present, mapped)
        blocked = [c for c in convention.forbidden if c in present and c not in mapped.values()]
        if missing or blocked or not convention.chooses(columns):
            continue
        if convention.holds(rows, columns):
            fitting.append((convention, columns))
    found = [(c, columns) for c, columns in fitting if c.kind in kinds]
    if len(found) > 1:
        names = ", ".join(f"{c.name} ({required_columns(c, f)})" for c, f in found)
        raise FormatError(
            f"{source}: the columns fit several conventions: {names}; choose one with --format"
        )
    if not fitting:
        lacking = [Lacking(c, *_resolve(c, present, mapped)) for c in wanted]
        raise FormatError(nothing_fits(rows, present, lacking, mapped, needs))
    return (found or fitting)[0]


def _resolve(
    convention: Convention, present: Sequence[str], mapped: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """(field -> column, fields missing); a mapping may use a field's name or any of its aliases."""
    columns: dict[str, str] = {}
    missing = []
    taken = set(mapped.values())
    for field, aliases in convention.fields.items():
        given = [mapped[name] for name in (field, *aliases) if name in mapped]
        found = given or [name for name in aliases if name in present and name not in taken]
        if found:
            columns[field] = found[0]
            taken.add(found[0])
        elif field in convention.required:
            missing.append(field)
    return columns, missing


def _layout(convention: Convention, columns: dict[str, str], rows: Sequence[Row]) -> Layout:
    is_pairwise = convention.kind == "preferences"
    sides = convention.sides_recorded and is_pairwise
    if "chosen_side" in columns:
        sides = True
    if "sides_recorded" in columns:
        flag = rows[0].get(columns["sides_recorded"])
        if not isinstance(flag, bool):
            raise rows[0].error(columns["sides_recorded"], "true or false")
        sides = flag
    others = [
        column if field == column else f"{field} from {column}"
        for field, column in columns.items()
        if field not in convention.required and field != "sides_recorded"
    ]
    sentence = f"{convention.title} ({required_columns(convention, columns)})"
    sentence += f", with {', '.join(others)}" if others else ""
    if is_pairwise and not sides:
        sentence += f"; sides unknown: {convention.no_sides}"
    elif convention.kind in ("ratings", "rankings"):
        sentence += "; no sides were shown"
    return Layout(convention.name, convention.kind, sentence, columns, sides)


def _named(name: str) -> Convention:
    for convention in ALL:
        if convention.name == name:
            return convention
    names = [c.name for c in ALL if c.kind != "refused"]
    raise FormatError(f"--format {name}: no such convention; {_hint_and_known(name, names, names)}")


def _check_fields(mapped: Mapping[str, str], conventions: Sequence[Convention]) -> None:
    fields = sorted({field for c in conventions for field in c.fields})
    aliases = [name for c in conventions for names in c.fields.values() for name in names]
    for field, column in mapped.items():
        if field not in (*fields, *aliases):
            said = f"--column {field}={column}: no such field"
            raise FormatError(f"{said}; {_hint_and_known(field, [*fields, *aliases], fields)}")


def _hint_and_known(name: str, names: Sequence[str], shown: Sequence[str]) -> str:
    hint = did_you_mean(names, name)
    return f"{hint}{' ' if hint else ''}known: {', '.join(shown)}"
