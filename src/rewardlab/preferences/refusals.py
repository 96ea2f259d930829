"""Why a file's layout is not read, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rewardlab.preferences.column_names import PROMPT, SHARED_FIELDS, TEXT_COLUMNS, did_you_mean
from rewardlab.preferences.conventions.convention import Convention, Kind
from rewardlab.preferences.conventions.crowd import crowd_recipe
from rewardlab.preferences.conventions.ratings import rating_columns, rating_names
from rewardlab.preferences.options import Needs
from rewardlab.preferences.rows import Row

_CURVE = "use rewardlab curve"
_NO_PAIRS: Mapping[Kind, str] = {
    "unpaired": "each row judges one response, so that there are no pairs in it: pair good with "
    "bad responses to the same prompt, in columns chosen and rejected",
    "steps": "each row judges the steps of one solution, so that there are no pairs in it: give "
    "two solutions to the same prompt a row, in columns chosen and rejected",
}
_ASKED_BY: Mapping[Kind, str] = {
    "rankings": " (--rankings, --from-rankings); leave that option out",
    "ratings": " (--rating); leave that option out",
}
_LOSERS = {"winner": "loser", "winner_name": "loser_name", "winner_id": "loser_id", "won": "lost"}
"""Columns of who won and who lost."""
_PLACES = ("place", "position", "pos", "rank", "finish")
_EXAMPLES: Mapping[Needs, str] = {
    "texts": "--column chosen=better",
    "votes": "--column item_a=LEFT --column item_b=RIGHT --column winner=WON",
    "items": "--column item_a=LEFT --column item_b=RIGHT --column winner=WON",
}
_NEAR = 0.5
"""Share of a convention's columns above which a file is thought to be meant as it."""


def other_kind(
    rows: Sequence[Row],
    convention: Convention,
    columns: Mapping[str, str],
    wanted: Sequence[Kind],
    needs: Needs,
) -> str:
    """Why a file of another kind than wanted is not read, and what to do.

    Args:
        rows: The first rows.
        convention: What they follow.
        columns: Field -> column.
        wanted: The kinds that were asked for.
        needs: What of the rows is made use of.
    """
    source = rows[0].source
    said = f"{source}: {convention.title} ({required_columns(convention, columns)})"
    if convention.kind == "ratings":
        names = ", ".join(rating_names(rows, columns))
        said += f"; turn them into comparisons with --rating NAME, one of: {names}"
        return f"{said}; if these are samples to choose from, {_CURVE}" if _repeats(rows) else said
    if convention.kind == "rankings":
        whole = ", or fit them whole with --rankings" if needs == "items" else ""
        return f"{said}; turn them into comparisons with --from-rankings{whole}"
    if convention.kind == "refused":
        return f"{source}: {convention.title}: {convention.remedy}"
    asked = f"{' or '.join(wanted)} were asked for{_ASKED_BY.get(wanted[0], '')}"
    said += f": these are {convention.kind}, where {asked}"
    if "preferences" in wanted and convention.kind in _NO_PAIRS:
        said += f"; {_NO_PAIRS[convention.kind]}"
    return said


@dataclass(frozen=True, slots=True)
class Lacking:
    """A convention that does not fit a file.

    Attributes:
        convention: The convention.
        columns: Field -> column, of the fields that are there.
        missing: The required fields that are not.
    """

    convention: Convention
    columns: Mapping[str, str]
    missing: Sequence[str]

    def said(self, present: Sequence[str]) -> str:
        """What it misses, with hints at what may be meant by columns of the file."""
        convention = self.convention
        parts = [lacking_columns(convention, self.missing, present)] if self.missing else []
        if not convention.chooses(self.columns):
            ways = [self._rest(fields, present) for fields in convention.either]
            parts.append(f"either {', or '.join(ways)}")
        if not parts:
            return f"{convention.name} has its columns, but not its values"
        return f"{convention.name} misses {', '.join(parts)}"

    def _rest(self, fields: Sequence[str], present: Sequence[str]) -> str:
        """What is missing of a set of fields, each by the first name of its column."""
        rest = []
        for aliases in (self.convention.fields[f] for f in fields if f not in self.columns):
            hint = did_you_mean(present, *aliases)
            rest.append(aliases[0] + (f" ({hint})" if hint else ""))
        return " and ".join(rest)

    def likeness(self, present: Sequence[str]) -> float:
        """Share of the required columns that are there, a nearly right name counted as half."""
        required = self.convention.required
        near = sum(bool(did_you_mean(present, required[f][0])) for f in self.missing)
        return 1 - (len(self.missing) - 0.5 * near) / len(required)


def nothing_fits(
    rows: Sequence[Row],
    present: Sequence[str],
    lacking: Sequence[Lacking],
    mapped: Mapping[str, str],
    needs: Needs,
) -> str:
    """What is there, what the nearest conventions miss, and what to do.

    Args:
        rows: The first rows.
        present: The file's columns.
        lacking: Each convention wanted, with the fields that it misses.
        mapped: Field -> column, as the user says.
        needs: What of the rows is made use of.
    """

    def nearness(one: Lacking) -> tuple[int, float, bool]:
        """How many of the user's columns are its own, then likeness, then what is made use of."""
        own = len({*mapped.values()} & {*one.columns.values()})
        return own, one.likeness(present), needs != "texts" and one.convention.reads_items

    nearest = sorted(lacking, key=nearness, reverse=True)[:3]
    return (
        f"{rows[0].source}: the layout is not recognised; "
        f"{_guess(rows, present, nearest[0], needs)}columns found: {', '.join(present)}; nearest: "
        f"{'; '.join(one.said(present) for one in nearest)}; name columns with --column "
        f"FIELD=COLUMN, such as {_EXAMPLES[needs]}, or force a convention with --format"
    )


def _guess(rows: Sequence[Row], present: Sequence[str], nearest: Lacking, needs: Needs) -> str:
    """What the file may be, and how it is read then; "" where nothing can be said."""
    for winner, loser in _LOSERS.items():
        if winner in present and loser in present:
            recipe = crowd_recipe(winner, loser, winner)
            return f"where each row names the winner and the loser, {recipe}; "
    place = next((name for name in present if name.lower() in _PLACES), "")
    if needs == "items" and place:
        return (
            "where each row is a place in a ranking, name the columns with --ranking COLUMN "
            f"--place {place} --item COLUMN; "
        )
    if _holds_texts(present):
        return (
            "it holds texts of pairs and no votes: if those are in another file, it belongs after "
            "--join (with --on COLUMN), behind the file of votes; "
        )
    if nearest.likeness(present) <= _NEAR and _repeats(rows) and rating_columns(rows, {}):
        return f"these look like samples: {_CURVE}; "
    return ""


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
