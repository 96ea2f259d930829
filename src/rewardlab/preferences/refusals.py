"""Why a file's layout is not read, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rewardlab.preferences.column_names import PROMPT, SHARED_FIELDS, TEXT_COLUMNS, did_you_mean
from rewardlab.preferences.conventions.convention import Convention, Kind
from rewardlab.preferences.conventions.ratings import rating_columns, rating_names
from rewardlab.preferences.rows import Row

_CURVE = "use rewardlab curve"
_NO_PAIRS: Mapping[Kind, str] = {
    "unpaired": "each row judges one response, so that there are no pairs in it: pair good with "
    "bad responses to the same prompt, in columns chosen and rejected",
    "steps": "each row judges the steps of one solution, so that there are no pairs in it: give "
    "two solutions to the same prompt a row, in columns chosen and rejected",
}
_NEAR = 0.5
"""Share of a convention's columns above which a file is thought to be meant as it."""


def other_kind(
    rows: Sequence[Row],
    convention: Convention,
    columns: Mapping[str, str],
    wanted: Sequence[Kind],
) -> str:
    """Why a file of another kind than wanted is not read, and what to do.

    Args:
        rows: The first rows.
        convention: What they follow.
        columns: Field -> column.
        wanted: The kinds that were asked for.
    """
    source = rows[0].source
    said = f"{source}: {convention.title} ({required_columns(convention, columns)})"
    if convention.kind == "ratings":
        names = ", ".join(rating_names(rows, columns))
        said += f"; turn them into comparisons with --rating NAME, one of: {names}"
        return f"{said}; if these are samples to choose from, {_CURVE}" if _repeats(rows) else said
    if convention.kind == "rankings":
        return f"{said}; turn them into comparisons with --from-rankings"
    if convention.kind == "refused":
        return f"{source}: {convention.title}: {convention.remedy}"
    said += f": these are {convention.kind}, where something else was asked for"
    if "preferences" in wanted and convention.kind in _NO_PAIRS:
        said += f"; {_NO_PAIRS[convention.kind]}"
    return said


def nothing_fits(
    rows: Sequence[Row],
    present: Sequence[str],
    lacking: Sequence[tuple[Convention, list[str]]],
) -> str:
    """What is there, what the nearest conventions miss, and what to do.

    Args:
        rows: The first rows.
        present: The file's columns.
        lacking: Each convention wanted, with the fields that it misses.
    """

    def likeness(item: tuple[Convention, list[str]]) -> float:
        """Share of the required columns that are there, a nearly right name counted as half."""
        convention, missing = item
        near = sum(bool(did_you_mean(present, convention.required[f][0])) for f in missing)
        return 1 - (len(missing) - 0.5 * near) / len(convention.required)

    nearest = sorted(lacking, key=likeness, reverse=True)[:3]
    shown = [
        f"{convention.name} misses {lacking_columns(convention, missing, present)}"
        if missing
        else f"{convention.name} has its columns, but not its values"
        for convention, missing in nearest
    ]
    guess = ""
    if _holds_texts(present):
        guess = (
            "it holds texts of pairs and no votes: if those are in another file, it belongs after "
            "--join (with --on COLUMN), behind the file of votes; "
        )
    elif likeness(nearest[0]) <= _NEAR and _repeats(rows) and rating_columns(rows, {}):
        guess = f"these look like samples: {_CURVE}; "
    return (
        f"{rows[0].source}: the layout is not recognised; {guess}columns found: "
        f"{', '.join(present)}; nearest: {'; '.join(shown)}; name columns with --column "
        "FIELD=COLUMN, such as --column chosen=better, or force a convention with --format"
    )


def lacking_columns(convention: Convention, missing: Sequence[str], present: Sequence[str]) -> str:
    """The names that the missing fields' columns go by, with a hint at what may be meant."""
    said = []
    for aliases in (convention.required[field] for field in missing):
        hint = did_you_mean(present, *aliases)
        said.append(" or ".join(aliases) + (f" ({hint})" if hint else ""))
    return ", ".join(said)


def required_columns(convention: Convention, columns: Mapping[str, str]) -> str:
    """The file's columns that the convention requires, listed."""
    return ", ".join(columns[field] for field in convention.required)


def _holds_texts(present: Sequence[str]) -> bool:
    """Whether both responses of a pair have a column."""
    both = (TEXT_COLUMNS[side] for side in ("response_a", "response_b"))
    return all(any(name in present for name in names) for names in both)


def _repeats(rows: Sequence[Row]) -> bool:
    """Whether several rows are about one prompt, by its id or else its text."""
    for column in (*SHARED_FIELDS["prompt_id"], *PROMPT):
        if column in rows[0].values:
            counts = Counter(str(row.values.get(column)) for row in rows)
            return counts.most_common(1)[0][1] > 1
    return False
