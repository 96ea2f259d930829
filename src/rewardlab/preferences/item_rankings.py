"""Rankings of named items as integer codes, as Plackett-Luce reads them, and how files hold them.

A ranking puts some of the items in order and may name others that are known only to be lower (a
top-k list). A tie has no place in it: which of several rules for ties is meant would change every
strength, so that a tie is refused in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rewardlab.errors import InputError, RowError
from rewardlab.preferences.battles import Codes, check_integers, check_names, signed
from rewardlab.preferences.column_names import no_such_column
from rewardlab.preferences.records import Rankings
from rewardlab.preferences.rows import Row
from rewardlab.preferences.tables import read_rows
from rewardlab.preferences.tallies import Tally, all_left_out
from rewardlab.types import FloatArray, IntArray

NO_TIES = "places without ties: Plackett-Luce has no rule for them; leave the ranking out"


@dataclass(frozen=True, slots=True)
class ItemRankings:
    """R rankings of m items, each of any number of them, one after the other.

    Attributes:
        names: Length m; the items. Codes are positions in it.
        order: Shape [total], codes; each ranking's items, the best first, and after those in order
            the ones known only to be lower. No item stands twice in a ranking.
        first: Shape [R + 1], int64; ranking r is ``order[first[r] : first[r + 1]]``, two items or
            more.
        n_ranked: Shape [R], int64, >= 1; how many of a ranking's items are in order.
        weight: Shape [R], > 0; how often each ranking was given. None for once.
        cluster: Shape [R], codes 0..G-1 of what is resampled together; None for each ranking by
            itself.
        n_single: Rankings of a single item, which say nothing and are left out.
        n_spoilt: Rankings left out whole, as a row of theirs cannot be used.
    """

    names: tuple[str, ...]
    order: Codes
    first: IntArray
    n_ranked: IntArray
    weight: FloatArray | None = None
    cluster: Codes | None = None
    n_single: int = 0
    n_spoilt: int = 0

    def __post_init__(self) -> None:
        m, size = len(self.names), np.diff(self.first)
        check_names("ItemRankings.names", self.names)
        if not len(size):
            raise InputError("ItemRankings: expected at least one ranking of two items, got none")
        if self.first[0] != 0 or self.first[-1] != len(self.order) or size.min() < 2:
            raise InputError(
                "ItemRankings.first: expected offsets of rankings of two items or more"
            )
        check_integers("ItemRankings.order", self.order)
        object.__setattr__(self, "order", signed(self.order))
        if not 0 <= self.order.min() <= self.order.max() < m:
            raise InputError(
                f"ItemRankings.order: expected codes from 0 to {m - 1}, got {self.order.min()} to "
                f"{self.order.max()}"
            )
        if self.n_ranked.shape != size.shape or not np.all(
            (self.n_ranked >= 1) & (self.n_ranked <= size)
        ):
            raise InputError("ItemRankings.n_ranked: expected from 1 to as many as are listed")
        self._check_columns()
        keys = np.sort(np.repeat(np.arange(len(size)), size) * m + self.order)
        twice = np.flatnonzero(keys[1:] == keys[:-1])
        if len(twice):
            ranking, item = divmod(int(keys[twice[0]]), m)
            raise InputError(f"ranking {ranking}: {self.names[item]!r} stands in it twice")

    def _check_columns(self) -> None:
        weight, cluster = self.weight, self.cluster
        if weight is not None and (
            weight.shape != (len(self),) or not np.all((weight > 0) & np.isfinite(weight))
        ):
            raise InputError(f"ItemRankings.weight: expected {len(self)} finite numbers > 0")
        if cluster is not None:
            check_integers("ItemRankings.cluster", cluster)
        if cluster is not None and (cluster.shape != (len(self),) or cluster.min() < 0):
            raise InputError(f"ItemRankings.cluster: expected {len(self)} codes >= 0")

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def n_items(self) -> int:
        """m."""
        return len(self.names)

    @property
    def weights(self) -> FloatArray:
        """Shape [R]; how often each ranking was given."""
        return np.ones(len(self)) if self.weight is None else self.weight


@dataclass(frozen=True, slots=True)
class LongForm:
    """Columns of a file of rankings with a row for each place.

    Attributes:
        ranking: Which ranking a row belongs to.
        place: 1 is the best.
        item: What stands there.
        lower: What stands as a place of an item known only to be lower; None for nothing.
    """

    ranking: str
    place: str
    item: str
    lower: str | None


def rankings_of_orders(
    orders: Iterable[Sequence[int]],
    names: Sequence[str] | int,
    *,
    lower: Sequence[Sequence[int]] | None = None,
    weight: FloatArray | None = None,
    cluster: Codes | None = None,
) -> ItemRankings:
    """Rankings from orders, the best first.

    Args:
        orders: Codes of the items in order, of each ranking.
        names: The items, or how many there are.
        lower: Length R; items known only to be lower than the ordered ones. None for none.
        weight: Shape [R], > 0; how often each was given. None for once.
        cluster: Shape [R]; codes of what is resampled together.

    Raises:
        InputError: A ranking has fewer than two items or one twice, or codes are no items'.
    """
    ranked = [list(order) for order in orders]
    behind = [[] for _ in ranked] if lower is None else [list(each) for each in lower]
    if len(behind) != len(ranked):
        raise InputError(f"lower: expected {len(ranked)} lists, got {len(behind)}")
    listed = [a + b for a, b in zip(ranked, behind, strict=True)]
    return ItemRankings(
        names=tuple(map(str, range(names))) if isinstance(names, int) else tuple(names),
        order=np.fromiter((item for each in listed for item in each), np.int64),
        first=_offsets(np.array([len(each) for each in listed], dtype=np.int64)),
        n_ranked=np.array([len(each) for each in ranked], dtype=np.int64),
        weight=weight,
        cluster=cluster,
    )


def read_item_rankings(
    path: Path,
    *,
    ranking: str = "ranking",
    place: str = "place",
    item: str = "item",
    lower: str | None = None,
    tally: Tally | None = None,
) -> ItemRankings:
    """Rankings of a file with a row for each place; rows of one ranking need not be adjacent.

    Places need not be consecutive: only their order counts.

    Args:
        path: CSV, JSON or Parquet.
        ranking: Column that says which ranking a row belongs to.
        place: Column of places, whole numbers from 1, the best.
        item: Column of items.
        lower: What stands as a place of an item known only to be lower than those with a place,
            such as "DNF"; "" for an empty place. None: every row has a place.
        tally: Counts the rows, and those that cannot be used if it is to count them; else such a
            row is an error. A ranking with such a row is left out whole: without the row, what is
            amiss with its item would pass for chance.

    Raises:
        FormatError: The file lacks a column, or cannot be read, or no row is left.
        RowError: A place is no whole number, a place or an item stands twice in a ranking, or a
            ranking gives no place at all.
        InputError: No ranking has two items.
    """
    tally = tally or Tally("raise")
    spoilt: set[str] = set()
    rows = list(_long_rows(path, LongForm(ranking, place, item, lower), tally, spoilt))
    coded = _CodedRows(rows)
    for at, error in coded.faults(place, item):
        tally.bad(error)
        spoilt.add(rows[at].ranking)
    if spoilt:
        coded = _CodedRows([row for row in rows if row.ranking not in spoilt])
    if not coded.rows:
        raise all_left_out(tally.n_rows, tally.left_out())
    names, size = tuple(coded.items.names), np.bincount(coded.ranking)
    found = _without_singles(names, coded.item[coded.order], size, coded.n_ranked)
    return replace(found, n_spoilt=len(spoilt))


def item_rankings_of(rankings: Rankings) -> ItemRankings:
    """Rankings of the items whose responses a file ranks, each row a ranking.

    Rows on one prompt are resampled together.

    Raises:
        RowError: A response's item is unknown, an item stands twice in a row, or two are tied.
        InputError: No ranking has two items.
    """
    items, prompts = _Coded(), _Coded()
    codes: list[int] = []
    for i, (ranks, names) in enumerate(zip(rankings.ranks, rankings.items, strict=True)):
        named = [name for name in names if name is not None]
        if len(named) < len(names):
            raise _row_error(rankings, i, None, "the item that each response is of")
        if len(set(named)) < len(named):
            raise _row_error(rankings, i, named, "each item once in a ranking")
        if len(set(ranks.tolist())) < len(ranks):
            raise _row_error(rankings, i, ranks.tolist(), NO_TIES)
        codes.extend(items.code(named[k]) for k in np.argsort(ranks))
    size = np.array([len(ranks) for ranks in rankings.ranks], dtype=np.int64)
    cluster = np.array([prompts.code(name) for name in rankings.rows.prompt_id], dtype=np.int64)
    order = np.array(codes, dtype=np.int64)
    return _without_singles(tuple(items.names), order, size, size, cluster)


@dataclass(slots=True)
class _LongRow:
    """One place of one ranking; the place is infinite where the item is known only to be lower."""

    row: Row
    ranking: str
    place: float
    item: str


class _Coded:
    """Codes of names in order of first appearance."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}

    def code(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))


class _CodedRows:
    """Rows as codes of their rankings and items.

    Args:
        rows: The rows; all arrays are shape [rows].
    """

    def __init__(self, rows: Sequence[_LongRow]) -> None:
        self.rows, self.rankings, self.items = rows, _Coded(), _Coded()
        self.ranking = np.array([self.rankings.code(row.ranking) for row in rows], dtype=np.int64)
        self.item = np.array([self.items.code(row.item) for row in rows], dtype=np.int64)
        self.place = np.array([row.place for row in rows], dtype=np.float64)
        self.order = np.lexsort((self.place, self.ranking))

    @property
    def n_ranked(self) -> IntArray:
        """Shape [R]; how many of each ranking's items have a place."""
        placed = self.ranking[np.isfinite(self.place)]
        return np.bincount(placed, minlength=len(self.rankings.names))

    def faults(self, place: str, item: str) -> Iterator[tuple[int, RowError]]:
        """Rows that repeat an item or a place of their ranking, or are of one without a place."""
        by_item = np.lexsort((self.item, self.ranking))
        twice = _repeats(by_item, self.ranking, self.item)
        for at in twice:
            row, name = self.rows[at].row, self.rows[at].item
            once = "each item once in a ranking"
            yield at, row.error(item, once, name, reason="an item stands twice in a ranking")
        placed = self.order[np.isfinite(self.place[self.order])]
        tied = _repeats(placed, self.ranking, self.place)
        for at in sorted(set(tied) - set(twice)):
            yield at, self.rows[at].row.error(place, NO_TIES, reason="two items share a place")
        for at in np.flatnonzero(self.n_ranked[self.ranking] == 0).tolist():
            expected, reason = "at least one place in a ranking", "a ranking gives no place"
            yield at, self.rows[at].row.error(place, expected, reason=reason)


def _long_rows(path: Path, columns: LongForm, tally: Tally, spoilt: set[str]) -> Iterator[_LongRow]:
    """The rows that can be used; the others are told to the tally, their rankings to ``spoilt``."""
    named = (("ranking", columns.ranking), ("place", columns.place), ("item", columns.item))
    for row in read_rows(path, tally):
        for option, column in named:
            if column not in row.values:
                raise no_such_column(row.source, f"{option} {column!r}", column, row.values)
        ranking = None
        try:
            ranking = _required_name(row, columns.ranking)
            item = _required_name(row, columns.item)
            yield _LongRow(row, ranking, _place(row, columns.place, columns.lower), item)
        except RowError as error:
            tally.bad(error)
            if ranking is not None:
                spoilt.add(ranking)


def _required_name(row: Row, column: str) -> str:
    name = row.name(column)
    if name is None:
        raise row.error(column, "a name: text or a number")
    return name


def _place(row: Row, column: str, lower: str | None) -> float:
    value = row.get(column)
    if lower is not None and ("" if value is None else str(value)) == lower:
        return np.inf
    known = "" if lower is None else f", or {lower!r}"
    expected = f"a place, a whole number from 1{known}"
    try:
        number = row.number(column)
    except RowError:
        raise row.error(column, expected) from None
    if not (number >= 1 and number.is_integer()):
        raise row.error(column, expected)
    return number


def _repeats(order: IntArray, ranking: IntArray, value: Codes | FloatArray) -> list[int]:
    """The rows, as the file has them, that repeat a value of their ranking."""
    same = (ranking[order][1:] == ranking[order][:-1]) & (value[order][1:] == value[order][:-1])
    again: list[int] = np.sort(np.maximum(order[1:], order[:-1])[same]).tolist()
    return again


def _row_error(rankings: Rankings, i: int, value: object, expected: str) -> RowError:
    rows = rankings.rows
    return RowError(rows.source[i], int(rows.line[i]), "", value, expected)


def _without_singles(
    names: tuple[str, ...],
    order: IntArray,
    size: IntArray,
    n_ranked: IntArray,
    cluster: IntArray | None = None,
) -> ItemRankings:
    """The rankings of two items or more; those of one are counted."""
    kept = size >= 2
    if cluster is not None:
        _, cluster = np.unique(cluster[kept], return_inverse=True)
    return ItemRankings(
        names=names,
        order=order[np.repeat(kept, size)],
        first=_offsets(size[kept]),
        n_ranked=n_ranked[kept],
        cluster=cluster,
        n_single=int(len(size) - kept.sum()),
    )


def _offsets(size: IntArray) -> IntArray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(size)])
