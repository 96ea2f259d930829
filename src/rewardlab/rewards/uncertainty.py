"""Exact uncertainty of a linear reward: it grows with the distance from what was compared.

With weights N(w, S) the reward of x above that of a centre is Gaussian with standard deviation
sqrt((x - c)' S (x - c)): small along directions that the comparisons varied, large along those
that they did not, and without bound as x moves away. An ensemble estimates the same from k draws.
Like an ensemble, it knows of missing data only, never of what all labels got wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from rewardlab.errors import InputError
from rewardlab.rewards.linear_reward import LinearReward, feature_matrix
from rewardlab.types import FloatArray, Text


def posterior_covariance(hessian: FloatArray) -> FloatArray:
    """S, the inverse Hessian of the penalised loss (``linear.hessian``), of shape [d, d].

    The posterior's covariance by Laplace's method: the penalty is a normal prior of variance
    1 / l2 on each weight, and without labels nothing else is left. For intervals that hold when
    comparisons come in clusters, take ``stats.clusters.cluster_covariance``.

    Raises:
        InputError: The Hessian is singular: features are dependent and there is no penalty.
    """
    try:
        factor = linalg.cho_factor(hessian)
    except linalg.LinAlgError as error:
        raise InputError("hessian: expected a regular one; fit with a penalty") from error
    return np.asarray(linalg.cho_solve(factor, np.eye(len(hessian))))


def reward_sd(features: FloatArray, covariance: FloatArray, centre: FloatArray) -> FloatArray:
    """sqrt((x - c)' S (x - c)) for each row, of shape [n].

    Args:
        features: Shape [n, d].
        covariance: Shape [d, d], S.
        centre: Shape [d], c; where the reward is taken as known.
    """
    away = features - centre
    variance = np.einsum("ij,ij->i", away @ covariance, away)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))  # rounding goes below 0


@dataclass(frozen=True, slots=True)
class CautiousReward:
    """w . (x - c) - lambda sqrt((x - c)' S (x - c)), a lower bound as a reward.

    Attributes:
        linear: w and c, with the names of the features.
        covariance: Shape [d, d], S.
        caution: lambda >= 0, standard deviations.
    """

    linear: LinearReward
    covariance: FloatArray
    caution: float

    def __post_init__(self) -> None:
        d = len(self.linear.names)
        if self.covariance.shape != (d, d):
            raise InputError(f"covariance: expected {(d, d)}, got {self.covariance.shape}")
        if not self.caution >= 0:
            raise InputError(f"caution: expected a number of at least 0, got {self.caution:g}")

    def score(self, features: FloatArray) -> FloatArray:
        """Shape [n]; for features of shape [n, d]."""
        sd = reward_sd(features, self.covariance, self.linear.centre)
        return self.linear.score(features) - self.caution * sd

    def __call__(
        self, prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Sequence[Any]
    ) -> FloatArray:
        return self.score(feature_matrix(columns, self.linear.names, len(responses)))
