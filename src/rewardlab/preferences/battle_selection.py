"""Battles of the items that have enough of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rewardlab.counting import counted
from rewardlab.errors import InputError
from rewardlab.preferences.battle_gathering import compact
from rewardlab.preferences.battles import Battles
from rewardlab.types import BoolArray

MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class Frequent:
    """Battles between items with at least so many votes each.

    Attributes:
        battles: What is left.
        left_out: Name -> its votes among all battles, of the items left out, the fewest first.
        n_votes: Votes left out with them.
        min_votes: What was asked for.
    """

    battles: Battles
    left_out: dict[str, int]
    n_votes: int
    min_votes: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was left out, in plain words; nothing where nothing was."""
        if not self.left_out:
            return ()
        n, votes = len(self.left_out), counted(self.min_votes, "vote")
        shown = [f"{name} ({has:,})" for name, has in list(self.left_out.items())[:MOST_NAMES]]
        more = f" and {n - MOST_NAMES:,} more" if n > MOST_NAMES else ""
        return (
            f"Left out {counted(n, 'item')} with fewer than {votes}: {', '.join(shown)}{more}.",
            f"Left out {counted(self.n_votes, 'vote')} with them.",
        )


def frequent_items(battles: Battles, min_votes: int) -> Frequent:
    """Leave out items with fewer votes, until each that is left has as many against the others.

    Raises:
        InputError: ``min_votes`` is below 0, or fewer than two items are left.
    """
    if min_votes < 0:
        raise InputError(f"min_votes: expected at least 0, got {min_votes}")
    if not min_votes:
        return Frequent(battles, {}, 0, min_votes)
    m, a, b = battles.n_items, battles.a, battles.b
    total = np.bincount(a, minlength=m) + np.bincount(b, minlength=m)
    kept = _with_enough(battles, min_votes)
    if kept.all():
        return Frequent(battles, {}, 0, min_votes)
    if kept.sum() < 2:
        raise InputError(
            f"min_votes: nothing is left where every item must have {counted(min_votes, 'vote')} "
            "against items that are left too; the most that can be asked for is "
            f"{_largest(battles):,}"
        )
    out = sorted(np.flatnonzero(~kept).tolist(), key=lambda k: (total[k], battles.names[k]))
    rows = kept[a] & kept[b]
    left = {battles.names[k]: int(total[k]) for k in out}
    return Frequent(_rows_of(battles, rows, kept), left, int(np.count_nonzero(~rows)), min_votes)


def _with_enough(battles: Battles, min_votes: int) -> BoolArray:
    """Shape [m]; the items that have as many votes against each other."""
    m, a, b = battles.n_items, battles.a, battles.b
    votes = np.bincount(a, minlength=m) + np.bincount(b, minlength=m)
    kept = np.ones(m, dtype=bool)
    while (few := kept & (votes < min_votes)).any():
        kept &= ~few
        both = kept[a] & kept[b]
        votes = np.bincount(a[both], minlength=m) + np.bincount(b[both], minlength=m)
    return kept


def _largest(battles: Battles) -> int:
    """The largest number of votes with which some items are left, by halving."""
    low, high = 1, len(battles) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _with_enough(battles, middle).any() else (low, middle)
    return low


def _rows_of(battles: Battles, rows: BoolArray, items: BoolArray) -> Battles:
    """The rows between the items; only these, and the prompts and annotators left, have a code."""
    code = np.cumsum(items, dtype=np.int32) - 1
    annotator, annotator_names = compact(
        None if battles.annotator is None else battles.annotator[rows], battles.annotator_names
    )
    prompt, _ = compact(None if battles.prompt is None else battles.prompt[rows])
    return replace(
        battles,
        names=tuple(name for name, kept in zip(battles.names, items, strict=True) if kept),
        a=code[battles.a[rows]],
        b=code[battles.b[rows]],
        outcome=battles.outcome[rows],
        prompt=prompt,
        annotator=annotator,
        annotator_names=annotator_names,
        margin=None if battles.margin is None else battles.margin[rows],
        covariates=None if battles.covariates is None else battles.covariates[rows],
    )
