"""What a sample of the rows tells of a linear reward: its curvature, and where the fit begins.

A few rows for each feature have nearly the curvature of all rows, at a small share of the price.
How nearly depends on the rows for each feature alone: with m rows of d features the eigenvalues
scatter about those of all rows by a variance of about d / m.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import lapack

from rewardlab.errors import ConvergenceError
from rewardlab.rewards import linear_newton
from rewardlab.rewards.linear_descent import Preconditioner
from rewardlab.rewards.linear_newton import evaluate, newton_step, scaled_factor
from rewardlab.rewards.linear_rows import Rows
from rewardlab.types import FloatArray, IntArray

ROWS_A_FEATURE = 32
"""Rows of the sample for each feature, at the least: the curvature is then good to about a
third, and a step removes some five sixths of the distance."""
LEAST_ROWS = 2000
LARGEST_STRIDE = 16
SMALLEST_STRIDE = 4
"""With a smaller one the sample's curvature costs as much as that of all rows."""
EXACT_ROWS_A_FEATURE = 100
"""With so many the sample's curvature is good to a tenth, and its fit a start worth its price.
With fewer the errors of the sample's fit, which lie in every direction, cost more steps than a
start from nothing, whose way lies along few."""
PART = 4
"""A part of the sample has so many times the rows of the one before."""
LEAST_PART = 250
WELL_CONDITIONED = 1e-12
"""Least reciprocal condition number of the sample's scaled curvature."""
_ROUGH = 2.0
"""Standard errors of the last step of the first part's fit: its maximum is itself the root of d of
them from that of all rows, and the next part takes another step."""
_SEED = np.uint32(0x9E3779B9)
_MIXING = (
    (np.uint32(16), np.uint32(0x85EBCA6B)),
    (np.uint32(13), np.uint32(0xC2B2AE35)),
)
"""Seed, shifts and factors of the hash."""


def sample_stride(n: int, d: int) -> int:
    """Every how many rows one is sampled; 0 where sampling does not pay."""
    stride = min(n // max(ROWS_A_FEATURE * d, LEAST_ROWS), LARGEST_STRIDE)
    return stride if stride >= SMALLEST_STRIDE else 0


def start_and_units(
    rows: Rows, start: FloatArray, l2: float, stride: int
) -> tuple[FloatArray, Preconditioner]:
    """Where to begin on all rows, and the units in which their curvature is about the identity.

    Args:
        rows: The comparisons.
        start: Shape [d]; where the sample's fit begins.
        l2: Penalty, >= 0.
        stride: One row of so many is sampled.

    Raises:
        ConvergenceError: The sample has no fit or is ill conditioned.
    """
    n, d = rows.differences.shape
    if n // stride >= EXACT_ROWS_A_FEATURE * d:
        return _fit(rows, start, l2, stride)
    scale = _scale_if_independent(rows, start, l2, stride)
    if scale is not None:
        return start, Preconditioner(scale)
    return start, _units(_curvature(rows, start, l2, sampled(n, stride)))


def sampled(n: int, stride: int) -> IntArray:
    """One row of each ``stride``, at a place of theirs as good as random, so that no period in the
    data matters; the same for the same arguments.

    The place is the block's number, hashed: for as few rows as a small sample has, to set up a
    generator of random numbers takes longer than all else. Source: the mixing function of
    MurmurHash3 for 32 bits (Appleby, 2011).
    """
    block = np.arange(n // stride, dtype=np.int64)
    mixed = block.astype(np.uint32) + _SEED
    for shift, factor in _MIXING:
        mixed ^= mixed >> shift
        mixed *= factor
    mixed ^= mixed >> np.uint32(16)
    return np.asarray(block * stride + (mixed.astype(np.int64) * stride >> 32))


def _fit(
    rows: Rows, start: FloatArray, l2: float, stride: int
) -> tuple[FloatArray, Preconditioner]:
    """Weights of a rough fit to the sample, and the units of its curvature."""
    n, d = rows.differences.shape
    coarsest, *finer = _strides(n, d, stride)
    part = rows.at(sampled(n, coarsest))
    share = len(part.label) / n
    weights = linear_newton.solve(part, start, l2 * share, _ROUGH).weights
    # A part of 4 times the rows starts where the last ended: one step of Newton's is enough.
    for every in finer or [coarsest]:
        places = sampled(n, every)
        share = len(places) / n
        at = evaluate(rows, weights, l2 * share, places=places)
        weights = weights + newton_step(at)[0]
    return weights, _units(at.hessian / share)


def _strides(n: int, d: int, stride: int) -> Iterator[int]:
    """Strides of ever larger parts of the rows, the last of which is the sample."""
    strides = [stride]
    while n // (PART * strides[-1]) >= max(ROWS_A_FEATURE // 4 * d, LEAST_PART):
        strides.append(PART * strides[-1])
    return reversed(strides)


def _scale_if_independent(
    rows: Rows, weights: FloatArray, l2: float, stride: int
) -> FloatArray | None:
    """Shape [d]; roots of the curvature's diagonal, if that alone is nearer to the curvature of
    all rows than a sample's whole curvature would be, else None.

    What two halves of a few rows have in common off the diagonal is the dependence of the
    features, what they have not is the noise of a sample of that size. Source: the rule of
    Schaefer and Strimmer (2005), doi:10.2202/1544-6115.1175, that correlations be shrunk by the
    share of noise in them, here all or nothing at a half, and with halves of the data for the
    variance.
    """
    n, d = rows.differences.shape
    places = sampled(n, n // (4 * d))
    halves = [_curvature(rows, weights, l2, places[k::2]) for k in (0, 1)]
    scale = np.sqrt(np.diagonal(halves[0] + halves[1]) / 2)
    if not np.all(scale > 0):
        return None
    first, second = (half / np.outer(scale, scale) - np.eye(d) for half in halves)
    dependence = float(np.sum(first * second))
    noise_of_half = float(np.sum((first - second) ** 2)) / 2
    noise_of_sample = noise_of_half * (len(places) / 2) / (n / stride)
    return scale if dependence < noise_of_sample else None


def _curvature(rows: Rows, weights: FloatArray, l2: float, places: IntArray) -> FloatArray:
    """Shape [d, d]; of all rows and the penalty, as the rows at ``places`` tell it."""
    share = len(places) / len(rows.label)
    return evaluate(rows, weights, l2 * share, places=places).hessian / share


def _units(curvature: FloatArray) -> Preconditioner:
    """The units of a curvature, if it is conditioned well enough to be one."""
    scale, factor = scaled_factor(curvature)
    if lapack.dpocon(factor, 1.0)[0] < WELL_CONDITIONED:
        raise ConvergenceError("linear fit: the sample's curvature is ill conditioned")
    return Preconditioner(scale, factor)
