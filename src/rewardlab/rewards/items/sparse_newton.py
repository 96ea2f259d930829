"""Newton's method with a sparse factorisation, for many items in long chains or bands.

Where everybody only meets neighbours, as in Swiss tournaments, what tells far items apart is many
comparisons in a row. Steps along gradients then take for ever, while factors of the Hessian stay
sparse.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.items.cells import sums_by_item
from rewardlab.rewards.items.model import Prior
from rewardlab.rewards.items.prior_terms import prior_curvature, prior_gradient
from rewardlab.rewards.items.quasi_newton import NEAR_BEFORE, OVERSHOOT, Minimum
from rewardlab.types import FloatArray, IntArray

MAX_ITERATIONS = 60
MAX_HALVINGS = 40
LONGEST_STEP = 4.0
"""Largest change of a comparison's D in a step."""
SHIFT = 1e-10
"""Curvature added along a group's common shift, as a share of the mean of the diagonal."""


def sparse_newton(
    upper: sparse.csr_matrix,
    wins: FloatArray,
    prior: Prior | None,
    start: FloatArray,
    *,
    tol: float,
) -> Minimum:
    """Strengths at which no gradient exceeds ``tol`` a vote.

    Args:
        upper: Shape [m, m]; votes of each pair, above the diagonal.
        wins: Shape [m].
        prior: On the strengths.
        start: Shape [m].
        tol: Largest gradient a vote.

    Raises:
        ConvergenceError: It was not reached.
    """
    i, j = (side.astype(np.int64) for side in upper.nonzero())
    m, votes, strength = len(wins), upper.data, start
    size = np.maximum(sums_by_item(i, votes, m) + sums_by_item(j, votes, m), 1.0)

    def at(s: FloatArray) -> tuple[FloatArray, FloatArray]:
        p = 1 / (1 + np.exp(-np.clip(s[i] - s[j], -700.0, 700.0)))
        expected = sums_by_item(i, votes * p, m) + sums_by_item(j, votes * (1 - p), m)
        return p, expected - wins + prior_gradient(prior, s)

    p, gradient = at(strength)
    whole_fall = np.inf
    for iteration in range(MAX_ITERATIONS):
        norm = float(np.max(np.abs(gradient) / size))
        if norm <= tol and whole_fall <= NEAR_BEFORE:
            return Minimum(strength, gradient, norm, iteration)
        hessian = _hessian(i, j, votes * p * (1 - p), prior_curvature(prior, strength))
        step = _solved(hessian, -gradient)
        whole_fall = -float(gradient @ step)
        step *= min(1.0, LONGEST_STEP / max(float(np.max(np.abs(step[i] - step[j]))), 1e-300))
        fall = -float(gradient @ step)
        for _ in range(MAX_HALVINGS):
            p, gradient = at(strength + step)
            if float(gradient @ step) <= OVERSHOOT * fall:
                break
            step, fall = step / 2, fall / 2
        strength = strength + step
        strength -= 0.0 if prior else strength.mean()
    raise ConvergenceError(
        f"items: sparse Newton steps did not end in {MAX_ITERATIONS} (gradient {norm:.1e} a vote, "
        f"expected {tol:.1e})"
    )


def _solved(hessian: sparse.csc_matrix, right: FloatArray) -> FloatArray:
    """Shape [m]; by a factorisation that keeps the matrix's symmetry, and with it the zeros."""
    options = {"SymmetricMode": True}
    factors = splu(hessian, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return np.asarray(factors.solve(right))


def _hessian(i: IntArray, j: IntArray, w: FloatArray, own: FloatArray) -> sparse.csc_matrix:
    m = len(own)
    between = sparse.coo_matrix((-w, (i, j)), shape=(m, m)).tocsc()
    degree = sums_by_item(i, w, m) + sums_by_item(j, w, m)
    return (between + between.T + sparse.diags(degree + own + SHIFT * degree.mean())).tocsc()
