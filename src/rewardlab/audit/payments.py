"""What is paid for: the worth of each text feature in the votes, in the reward, and beyond."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from rewardlab.audit.calibration import DIFFERS
from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import EstimationError
from rewardlab.rewards.collinear import separable_columns
from rewardlab.rewards.inference import NAMED_AT, WeightInference, infer_weights
from rewardlab.rewards.usable import UsableColumns, usable_columns
from rewardlab.stats.clusters import cluster_covariance
from rewardlab.stats.intervals import (
    FEW_CLUSTERS,
    Estimate,
    cluster_codes,
    cluster_mean,
    cluster_proportion,
    widened,
)
from rewardlab.stats.multiple import holm
from rewardlab.types import FloatArray

MOSTLY_LENGTH = 0.5
"""A reward of whose gaps length explains more than this share is mostly length."""


@dataclass(frozen=True, slots=True)
class Payment:
    """What one standard deviation of a feature is worth, the other features held.

    Attributes:
        feature: The feature's name.
        weight: Per standard deviation of the feature over responses, in the unit of ``Payments``.
        low: Lower end of the 95% interval.
        high: Upper end.
        p_adjusted: Holm-adjusted over all features; in [0, 1].
        named: True if the adjusted p-value is at most ``NAMED_AT``.
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
        of: Whose payments, such as "votes".
        unit: Unit of the weights, per standard deviation of a feature.
        rows: The features, largest weight first.
        method: Which fit and which interval these are.
        left_out: Features not in the fit, each with its reason.
        warning: Said beside the table; "" if there is none.
        n_prompts: Clusters.
    """

    of: str
    unit: str
    rows: tuple[Payment, ...]
    method: str
    left_out: tuple[str, ...]
    warning: str
    n_prompts: int

    @property
    def named(self) -> tuple[Payment, ...]:
        """The features that pass the test, largest weight first."""
        return tuple(row for row in self.rows if row.named)


@dataclass(frozen=True, slots=True)
class LengthAlone:
    """What length alone reaches, and how much of the reward it is.

    The rule is chosen on the votes that it is judged by; its interval, at 97.5% for each of the two
    rules, allows for that.

    Attributes:
        rule: "Picking the longer response" or "Picking the shorter response", whichever agrees
            with more votes.
        accuracy: Share of decided votes that the rule agrees with; equal lengths count one half.
        gain: Accuracy of the audited reward minus that, paired by vote.
        share_of_reward: Share of the variance of the reward's gaps that the gaps in words and in
            log words explain.
    """

    rule: str
    accuracy: Estimate
    gain: Estimate
    share_of_reward: float


@dataclass(frozen=True, slots=True)
class _Weights:
    """One weight a feature with its interval: each of shape [d], the features' names beside."""

    names: tuple[str, ...]
    weight: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    n_clusters: int
    method: str


def votes_pay_for(votes: ScoredVotes) -> Payments:
    """What the votes pay for each feature, the others held: an unpenalised Bradley-Terry fit.

    Raises:
        SeparationError: Features predict every vote.
        EstimationError: There are too few prompts for so many features.
    """
    usable = _tested_columns(votes)
    gap = _in_deviations(votes)[:, usable.kept]
    prompt, _ = cluster_codes(votes.prompt)
    found = infer_weights(gap, votes.label, prompt, names=usable.names)
    weights = _Weights(
        found.names,
        found.weight,
        found.low,
        found.high,
        found.p_value,
        found.n_clusters,
        found.method,
    )
    return _payments("votes", "logits of preference", weights, usable.left_out)


def reward_pays_for(votes: ScoredVotes) -> Payments:
    """What the reward pays for each feature, the others held: least squares on its gaps.

    In standard deviations of the reward gap, so that rewards in any unit compare. There is no
    intercept: which side is "a" is arbitrary.

    Raises:
        EstimationError: All gaps are 0, or there are too few prompts for so many features.
    """
    usable = _tested_columns(votes)
    x = _in_deviations(votes)[:, usable.kept]
    spread = votes.gap_spread
    if spread == 0:
        raise EstimationError("every pair has the same reward on both sides", remedy=DIFFERS)
    y = votes.reward_gap / spread
    weight: FloatArray = np.linalg.lstsq(x, y, rcond=None)[0].astype(np.float64)
    prompt, _ = cluster_codes(votes.prompt)
    covariance = cluster_covariance(x, y - x @ weight, np.ones(len(y)), prompt)
    std_error = np.maximum(covariance.std_error, np.finfo(float).tiny)
    half = special.stdtrit(covariance.dof, 0.975) * std_error
    weights = _Weights(
        usable.names,
        weight,
        weight - half,
        weight + half,
        2 * special.stdtr(covariance.dof, -np.abs(weight) / std_error),
        covariance.n_clusters,
        f"least squares, {covariance.method}, Student intervals",
    )
    return _payments("reward", "standard deviations of the reward gap", weights, usable.left_out)


@dataclass(frozen=True, slots=True)
class BeyondFeatures:
    """Votes on the reward gap and all text features at once.

    Attributes:
        reward: Logits of preference per standard deviation of the reward gap, the features held:
            what the reward knows that no text feature does; None where the reward is itself a
            combination of the features.
        overpaid: What the reward pays for beyond the votes, in logits per standard deviation of
            the feature; positive is overpaid.
    """

    reward: Payment | None
    overpaid: Payments


def reward_beyond_votes(votes: ScoredVotes) -> BeyondFeatures:
    """At equal reward, do people prefer less of a feature? Then the reward overpays for it.

    The votes are fitted on the reward gap and all features at once, and the features' weights are
    returned with their sign turned: positive is overpaid (people take it back), negative is
    something that people want and the reward does not see enough of, be it by bias or by noise.

    Raises:
        SeparationError: The reward or features predict every vote.
        EstimationError: All gaps are 0, there are too few prompts, or the reward is itself a
            combination of the features (see ``model_beyond_votes``).
    """
    tested = _tested_columns(votes)
    spread = votes.gap_spread
    if spread == 0:
        raise EstimationError("every pair has the same reward on both sides", remedy=DIFFERS)
    x = np.column_stack([votes.reward_gap / spread, _in_deviations(votes)[:, tested.kept]])
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise EstimationError(
            "the reward is itself a combination of the text features",
            remedy="Test fewer features (--features NAME,NAME).",
        )
    prompt, _ = cluster_codes(votes.prompt)
    found = infer_weights(x, votes.label, prompt, names=("reward", *tested.names))
    reward = Payment(
        "reward",
        float(found.weight[0]),
        float(found.low[0]),
        float(found.high[0]),
        float(found.p_value[0]),
        bool(found.p_value[0] <= NAMED_AT),
    )
    return BeyondFeatures(reward, _overpaid(found, slice(1, None), tested.left_out))


def model_beyond_votes(votes: ScoredVotes) -> BeyondFeatures:
    """The same for a reward in logits that is a combination of the features.

    Such a reward has no weight of its own beside them, so its gaps enter the fit as they are, and
    the features' weights are what the votes still ask to be added.

    Raises:
        SeparationError: Features predict every vote.
        EstimationError: There are too few prompts.
    """
    tested = _tested_columns(votes)
    prompt, _ = cluster_codes(votes.prompt)
    found = infer_weights(
        _in_deviations(votes)[:, tested.kept],
        votes.label,
        prompt,
        names=tested.names,
        offset=votes.reward_gap,
    )
    return BeyondFeatures(None, _overpaid(found, slice(None), tested.left_out))


def _overpaid(found: WeightInference, part: slice, left_out: tuple[str, ...]) -> Payments:
    weights = _Weights(
        found.names[part],
        -found.weight[part],
        -found.high[part],
        -found.low[part],
        found.p_value[part],
        found.n_clusters,
        found.method,
    )
    return _payments("reward beyond votes", "logits of preference", weights, left_out)


def length_alone(votes: ScoredVotes, *, widening: float = 1.0) -> LengthAlone:
    """Is the reward better than the better of the two rules of length?

    Args:
        votes: At least one prefers a side.
        widening: Factor >= 1 for the interval of the gain, where the reward was fitted on other
            folds of these votes.
    """
    words = votes.n_words_a - votes.n_words_b
    x = np.column_stack([words, np.log1p(votes.n_words_a) - np.log1p(votes.n_words_b)])
    decided = votes.decided
    longer = (0.5 + 0.5 * np.sign(words) * np.sign(votes.label - 0.5))[decided]
    picks_longer = bool(longer.mean() >= 0.5)
    right = longer if picks_longer else 1 - longer
    prompt = votes.prompt[decided]
    left = votes.reward_gap - x @ np.linalg.lstsq(x, votes.reward_gap, rcond=None)[0]
    total = float(np.sum(votes.reward_gap**2))
    gain = cluster_mean(votes.correct[decided] - right, prompt)
    return LengthAlone(
        f"Picking the {'longer' if picks_longer else 'shorter'} response",
        cluster_proportion(right, prompt, level=0.975),
        widened(gain, widening, lowest=-1.0),
        1 - float(np.sum(left**2)) / total if total else float("nan"),
    )


def _tested_columns(votes: ScoredVotes) -> UsableColumns:
    """Columns that differ often enough, and that can be told apart."""
    usable = usable_columns(votes.feature_gap, votes.feature_names)
    if not len(usable.kept):
        raise EstimationError(
            f"no text feature can be tested: {'; '.join(usable.left_out)}",
            remedy="Give votes whose responses differ, or test other features (--features).",
        )
    apart = separable_columns(votes.feature_gap[:, usable.kept], usable.names)
    return UsableColumns(usable.kept[apart.kept], apart.names, (*usable.left_out, *apart.left_out))


def _in_deviations(votes: ScoredVotes) -> FloatArray:
    return votes.feature_gap / votes.feature_scale


def _payments(of: str, unit: str, weights: _Weights, left_out: tuple[str, ...]) -> Payments:
    adjusted = holm(weights.p_value)
    order = np.argsort(-np.abs(weights.weight), kind="stable")
    rows = tuple(
        Payment(
            weights.names[j],
            float(weights.weight[j]),
            float(weights.low[j]),
            float(weights.high[j]),
            float(adjusted[j]),
            bool(adjusted[j] <= NAMED_AT),
        )
        for j in order
    )
    few = weights.n_clusters < FEW_CLUSTERS
    warning = (
        f"Only {weights.n_clusters} prompts: below about {FEW_CLUSTERS} these intervals are rough."
        if few
        else ""
    )
    return Payments(of, unit, rows, weights.method, left_out, warning, weights.n_clusters)
