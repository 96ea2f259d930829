"""The inverse of a fit's Hessian, for strengths about the means of their groups."""

from __future__ import annotations

import numpy as np
import scipy

from rewardlab.errors import EstimationError
from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.newton import hessian_at
from rewardlab.rewards.items.within_groups import centred, pin_shifts
from rewardlab.types import FloatArray

SMALL = 64
REPAYS_SCIPY = 2500
"""Parameters from which LAPACK's own inverse repays the loading of scipy, .2 s."""
MOST_PARAMETERS = 6000
"""Beyond, a dense covariance takes more than about a gigabyte and a minute."""


def inverse_hessian(cells: Cells, fitted: ItemFit) -> FloatArray:
    """Shape [m + e, m + e]; inverse of the loss's Hessian with the prior, each group centred.

    Raises:
        EstimationError: There are too many items, or an effect is not told apart from the others.
    """
    check_size(fitted)
    return inverse_of(hessian_at(cells, fitted.model, fitted.theta), fitted)


def check_size(fitted: ItemFit) -> None:
    """Raises an ``EstimationError`` where a dense covariance would be too large."""
    p = len(fitted.strength) + len(fitted.effect)
    if p > MOST_PARAMETERS:
        raise EstimationError(
            f"a covariance of {p:,} strengths and effects is too large (at most "
            f"{MOST_PARAMETERS:,})",
            remedy="Take bootstrap intervals, or fewer items.",
        )


def inverse_of(hessian: FloatArray, fitted: ItemFit) -> FloatArray:
    """Shape [m + e, m + e]; inverse of the Hessian at a fit, each group centred.

    Args:
        hessian: Shape [m + e, m + e]; of the loss with the prior. Overwritten.
        fitted: The fit.

    Raises:
        EstimationError: An effect is not told apart from the others.
    """
    if fitted.model.prior is None:
        pin_shifts(hessian, fitted.group)
    try:
        root = np.asarray(np.linalg.cholesky(hessian), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise EstimationError(
            "items: an effect cannot be told from the strengths or from another effect",
            remedy="Leave out the covariate that the items or other covariates explain.",
        ) from error
    return centred(_inverse_of_root(root), fitted.group, np.ones(len(fitted.group), dtype=bool))


def _inverse_of_root(root: FloatArray) -> FloatArray:
    """The inverse of a matrix from its lower triangular Cholesky root, which is overwritten."""
    if len(root) < REPAYS_SCIPY:
        inverse = _inverse_of_triangular(root)
        return np.asarray(inverse.T @ inverse)
    upper, _ = scipy.linalg.lapack.dpotri(root.T, overwrite_c=True)
    upper = np.triu(upper)
    return np.asarray(upper + np.triu(upper, 1).T)


def _inverse_of_triangular(root: FloatArray) -> FloatArray:
    """The inverse of a lower triangular matrix, by halves: mostly products, which are fast."""
    p = len(root)
    if p <= SMALL:
        return np.tril(np.linalg.inv(root))
    half = p // 2
    inverse = np.zeros_like(root)
    inverse[:half, :half] = _inverse_of_triangular(root[:half, :half])
    inverse[half:, half:] = _inverse_of_triangular(root[half:, half:])
    inverse[half:, :half] = -inverse[half:, half:] @ (root[half:, :half] @ inverse[:half, :half])
    return inverse
