"""Fits and runs of the lab, kept for when they are asked for again.

What is so before a label was so after the one before; a run is watched, then its policy writes
pairs, then its path is saved.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rewardlab.experiments.lab_learning import Learned, learned_from, reward_to_climb
from rewardlab.experiments.lab_policies import RunSettings, optimised
from rewardlab.policies.recording import Optimised
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Comparisons
from rewardlab.worlds.lab_votes import Votes

_FITS, _RUNS = 512, 128


def fit_of(votes: Votes) -> Learned | None:
    """What is learned from votes; None where there is nothing to learn from."""
    comparisons = votes.comparisons()
    # Both are exact in 2 bytes: of 20,000 labels 120 kB are kept and not 480 kB.
    pairs, label = comparisons.pairs.astype(np.int16), comparisons.label.astype(np.float16)
    return _fit(pairs.tobytes(), label.tobytes())


def reward_of(votes: Votes) -> FloatArray:
    """Each answer's reward, shape [576], learned from votes.

    Raises:
        InputError: There is nothing to learn from yet.
    """
    return reward_to_climb(fit_of(votes))


def run_of(reward: FloatArray, settings: RunSettings) -> Optimised:
    """A run against a reward.

    Raises:
        InputError: A setting is outside its range.
        ConvergenceError: The steps grew without bound.
    """
    return _run(reward.tobytes(), settings)


@lru_cache(maxsize=_FITS)
def _fit(pairs: bytes, label: bytes) -> Learned | None:
    return learned_from(
        Comparisons(
            np.frombuffer(pairs, dtype=np.int16).reshape(-1, 2).astype(np.int64),
            np.frombuffer(label, dtype=np.float16).astype(np.float64),
        )
    )


@lru_cache(maxsize=_RUNS)
def _run(reward: bytes, settings: RunSettings) -> Optimised:
    return optimised(lab_world(), np.frombuffer(reward), settings)
