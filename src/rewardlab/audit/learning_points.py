"""Held-out accuracy and log loss of fits to nested parts of the prompts, measured several times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rewardlab.counting import counted
from rewardlab.errors import EstimationError
from rewardlab.rewards.linear import fit
from rewardlab.rewards.nested_folds import HeldOutRows
from rewardlab.rewards.row_terms import row_terms
from rewardlab.types import FloatArray, IntArray

N_FOLDS = 5
SIZE_RATIO = np.sqrt(2.0)
MOST_SIZES = 9
MIN_SIZES = 4
MOST_GROUPS = 2_000
"""Prompts are resampled in at most so many random groups, which bounds memory and time."""

ROWS_A_FEATURE = 12
"""Comparisons a feature in the smallest fit: with fewer, errors are too large for n^-c to hold."""


@dataclass(frozen=True, slots=True)
class LearningPoints:
    """What fits of s sizes reach on prompts left out, each measured in r draws.

    In each draw the prompts are put in a random order and divided into folds; each fold is left
    out in turn, and the others' prompts are taken in that order until the size is reached, so that
    smaller parts lie in larger ones. Every prompt is thus judged once in a draw.

    Attributes:
        n: Shape [s], ascending; comparisons that fits of each size saw, on average.
        n_prompts: Shape [s]; their prompts.
        log_loss: Shape [r, s, g]; summed over the comparisons of each of g groups of prompts (one
            prompt each, up to ``MOST_GROUPS``), in nats.
        right: Shape [r, s, g]; decided comparisons ranked right, ties of the reward as a half.
        n_rows: Shape [g]; comparisons of each group.
        n_decided: Shape [g]; those that prefer a side.
        n_all: All comparisons: what a fit to everything sees.
        l2: Penalty of the fits.
    """

    n: FloatArray
    n_prompts: IntArray
    log_loss: FloatArray
    right: FloatArray
    n_rows: FloatArray
    n_decided: FloatArray
    n_all: int
    l2: float


def measure_points(
    rows: HeldOutRows,
    *,
    l2: float,
    rng: np.random.Generator,
    n_draws: int = 8,
    on_progress: Callable[[float], None] | None = None,
) -> LearningPoints:
    """Refit on nested random parts of the prompts.

    Args:
        rows: Comparisons, standardised, with prompts 0..G-1.
        l2: Penalty, > 0; the same at every size, as it stands for what is known of the weights
            before any comparison.
        rng: Draws the orders of the prompts.
        n_draws: Orders, each of which gives ``N_FOLDS`` fits of each size.
        on_progress: Called with the share done.

    Raises:
        EstimationError: There are too few comparisons or prompts for a curve.
    """
    n_prompts = int(rows.prompt.max()) + 1
    sizes = _sizes(len(rows.label), n_prompts, rows.differences.shape[1])
    side = np.sign(rows.label - 0.5)
    group = rng.permutation(n_prompts)[rows.prompt] % MOST_GROUPS
    shape = (n_draws, len(sizes), min(n_prompts, MOST_GROUPS))
    loss, right, seen = np.empty(shape), np.empty(shape), np.zeros(len(sizes))
    for draw in range(n_draws):
        place = rng.permutation(n_prompts)  # of each prompt
        for i, delta in enumerate(_held_out(rows, place, sizes, l2, seen)):
            loss[draw, i] = np.bincount(group, row_terms(delta, rows.label).loss)
            ranked = np.abs(side) * (0.5 + 0.5 * np.sign(delta) * side)
            right[draw, i] = np.bincount(group, ranked)
        if on_progress is not None:
            on_progress((draw + 1) / n_draws)
    return LearningPoints(
        n=seen / (n_draws * N_FOLDS),
        n_prompts=sizes,
        log_loss=loss,
        right=right,
        n_rows=np.bincount(group).astype(float),
        n_decided=np.bincount(group, np.abs(side)).astype(float),
        n_all=len(rows.label),
        l2=l2,
    )


def _sizes(n: int, n_prompts: int, n_features: int) -> IntArray:
    """Numbers of prompts, each about sqrt 2 times the last, up to all outside a fold."""
    most = n_prompts - int(np.ceil(n_prompts / N_FOLDS))
    least = max(10.0, ROWS_A_FEATURE * n_features * n_prompts / n)
    steps = np.arange(MOST_SIZES)[::-1]
    sizes = np.unique(np.round(most / SIZE_RATIO**steps).astype(np.int64))
    sizes = sizes[sizes >= least]
    if len(sizes) < MIN_SIZES:
        needed = least * SIZE_RATIO ** (MIN_SIZES - 1) * N_FOLDS / (N_FOLDS - 1)
        raise EstimationError(
            f"a learning curve of {counted(n_features, 'feature')} and {n / n_prompts:.1f} "
            f"comparisons a prompt needs about {int(np.ceil(needed)) + 1:,} prompts or more, got "
            f"{n_prompts:,}",
            remedy="Add comparisons on more prompts, or name fewer features.",
        )
    return sizes


def _held_out(
    rows: HeldOutRows, place: IntArray, sizes: IntArray, l2: float, seen: FloatArray
) -> FloatArray:
    """Shape [s, n]: every comparison's delta by fits without its fold; counts what they saw."""
    fold, d = place % N_FOLDS, rows.differences.shape[1]
    delta = np.empty((len(sizes), len(rows.label)))
    for k in range(N_FOLDS):
        # Places among the prompts outside the fold, in the draw's order.
        outside = np.sort(place[fold != k])
        rank = np.searchsorted(outside, place)
        out = fold[rows.prompt] == k
        order = np.argsort(rank[rows.prompt], kind="stable")
        order = order[~out[order]]
        ends = np.searchsorted(rank[rows.prompt[order]], sizes)
        x, y = rows.differences[order], rows.label[order]
        margin = None if rows.margin is None else rows.margin[order]
        held_out, start = rows.differences[out], np.zeros(d)
        for i, end in enumerate(ends):
            ahead = None if margin is None else margin[:end]
            start = fit(x[:end], y[:end], l2=l2, margin=ahead, start=start).weights
            delta[i, out] = held_out @ start
            seen[i] += end
    return delta
