"""A linear reward from gradients of all rows and the curvature of a sample of them.

The Cholesky factor of a sample's curvature turns the loss of all rows into one of nearly the same
curvature in every direction, for which a few steps of L-BFGS are enough, each of one pass for the
gradient. Affine changes of the features alter nothing. Of many features a sample is noisy; where
it shows them independent, their scales alone serve better than its correlations.

Source: curvature of a sample after Byrd, Chin, Neveitt and Nocedal (2011), *SIAM Journal on
Optimization* 21, 977-995.
"""

from __future__ import annotations

from rewardlab.rewards.linear_descent import descend
from rewardlab.rewards.linear_newton import Solution
from rewardlab.rewards.linear_rows import Rows
from rewardlab.rewards.linear_sample import start_and_units
from rewardlab.types import FloatArray


def solve_preconditioned(
    rows: Rows, start: FloatArray, l2: float, tol: float, stride: int
) -> Solution:
    """L-BFGS in the units of a sample's curvature, from the sample's own fit where that is good.

    Args:
        rows: The comparisons.
        start: Shape [d]; where the sample's fit begins.
        l2: Penalty, >= 0.
        tol: The last step is shorter than ``tol`` standard errors.
        stride: One row of so many is sampled.

    Raises:
        ConvergenceError: The sample has no fit or is ill conditioned, or the steps on all rows do
            not shrink fast enough; an exact method may still succeed.
    """
    weights, units = start_and_units(rows, start, l2, stride)
    return descend(rows, weights, units, l2, tol)
