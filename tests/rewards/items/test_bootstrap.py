"""Bootstrap of items: each refit is a fit, spreads are right, and what has no fit is told."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.items.bootstrap import bootstrap_strengths, drawn_again
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.types import IntArray
from tests.rewards.items.battles_made import drawn


def replayed(battles: Battles, seed: int) -> Battles:
    """The votes that the first resample of this seed draws."""
    rows = drawn_again(len(battles), np.random.default_rng(seed))
    return Battles(battles.names, battles.a[rows], battles.b[rows], battles.outcome[rows])


@pytest.mark.parametrize("n", [1, 1000, 65_536, 200_001])
def test_each_position_is_drawn_equally_often(n: int) -> None:
    rng = np.random.default_rng(0)
    rounds = max(1, min(400_000 // n, 400))
    times = np.zeros(n)
    for _ in range(rounds):
        times += np.bincount(drawn_again(n, rng), minlength=n)
    assert times.sum() == rounds * n
    # Chi-squared with n - 1 degrees of freedom, and parts of equal size as well.
    chi2 = np.sum((times - rounds) ** 2 / rounds)
    assert abs(chi2 - (n - 1)) <= 4 * np.sqrt(2 * n)
    parts = np.array([part.sum() - rounds * len(part) for part in np.array_split(times, 7)])
    assert np.all(np.abs(parts) <= 4 * np.sqrt(rounds * n))


@pytest.mark.parametrize(
    "model",
    [ItemModel(), ItemModel(ties="leave-out", prior=Ridge(0.5)), ItemModel(ties="davidson")],
)
def test_a_refit_is_the_fit_of_its_votes(model: ItemModel) -> None:
    battles = drawn(12, 900)
    fitted = fit_items(battles, model)
    found = bootstrap_strengths(
        battles, fitted, n_resamples=1, rng=np.random.default_rng(5), tol=1e-11
    )
    expected = fit_items(replayed(battles, 5), model, tol=1e-11)
    assert np.allclose(found.theta[0, :12], expected.strength, rtol=0, atol=1e-8)
    assert np.allclose(found.theta[0, 12:], expected.effect, rtol=0, atol=1e-8)


def test_clusters_of_equal_votes_widen_the_spread_by_the_root_of_their_size() -> None:
    once = drawn(8, 2000, ties=0.0)
    rows = np.repeat(np.arange(2000), 4)
    battles = Battles(once.names, once.a[rows], once.b[rows], once.outcome[rows])
    fitted = fit_items(battles)

    def spread(cluster: IntArray | None) -> float:
        found = bootstrap_strengths(
            battles, fitted, n_resamples=400, cluster=cluster, rng=np.random.default_rng(0)
        )
        return float(found.theta.std(axis=0).mean())

    # Four copies of each vote: the spread doubles. A spread of 400 draws errs by 3.5% an item.
    assert spread(rows) / spread(None) == pytest.approx(2, rel=0.05)


def test_resamples_without_a_fit_are_infinite_where_they_are_and_counted() -> None:
    # Item 0 lost once in 31 games: about 37% of the resamples do not have that vote.
    winner = np.concatenate([np.zeros(30, int), [1], np.tile([1, 2], 200)])
    loser = np.concatenate([np.tile([1, 2], 15), [0], np.tile([2, 1], 200)])
    battles = battles_of_games(winner, loser, ["best", "x", "y"])
    found = bootstrap_strengths(
        battles, fit_items(battles), n_resamples=400, rng=np.random.default_rng(0)
    )
    lost = ~found.exists
    assert found.n_without_fit == lost.sum()
    # (1 - 1/431)^431 = .367; of 400 draws the share has a standard error of .024.
    assert found.n_without_fit / 400 == pytest.approx(0.367, abs=0.072)
    assert np.all(found.theta[lost, 0] == np.inf)
    assert np.all(np.isnan(found.theta[lost, 1:]))
    assert np.all(np.isfinite(found.theta[~lost]))
    # Without item 0 the others have a fit among themselves: x won w of 400, about their own mean.
    apart = found.part[lost, 1] - found.part[lost, 2]
    wins = 400 / (1 + np.exp(-apart))
    assert np.all(np.isnan(found.part[lost, 0]))
    assert np.allclose(found.part[lost, 1:].sum(axis=1), 0, rtol=0, atol=1e-12)
    # Refits of a tolerance of 1e-6 a vote; how many of the 400 there are varies between resamples.
    assert wins.mean() == pytest.approx(200, abs=4) and wins.std() == pytest.approx(10, rel=0.25)
    assert np.array_equal(found.part[~lost], found.theta[~lost])


def test_progress_is_told_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from rewardlab.rewards.items import bootstrap

    battles = drawn(6, 300)
    fitted = fit_items(battles)
    whole = bootstrap_strengths(battles, fitted, n_resamples=7, rng=np.random.default_rng(3))
    monkeypatch.setattr(bootstrap, "BLOCK_ENTRIES", 100)
    told: list[tuple[int, int]] = []
    parts = bootstrap_strengths(
        battles,
        fitted,
        n_resamples=7,
        rng=np.random.default_rng(3),
        on_progress=lambda done, of: told.append((done, of)),
    )
    assert told[-1] == (7, 7)
    assert len(told) > 1
    # Refits end within the tolerance of 1e-6 a vote, wherever they stop.
    assert np.allclose(whole.theta, parts.theta, rtol=0, atol=1e-4)


def test_what_cannot_be_drawn_is_refused() -> None:
    battles = drawn(6, 300)
    fitted = fit_items(battles)
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="n_resamples"):
        bootstrap_strengths(battles, fitted, n_resamples=0, rng=rng)
    with pytest.raises(InputError, match=r"cluster: expected shape \[300\]"):
        bootstrap_strengths(battles, fitted, cluster=np.zeros(3, int), rng=rng)


def test_a_resample_is_fitted_where_one_vote_in_many_goes_the_other_way() -> None:
    rng = np.random.default_rng(3)
    outcome = np.zeros(200_000, dtype=np.int8)
    outcome[0] = 1
    zeros = np.zeros(len(outcome), dtype=np.int8)
    battles = Battles(("x", "y"), zeros, zeros + 1, outcome)
    drawn = bootstrap_strengths(battles, fit_items(battles), n_resamples=40, rng=rng, tol=1e-5)
    apart = drawn.theta[drawn.exists, 0] - drawn.theta[drawn.exists, 1]
    n_lost = len(outcome) / (1 + np.exp(apart))
    # In each that has a fit a whole number of votes went the other way, one or more.
    assert np.allclose(n_lost, np.round(n_lost), rtol=0, atol=0.05) and n_lost.max() > 1.9
