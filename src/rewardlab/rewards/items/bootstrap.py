"""Fits of resampled battles: what strengths would have been, had other votes been drawn.

Where nothing but votes by pair is needed, resamples are fitted together: the curvature of the fit
stands for theirs, scaled by each item's votes, and each is corrected until its own gradient is at
the tolerance. Those that are slow to end, and all other models, are fitted one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.preferences.battles import Battles, Codes
from rewardlab.rewards.items import newton
from rewardlab.rewards.items.bounded_part import fit_of_bounded_part
from rewardlab.rewards.items.cells import Cells, cells_of_battles
from rewardlab.rewards.items.compiled import Engine
from rewardlab.rewards.items.connection import unbounded_items
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.resampled_pairs import (
    PairResamples,
    have_fit,
    refit_together,
)
from rewardlab.rewards.items.solver import DENSE_CELLS, needs_pairs_only, solve
from rewardlab.types import BoolArray, FloatArray, IntArray, Outcome

BLOCK_ENTRIES = 1_000_000
"""Cells times resamples held at a time."""


@dataclass(frozen=True, slots=True)
class ItemBootstrap:
    """Strengths and effects of resamples.

    Attributes:
        theta: Shape [B, m + e]; as the fit's strengths (each group's sum is zero) and effects. In a
            resample without a finite fit: inf for items that never lost there against the others,
            -inf for those that never won, NaN for all else. What exists without them is not what
            was asked for, so that it is not given.
        part: Shape [B, m + e]; theta where there is a finite fit; else of the largest part of each
            group that has one, about its own mean, NaN for other items.
        exists: Shape [B]; whether the resample has a finite fit.
        n_units: Of what is drawn, votes or clusters.
        unit: "vote" or "cluster".
    """

    theta: FloatArray
    part: FloatArray
    exists: BoolArray
    n_units: int
    unit: str

    @property
    def n_without_fit(self) -> int:
        """Resamples that have no finite fit."""
        return int(np.count_nonzero(~self.exists))


def bootstrap_strengths(
    battles: Battles,
    fitted: ItemFit,
    *,
    n_resamples: int = 200,
    cluster: Codes | None = None,
    rng: np.random.Generator,
    tol: float = 1e-6,
    engine: Engine = "auto",
    on_progress: Callable[[int, int], None] | None = None,
) -> ItemBootstrap:
    """The fit again, to resamples of the votes or of clusters of them.

    Args:
        battles: What was fitted.
        fitted: The fit, where each refit begins.
        n_resamples: B.
        cluster: Shape [n], codes 0..G-1; what is drawn together, such as prompts or annotators.
            None draws votes.
        rng: Source of the draws.
        tol: Largest ``gradient_norm`` of a refit.
        engine: As for ``fit_items``.
        on_progress: Gets the number of resamples fitted, and B.

    Raises:
        InputError: B or the clusters are out of range.
        ConvergenceError: A refit that exists was not reached.
    """
    if n_resamples < 1:
        raise InputError(f"n_resamples: expected at least 1, got {n_resamples}")
    if cluster is not None and cluster.shape != (len(battles),):
        raise InputError(f"cluster: expected shape [{len(battles)}], got {cluster.shape}")
    cells, of_row = cells_of_battles(battles, position=fitted.model.position)
    at_once = max(1, BLOCK_ENTRIES // (3 * len(cells.i)))
    theta, parts, exists = [], [], []
    done = 0
    for size in _sizes(n_resamples, at_once):
        votes = _resampled(of_row, cluster, 3 * len(cells.i), size, rng)
        fit, part, there = _refits(cells, votes, fitted, tol, engine)
        theta.append(fit)
        parts.append(part)
        exists.append(there)
        done += size
        if on_progress is not None:
            on_progress(done, n_resamples)
    n_units = len(battles) if cluster is None else int(cluster.max()) + 1
    unit = "vote" if cluster is None else "cluster"
    return ItemBootstrap(
        np.concatenate(theta), np.concatenate(parts), np.concatenate(exists), n_units, unit
    )


def _sizes(n_resamples: int, at_once: int) -> Iterator[int]:
    for first in range(0, n_resamples, at_once):
        yield min(at_once, n_resamples - first)


def drawn_again(n: int, rng: np.random.Generator) -> IntArray:
    """Shape [n]; n positions below n, drawn with replacement, in no particular order.

    Positions lie in blocks of 2^k, at most 2^16. How often each block is drawn is multinomial, and
    within a block k random bits are a draw: 16 bits a draw are enough, and none is rejected.

    Args:
        n: How many, >= 1.
        rng: Source of the draws.
    """
    sizes = [1 << 16] * (n >> 16) + [1 << k for k in range(16) if n >> k & 1]
    times = rng.multinomial(n, np.array(sizes) / n)
    full = rng.integers(2**64 - 1, endpoint=True, dtype=np.uint64, size=(n + 3) // 4)
    bits = full.view(np.uint16)
    drawn = np.empty(n, dtype=np.int64)
    at = first = 0
    for size, often in zip(sizes, times.tolist(), strict=True):
        part = drawn[at : at + often]
        np.bitwise_and(bits[at : at + often], size - 1, out=part)
        part += first
        at, first = at + often, first + size
    return drawn


def _resampled(
    of_row: IntArray, cluster: Codes | None, n_classes: int, size: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Shape [size, classes]; votes of each class in each resample."""
    counts = np.empty((size, n_classes), dtype=np.int32)
    for row in counts:
        if cluster is None:
            row[:] = np.bincount(of_row[drawn_again(len(of_row), rng)], minlength=n_classes)
        else:
            n_clusters = int(cluster.max()) + 1
            times = np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
            row[:] = np.bincount(of_row, times[cluster], n_classes)
    return counts


def _refits(
    cells: Cells, votes: NDArray[np.int32], fitted: ItemFit, tol: float, engine: Engine
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Theta and bounded parts of shape [R, m + e]; which resamples have a fit, of shape [R]."""
    theta = np.full((len(votes), len(fitted.names) + len(fitted.effect)), np.nan)
    model, prior = fitted.model, fitted.model.prior
    shape = (len(votes), len(cells.i), 3)
    by_outcome = np.ascontiguousarray(votes.reshape(shape).transpose(2, 1, 0), dtype=float)
    n_i, n_j, n_tie = (by_outcome[o] for o in (Outcome.A, Outcome.B, Outcome.TIE))
    bounded = n_tie / 2 if model.ties != "leave-out" else np.zeros_like(n_tie)
    i, j = np.asarray(cells.i, dtype=np.int64), np.asarray(cells.j, dtype=np.int64)
    resamples = PairResamples(i, j, n_i + bounded, n_j + bounded)
    exists = np.ones(len(votes), dtype=bool) if prior else have_fit(resamples, fitted.group)
    exists &= _ties_tell(model, n_i + n_j, n_tie)
    left = exists.copy()
    if needs_pairs_only(model, cells) and cells.n_items <= DENSE_CELLS:
        found, ended = refit_together(
            resamples, cells, fitted.strength, prior, fitted.group, tol=tol
        )
        theta[ended] = found.T[ended]
        left &= ~ended
    for k in np.flatnonzero(left):
        one = replace(cells, n_i=n_i[:, k], n_j=n_j[:, k], n_tie=n_tie[:, k])
        solved = _refit(one, fitted, tol, engine)
        if solved is None:
            exists[k] = False
        else:
            theta[k] = solved
    theta[:, : cells.n_items] -= _group_means(theta[:, : cells.n_items], fitted.group)
    part = theta.copy()
    for k in np.flatnonzero(~exists):
        one = replace(cells, n_i=n_i[:, k], n_j=n_j[:, k], n_tie=n_tie[:, k])
        theta[k], part[k] = _without_fit(one, fitted), _bounded(one, fitted, tol, engine)
    return theta, part, exists


def _group_means(strength: FloatArray, group: IntArray) -> FloatArray:
    """Shape of ``strength``; each group's mean, for each of its items."""
    member = np.equal.outer(group, np.arange(int(group.max()) + 1)).astype(float)
    return np.asarray(strength @ (member / member.sum(0)) @ member.T)


def _ties_tell(model: ItemModel, decided: FloatArray, tied: FloatArray) -> BoolArray:
    """Shape [R]; whether a tie parameter, if there is one, is finite."""
    if not model.tie_parameter:
        return np.ones(tied.shape[1], dtype=bool)
    return np.asarray((tied.sum(0) > 0) & (decided.sum(0) > 0))


def _refit(cells: Cells, fitted: ItemFit, tol: float, engine: Engine) -> FloatArray | None:
    """Theta of one resample; None where an effect has no finite value."""
    used = newton.used_votes(cells, fitted.model) > 0
    try:
        return solve(cells.take(used), fitted.model, tol=tol, engine=engine).theta
    except ConvergenceError:
        if not len(fitted.effect):
            raise
        return None


def _bounded(cells: Cells, fitted: ItemFit, tol: float, engine: Engine) -> FloatArray:
    """Theta of the largest part of each group that has a fit; NaN for all else."""
    model = fitted.model

    def solved(within: Cells) -> FloatArray | None:
        tied = within.n_tie[:, None]
        if not _ties_tell(model, within.n[:, None] - tied, tied).all():
            return None
        return _refit(within, fitted, tol, engine)

    used = cells.take(newton.used_votes(cells, model) > 0)
    part = fit_of_bounded_part(used, fitted.group, solved, ties_count=model.ties != "leave-out")
    return np.full(len(fitted.names) + len(fitted.effect), np.nan) if part is None else part


def _without_fit(cells: Cells, fitted: ItemFit) -> FloatArray:
    """Infinities where the resample says so, NaN else."""
    theta = np.full(len(fitted.names) + len(fitted.effect), np.nan)
    used = cells.take(cells.n > 0)
    never_lost, never_won = unbounded_items(used, ties_count=fitted.model.ties != "leave-out")
    theta[never_lost], theta[never_won] = np.inf, -np.inf
    return theta
