"""A reward learned in the lab: from a rater's comparisons to a score for each answer."""

from __future__ import annotations

import numpy as np

from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab_raters import Rater, draw_comparisons, rater_utility
from rewardlab.worlds.lab_reward import fit_reward


def learned_reward(
    world: AnswerSet, rater: Rater, n_labels: int, *, rng: np.random.Generator
) -> FloatArray:
    """Each answer's reward, shape [n], fitted to comparisons of the reference's answers.

    Args:
        world: The lab's.
        rater: Who compares.
        n_labels: How many comparisons are drawn; every fifth is held back from the fit.
        rng: Source of randomness.
    """
    utility = rater_utility(world, rater)
    comparisons = draw_comparisons(utility, world.ref_logprobs, n_labels, rng=rng)
    return np.asarray(world.features @ fit_reward(world, comparisons).weights)
