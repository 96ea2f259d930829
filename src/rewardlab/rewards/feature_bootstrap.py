"""The bootstrap of a linear reward: refits to resampled prompts, all of them at once.

Refits to resampled prompts lie near the fit to all, so the curvature of that fit serves every
step of each of them: one product of matrices gives the rows' deltas in all refits, another their
gradients. Most steps take the gradient from the third-order expansion of each row's score about
the fit to all, which needs no exponential and, as a correction, single precision only; the last
ones take it as it is, until it is small enough for each refit. A refit whose steps do not shrink
fast is fitted by itself; one that has no fit is counted, never filled in.

The sandwich (``inference``) gives the same standard errors at a share of the price; this is
for judging it, and for what has no formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from rewardlab.errors import EstimationError, InputError
from rewardlab.rewards.linear import LinearFit, fit, hessian
from rewardlab.rewards.linear_rows import Features
from rewardlab.types import FloatArray, IntArray

RESAMPLES_AT_ONCE = 200
"""Refits that share a pass; their counts take two bytes for each refit and prompt."""
ROWS_AT_ONCE = 1024
EXPANDED_STEPS = 6
"""At most; those that remain, of refits far from the fit to all, take exact gradients."""
LEAST_CONTRACTION = 0.5
"""A step must leave less than this share of the distance, or the refit is made by itself."""


@dataclass(frozen=True, slots=True)
class FeatureBootstrap:
    """Weights of refits to prompts drawn with replacement.

    Attributes:
        weights: Shape [k, d]; of the refits that exist, in the order they were drawn.
        fitted: The fit to all comparisons.
        n_resamples: Refits asked for.
        n_failed: Refits left out because they do not exist (separated, or dependent features).
        n_single: Refits made by themselves, because the curvature of all rows misled them.
        n_clusters: Prompts.
    """

    weights: FloatArray
    fitted: LinearFit
    n_resamples: int
    n_failed: int
    n_single: int
    n_clusters: int

    @property
    def std_error(self) -> FloatArray:
        """Shape [d]; standard deviation over refits.

        Raises:
            EstimationError: Fewer than two refits exist.
        """
        if len(self.weights) < 2:
            raise EstimationError(
                f"bootstrap: {self.n_failed} of {self.n_resamples} refits do not exist, so there "
                "is no standard error; take a penalty, or fewer features"
            )
        return np.asarray(self.weights.std(axis=0, ddof=1))


def bootstrap_fits(
    differences: FloatArray,
    label: FloatArray,
    cluster: IntArray,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    l2: float = 0.0,
    tol: float = 1e-3,
) -> FeatureBootstrap:
    """Refit a linear reward to prompts drawn with replacement, all comparisons of one together.

    Args:
        differences: Shape [n, d]; features of a less features of b, finite.
        label: Shape [n], in [0, 1].
        cluster: Shape [n], int64 codes 0..G-1 of the prompts.
        n_resamples: Refits, >= 1.
        rng: Draws the prompts.
        l2: Penalty, >= 0, of every refit.
        tol: Each refit's next step is shorter than ``tol`` standard errors at the end.

    Raises:
        InputError: Shapes disagree, or an argument is outside its range.
        EstimationError: The fit to all comparisons does not exist.

    Source: Efron (1979), *Annals of Statistics* 7, 1-26; whole clusters after Davison and Hinkley
    (1997), section 3.8. Steps with a fixed curvature, gone on with to the end, are ours.
    """
    if len(cluster) != len(label):
        raise InputError(f"cluster: expected length {len(label)}, got {len(cluster)}")
    if n_resamples < 1 or not tol > 0:
        raise InputError(
            f"bootstrap: expected n_resamples >= 1 and tol > 0, got {n_resamples} and {tol:g}"
        )
    fitted = fit(differences, label, l2=l2)
    curvature = hessian(fitted.weights, differences, label, l2=l2)
    n_clusters = int(cluster.max()) + 1
    refits, n_single = [], 0
    for first in range(0, n_resamples, RESAMPLES_AT_ONCE):
        n_drawn = min(RESAMPLES_AT_ONCE, n_resamples - first)
        data = _Resamples(differences, label, cluster, _draw(n_clusters, n_drawn, rng), l2)
        weights, is_reached = _step_together(data, fitted.weights, curvature, tol)
        for k in np.flatnonzero(~is_reached):
            weights[:, k] = _fit_one(data, int(k), tol)
        n_single += int(np.count_nonzero(~is_reached))
        refits.append(weights.T)
    every = np.concatenate(refits)
    exists = np.isfinite(every).all(axis=1)
    n_failed = int(np.count_nonzero(~exists))
    return FeatureBootstrap(every[exists], fitted, n_resamples, n_failed, n_single, n_clusters)


@dataclass(frozen=True, slots=True)
class _Resamples:
    """The comparisons, and how often each prompt was drawn: ``counts`` of shape [G, B], uint16."""

    differences: FloatArray
    label: FloatArray
    cluster: IntArray
    counts: np.ndarray[tuple[int, int], np.dtype[np.uint16]]
    l2: float

    def gradients(
        self, weights: FloatArray, which: IntArray, *, about: FloatArray | None = None
    ) -> FloatArray:
        """Gradient of each refit, exact or expanded.

        Args:
            weights: Shape [d, k]; a column for each refit.
            which: Shape [k]; the refits.
            about: Shape [d]; expand about these weights, in single precision. What does not fit
                into it becomes NaN or infinite.

        Returns:
            Shape [d, k].
        """
        total = self.l2 * weights
        counts = self.counts if len(which) == self.counts.shape[1] else self.counts[:, which]
        # Each holds every chunk in turn: memory asked for anew costs more than what fills it.
        precision = np.float64 if about is None else np.float32
        moves, excesses = np.empty((2, ROWS_AT_ONCE, len(which)), dtype=precision)
        with np.errstate(over="ignore", invalid="ignore"):
            move = (-weights if about is None else weights - about[:, None]).astype(precision)
            for first in range(0, len(self.label), ROWS_AT_ONCE):
                rows = slice(first, first + ROWS_AT_ONCE)
                x, label = self.differences[rows], self.label[rows, None]
                base = None if about is None else special.expit(x @ about)[:, None]
                x = x.astype(precision, copy=False)
                moved = np.matmul(x, move, out=moves[: len(x)])
                if base is None:
                    excess = _excess(moved, label)
                else:
                    excess = _expanded(moved, base, label, out=excesses[: len(x)])
                excess *= counts[self.cluster[rows]]
                total += x.T @ excess
        return total

    def gradients_at(self, weights: FloatArray) -> FloatArray:
        """Shape [d, B]; gradient of every refit at the same weights, of shape [d], in single
        precision; what does not fit into it becomes NaN or infinite."""
        total = np.repeat(self.l2 * weights[:, None], self.counts.shape[1], axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, len(self.label), ROWS_AT_ONCE):
                rows = slice(first, first + ROWS_AT_ONCE)
                x = self.differences[rows]
                excess = special.expit(x @ weights) - self.label[rows]
                each = (x * excess[:, None]).astype(np.float32)
                total += each.T @ self.counts[self.cluster[rows]].astype(np.float32)
        return total


def _excess(minus_delta: Features, label: FloatArray) -> Features:
    """sigma(delta) - y, in the place of minus delta."""
    np.exp(minus_delta, out=minus_delta)
    minus_delta += 1.0
    np.reciprocal(minus_delta, out=minus_delta)
    minus_delta -= label
    return minus_delta


def _expanded(move: Features, base: FloatArray, label: FloatArray, *, out: Features) -> Features:
    """sigma(delta + move) - y to third order in the move, in its precision, written to ``out``;
    ``base`` is sigma(delta)."""
    q = base * (1 - base)
    first, *others = (
        c.astype(move.dtype) for c in (q * (1 - 6 * q) / 6, q * (1 - 2 * base) / 2, q)
    )
    np.multiply(move, first, out=out)
    for coefficient in others:
        out += coefficient
        out *= move
    out += (base - label).astype(move.dtype)
    return out


def _draw(
    n_clusters: int, n_resamples: int, rng: np.random.Generator
) -> np.ndarray[tuple[int, int], np.dtype[np.uint16]]:
    """Shape [G, B]; how often each prompt is in each resample."""
    counts = np.empty((n_resamples, n_clusters), dtype=np.uint16)
    for k in range(n_resamples):
        drawn = rng.integers(0, n_clusters, size=n_clusters)
        counts[k] = np.bincount(drawn, minlength=n_clusters)
    return np.ascontiguousarray(counts.T)


def _step_together(
    data: _Resamples, start: FloatArray, curvature: FloatArray, tol: float
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Weights of each refit, shape [d, B], and whether its end was reached, shape [B]."""
    factor = linalg.cho_factor(curvature)
    n_resamples = data.counts.shape[1]
    weights = np.repeat(start[:, None], n_resamples, axis=1)
    is_reached = np.zeros(n_resamples, dtype=bool)
    every = active = np.arange(n_resamples)
    step, longest = _steps(factor, data.gradients_at(start))
    weights += np.where(np.isfinite(longest), step, 0.0)
    for _ in range(EXPANDED_STEPS):
        step, length = _steps(factor, data.gradients(weights, every, about=start))
        is_shorter = length < longest
        weights += np.where(is_shorter, step, 0.0)
        # Each step shrinks as the last did: the next one would be short enough.
        if np.all((length**2 <= tol * longest) | ~is_shorter):
            break
        longest = np.minimum(length, longest)
    last = np.full(n_resamples, np.inf)
    while len(active):
        step, length = _steps(factor, data.gradients(weights[:, active], active))
        is_reached[active] = length <= tol
        goes_on = (length > tol) & (length < LEAST_CONTRACTION * last)
        active, last = active[goes_on], length[goes_on]
        weights[:, active] += step[:, goes_on]
    return weights, is_reached


def _steps(factor: tuple[FloatArray, bool], gradient: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A step for each column of gradients, shape [d, k], and its length in standard errors."""
    step = -linalg.cho_solve(factor, gradient, check_finite=False)
    squared = -np.einsum("dk,dk->k", gradient, step)
    return step, np.sqrt(np.maximum(squared, 0.0))


def _fit_one(data: _Resamples, k: int, tol: float) -> FloatArray:
    """Weights of refit ``k`` by itself, of shape [d]; NaN where it does not exist."""
    drawn = data.counts[data.cluster, k].astype(np.float64)
    try:
        return fit(data.differences, data.label, l2=data.l2, row_weight=drawn, tol=tol).weights
    except EstimationError:
        return np.full(data.differences.shape[1], np.nan)
