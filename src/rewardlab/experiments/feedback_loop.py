"""The loop of feedback in the lab's world: compare, fit, optimise, and answer anew.

Comparisons are made by people, who go by the rubric, or by a judge, who knows the rubric too but
likes length; or a checker takes their place, which sees only whether an answer is right. Policies
are optimal for the reward at their price of KL: with beta and six weights w the policy is
ref exp(w f / beta) / Z. Its implied reward is w f, so that the DPO loss of such a policy on pairs
is the Bradley-Terry loss of w, and the fit of one is the fit of the other: DPO differs in what it
can do next, not in what it learns from the same pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.experiments.lab_reward import HeldOut, fit_reward, held_out_accuracy
from rewardlab.policies.closed_form import gibbs
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons, joined, rater_utility

JUDGE_NOISE = 0.5
"""A judge repeats itself more often than people do, whose noise is 1. The figure is ours."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """Who compares, and whose answers.

    Attributes:
        utility: Shape [n]; what each answer is worth to them, in logits at a noise of 1.
        noise: Scale of the Bradley-Terry noise, > 0.
        fresh: True if later rounds compare answers of the policy of the round before.
    """

    utility: FloatArray
    noise: float = 1.0
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class LoopRound:
    """One round of the loop.

    Attributes:
        writer: Shape [n], log-probabilities; the policy whose answers were judged.
        new: The round's comparisons; none where a checker took their place.
        so_far: All comparisons up to here.
        weights: Shape [d]; fitted to them, None where there are none.
        reward: Shape [n]; what the policy was optimised for.
        policy: Shape [n], log-probabilities; the optimum for it.
    """

    writer: FloatArray
    new: Comparisons
    so_far: Comparisons
    weights: FloatArray | None
    reward: FloatArray
    policy: FloatArray


def people(world: AnswerSet, *, fresh: bool) -> Feedback:
    """Careful raters: the rubric, with noise."""
    return Feedback(rater_utility(world, "careful"), fresh=fresh)


def judge(world: AnswerSet, length_points: float) -> Feedback:
    """A judge with a taste: the rubric, and ``length_points`` from the shortest to the longest."""
    return Feedback(world.gold + length_points * world.feature("length"), noise=JUDGE_NOISE)


def feedback_rounds(
    world: AnswerSet,
    feedback: Feedback,
    *,
    n_rounds: int,
    n_labels: int,
    beta: float,
    rng: np.random.Generator,
) -> tuple[LoopRound, ...]:
    """Compare, refit on all comparisons so far, and optimise from the reference; several times.

    Args:
        world: The lab's.
        feedback: Who compares, and whose answers.
        n_rounds: How many, >= 1.
        n_labels: Comparisons a round; every fifth is held back.
        beta: Price of a nat of KL, > 0.
        rng: Source of pairs and labels.

    Raises:
        InputError: ``n_rounds`` is below 1.
    """
    if n_rounds < 1:
        raise InputError(f"n_rounds: expected at least 1, got {n_rounds}")
    policy = world.ref_logprobs
    made: list[Comparisons] = []
    rounds = []
    for _ in range(n_rounds):
        writer = policy if feedback.fresh else world.ref_logprobs
        new = draw_comparisons(feedback.utility, writer, n_labels, rng=rng, noise=feedback.noise)
        made.append(new)
        so_far = joined(made)
        weights = fit_reward(world, so_far).weights
        reward = world.features @ weights
        policy = gibbs(world.ref_logprobs, reward, beta)
        rounds.append(LoopRound(writer, new, so_far, weights, reward, policy))
    return tuple(rounds)


def checked_rounds(
    world: AnswerSet, check: FloatArray, *, n_rounds: int, beta: float
) -> tuple[LoopRound, ...]:
    """The loop with a checker: the check is the reward, and later rounds find the same optimum.

    Args:
        world: The answers.
        check: Shape [n]; 1 for an answer that passes, else 0.
        n_rounds: How many, >= 1.
        beta: Price of a nat of KL, > 0.

    Raises:
        InputError: ``n_rounds`` is below 1.
    """
    if n_rounds < 1:
        raise InputError(f"n_rounds: expected at least 1, got {n_rounds}")
    optimum = gibbs(world.ref_logprobs, check, beta)
    writers = [world.ref_logprobs, *[optimum] * (n_rounds - 1)]
    none = Comparisons(np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    return tuple(LoopRound(writer, none, none, None, check, optimum) for writer in writers)


def held_out(world: AnswerSet, after: LoopRound) -> HeldOut | None:
    """How a round's reward foretells what was held back of all comparisons; None without any."""
    if after.weights is None:
        return None
    return held_out_accuracy(world, after.so_far, after.weights)


def order_accuracy(score: FloatArray, gold: FloatArray, logprobs: FloatArray) -> float:
    """Chance that a score names the better of two answers of a policy, exactly.

    Over pairs that differ in gold; an equal score counts one half. NaN where the policy gives
    next to nothing to any such pair.

    Args:
        score: Shape [n].
        gold: Shape [n].
        logprobs: Shape [n]; the policy that writes both answers.
    """
    probs = np.exp(logprobs)
    order = np.sign(gold[:, None] - gold)
    agrees = np.sign(score[:, None] - score) * order
    differ = float(probs @ np.abs(order) @ probs)
    return 0.5 + 0.5 * float(probs @ agrees @ probs) / differ if differ > 0 else float("nan")


def rater_agreement(feedback: Feedback, comparisons: Comparisons) -> float:
    """Chance that two labels of one pair are the same, mean over the pairs: p^2 + (1 - p)^2."""
    worth = feedback.utility[comparisons.pairs]
    ahead = special.expit((worth[:, 0] - worth[:, 1]) / feedback.noise)
    return float(np.mean(ahead**2 + (1 - ahead) ** 2))


def right_labels(world: AnswerSet, comparisons: Comparisons) -> float:
    """Share whose preferred answer has more gold; a tie or equal gold counts one half."""
    gold = world.gold[comparisons.pairs]
    better = np.sign(gold[:, 0] - gold[:, 1]) * np.sign(comparisons.label - 0.5)
    return float(np.mean(0.5 + 0.5 * better))
