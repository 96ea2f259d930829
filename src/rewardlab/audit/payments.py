"""What is paid for: the weight of each text feature in people's votes, and beyond them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import EstimationError
from rewardlab.rewards.inference import Inference, infer
from rewardlab.stats.intervals import FEW_CLUSTERS, Estimate
from rewardlab.types import Finding, FloatArray, Status

ALPHA = 0.05
"""Chance of naming any feature at all where none is paid for."""


@dataclass(frozen=True, slots=True)
class Payment:
    """What one standard deviation of a feature is worth, other features held.

    Attributes:
        feature: The feature's name.
        weight: In logits of preference per standard deviation of the feature over responses.
        low: Lower end of the 95% interval.
        high: Upper end.
        p_adjusted: Holm-adjusted over all features; in [0, 1].
        named: True if the adjusted p-value is below 5%.
    """

    feature: str
    weight: float
    low: float
    high: float
    p_adjusted: float
    named: bool


@dataclass(frozen=True, slots=True)
class Payments:
    """The weights of all features in one fit.

    Attributes:
        of: Whose payments: "votes", or "reward beyond votes".
        rows: The features, heaviest first.
        method: Which fit and interval these are.
        left_out: Features not in the fit, each with its reason.
        warning: Said beside the table; "" if nothing is.
        n_prompts: Clusters.
    """

    of: str
    rows: tuple[Payment, ...]
    method: str
    left_out: tuple[str, ...]
    warning: str
    n_prompts: int

    @property
    def named(self) -> tuple[Payment, ...]:
        """The features that pass the test, heaviest first."""
        return tuple(row for row in self.rows if row.named)
