"""Leaderboards: order, scales, groups, and what stands beside the strengths."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.leaderboard import (
    Interval,
    Leaderboard,
    LeaderboardOptions,
    leaderboard,
)
from rewardlab.rewards.items.leaderboard_words import (
    LONGEST_NAME,
    effect_words,
    rounded,
    sentences,
    shortened,
)
from rewardlab.rewards.items.model import ItemModel, LinkName, Ridge
from rewardlab.rewards.items.strength_scale import StrengthScale
from rewardlab.types import Outcome
from tests.rewards.items.simulated_battles import World, draw, with_newcomer

TRUE = np.array([1.0, 0.3, -0.2, -1.1])


def drawn(n: int = 600, *, groups: int = 1) -> Battles:
    """Battles of four items a group, with a covariate that helps a, and 50 prompts."""
    rng = np.random.default_rng(11)
    i = rng.integers(0, 4, n)
    j = (i + rng.integers(1, 4, n)) % 4
    at = 4 * rng.integers(0, groups, n)
    z = rng.normal(size=n)
    won = rng.random(n) < 1 / (1 + np.exp(TRUE[j] - TRUE[i] - 0.5 * z))
    outcome = np.where(rng.random(n) < 0.15, Outcome.TIE, np.where(won, Outcome.A, Outcome.B))
    names = tuple(f"{name}{g}" for g in range(groups) for name in "pqrs")
    prompt = rng.integers(0, 50, n)
    return Battles(
        names,
        at + i,
        at + j,
        outcome.astype(np.int8),
        prompt=prompt,
        covariates=z[:, None],
        covariate_names=("z",),
    )


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    return leaderboard(drawn())


def test_items_stand_in_order_of_strength_with_what_they_won(board: Leaderboard) -> None:
    (items,) = board.groups
    assert np.all(np.diff(board.value[items]) <= 0)
    assert board.rank[items].tolist() == [1, 2, 3, 4]
    lost_and_won = board.n_wins.sum() + board.n_ties.sum() / 2
    assert lost_and_won == 600, "each vote is one win, or half a one twice"


def test_intervals_hold_the_strength_and_ranges_the_rank(board: Leaderboard) -> None:
    assert np.all((board.low < board.value) & (board.value < board.high))
    assert board.ranges is not None
    assert np.all((board.ranges.low <= board.rank) & (board.rank <= board.ranges.high))
    assert board.cluster == "prompt"


def test_strengths_without_the_covariate_stand_beside(board: Leaderboard) -> None:
    without = fit_items(replace(drawn(), covariates=None, covariate_names=()))
    assert board.plain is not None
    np.testing.assert_allclose(board.plain.value, without.strength)
    assert board.fit.effect_names == ("z",)


def test_elo_points_are_logits_by_400_over_ln_10(board: Leaderboard) -> None:
    elo = leaderboard(drawn(), options=LeaderboardOptions(scale=StrengthScale("elo")))
    np.testing.assert_allclose(elo.value - 1000, 400 / np.log(10) * board.value)
    np.testing.assert_allclose(elo.high - elo.low, 400 / np.log(10) * (board.high - board.low))


def test_an_anchor_shifts_its_group_and_no_other() -> None:
    options = LeaderboardOptions("none", scale=StrengthScale("logits", ("r0", 2.0)))
    shifted = leaderboard(drawn(2000, groups=2), options=options)
    plain = leaderboard(drawn(2000, groups=2), options=LeaderboardOptions("none"))
    moved = shifted.value - plain.value
    assert shifted.value[2] == 2.0
    np.testing.assert_allclose(moved[:4], moved[0])
    np.testing.assert_array_equal(moved[4:], 0)
    assert [len(items) for items in shifted.groups] == [4, 4]
    assert any("never compared" in sentence for sentence in sentences(shifted))


def test_what_the_battles_lack_is_refused() -> None:
    with pytest.raises(InputError, match="no column of the annotator"):
        leaderboard(drawn(), options=LeaderboardOptions(cluster="annotator"))
    with pytest.raises(InputError, match="logistic link"):
        scale = StrengthScale("elo")
        leaderboard(drawn(), ItemModel(link="probit"), LeaderboardOptions(scale=scale))
    with pytest.raises(InputError, match="did you mean 'p0'"):
        scale = StrengthScale("elo", ("p00", 1200.0))
        leaderboard(drawn(), options=LeaderboardOptions(scale=scale))


def test_the_first_that_is_told_from_all_others_is_said_to_be() -> None:
    many = leaderboard(drawn(20_000))
    assert "Best: p0, with 95% confidence." in sentences(many)
    few = leaderboard(drawn(60))
    assert any(s.startswith("Which is best, these votes cannot tell: ") for s in sentences(few))


def test_few_clusters_are_said_to_be_few_and_many_are_not() -> None:
    few, many = (leaderboard(replace(drawn(4000), prompt=np.arange(4000) % n)) for n in (12, 80))
    assert any("12 are few" in sentence for sentence in sentences(few))
    assert not any("are few" in sentence for sentence in sentences(many))


def test_a_figure_that_rounds_to_zero_has_no_sign() -> None:
    assert rounded(-0.001, 2) == "0.00"
    assert rounded(-0.4, 0) == "0"
    assert rounded(-0.006, 2) == "-0.01"


def test_a_very_long_name_is_cut_in_sentences_and_kept_in_one_line() -> None:
    assert shortened("a\nb") == "a b"
    assert len(shortened("x" * 200)) == LONGEST_NAME


def test_effects_of_the_probit_link_are_not_called_logits() -> None:
    battles, none = drawn(), LeaderboardOptions(interval="none")
    units: dict[LinkName, str] = {
        "logistic": "logits",
        "probit": "deviations of a response's noise",
    }
    for link, unit in units.items():
        (_, words), *_ = effect_words(leaderboard(battles, ItemModel(link=link), none))
        assert words.endswith(f" {unit}")


def test_a_prior_is_named_as_what_intervals_and_ranks_rest_on() -> None:
    with_prior, without = (
        " ".join(sentences(leaderboard(drawn(), ItemModel(prior=prior))))
        for prior in (Ridge(1.0), None)
    )
    assert "hold on average over items that scatter as it says" in with_prior
    assert "With a prior" not in without


def test_resampled_intervals_of_a_prior_are_not_said_to_hold_for_the_items_own_strengths() -> None:
    options = LeaderboardOptions(interval="bootstrap")
    said = " ".join(sentences(leaderboard(drawn(300), ItemModel(prior=Ridge(1.0)), options)))
    assert "hold on average" not in said
    assert "are of strengths as the prior draws them in, not of the items' own." in said
    assert "intervals of rare items are too narrow" in said


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ("sandwich", "about the mean of those in its table that have an interval"),
        ("bootstrap", "strengths are about the mean of all items but new"),
    ],
)
def test_about_which_items_mean_strengths_are_is_said(interval: Interval, words: str) -> None:
    rng = np.random.default_rng(11)
    battles = draw(World(TRUE, 200, n_clusters=20, cluster_sd=0.5), rng)
    said = [
        " ".join(sentences(leaderboard(one, options=LeaderboardOptions(interval=interval))))
        for one in (battles, with_newcomer(battles, [3, 3]))
    ]
    assert [words in each for each in said] == [False, True]


def test_a_leaderboard_of_many_items_loads_nothing_of_scipy() -> None:
    code = """
import sys
import numpy as np
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.leaderboard import leaderboard
rng = np.random.default_rng(0)
a = rng.integers(300, size=300_000)
b = (a + rng.integers(1, 300, size=300_000)) % 300
outcome = rng.integers(3, size=300_000).astype(np.int8)
board = leaderboard(Battles(tuple(map(str, range(300))), a, b, outcome))
assert board.ranges is not None
sys.exit(", ".join(sorted({"scipy.special", "scipy.linalg", "scipy.sparse"} & set(sys.modules))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
