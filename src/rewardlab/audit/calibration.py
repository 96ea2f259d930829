"""Does a reward gap mean the preference probability it claims?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import EstimationError
from rewardlab.rewards.inference import infer_weights
from rewardlab.stats.intervals import Estimate, cluster_codes, cluster_proportion
from rewardlab.types import Figure, Finding, FloatArray, Status

N_BINS = 10
MIN_BIN_VOTES = 20
SETTLED = (0.7, 1.4)
"""An interval of the slope within these bounds settles that gaps can be read as logits."""

DIFFERS = "Give a reward that differs between the two responses of a pair."


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Votes of similar confidence.

    Attributes:
        confidence: Mean probability that the reward gives to the side it prefers, in [.5, 1].
        accuracy: How often people preferred that side (ties count one half).
    """

    confidence: float
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class Calibration:
    """Reward gaps read as log-odds, against votes.

    Attributes:
        slope: Log-odds of preference per unit of reward gap: 1 if the gap is a Bradley-Terry
            logit, below 1 if the reward is overconfident; for a reward in other units, the factor
            that turns it into logits. With interval, clustered by prompt.
        error: Mean absolute distance between confidence and accuracy over the bins, by votes.
        bins: From least to most confident.
        n_votes: Votes used, ties included.
    """

    slope: Figure
    error: float
    bins: tuple[CalibrationBin, ...]
    n_votes: int


def measure_calibration(votes: ScoredVotes, *, is_logit: bool = True) -> Calibration:
    """The slope and the reliability bins; which side is called "a" does not matter.

    Args:
        votes: With rewards.
        is_logit: True if gaps claim to be logits; else the bins show them times the slope.

    Raises:
        EstimationError: All reward gaps are 0, there are fewer than four prompts, or the votes
            follow the reward without exception.
    """
    gap, spread = votes.reward_gap, votes.gap_spread
    if spread == 0:
        raise EstimationError("every pair has the same reward on both sides", remedy=DIFFERS)
    prompt, _ = cluster_codes(votes.prompt)
    # In units of its spread, so that rewards in any unit are fitted alike.
    found = infer_weights(gap[:, None] / spread, votes.label, prompt, names=("the reward gap",))
    slope = Figure(
        float(found.weight[0]) / spread,
        float(found.low[0]) / spread,
        float(found.high[0]) / spread,
        "logits per unit of reward",
        method=found.method,
    )
    preferred = np.where(gap >= 0, votes.label, 1 - votes.label)
    unit = 1.0 if is_logit else max(slope.value, 0.0)
    bins = _bins(expit(unit * np.abs(gap)), preferred, votes)
    sizes = np.array([b.accuracy.n for b in bins], dtype=np.float64)
    distances = np.array([abs(b.confidence - b.accuracy.value) for b in bins])
    return Calibration(slope, float(np.average(distances, weights=sizes)), bins, len(votes))


def _bins(
    confidence: FloatArray, preferred: FloatArray, votes: ScoredVotes
) -> tuple[CalibrationBin, ...]:
    n_bins = int(np.clip(len(votes) // MIN_BIN_VOTES, 1, N_BINS))
    cuts = np.quantile(confidence, np.linspace(0, 1, n_bins + 1)[1:-1])
    which = np.searchsorted(cuts, confidence, side="right")
    return tuple(
        CalibrationBin(
            float(confidence[which == k].mean()),
            cluster_proportion(preferred[which == k], votes.prompt[which == k]),
        )
        for k in range(n_bins)
        if np.any(which == k)
    )


def calibration_finding(
    calibration: Calibration, *, is_logit: bool, predicts: bool = True
) -> Finding:
    """The slope as a finding.

    Args:
        calibration: From ``measure_calibration``.
        is_logit: True if the reward claims to be in Bradley-Terry logits, so that 1 is expected.
        predicts: True if its accuracy is above one half beyond chance; without that its slope
            means nothing.
    """
    slope = calibration.slope
    name = "calibration"
    # A reward in large units has a slope that two decimals would round away.
    worth = f"{slope.value:.2f}" if abs(slope.value) >= 0.1 else f"{slope.value:.3g}"
    title = f"One unit of reward is worth {worth} logits of preference"
    meaning = (
        f"Confidence and accuracy lie {calibration.error:.1%} apart on average over "
        f"{len(calibration.bins)} bins."
    )
    if np.isnan(slope.low):
        status, action = Status.CANNOT_SAY, "Add prompts: one alone gives the slope no interval."
    elif slope.high < 0:
        status = Status.CANNOT_SAY
        action = "Check the sign: higher reward goes with being rejected (see held-out-accuracy)."
    elif slope.low <= 0 or not predicts:
        status = Status.CANNOT_SAY
        action = "The gap does not yet predict votes; add prompts, or a reward that knows more."
    elif not is_logit:
        status = Status.PASS
        action = f"Multiply the reward by {slope.value:.3g} before reading it as log-odds."
    elif slope.high < 1:
        status = Status.WARN
        action = f"The reward is overconfident: multiply it by {slope.value:.2f}."
    elif slope.low > 1:
        status = Status.WARN
        action = f"The reward is underconfident: multiply it by {slope.value:.2f}."
    elif slope.low >= SETTLED[0] and slope.high <= SETTLED[1]:
        status, action = Status.PASS, "A gap of g logits can be read as odds of exp(g)."
    else:
        status = Status.CANNOT_SAY
        action = (
            f"Add votes on more prompts: an interval within {SETTLED[0]} to {SETTLED[1]} would "
            "settle that a gap of g logits can be read as odds of exp(g)."
        )
    return Finding(name, status, title, meaning, action, slope)
