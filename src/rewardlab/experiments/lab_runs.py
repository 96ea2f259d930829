"""Whole runs of the lab: label, fit, optimise, judge by the rubric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.experiments.lab_reward import fit_reward
from rewardlab.policies.best_of_n import log_spaced_n
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.policies.natural_gradient import natural_gradient
from rewardlab.types import FloatArray, OptimizationPath
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons

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
