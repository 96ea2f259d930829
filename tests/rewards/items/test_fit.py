"""Strengths of items: against an independent library, and where no fit exists."""

from __future__ import annotations

import choix
import numpy as np
import pytest

from rewardlab.errors import SeparationError
from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import Gamma, ItemModel, Ridge


def games(n: int, m: int, seed: int = 0) -> Battles:
    """n games of m items by Bradley-Terry, without ties."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=m)
    a = rng.integers(m, size=n)
    b = (a + rng.integers(1, m, size=n)) % m
    won = rng.random(n) < 1 / (1 + np.exp(truth[b] - truth[a]))
    return battles_of_games(np.where(won, a, b), np.where(won, b, a), m)


def test_strengths_equal_those_of_choix() -> None:
    played = games(2000, 8)
    peer = choix.ilsr_pairwise(8, list(zip(played.a, played.b, strict=True)), tol=1e-12)
    assert np.allclose(fit_items(played, tol=1e-10).strength, peer - peer.mean(), atol=1e-6)


def test_an_item_that_never_loses_is_named() -> None:
    played = battles_of_games(np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), ["best", "x", "y"])
    with pytest.raises(SeparationError, match="best never lost"):
        fit_items(played)


@pytest.mark.parametrize("prior", [Ridge(0.5), Gamma(2.0)])
def test_a_prior_keeps_an_item_that_never_loses_finite_and_says_so(prior: Ridge | Gamma) -> None:
    played = battles_of_games(np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1]), ["best", "x", "y"])
    fitted = fit_items(played, ItemModel(prior=prior))
    assert np.argmax(fitted.strength) == 0
    assert "best never lost" in fitted.warnings[0]


def test_disconnected_groups_are_centred_each() -> None:
    played = battles_of_games(np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2]), 4)
    fitted = fit_items(played)
    assert fitted.group.tolist() == [0, 0, 1, 1]
    assert "2 groups" in fitted.warnings[0]
