"""Rankings of named items as integer codes, as Plackett-Luce reads them, and how files hold them.

A ranking puts some of the items in order and may name others that are known only to be lower (a
top-k list). A tie has no place in it: which of several rules for ties is meant would change every
strength, so that a tie is refused in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rewardlab.errors import InputError, RowError
from rewardlab.preferences.battles import Codes, check_integers, check_names, signed
from rewardlab.preferences.column_names import no_such_column
from rewardlab.preferences.records import Rankings
from rewardlab.preferences.rows import Row
from rewardlab.preferences.tables import read_rows
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
    """

    names: tuple[str, ...]
    order: Codes
    first: IntArray
    n_ranked: IntArray
    weight: FloatArray | None = None
    cluster: Codes | None = None
    n_single: int = 0

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

    Raises:
        FormatError: The file lacks a column, or cannot be read.
        RowError: A place is no whole number, a place or an item stands twice in a ranking, or a
            ranking gives no place at all.
        InputError: No ranking has two items.
    """
    rows = list(_long_rows(path, ranking, place, item, lower))
    rankings, items = _Coded(), _Coded()
    of_ranking = np.array([rankings.code(row.ranking) for row in rows], dtype=np.int64)
    code = np.array([items.code(row.item) for row in rows], dtype=np.int64)
    places = np.array([row.place for row in rows])
    by_item = np.lexsort((code, of_ranking))
    twice = _first_repeat(by_item, of_ranking, code)
    if twice is not None:
        raise rows[twice].row.error(item, "each item once in a ranking", rows[twice].item)
    order = np.lexsort((places, of_ranking))
    ranked = order[np.isfinite(places[order])]
    tied = _first_repeat(ranked, of_ranking, places)
    if tied is not None:
        raise rows[tied].row.error(place, NO_TIES, reason="two items share a place")
    n_ranked = np.bincount(of_ranking[ranked], minlength=len(rankings.names))
    if n_ranked.min() == 0:
        at = int(np.flatnonzero(n_ranked[of_ranking] == 0)[0])
        raise rows[at].row.error(place, "at least one place in a ranking")
    return _without_singles(tuple(items.names), code[order], np.bincount(of_ranking), n_ranked)


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


def _long_rows(
    path: Path, ranking: str, place: str, item: str, lower: str | None
) -> Iterator[_LongRow]:
    for row in read_rows(path):
        for option, column in (("ranking", ranking), ("place", place), ("item", item)):
            if column not in row.values:
                raise no_such_column(row.source, f"{option} {column!r}", column, row.values)
        names = [row.name(column) for column in (ranking, item)]
        for column, name in zip((ranking, item), names, strict=True):
            if name is None:
                raise row.error(column, "a name: text or a number")
        yield _LongRow(row, str(names[0]), _place(row, place, lower), str(names[1]))


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


def _first_repeat(order: IntArray, ranking: IntArray, value: Codes | FloatArray) -> int | None:
    """The first row, as the file has them, that repeats a value of its ranking; None for none."""
    same = (ranking[order][1:] == ranking[order][:-1]) & (value[order][1:] == value[order][:-1])
    again = np.maximum(order[1:], order[:-1])[same]
    return int(again.min()) if len(again) else None


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
