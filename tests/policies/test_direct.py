"""Direct preference losses: gradients, worked numbers, and what each method converges to."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.direct import (
    CHOSEN,
    LOSS,
    REJECTED,
    PairLoss,
    dpo,
    implied_reward,
    ipo,
    ipo_target,
    learn_from_pairs,
    loss_and_gradient,
)
from rewardlab.policies.distributions import total_variation
from rewardlab.policies.pairs import Pairs, given_pairs, population_pairs
from rewardlab.worlds.leash import leash_reward, leash_world

WORLD, REWARD = leash_world(), leash_reward()
PAIRS = population_pairs(WORLD.ref_probs, REWARD)
ONE_PAIR = given_pairs(5, np.array([3]), np.array([0]))
each_loss = pytest.mark.parametrize("loss", [dpo(0.1), dpo(2.0), ipo(0.3)], ids=lambda x: x.name)


@each_loss
@pytest.mark.parametrize("pairs", [PAIRS, PAIRS.smoothed(0.2), ONE_PAIR])
def test_the_gradient_is_the_numerical_one(loss: PairLoss, pairs: Pairs) -> None:
    logits = np.random.default_rng(1).standard_normal(5)
    _, gradient = loss_and_gradient(logits, WORLD.ref_logprobs, pairs, loss)
    for i, step in enumerate(1e-6 * np.eye(5)):
        up, _ = loss_and_gradient(logits + step, WORLD.ref_logprobs, pairs, loss)
        down, _ = loss_and_gradient(logits - step, WORLD.ref_logprobs, pairs, loss)
        assert gradient[i] == pytest.approx((up - down) / 2e-6, abs=1e-7)
    assert gradient.sum() == pytest.approx(0, abs=1e-12)


def test_the_worked_pair_and_the_start() -> None:
    losses, _ = dpo(0.1).terms(np.array([0.0, 3.0]), np.ones(2))
    np.testing.assert_allclose(losses, [np.log(2), 0.5544], atol=5e-5)


@pytest.mark.parametrize("beta", [0.1, 0.5, 2.0])
def test_dpo_on_all_pairs_ends_at_the_closed_form_and_implies_the_reward(beta: float) -> None:
    end = learn_from_pairs(WORLD, PAIRS, dpo(beta), reward=REWARD, n_steps=600)
    assert total_variation(end.logprobs, gibbs(WORLD.ref_logprobs, REWARD, beta)) < 1e-10
    implied = implied_reward(end.logprobs, WORLD.ref_logprobs, beta)
    np.testing.assert_allclose(implied - implied[0], REWARD - REWARD[0], atol=1e-8)
    assert end.path.tracked[LOSS][0] == pytest.approx(np.log(2), abs=1e-12)
    assert (np.diff(end.path.tracked[LOSS]) < 1e-12).all()


@pytest.mark.parametrize("tau", [0.1, 1.0])
def test_ipo_on_all_pairs_ends_at_its_own_target(tau: float) -> None:
    end = learn_from_pairs(WORLD, PAIRS, ipo(tau), reward=REWARD, n_steps=100)
    target = ipo_target(WORLD.ref_logprobs, WORLD.ref_probs, REWARD, tau)
    assert total_variation(end.logprobs, target) < 1e-12
    assert total_variation(end.logprobs, gibbs(WORLD.ref_logprobs, REWARD, tau)) > 1e-3


def test_smoothed_dpo_wins_answer_by_answer_as_often_as_its_labels_say() -> None:
    pairs, beta = PAIRS.smoothed(0.1), 0.5
    end = learn_from_pairs(WORLD, pairs, dpo(beta), reward=REWARD, n_steps=600)
    h = end.logprobs - WORLD.ref_logprobs
    implied = 1 / (1 + np.exp(-beta * (h[pairs.first_idx] - h[pairs.second_idx])))
    wins = pairs.summed(pairs.weight * implied, pairs.weight * (1 - implied))
    np.testing.assert_allclose(wins, pairs.chosen_share, atol=1e-10)


def test_on_one_pair_smoothing_and_ipo_stop_where_dpo_never_does() -> None:
    def margin(pairs: Pairs, loss: PairLoss, n_steps: int) -> float:
        end = learn_from_pairs(WORLD, pairs, loss, reward=REWARD, n_steps=n_steps).logprobs
        h = end - WORLD.ref_logprobs
        return float(h[3] - h[0])

    assert margin(ONE_PAIR.smoothed(0.1), dpo(0.5), 300) == pytest.approx(np.log(9) / 0.5)
    assert margin(ONE_PAIR, ipo(0.5), 300) == pytest.approx(1.0)
    assert margin(ONE_PAIR, dpo(0.5), 3000) > margin(ONE_PAIR, dpo(0.5), 300) + 4


@pytest.mark.parametrize(("beta", "chosen_falls"), [(0.1, True), (0.5, True), (2.0, False)])
def test_chosen_answers_fall_where_log_z_exceeds_their_mean_reward(
    beta: float, chosen_falls: bool
) -> None:
    path = learn_from_pairs(WORLD, PAIRS, dpo(beta), reward=REWARD, n_steps=600).path
    chosen, rejected = (path.tracked[k][-1] - path.tracked[k][0] for k in (CHOSEN, REJECTED))
    log_z = np.log(WORLD.ref_probs @ np.exp(REWARD / beta))
    assert chosen == pytest.approx(PAIRS.chosen_share @ REWARD / beta - log_z, abs=1e-8)
    assert (chosen < 0) == chosen_falls
    assert rejected < min(chosen, 0)


def test_an_answer_in_no_pair_keeps_its_odds_against_another() -> None:
    end = learn_from_pairs(WORLD, ONE_PAIR, dpo(0.1), reward=REWARD, n_steps=20).logprobs
    h = end - WORLD.ref_logprobs
    assert h[1] == pytest.approx(h[2], abs=1e-12)


def test_bad_pairs_and_settings_are_refused() -> None:
    idx, one = np.array([0]), np.ones(1)
    with pytest.raises(InputError, match="at least one pair"):
        given_pairs(5, idx[:0], idx[:0])
    with pytest.raises(InputError, match="indices from 0 to 4"):
        given_pairs(5, idx, idx + 5)
    with pytest.raises(InputError, match="as many"):
        Pairs(5, idx, np.array([1, 2]), one, one)
    with pytest.raises(InputError, match="probabilities"):
        Pairs(5, idx, idx + 1, 2 * one, one)
    with pytest.raises(InputError, match="sum to 1"):
        Pairs(5, idx, idx + 1, one, 2 * one)
    with pytest.raises(InputError, match="epsilon"):
        ONE_PAIR.smoothed(0.6)
    with pytest.raises(InputError, match="beta"):
        dpo(0.0)
    with pytest.raises(InputError, match="step_size"):
        learn_from_pairs(WORLD, ONE_PAIR, dpo(1.0), reward=REWARD, n_steps=1, step_size=1.5)
