"""Votes of a crowd in which some flip, for tests."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from rewardlab.preferences.battles import Battles
from rewardlab.types import FloatArray


def crowd_votes(
    strength: FloatArray, flip: FloatArray, n_each: int, rng: np.random.Generator
) -> Battles:
    """n_each votes of each annotator on pairs drawn at random, by Crowd-BT."""
    m, k = len(strength), len(flip)
    who = np.repeat(np.arange(k), n_each)
    a = rng.integers(m, size=len(who))
    b = (a + rng.integers(1, m, size=len(who))) % m
    honest = rng.random(len(who)) < expit(strength[a] - strength[b])
    for_a = honest ^ (rng.random(len(who)) < flip[who])
    return Battles(
        names=tuple(f"item {i}" for i in range(m)),
        a=a,
        b=b,
        outcome=np.where(for_a, 0, 1).astype(np.int8),
        annotator=who,
        annotator_names=tuple(f"annotator {i}" for i in range(k)),
    )


def centred_normals(m: int, rng: np.random.Generator) -> FloatArray:
    """Shape [m]; strengths that sum to 0."""
    s = rng.normal(size=m)
    return np.asarray(s - s.mean())
