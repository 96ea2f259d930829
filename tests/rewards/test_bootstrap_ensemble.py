"""Rewards fitted to resampled prompts: alike where labels are many, unlike where they are few."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.data import demo_path
from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.formats import read_preferences
from rewardlab.rewards.bootstrap_ensemble import bootstrap_ensemble
from rewardlab.rewards.feature_fit import fit_text_feature_reward
from rewardlab.types import FloatArray, Preferences


@pytest.fixture(scope="module")
def votes() -> Preferences:
    return read_preferences(demo_path("demo_preferences"))


def gaps(votes: Preferences, n: int, seed: int = 0) -> FloatArray:
    """Shape [members, pairs]; reward of a less that of b, by members fitted to n rows."""
    members = bootstrap_ensemble(votes.take(range(n)), n_members=8, rng=np.random.default_rng(seed))
    return np.array(
        [m(votes.prompt, votes.response_a) - m(votes.prompt, votes.response_b) for m in members]
    )


def unlike(gaps: FloatArray) -> float:
    """One less the mean correlation of two members."""
    return float(1 - np.atleast_2d(np.corrcoef(gaps))[np.triu_indices(len(gaps), 1)].mean())


def test_members_centre_on_the_fit_to_all_and_differ_less_with_more_labels(
    votes: Preferences,
) -> None:
    many = gaps(votes, len(votes))
    few = gaps(votes, len(votes) // 8)
    fit = fit_text_feature_reward(votes, rng=np.random.default_rng(0)).reward
    whole = fit(votes.prompt, votes.response_a) - fit(votes.prompt, votes.response_b)
    assert np.corrcoef(many.mean(axis=0), whole)[0, 1] > 0.98
    assert unlike(many) < unlike(few)


def test_too_few_labels_or_members_are_refused_with_the_remedy(votes: Preferences) -> None:
    with pytest.raises(EstimationError, match=r"too few labels.*expected 20 with a winner, of 10"):
        gaps(votes, 5)
    with pytest.raises(InputError, match="n_members: expected at least 2, got 1"):
        bootstrap_ensemble(votes, n_members=1, rng=np.random.default_rng(0))
