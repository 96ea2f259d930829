"""Is a reward better where people are surer, and where is it worse than it should be?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.audit.accuracy import Accuracy, BucketCeiling
from rewardlab.audit.pair_kinds import PairKind, pair_kinds
from rewardlab.audit.scored import ScoredVotes
from rewardlab.stats.intervals import Estimate, cluster_codes, t_quantile
from rewardlab.types import Finding, FloatArray, IntArray, Status

LEVEL_OF_WARNING = 0.99
"""A reward that is worse on clear votes is news only beyond this level: several kinds are tried."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Accuracy on the clearest votes of a kind less that on the hardest.

    Attributes:
        kind: What the votes were sorted by.
        hardest: Name of the bucket with the hardest votes.
        clearest: Name of the one with the clearest.
        on_hardest: Accuracy there.
        on_clearest: Accuracy there.
        difference: Accuracy on the clearest less that on the hardest.
        worse: True if the difference is below 0 beyond ``LEVEL_OF_WARNING``.
    """

    kind: str
    hardest: str
    clearest: str
    on_hardest: float
    on_clearest: float
    difference: Estimate
    worse: bool


def measure_contrasts(
    votes: ScoredVotes, accuracy: Accuracy, *, widening: float = 1.0
) -> tuple[Contrast, ...]:
    """One contrast for each kind that sorts votes by difficulty, where both ends are measured.

    Args:
        votes: With rewards, as ``measure_accuracy`` got them.
        accuracy: What it found on them.
        widening: As in ``measure_accuracy``.
    """
    decided = votes.take(votes.decided)
    kinds, _ = pair_kinds(decided)
    found = []
    for kind in dict.fromkeys(k.kind for k in kinds if k.sorts):
        levels = [k for k in kinds if k.kind == kind and k.sorts]
        measured = [(b.kind, b.name) for b in accuracy.buckets if b.accuracy is not None]
        ends = levels[0], levels[-1]
        if all((end.kind, end.name) in measured for end in ends):
            found.append(_contrast(decided, *ends, widening))
    return tuple(found)


def _contrast(votes: ScoredVotes, hard: PairKind, clear: PairKind, widening: float) -> Contrast:
    """The difference of two means of rows in shared clusters, each row in one of them."""
    moves = np.zeros(len(votes))
    means: list[float] = []
    for level, sign in ((hard, -1.0), (clear, 1.0)):
        right = votes.correct[level.mask]
        means.append(float(right.mean()))
        moves[level.mask] = sign * (right - right.mean()) / len(right)
    used = hard.mask | clear.mask
    value = means[1] - means[0]
    std_error, n_prompts = _clustered(moves[used], votes.prompt[used])
    std_error *= widening
    half = t_quantile(0.95, n_prompts - 1) * std_error
    beyond = t_quantile(LEVEL_OF_WARNING, n_prompts - 1) * std_error
    method = f"cluster-robust t with {n_prompts - 1} degrees of freedom"
    n = int(used.sum())
    difference = Estimate(value, std_error, value - half, value + half, n, n_prompts, 0.95, method)
    on_hard, on_clear = means
    worse = value + beyond < 0
    return Contrast(hard.kind, hard.name, clear.name, on_hard, on_clear, difference, worse)


def _clustered(moves: FloatArray, prompt: IntArray) -> tuple[float, int]:
    codes, n_prompts = cluster_codes(prompt)
    sums = np.bincount(codes, moves)
    return float(np.sqrt(n_prompts / (n_prompts - 1) * np.sum(sums**2))), n_prompts


def difficulty_finding(
    contrasts: Sequence[Contrast], accuracy: Accuracy, *, room_is_told: bool
) -> Finding | None:
    """How accuracy depends on difficulty, as one finding; None where nothing sorts the votes.

    Buckets of different kinds hold the same votes, so nothing is added up over kinds.

    Args:
        contrasts: From ``measure_contrasts``.
        accuracy: With the buckets' ceilings.
        room_is_told: True if the ceiling of all votes already warns that there is room: a bucket
            with room then says where it is, without warning a second time.
    """
    if not contrasts:
        return None
    kinds = {contrast.kind for contrast in contrasts}
    below = [(b, b.ceiling) for b in accuracy.buckets if b.kind in kinds and b.ceiling is not None]
    below = [(b, at) for b, at in below if at.accuracy.high < at.possible.outer_low]
    worse = [contrast for contrast in contrasts if contrast.worse]
    first = (worse or list(contrasts))[0]
    places = [bucket.name for bucket, _ in below]
    status, action = _judged(contrasts, worse, places, room_is_told=room_is_told)
    meaning = " ".join(
        f"By {c.kind}: {_ends(c)}, a difference of {_points(c.difference)}." for c in contrasts
    )
    if below:
        rooms = "; ".join(f"{b.kind}, {b.name}: {_beside(at)}" for b, at in below)
        meaning += f" Below what is possible: {rooms}."
    return Finding(
        "accuracy-by-difficulty",
        status,
        f"Accuracy is {_ends(first)}",
        meaning,
        action,
        figure=first.difference.figure("share"),
    )


def _judged(
    contrasts: Sequence[Contrast],
    worse: Sequence[Contrast],
    below: Sequence[str],
    *,
    room_is_told: bool,
) -> tuple[Status, str]:
    if worse:
        return Status.WARN, (
            f"Read the votes of “{worse[0].clearest}”: a reward should be best where people "
            "are surest; look for what it pays for there that people do not."
        )
    if below and not room_is_told:
        return Status.WARN, (
            f"Look at “{below[0]}” first: there the reward falls short of what any reward could "
            "reach by more than chance."
        )
    if any(contrast.difference.low > 0 for contrast in contrasts):
        return Status.PASS, "Nothing to do: it is better where people are surer."
    n_needed = min(_prompts_needed(contrast) for contrast in contrasts)
    return Status.CANNOT_SAY, (
        f"Add votes on more prompts (about {n_needed:,} for a difference of ten points): whether "
        "it is better where people are surer, these do not tell."
    )


def _prompts_needed(contrast: Contrast) -> int:
    half = (contrast.difference.high - contrast.difference.low) / 2
    return int(np.ceil(contrast.difference.n_clusters * max(1.1, (half / 0.1) ** 2)))


def _ends(contrast: Contrast) -> str:
    return (
        f"{contrast.on_hardest:.0%} where votes are hardest ({contrast.hardest}) and "
        f"{contrast.on_clearest:.0%} where they are clearest ({contrast.clearest})"
    )


def _points(difference: Estimate) -> str:
    low, value, high = (100 * x for x in (difference.low, difference.value, difference.high))
    return f"{value:+.0f} points ({low:+.0f} to {high:+.0f})"


def _beside(ceiling: BucketCeiling) -> str:
    possible = ceiling.possible
    return (
        f"{ceiling.accuracy.value:.0%} where {possible.low:.0%} to {possible.high:.0%} is possible"
    )
