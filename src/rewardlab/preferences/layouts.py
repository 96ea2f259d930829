"""Telling which convention a file follows, and saying it aloud."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rewardlab.errors import FormatError
from rewardlab.preferences.conventions import ALL
from rewardlab.preferences.conventions.convention import Convention, Kind
from rewardlab.preferences.conventions.ratings import rating_names
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


@dataclass(frozen=True, slots=True)
class Recognised:
    """A convention found in a file, with its layout."""

    convention: Convention
    layout: Layout


def recognise(
    source: str,
    rows: Sequence[Row],
    *,
    forced: str | None = None,
    mapped: Mapping[str, str] | None = None,
    kinds: Sequence[Kind] = ("preferences",),
) -> Recognised:
    """The convention of the file whose first rows are given.

    Args:
        source: Name of the file, for messages.
        rows: The first rows of the file, at least one.
        forced: Name of the convention to take, whatever the columns look like.
        mapped: Field -> column, where the file's names are others.
        kinds: The kinds wanted.

    Raises:
        FormatError: No convention fits, several do, or the forced one or the mapping cannot hold.
    """
    mapped = mapped or {}
    present = list(dict.fromkeys(name for row in rows for name in row.values))
    _check_mapping(source, present, mapped)
    if forced is not None:
        return _forced(source, rows, present, _named(forced), mapped, kinds)
    wanted = [c for c in ALL if c.kind in kinds]
    _check_fields(mapped, wanted)
    fitting = []
    for convention in ALL:
        columns, missing = _resolve(convention, present, mapped)
        blocked = [c for c in convention.forbidden if c in present and c not in mapped.values()]
        if not missing and not blocked and convention.holds(rows, columns):
            fitting.append((convention, columns))
    found = [(c, columns) for c, columns in fitting if c.kind in kinds]
    if len(found) > 1:
        names = ", ".join(f"{c.name} ({_required_columns(c, f)})" for c, f in found)
        raise FormatError(
            f"{source}: the columns fit several conventions: {names}; choose one with --format"
        )
    if found:
        return _recognised(*found[0], rows)
    if fitting:
        raise FormatError(_other_kind(rows, *fitting[0]))
    raise FormatError(_nothing_fits(source, present, mapped, wanted))


def _forced(
    source: str,
    rows: Sequence[Row],
    present: list[str],
    convention: Convention,
    mapped: Mapping[str, str],
    kinds: Sequence[Kind],
) -> Recognised:
    _check_fields(mapped, [convention])
    columns, missing = _resolve(convention, present, mapped)
    if missing:
        raise FormatError(_missing_message(source, convention, present, missing))
    if convention.kind not in kinds:
        raise FormatError(_other_kind(rows, convention, columns))
    return _recognised(convention, columns, rows)


def _other_kind(rows: Sequence[Row], convention: Convention, columns: Mapping[str, str]) -> str:
    """Why a file of another kind than wanted is not read, and what to do."""
    source = rows[0].source
    said = f"{source}: {convention.title} ({_required_columns(convention, columns)})"
    if convention.kind == "ratings":
        names = ", ".join(rating_names(rows, columns))
        return f"{said}; turn them into comparisons with --rating NAME, one of: {names}"
    if convention.kind == "rankings":
        return f"{said}; turn them into comparisons with --from-rankings"
    if convention.kind == "refused":
        return f"{source}: {convention.title}: {convention.remedy}"
    return f"{said}: these are {convention.kind}, where something else was asked for"


def _required_columns(convention: Convention, columns: Mapping[str, str]) -> str:
    return ", ".join(columns[field] for field in convention.required)


def _named(name: str) -> Convention:
    for convention in ALL:
        if convention.name == name:
            return convention
    names = [c.name for c in ALL if c.kind != "refused"]
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise FormatError(f"--format {name}: no such convention; {hint}known: {', '.join(names)}")


def near_column(column: str, present: Sequence[str]) -> str:
    """A hint at the column that may have been meant, or ""."""
    near = difflib.get_close_matches(column, present, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _check_mapping(source: str, present: list[str], mapped: Mapping[str, str]) -> None:
    for field, column in mapped.items():
        if column not in present:
            hint = near_column(column, present)
            raise FormatError(
                f"{source}: --column {field}={column}: there is no column {column!r}{hint} "
                f"(columns found: {', '.join(present)})"
            )


def _check_fields(mapped: Mapping[str, str], conventions: Sequence[Convention]) -> None:
    known = {
        name: None
        for convention in conventions
        for field, aliases in convention.fields.items()
        for name in (field, *aliases)
    }
    for field, column in mapped.items():
        if field not in known:
            near = difflib.get_close_matches(field, list(known), 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            fields = sorted({f for c in conventions for f in c.fields})
            raise FormatError(
                f"--column {field}={column}: no such field; {hint}known: {', '.join(fields)}"
            )


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


def _recognised(convention: Convention, columns: dict[str, str], rows: Sequence[Row]) -> Recognised:
    sides = convention.sides_recorded and convention.kind == "preferences"
    if "chosen_side" in columns:
        sides = True
    if "sides_recorded" in columns:
        sides = _sides_flag(rows[0], columns["sides_recorded"])
    others = [
        column if field == column else f"{field} from {column}"
        for field, column in columns.items()
        if field not in convention.required and field != "sides_recorded"
    ]
    sentence = f"{convention.title} ({_required_columns(convention, columns)})"
    sentence += f", with {', '.join(others)}" if others else ""
    if convention.kind == "preferences" and not sides:
        sentence += "; sides unknown: the first column is the winner's, not the side shown first"
    elif convention.kind in ("ratings", "rankings"):
        sentence += "; no sides were shown"
    return Recognised(
        convention, Layout(convention.name, convention.kind, sentence, columns, sides)
    )


def _sides_flag(row: Row, column: str) -> bool:
    flag = row.get(column)
    if not isinstance(flag, bool):
        raise row.error(column, "true or false")
    return flag


def _missing_message(
    source: str, convention: Convention, present: Sequence[str], missing: Sequence[str]
) -> str:
    parts = []
    for field in missing:
        aliases = convention.required[field]
        near = difflib.get_close_matches(aliases[0], present, 1, 0.7)
        hint = f" (is it {near[0]!r}?)" if near else ""
        parts.append(f"{' or '.join(aliases)}{hint}")
    example = f"--column {missing[0]}=NAME"
    return (
        f"{source}: not readable as {convention.name}: missing {'; '.join(parts)}; columns found: "
        f"{', '.join(present)}; name a column with {example}"
    )


def _nothing_fits(
    source: str,
    present: Sequence[str],
    mapped: Mapping[str, str],
    candidates: Sequence[Convention],
) -> str:
    ranked = []
    for convention in candidates:
        _, missing = _resolve(convention, present, mapped)
        found = len(convention.required) - len(missing)
        near = sum(
            bool(difflib.get_close_matches(convention.required[f][0], present, 1, 0.7))
            for f in missing
        )
        ranked.append((-(found + 0.5 * near) / len(convention.required), convention, missing))
    ranked.sort(key=lambda item: item[0])
    shown = []
    for _, convention, missing in ranked[:3]:
        if missing:
            names = ", ".join(_with_hint(convention.required[f], present) for f in missing)
            shown.append(f"{convention.name} misses {names}")
        else:
            shown.append(f"{convention.name} has its columns, but not its values")
    return (
        f"{source}: the layout is not recognised; columns found: {', '.join(present)}; nearest: "
        f"{'; '.join(shown)}; name columns with --column FIELD=COLUMN, such as --column "
        f"chosen=better, or force a convention with --format"
    )


def _with_hint(aliases: Sequence[str], present: Sequence[str]) -> str:
    near = [n for alias in aliases for n in difflib.get_close_matches(alias, present, 1, 0.7)]
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"{' or '.join(aliases)}{hint}"
