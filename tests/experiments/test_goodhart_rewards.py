"""What goes wrong with reward models in each of Goodhart's worlds, and what saves them."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.experiments.goodhart_rewards import Rewards, train
from rewardlab.policies.kl_budget import best_within
from rewardlab.types import FloatArray
from rewardlab.worlds.goodhart import KINDS, goodhart_world


def trained(kind: str, *, n_ratings: int = 64, shared: float = 0.9, n_members: int = 8) -> Rewards:
    return train(
        goodhart_world(kind), n_ratings=n_ratings, n_members=n_members, shared=shared, n_repeats=24,
        rng=np.random.default_rng(5),
    )  # fmt: skip


def kept(kind: str, reward: FloatArray, budget: float = 5.0) -> float:
    """Share of the best possible gain, in the mean of the repeats."""
    answers = goodhart_world(kind).answers
    rows = np.vstack([reward, answers.gold])
    gold = np.exp(best_within(answers.ref_logprobs, rows, budget)) @ answers.gold
    gain = gold - answers.ref_probs @ answers.gold
    return float(gain[:-1].mean() / gain[-1])


def test_regressional_errors_are_noise_alone_and_vanish_with_ratings() -> None:
    few, many = (kept("regressional", trained("regressional", n_ratings=n).single)
                 for n in (64, 4096))  # fmt: skip
    assert few < 0.9
    assert many > 0.99


@pytest.mark.parametrize("kind", ["extremal", "adversarial"])
def test_other_errors_stay_however_many_usual_answers_are_rated(kind: str) -> None:
    assert kept(kind, trained(kind, n_ratings=2048, shared=1.0).average) < 0.4


def test_a_fit_to_usual_answers_credits_length_and_one_to_edited_answers_does_not() -> None:
    answers = goodhart_world("causal").answers
    padded = answers.feature("length") - 5 * answers.feature("content") > 0.5
    rewards = trained("causal")
    for reward, low, high in ((rewards.average, 0.2, 1.0), (rewards.edited, 0.0, 0.02)):
        policies = np.exp(best_within(answers.ref_logprobs, reward, 5.0))
        assert low < policies[:, padded].sum(axis=1).mean() < high


def test_tricks_are_never_met_by_chance_and_found_under_pressure() -> None:
    answers = goodhart_world("adversarial").answers
    tricks = np.array([text.startswith("trick") for text in answers.texts])
    assert answers.ref_probs[tricks].sum() < 2e-4
    reward = trained("adversarial").single
    found = [
        np.exp(best_within(answers.ref_logprobs, reward, budget))[:, tricks].sum(axis=1).mean()
        for budget in (0.5, 5.0)
    ]
    assert found[0] < 0.03 and found[1] > 0.3


def test_the_worst_case_saves_only_from_tricks_that_some_model_sees_through() -> None:
    shared, apart = (trained("adversarial", shared=share).worst_case for share in (1.0, 0.0))
    assert kept("adversarial", shared) < 0
    assert kept("adversarial", apart) > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_one_member_is_its_own_average_and_worst_case_up_to_a_constant(kind: str) -> None:
    one = trained(kind, n_members=1)
    np.testing.assert_array_equal(one.average, one.single)
    np.testing.assert_array_equal(one.worst_case, one.single)


def test_a_share_beyond_one_is_refused() -> None:
    with pytest.raises(InputError, match=r"shared in \[0, 1\], got 64, 8, 24 and 2"):
        trained("causal", shared=2.0)
