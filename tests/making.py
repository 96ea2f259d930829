"""Small data made for tests: votes with rewards, without going through files or texts."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from rewardlab.audit.scored import ScoredVotes
from rewardlab.types import FloatArray, IntArray


def scored_votes(
    gap: FloatArray,
    label: FloatArray,
    *,
    prompt: IntArray | None = None,
    pair: IntArray | None = None,
    annotator: IntArray | None = None,
    margin: FloatArray | None = None,
    words: tuple[FloatArray, FloatArray] | None = None,
    features: FloatArray | None = None,
) -> ScoredVotes:
    """Votes whose reward gap is given; everything else has a plain default."""
    n = len(gap)
    features = np.zeros((n, 1)) if features is None else features
    each = np.arange(n)
    return ScoredVotes(
        reward_a=np.asarray(gap, dtype=np.float64),
        reward_b=np.zeros(n),
        label=np.asarray(label, dtype=np.float64),
        margin=np.full(n, np.nan) if margin is None else margin,
        prompt=each if prompt is None else prompt,
        pair=each if pair is None else pair,
        annotator=np.full(n, -1) if annotator is None else annotator,
        n_words_a=np.full(n, 10.0) if words is None else words[0],
        n_words_b=np.full(n, 10.0) if words is None else words[1],
        feature_gap=features,
        feature_names=tuple(f"feature {j}" for j in range(features.shape[1])),
        feature_scale=np.ones(features.shape[1]),
        swapped=np.zeros(n, dtype=bool),
        row=each,
        source=["votes.jsonl"] * n,
        line=each + 1,
    )


def bradley_terry_votes(gap: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Labels 1 or 0 drawn with P(a) = sigmoid(gap)."""
    label: FloatArray = (rng.random(len(gap)) < expit(gap)).astype(np.float64)
    return label
