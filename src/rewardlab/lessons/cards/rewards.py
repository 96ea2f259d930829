"""Cards on over-optimisation, rewards that can be checked, and whose preferences they are."""

from __future__ import annotations

import numpy as np

from rewardlab.audit.law_points import refreshed
from rewardlab.audit.scaling_laws import Law
from rewardlab.audit.shrinkage import shrinkage
from rewardlab.lessons.cards.card import Card
from rewardlab.lessons.figures import law_peak, refreshed_peak, shrunken, taste_share
from rewardlab.lessons.formulas.rewards import (
    conservative,
    hard_label,
    length_shift,
    rubric_score,
    step_scores,
)
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.gaussian_mean import optimal_shift
from rewardlab.rewards.ensemble import mean_score, uncertainty_weighted_score, worst_case_score
from rewardlab.rewards.process import hard_label_chance, soft_labels, solution_score
from rewardlab.rewards.rubric import RubricReward
from rewardlab.rewards.voting_rules import average_utility, borda, worst_off
from rewardlab.worlds.annotator_groups import two_groups
from rewardlab.worlds.length_quality import LengthQuality
from rewardlab.worlds.verifier import Pool, counting, half_rate, top_with_exploits


def _ensemble(*scores: float) -> tuple[float, ...]:
    column = np.array(scores)[:, None]
    return float(mean_score(column)[0]), float(worst_case_score(column)[0])


def _length_share() -> tuple[float, ...]:
    world = LengthQuality()
    gradient = world.reward_gradient()
    gained = gradient * optimal_shift(world.covariance, gradient, 1.0)
    return (float(gained[0] / gained.sum()),)


def _exploited(n: float, rate: float) -> tuple[float, ...]:
    pool = Pool(0.5, 2.0)
    top = float(top_with_exploits(pool, np.array([int(n)]), rate)[0])
    return top, counting(pool, int(n), rate)


def _half(n: float) -> tuple[float, ...]:
    return (half_rate(Pool(0.5, 2.0), int(n)),)


def _soft(hits: float, rollouts: float) -> tuple[float, ...]:
    return (float(soft_labels(np.array([int(hits)]), int(rollouts))[0]),)


def _votes(sharpness: float) -> tuple[float, ...]:
    groups = two_groups(sharpness=sharpness)
    return tuple(float(score) for score in borda(groups.win_rates()))


def _utilities() -> tuple[float, ...]:
    groups = two_groups()
    means = average_utility(groups.shares, groups.utilities)
    least = worst_off(groups.utilities)
    return float(means[0]), float(means[1]), float(least[0]), float(least[1])


UNDER_PRESSURE = (
    Card(
        "peak-best-of-n",
        "Gold follows d(a − b d) with a = {0:g}, b = {1:g}. Where does it peak, how high?",
        "At d = {0:.2f}, a KL of {1:.2f} nats, {2:.2f} above the start: a/2b and a²/4b.",
        Law.peak_d,
        lambda a, b: law_peak(Law.BEST_OF_N, a, b),
        ((1.0, 0.25), (1.0, 0.125)),
    ),
    Card(
        "peak-rl",
        "Gold follows d(a − b log d) with a = {0:g}, b = {1:g}. Where does it peak, how high?",
        "At d = {0:.2f}, a KL of {1:.1f} nats, {2:.2f} above the start: exp(a/b − 1) and b d.",
        Law.peak_d,
        lambda a, b: law_peak(Law.RL, a, b),
        ((1.0, 0.5), (1.0, 0.4)),
    ),
    Card(
        "refreshes",
        "Gold follows d(a − b log d). RL in {0:g} rounds, each with a fresh reward model: how much "
        "further does gold peak, by the law?",
        "{0:.0f} times as far in d, {1:.0f} times in KL.",
        refreshed,
        lambda rounds: refreshed_peak(1.0, 0.5, int(rounds)),
        ((2.0,), (4.0,)),
    ),
    Card(
        "shrinkage-card",
        "A score is the goal plus noise of {0:g} times its variance, both normal. What share is "
        "gained?",
        "{0:.1%} of what the score gains; such noise alone never turns the goal down.",
        shrinkage,
        lambda noise: shrunken(1.0, noise),
        ((0.5,), (1.0,), (3.0,)),
    ),
    Card(
        "taste",
        "A {0:.0%} taste for being agreed with, from an even start, β = {1:g}. How often now?",
        "{0:.1%}, or {1:.1f} to 1: the odds to the power 1/β.",
        gibbs,
        taste_share,
        ((0.6, 0.1), (0.6, 1.0), (0.55, 0.1)),
    ),
    Card(
        "length-share",
        "Reward pays alike for a doubling of length and a unit of quality (spreads 1 and 0.58). "
        "What share of the gain is length?",
        "{0:.0%}: gains go with the variance that the reference already has.",
        optimal_shift,
        _length_share,
    ),
    Card(
        "length-beta",
        "Reward pays alike for a doubling of length and a unit of quality (spreads 1 and 0.58). "
        "How far does length move at β = {0:g}, in doublings?",
        "{0:.2f}, for a KL of {2:.2f} nats.",
        optimal_shift,
        length_shift,
        ((1.0,), (0.5,)),
    ),
    Card(
        "ensemble-worst",
        "Three reward models give {0:g}, {1:g} and {2:g}. Mean and worst case?",
        "{0:.2f} and {1:g}. Only the second is cautious.",
        worst_case_score,
        _ensemble,
        ((1.0, 2.0, 3.0), (0.0, 5.0, 4.0)),
    ),
    Card(
        "ensemble-variance",
        "The models give 1, 2 and 3, and a unit of variance costs {0:g}. Which reward?",
        "{0:.3f}: the mean less the weighted population variance.",
        uncertainty_weighted_score,
        lambda penalty: conservative((1.0, 2.0, 3.0), penalty),
        ((0.5,), (1.0,), (0.0,)),
    ),
)

CHECKED = (
    Card(
        "rubric-card",
        "Rubric weights 2, 1 and −1 (a pitfall). Met: {0:g}, {1:g}, {2:g}. What reward?",
        "{0:+.2f}: Σ w c / Σ |w|.",
        RubricReward,
        lambda *met: rubric_score(met, (2.0, 1.0, -1.0)),
        ((1.0, 0.0, 1.0), (1.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ),
    Card(
        "steps",
        "Three steps score {0:g}, {1:g} and {2:g}. Product, least and mean?",
        "{0:.3f}, {1:.2f} and {2:.3f}.",
        solution_score,
        step_scores,
        ((0.9, 0.8, 0.5), (0.9, 0.9, 0.9)),
    ),
    Card(
        "product-length",
        "Every step is 95% sure. What is the product over {0:g} steps?",
        "{0:.1%}. Among right solutions it prefers the short ones.",
        solution_score,
        lambda n: step_scores(*[0.95] * int(n)),
        ((3.0,), (30.0,)),
    ),
    Card(
        "hard-label-card",
        "A wrong step is rescued one time in eight. Do {0:g} completions call it good?",
        "{0:.1%} of the time: one success is enough.",
        hard_label_chance,
        lambda n: hard_label(1 / 8, int(n)),
        ((8.0,), (16.0,), (1.0,)),
    ),
    Card(
        "soft-label-card",
        "{0:g} of {1:g} completions from a step reach the answer. Its soft label?",
        "{0:.3f}.",
        soft_labels,
        _soft,
        ((1.0, 8.0), (6.0, 8.0)),
    ),
    Card(
        "exploits",
        "Half of {0:g} candidates are right and score 2 deviations higher; {1:.0%} of the wrong "
        "ones score above all honest ones. How often is the top score a right answer?",
        "{0:.1%}. Taking the most common answer still finds it {1:.1%} of the time.",
        top_with_exploits,
        _exploited,
        ((64.0, 0.1), (64.0, 0.02)),
    ),
    Card(
        "half-rate",
        "Half of {0:g} candidates are right. Which share of the wrong ones must be exploits, so "
        "that half of all questions hold one?",
        "{0:.2%}. The larger the pool, the fewer.",
        half_rate,
        _half,
        ((16.0,), (256.0,)),
    ),
)

PEOPLE = (
    Card(
        "borda-card",
        "60% want A, 40% want C, both like B; votes of sharpness {0:g}. Which scores?",
        "A {0:.2f}, B {1:.2f}, C {2:.2f}: the share of comparisons that each wins.",
        borda,
        _votes,
        ((30.0,), (1.0,)),
    ),
    Card(
        "utilities",
        "60% get 1, 0.8 and 0 from A, B and C; 40% get 0, 0.8 and 1. Mean utility of A and B, and "
        "what the worse-off group gets?",
        "A {0:.2f}, B {1:.2f}; at the least A gives {2:.1f} and B {3:.1f}.",
        worst_off,
        _utilities,
    ),
)
