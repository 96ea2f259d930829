"""Whole runs of the lab: label, fit, optimise, judge by the rubric; once, or in rounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.experiments.lab_reward import fit_reward
from rewardlab.policies.best_of_n import log_spaced_n
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.policies.natural_gradient import natural_gradient
from rewardlab.types import FloatArray, OptimizationPath
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab import word_counts
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons, joined

STEP_SIZE = 0.05
N_STEPS = 400
N_MAX = 4096


@dataclass(frozen=True, slots=True)
class LabRun:
    """One run from labels to policies.

    Attributes:
        comparisons: What was labelled.
        weights: Shape [6]; the learned reward.
        rl: Exact natural-gradient steps against it.
        best_of_n: The exact best of n by it.
    """

    comparisons: Comparisons
    weights: FloatArray
    rl: OptimizationPath
    best_of_n: OptimizationPath


def lab_run(
    world: AnswerSet,
    utility: FloatArray,
    *,
    rng: np.random.Generator,
    n_labels: int = 100,
    beta: float = 0.0,
    n_steps: int = N_STEPS,
    n_max: int = N_MAX,
) -> LabRun:
    """Label pairs from the reference policy, fit a reward, and optimise against it both ways.

    Args:
        world: The lab's world.
        utility: Shape [n]; the rater's, see ``lab_raters.rater_utility``.
        rng: Source of randomness of pairs and labels.
        n_labels: Comparisons, a fifth of them held back.
        beta: Price of a nat of KL in RL.
        n_steps: Steps of RL.
        n_max: Largest n of best-of-n.
    """
    comparisons = draw_comparisons(utility, world.ref_logprobs, n_labels, rng=rng)
    weights = fit_reward(world, comparisons).weights
    reward = world.features @ weights
    rl = natural_gradient(world, reward, beta=beta, step_size=STEP_SIZE, n_steps=n_steps)
    best = best_of_n(world, reward, n=log_spaced_n(n_max, per_octave=5))
    return LabRun(comparisons, weights, rl.path, best.path)


@dataclass(frozen=True, slots=True)
class Rounds:
    """Rounds of labelling, fitting and optimising.

    Attributes:
        comparisons: All of them, in the order they were made.
        gold: Shape [k]; true quality of the policy after each round.
        words: Shape [k]; mean number of words of the answers that were compared in each round.
    """

    comparisons: Comparisons
    gold: FloatArray
    words: FloatArray


def labelling_rounds(
    world: AnswerSet,
    utility: FloatArray,
    *,
    n_rounds: int,
    n_labels: int,
    beta: float,
    refresh: bool,
    rng: np.random.Generator,
) -> Rounds:
    """Label, refit on all labels so far, and optimise anew from the reference, several times.

    Args:
        world: The lab's world.
        utility: Shape [n]; the rater's.
        n_rounds: How many, >= 1.
        n_labels: Comparisons a round.
        beta: Price of a nat of KL, > 0; each round ends at the optimum.
        refresh: Compare answers of the policy of the round before; False compares answers of the
            reference in every round. The first round always does.
        rng: Source of randomness.

    Raises:
        InputError: ``n_rounds`` is below 1.
    """
    if n_rounds < 1:
        raise InputError(f"n_rounds: expected at least 1, got {n_rounds}")
    policy = world.ref_logprobs
    made: list[Comparisons] = []
    gold, words = [], []
    for _ in range(n_rounds):
        writer = policy if refresh else world.ref_logprobs
        made.append(draw_comparisons(utility, writer, n_labels, rng=rng))
        weights = fit_reward(world, joined(made)).weights
        policy = gibbs(world.ref_logprobs, world.features @ weights, beta)
        gold.append(float(np.exp(policy) @ world.gold))
        words.append(float(word_counts()[made[-1].pairs].mean()))
    return Rounds(joined(made), np.array(gold), np.array(words))
