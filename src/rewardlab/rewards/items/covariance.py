"""Covariance of fitted strengths and effects, and the intervals that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import linalg, sparse, special

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.battles import Battles, Codes
from rewardlab.rewards.items.cells import Cells, count_cells
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.rewards.items.newton import evaluate
from rewardlab.types import BoolArray, FloatArray, IntArray

CovarianceKind = Literal["sandwich", "hessian", "bootstrap"]
MOST_PARAMETERS = 6000
"""Beyond, a dense covariance takes more than about a gigabyte and a minute."""


@dataclass(frozen=True, slots=True)
class ItemCovariance:
    """Covariance of the m strengths, each about its group's mean, and the e effects.

    Where an entry cannot be told, its row and column are NaN, and the other strengths of its group
    are about the mean of those that can.

    Attributes:
        matrix: Shape [m + e, m + e]; strengths as ``ItemFit.strength``, then ``ItemFit.effect``.
        dof: Shape [m + e]; degrees of freedom for Student quantiles; infinity for normal ones, NaN
            where the entry cannot be told.
        n_clusters: Clusters taken as independent; 0 where none are used.
        kind: "sandwich", "hessian" or "bootstrap".
        method: Which estimator and what it means, in a few words.
        cannot_say: Shape [m + e]; True where the data do not tell the uncertainty.
        warnings: What limits it.
    """

    matrix: FloatArray
    dof: FloatArray
    n_clusters: int
    kind: CovarianceKind
    method: str
    cannot_say: BoolArray
    warnings: tuple[str, ...] = ()

    @property
    def std_error(self) -> FloatArray:
        """Shape [m + e]; infinity where it cannot be told."""
        variance = np.maximum(np.diagonal(self.matrix), 0.0)
        return np.where(self.cannot_say, np.inf, np.sqrt(variance))

    def difference_std_error(self, i: Codes, j: Codes) -> FloatArray:
        """Shape [k]; standard errors of strength i less strength j, infinity where unknown.

        Args:
            i: Shape [k], codes of items, in the same group as j.
            j: Shape [k], codes.
        """
        c = self.matrix
        variance = c[i, i] + c[j, j] - 2 * c[i, j]
        return np.where(np.isnan(variance), np.inf, np.sqrt(np.maximum(variance, 0.0)))


@dataclass(frozen=True, slots=True)
class ItemIntervals:
    """Intervals of strengths and effects.

    Attributes:
        std_error: Shape [m].
        low: Shape [m], logits; -infinity where the data cannot say.
        high: Shape [m]; infinity likewise.
        effect_std_error: Shape [e].
        effect_low: Shape [e].
        effect_high: Shape [e].
        level: Confidence level of each interval alone.
        method: How they were made.
        warnings: What limits them.
    """

    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    effect_std_error: FloatArray
    effect_low: FloatArray
    effect_high: FloatArray
    level: float
    method: str
    warnings: tuple[str, ...]


def item_covariance(
    battles: Battles,
    fitted: ItemFit,
    *,
    kind: CovarianceKind = "sandwich",
    cluster: Codes | None = None,
) -> ItemCovariance:
    """Covariance of a fit to these battles.

    "hessian" is the inverse Hessian: what the model says if it is true and votes are independent.

    Args:
        battles: The votes that were fitted.
        fitted: By ``fit_items`` on the same battles.
        kind: Which estimator.
        cluster: Shape [n], codes >= 0; votes of one cluster may depend on each other. None: each
            vote is a cluster.

    Raises:
        InputError: The fit is not of these battles, or codes are no clusters'.
        EstimationError: There are too many items for a dense covariance.
    """
    if len(fitted.names) != battles.n_items:
        raise InputError(
            f"fitted: expected a fit of these {battles.n_items} items, got {len(fitted.names)}"
        )
    if kind != "hessian":
        raise InputError(f"kind: {kind} is not there yet")
    cells = count_cells(battles, position=fitted.model.position)
    return _hessian_covariance(cells, fitted)


def item_intervals(
    fitted: ItemFit, covariance: ItemCovariance, *, level: float = 0.95
) -> ItemIntervals:
    """Student intervals of each strength about its group's mean, and of each effect.

    Raises:
        InputError: ``level`` is not in (0, 1).
    """
    if not 0 < level < 1:
        raise InputError(f"level: expected a number in (0, 1), got {level}")
    m = len(fitted.strength)
    value = np.concatenate([fitted.strength, fitted.effect])
    half = np.full(len(value), np.inf)
    known = ~covariance.cannot_say
    std_error = covariance.std_error
    half[known] = student_quantile(covariance.dof[known], level) * std_error[known]
    low, high = value - half, value + half
    return ItemIntervals(
        std_error[:m],
        low[:m],
        high[:m],
        std_error[m:],
        low[m:],
        high[m:],
        level,
        covariance.method,
        covariance.warnings,
    )


def student_quantile(dof: FloatArray, level: float) -> FloatArray:
    """Two-sided Student quantiles, normal ones where ``dof`` is infinite."""
    normal = np.full(len(dof), special.ndtri(0.5 + level / 2))
    finite = np.isfinite(dof)
    normal[finite] = special.stdtrit(dof[finite], 0.5 + level / 2)
    return normal


def inverse_hessian(cells: Cells, fitted: ItemFit) -> FloatArray:
    """Shape [m + e, m + e]; inverse of the loss's Hessian with the prior, each group centred.

    Raises:
        EstimationError: There are too many items, or an effect is not told apart from the others.
    """
    p, m = len(fitted.strength) + len(fitted.effect), len(fitted.strength)
    if p > MOST_PARAMETERS:
        raise EstimationError(
            f"a covariance of {p:,} strengths and effects is too large (at most "
            f"{MOST_PARAMETERS:,})",
            remedy="Take bootstrap intervals, or fewer items.",
        )
    theta = np.concatenate([fitted.strength, fitted.effect])
    hessian = evaluate(cells, fitted.model, theta, fitted.group).hessian
    scale = float(np.mean(np.diag(hessian)[:m]))
    same = fitted.group[:, None] == fitted.group
    if fitted.model.prior is None:
        hessian[:m, :m] += scale * same / np.bincount(fitted.group)[fitted.group][:, None]
    factor, failed = linalg.lapack.dpotrf(hessian, lower=True, overwrite_a=True)
    if failed:
        raise EstimationError(
            "items: an effect cannot be told from the strengths or from another effect",
            remedy="Leave out the covariate that the items or other covariates explain.",
        )
    inverse, _ = linalg.lapack.dpotri(factor, lower=True, overwrite_c=True)
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    return centred(inverse, fitted.group, np.ones(m, dtype=bool))


def centred(matrix: FloatArray, group: IntArray, known: BoolArray) -> FloatArray:
    """The covariance of strengths less the mean of the known ones of their group.

    Args:
        matrix: Shape [m + e, m + e].
        group: Shape [m].
        known: Shape [m].
    """
    m = len(group)
    size = np.maximum(np.bincount(group, known), 1.0)
    entries = (known / size[group], (group, np.arange(m)))
    mean = sparse.csr_matrix(entries, shape=(len(size), m))
    moved = matrix.copy()
    moved[:m] -= np.asarray(mean @ moved[:m])[group]
    moved[:, :m] -= np.asarray(mean @ moved[:, :m].T).T[:, group]
    return moved


def _hessian_covariance(cells: Cells, fitted: ItemFit) -> ItemCovariance:
    matrix = inverse_hessian(cells, fitted)
    method = (
        "inverse Hessian: votes independent and the model true"
        if fitted.model.prior is None
        else "posterior standard deviations (Laplace): what prior and votes leave open together"
    )
    p = len(matrix)
    return ItemCovariance(matrix, np.full(p, np.inf), 0, "hessian", method, np.zeros(p, dtype=bool))
