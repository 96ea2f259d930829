"""What holds of every exact method, for any reference and reward."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.policies.best_of_n import kl_bound
from rewardlab.policies.closed_form import gibbs, objective
from rewardlab.policies.direct import PairLoss, dpo, ipo, learn_from_pairs
from rewardlab.policies.distributions import kl_nats, total_variation
from rewardlab.policies.exact_best_of_n import best_of_n_logprobs
from rewardlab.policies.kl_budget import best_within
from rewardlab.policies.natural_gradient import natural_gradient, natural_gradient_step
from rewardlab.policies.pairs import population_pairs
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet, normalised

BETA = 0.5
few = settings(max_examples=40, deadline=None)
"""Enough for six methods each; the machine may be busy."""


def world_of(ref: FloatArray) -> AnswerSet:
    """Answers with nothing but a reference."""
    names = [str(i) for i in range(len(ref))]
    return AnswerSet("", names, np.zeros((len(ref), 0)), (), ref, np.zeros(len(ref)))


def trained(loss: PairLoss) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """A direct method on every pair of answers, after ten steps."""

    def policy(ref: FloatArray, reward: FloatArray) -> FloatArray:
        pairs = population_pairs(np.exp(ref), reward)
        return learn_from_pairs(world_of(ref), pairs, loss, reward=reward, n_steps=10).logprobs

    return policy


def stepped(ref: FloatArray, reward: FloatArray) -> FloatArray:
    """Five natural-gradient steps."""
    world = world_of(ref)
    return natural_gradient(world, reward, beta=BETA, step_size=0.5, n_steps=5).logprobs


METHODS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "closed form": lambda ref, reward: gibbs(ref, reward, BETA),
    "natural gradient": stepped,
    "best of n": lambda ref, reward: best_of_n_logprobs(ref, reward, 7),
    "KL budget": lambda ref, reward: best_within(ref, reward[None, :], 0.5)[0],
    "DPO": trained(dpo(BETA)),
    "IPO": trained(ipo(BETA)),
}
each_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)

answers = st.lists(st.tuples(st.floats(0.01, 1.0), st.integers(-8, 8)), min_size=2, max_size=7).map(
    lambda rows: (normalised(np.log([w for w, _ in rows])), np.array([r / 4 for _, r in rows]))
)
Answers = tuple[FloatArray, FloatArray]


@each_method
@few
@given(drawn=answers)
def test_kl_is_never_negative_and_probabilities_sum_to_one(
    method: Callable[[FloatArray, FloatArray], FloatArray], drawn: Answers
) -> None:
    ref, reward = drawn
    logprobs = method(ref, reward)
    assert np.exp(logprobs).sum() == pytest.approx(1, abs=1e-12)
    # Unlike kl_nats, without the rounding to 0: p log(p / q) - p + q is never negative.
    p, q = np.exp(logprobs), np.exp(ref)
    terms = np.where(p > 0, p * (np.maximum(logprobs, -1e4) - ref), 0.0) - p + q
    assert terms.min() >= -1e-15
    assert kl_nats(logprobs, ref) == pytest.approx(terms.sum(), abs=1e-12)


@each_method
@few
@given(drawn=answers, seed=st.integers(0, 99))
def test_the_closed_form_has_the_highest_objective(
    method: Callable[[FloatArray, FloatArray], FloatArray], drawn: Answers, seed: int
) -> None:
    ref, reward = drawn
    best = objective(gibbs(ref, reward, BETA), ref, reward, BETA)
    at_random = normalised(np.random.default_rng(seed).standard_normal(len(ref)))
    for other in (method(ref, reward), at_random):
        assert objective(other, ref, reward, BETA) <= best + 1e-12


@each_method
@few
@given(drawn=answers, seed=st.integers(0, 99))
def test_the_order_of_answers_does_not_matter(
    method: Callable[[FloatArray, FloatArray], FloatArray], drawn: Answers, seed: int
) -> None:
    ref, reward = drawn
    order = np.random.default_rng(seed).permutation(len(ref))
    moved = np.exp(method(ref[order], reward[order]))
    np.testing.assert_allclose(moved, np.exp(method(ref, reward))[order], atol=1e-9)


@each_method
@few
@given(drawn=answers, constant=st.integers(-50, 50))
def test_a_constant_added_to_a_prompt_s_rewards_changes_nothing(
    method: Callable[[FloatArray, FloatArray], FloatArray], drawn: Answers, constant: int
) -> None:
    ref, reward = drawn
    shifted = np.exp(method(ref, reward + constant))
    np.testing.assert_allclose(shifted, np.exp(method(ref, reward)), atol=1e-9)


@few
@given(drawn=answers, n=st.integers(1, 10**6))
def test_best_of_n_never_moves_further_than_its_bound(drawn: Answers, n: int) -> None:
    ref, reward = drawn
    kl = kl_nats(best_of_n_logprobs(ref, reward, n), ref)
    assert kl <= float(kl_bound(np.array(n))) + 1e-12


@few
@given(drawn=answers, beta=st.floats(0.1, 5.0), eta_beta=st.floats(0.01, 1.0))
def test_steps_of_at_most_one_over_beta_never_lower_j_and_one_of_it_lands(
    drawn: Answers, beta: float, eta_beta: float
) -> None:
    ref, reward = drawn
    world = world_of(ref)
    path = natural_gradient(world, reward, beta=beta, step_size=eta_beta / beta, n_steps=20).path
    assert (np.diff(path.proxy_reward - beta * path.kl_nats) >= -1e-12).all()
    landed = natural_gradient(world, reward, beta=beta, step_size=1 / beta, n_steps=1)
    assert total_variation(landed.logprobs, gibbs(ref, reward, beta)) < 1e-12


@few
@given(drawn=answers, scale=st.floats(0.1, 10.0), normalise=st.booleans())
def test_scaling_reward_and_beta_together_changes_nothing(
    drawn: Answers, scale: float, normalise: bool
) -> None:
    ref, reward = drawn
    world = world_of(ref)
    scaled = scale * (reward - np.exp(ref) @ reward) if normalise else scale * reward
    plain = natural_gradient(world, reward, beta=BETA, step_size=0.5, n_steps=9)
    other = natural_gradient(world, scaled, beta=scale * BETA, step_size=0.5 / scale, n_steps=9)
    assert total_variation(plain.logprobs, other.logprobs) < 1e-12


@few
@given(drawn=answers)
def test_a_step_solves_the_fisher_matrix_for_the_numerical_gradient_of_j(drawn: Answers) -> None:
    ref, reward = drawn
    at = normalised(ref + np.sin(np.arange(len(ref))))
    gradient = np.array(
        [
            objective(normalised(at + step), ref, reward, BETA)
            - objective(normalised(at - step), ref, reward, BETA)
            for step in 1e-6 * np.eye(len(ref))
        ]
    )
    probs = np.exp(at)
    fisher = np.diag(probs) - np.outer(probs, probs)
    towards = np.linalg.lstsq(fisher, gradient / 2e-6, rcond=1e-12)[0]
    step = natural_gradient_step(at, ref, reward, beta=BETA, step_size=0.3)
    np.testing.assert_allclose(step, normalised(at + 0.3 * towards), atol=1e-5)
