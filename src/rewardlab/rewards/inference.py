"""Intervals and p-values of a linear reward's weights, valid with rows clustered by prompt.

They come from a fit *without* penalty: a penalty shrinks weights towards 0, so that intervals
around shrunken weights miss the truth. Predictions use the penalised fit; see ``regularisation``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from rewardlab.errors import EstimationError, InputError
from rewardlab.rewards.linear import fit
from rewardlab.rewards.row_terms import row_terms
from rewardlab.stats.clusters import cluster_covariance
from rewardlab.stats.intervals import FEW_CLUSTERS
from rewardlab.stats.multiple import holm
from rewardlab.types import FloatArray, IntArray

NAMED_AT = 0.04
"""Family-wise level at which features are named. False alarms are promised in at most 5% of files;
at a level of 5% simulations gave up to 5.6%, the price of approximate standard errors."""


@dataclass(frozen=True, slots=True)
class WeightInference:
    """Weights of the fit without penalty, with intervals.

    Attributes:
        names: Length d.
        weight: Shape [d], logits per unit of ``differences``.
        std_error: Shape [d].
        low: Shape [d]; lower ends of the intervals.
        high: Shape [d].
        p_value: Shape [d]; two-sided, of the weight being 0.
        adjusted_p: Shape [d]; Holm's, for all d tests together.
        dof: Shape [d]; degrees of freedom.
        level: Confidence level of each interval.
        n: Comparisons.
        n_clusters: Prompts.
        method: How the intervals were made.
        warnings: What limits them.
    """

    names: tuple[str, ...]
    weight: FloatArray
    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    adjusted_p: FloatArray
    dof: FloatArray
    level: float
    n: int
    n_clusters: int
    method: str
    warnings: tuple[str, ...]

    def position(self, name: str) -> int | None:
        """Where the feature stands; None if it was not tested apart from another."""
        return self.names.index(name) if name in self.names else None

    def significant(self, level: float = NAMED_AT) -> tuple[str, ...]:
        """Names whose adjusted p-value is at most ``level``, strongest first."""
        order = np.argsort(self.adjusted_p, kind="stable")
        return tuple(self.names[i] for i in order if self.adjusted_p[i] <= level)


def infer_weights(
    differences: FloatArray,
    label: FloatArray,
    cluster: IntArray,
    *,
    names: Sequence[str],
    margin: FloatArray | None = None,
    offset: FloatArray | None = None,
    level: float = 0.95,
) -> WeightInference:
    """Weights with intervals from the fit without penalty, clustered by prompt.

    Args:
        differences: Shape [n, d], finite, of full column rank.
        label: Shape [n], in [0, 1].
        cluster: Shape [n], int64 codes 0..G-1 of the prompts.
        names: Length d.
        margin: Shape [n], >= 0, NaN for none; see ``linear.fit``.
        offset: Shape [n]; see ``linear.fit``.
        level: Confidence level.

    Raises:
        InputError: Shapes disagree.
        SeparationError: A combination of features predicts every outcome.
        EstimationError: There are too few prompts for d features, or every comparison is a tie.

    Source: see ``stats.clusters.cluster_covariance``.
    """
    if len(cluster) != len(label) or len(names) != differences.shape[1]:
        raise InputError("infer_weights: differences, label, cluster and names disagree in length")
    if np.all(label == 0.5):
        raise EstimationError(
            "weights: every comparison is a tie, so nothing tells what is preferred",
            remedy="Give comparisons with a winner.",
        )
    fitted = fit(differences, label, margin=margin, offset=offset, names=names)
    ahead = None if margin is None else np.nan_to_num(margin, nan=0.0)
    delta = differences @ fitted.weights + (0.0 if offset is None else offset)
    at = row_terms(delta, label, margin=ahead)
    covariance = cluster_covariance(differences, at.score, at.curvature, cluster)
    std_error, dof = covariance.std_error, covariance.dof
    half = special.stdtrit(dof, 0.5 + level / 2) * std_error
    p_value = 2 * special.stdtr(dof, -np.abs(fitted.weights) / std_error)
    return WeightInference(
        names=tuple(names),
        weight=fitted.weights,
        std_error=std_error,
        low=fitted.weights - half,
        high=fitted.weights + half,
        p_value=p_value,
        adjusted_p=holm(p_value),
        dof=dof,
        level=level,
        n=len(label),
        n_clusters=covariance.n_clusters,
        method=f"fit without penalty, {covariance.method}, Student intervals",
        warnings=_warnings(covariance.n_clusters),
    )


def _warnings(n_clusters: int) -> tuple[str, ...]:
    if n_clusters >= FEW_CLUSTERS:
        return ()
    return (
        f"{n_clusters} prompts: below about {FEW_CLUSTERS} the intervals are rough; "
        "collect comparisons on more prompts",
    )
