"""What gold is left when a policy is optimised against conservative rewards, measured by runs.

In each run a rater labels fresh comparisons; one reward is fitted to all of them, and k members to
bootstrap resamples of them, or each to as many comparisons of its own. Every way of combining them
is then optimised within the same KL, so that a penalty cannot win merely by making the reward
smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rewardlab.errors import InputError
from rewardlab.experiments.lab_reward import L2
from rewardlab.policies.kl_budget import best_within
from rewardlab.rewards.ensemble import (
    mean_score,
    uncertainty_weighted_score,
    weight_average,
    worst_case_score,
)
from rewardlab.rewards.linear import fit, hessian
from rewardlab.rewards.linear_reward import LinearReward
from rewardlab.rewards.uncertainty import CautiousReward, posterior_covariance
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons


class Combination(StrEnum):
    """What is optimised."""

    ONE = "one reward"
    MEAN = "mean of the members"
    WORST = "worst case"
    WEIGHTED = "mean less disagreement"
    WARM = "averaged weights"
    EXACT = "exact uncertainty"


@dataclass(frozen=True, slots=True)
class Caution:
    """How the rewards of a run are combined.

    Attributes:
        members: k fits, >= 2.
        uwo_penalty: lambda of the mean less disagreement.
        caution: lambda of the exact uncertainty, standard deviations.
        own_labels: True gives each member comparisons of its own, k times as many in all; False
            resamples the comparisons that the one reward has.
    """

    members: int
    uwo_penalty: float
    caution: float
    own_labels: bool = False

    def __post_init__(self) -> None:
        if self.members < 2:
            raise InputError(f"members: expected at least 2, got {self.members}")


@dataclass(frozen=True, slots=True)
class Fits:
    """The rewards of one run.

    Attributes:
        one: Shape [d]; weights fitted to all comparisons.
        covariance: Shape [d, d]; of these weights under their posterior.
        members: Shape [k, d]; weights of the ensemble.
    """

    one: FloatArray
    covariance: FloatArray
    members: FloatArray


def gold_by_combination(
    world: AnswerSet,
    utility: FloatArray,
    *,
    n_labels: int,
    how: Caution,
    kl_nats: float,
    n_runs: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Shape [n_runs, 6]; gold of the policy optimised against each ``Combination``, in its order.

    Args:
        world: Its reference policy writes the compared answers.
        utility: Shape [n]; the rater's, in logits.
        n_labels: Comparisons in each run.
        how: Members and penalties.
        kl_nats: KL that each policy may spend.
        n_runs: Independent runs.
        rng: Source of all randomness.
    """
    runs = fit_runs(world, utility, n_labels=n_labels, how=how, n_runs=n_runs, rng=rng)
    return gold_of_runs(world, runs, how=how, kl_nats=kl_nats)


def fit_runs(
    world: AnswerSet,
    utility: FloatArray,
    *,
    n_labels: int,
    how: Caution,
    n_runs: int,
    rng: np.random.Generator,
) -> tuple[Fits, ...]:
    """The part of ``gold_by_combination`` that labels and fits; its penalties do not matter."""
    made = []
    for _ in range(n_runs):
        comparisons = draw_comparisons(utility, world.ref_logprobs, n_labels, rng=rng)
        differences, label = comparisons.differences(world), comparisons.label
        one = fit(differences, label, l2=L2).weights
        covariance = posterior_covariance(hessian(one, differences, label, l2=L2))
        members = _members(world, utility, comparisons, how, rng)
        made.append(Fits(one, covariance, np.array(members)))
    return tuple(made)


def gold_of_runs(
    world: AnswerSet, runs: tuple[Fits, ...], *, how: Caution, kl_nats: float
) -> FloatArray:
    """The part of ``gold_by_combination`` that combines and optimises; it draws nothing."""
    rewards = np.concatenate([_combined(world, run, how) for run in runs])
    policies = best_within(world.ref_logprobs, rewards, kl_nats)
    return (np.exp(policies) @ world.gold).reshape(len(runs), len(Combination))


def _combined(world: AnswerSet, fits: Fits, how: Caution) -> FloatArray:
    """Shape [6, n]; every answer's reward under each combination."""
    centre = world.ref_probs @ world.features
    away = world.features - centre
    scores = fits.members @ away.T
    linear = LinearReward(fits.one, world.feature_names, centre)
    cautious = CautiousReward(linear, fits.covariance, how.caution)
    rewards = {
        Combination.ONE: linear.score(world.features),
        Combination.MEAN: mean_score(scores),
        Combination.WORST: worst_case_score(scores),
        Combination.WEIGHTED: uncertainty_weighted_score(scores, how.uwo_penalty),
        Combination.WARM: away @ weight_average(list(fits.members)),
        Combination.EXACT: cautious.score(world.features),
    }
    return np.array([rewards[combination] for combination in Combination])


def _members(
    world: AnswerSet,
    utility: FloatArray,
    comparisons: Comparisons,
    how: Caution,
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Length k; weights of shape [d] each."""
    n = len(comparisons)
    if how.own_labels:
        own = draw_comparisons(utility, world.ref_logprobs, how.members * n, rng=rng)
        differences, label = own.differences(world), own.label
        parts = [slice(i * n, (i + 1) * n) for i in range(how.members)]
        return [fit(differences[part], label[part], l2=L2).weights for part in parts]
    # Counts of resampled rows as their weights: the same fit as to repeated rows.
    counts = rng.multinomial(n, np.full(n, 1 / n), size=how.members)
    differences = comparisons.differences(world)
    return [
        fit(differences, comparisons.label, l2=L2, row_weight=count.astype(np.float64)).weights
        for count in counts
    ]
