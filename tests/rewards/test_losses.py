"""Losses: each gradient matches its loss, and each link is the noise it is named after."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards.linear import log_losses
from rewardlab.rewards.losses import (
    LLAMA2_MARGINS,
    all_pairs,
    davidson,
    logistic,
    noise_floor,
    pair_loss,
    plackett_luce,
    probit,
    rao_kupper,
)
from rewardlab.types import FloatArray, Outcome
from tests.rewards.loss_table import (
    DELTA,
    PAIRS,
    RANKINGS,
    Implementation,
    LossCase,
    numerical_gradient,
    package,
)

EACH = np.array([Outcome.A, Outcome.B, Outcome.TIE])
ALL_DELTA, ALL_OUTCOMES = np.repeat(DELTA, 3), np.tile(EACH, len(DELTA))
ranking = st.lists(st.floats(-5, 5), min_size=2, max_size=6).map(np.array)


IMPLEMENTATIONS: dict[str, Implementation] = {"package": package}
TIES = {case.name: case for case in PAIRS if case.loss in ("davidson", "rao_kupper")}


@pytest.mark.parametrize("case", (*PAIRS, *RANKINGS), ids=lambda case: case.name)
@pytest.mark.parametrize("implementation", IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
class TestEveryImplementation:
    """What any implementation of the losses is held to; see ``loss_table``."""

    def test_the_gradient_is_the_slope_of_the_loss(
        self, implementation: Implementation, case: LossCase
    ) -> None:
        found = implementation(case, case.at).gradient
        np.testing.assert_allclose(found, numerical_gradient(implementation, case), atol=1e-8)

    def test_losses_known_otherwise_are_met(
        self, implementation: Implementation, case: LossCase
    ) -> None:
        found = implementation(case, case.at).loss
        assert np.all(np.isfinite(found))
        for position, (value, _source) in case.known.items():
            assert found[position] == pytest.approx(value, abs=1e-12)


@given(ranking, st.integers(1, 6))
def test_a_partial_ranking_is_the_sum_over_all_orders_of_the_rest(
    rewards: FloatArray, n_placed: int
) -> None:
    n_placed = min(n_placed, len(rewards))
    if len(rewards) - n_placed > 4:
        return  # 24 orders at the most
    rest = permutations(range(n_placed, len(rewards)))
    first = list(range(n_placed))
    total = sum(np.exp(-plackett_luce(rewards[[*first, *order]]).loss) for order in rest)
    assert np.exp(-plackett_luce(rewards, n_placed=n_placed).loss) == pytest.approx(total, rel=1e-9)


@given(ranking)
def test_one_place_is_the_cross_entropy_of_a_choice(rewards: FloatArray) -> None:
    expected = np.log(np.exp(rewards).sum()) - rewards[0]
    assert plackett_luce(rewards, n_placed=1).loss == pytest.approx(expected, abs=1e-9)


def test_all_pairs_have_weight_one_over_their_number() -> None:
    rewards = np.array([1.0, 0.2, -0.5, 0.3])
    pairs = [
        float(logistic(np.array([rewards[i] - rewards[j]])).loss[0])
        for i in range(4)
        for j in range(i + 1, 4)
    ]
    assert all_pairs(rewards).loss == pytest.approx(sum(pairs) / 6, abs=1e-12)


@given(st.floats(-30, 30))
def test_two_responses_make_every_ranking_loss_bradley_terry(delta: float) -> None:
    pair = logistic(np.array([delta]))
    for loss in (plackett_luce, all_pairs):
        at = loss(np.array([delta + 1.0, 1.0]))
        assert at.loss == pytest.approx(pair.loss[0], abs=1e-12)
        np.testing.assert_allclose(at.gradient, pair.gradient[0] * np.array([1, -1]), atol=1e-12)


@given(ranking, st.floats(-10, 10))
def test_a_constant_on_every_response_changes_nothing(rewards: FloatArray, shift: float) -> None:
    for loss in (plackett_luce, all_pairs):
        assert loss(rewards + shift).loss == pytest.approx(loss(rewards).loss, abs=1e-9)
        assert loss(rewards).gradient.sum() == pytest.approx(0, abs=1e-12)


def test_all_rankings_together_have_probability_one() -> None:
    rewards = np.array([0.3, -1.0, 2.0, 0.5])
    total = sum(np.exp(-plackett_luce(rewards[list(o)]).loss) for o in permutations(range(4)))
    assert total == pytest.approx(1)


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_win_loss_and_tie_have_probability_one(model: str) -> None:
    kinds = [TIES[f"{model} {outcome}"] for outcome in ("A", "B", "TIE")]
    total = sum(np.exp(-package(case, DELTA).loss) for case in kinds)
    np.testing.assert_allclose(total, 1, rtol=1e-12)


def test_without_ties_both_tie_models_are_bradley_terry() -> None:
    won = np.full(DELTA.shape, Outcome.A)
    for at in (davidson(DELTA, won, nu=0), rao_kupper(DELTA, won, threshold=0)):
        np.testing.assert_allclose(at.loss, logistic(DELTA).loss, atol=1e-12)


def test_equal_responses_tie_as_often_as_the_sources_say() -> None:
    tie, zero = np.array([Outcome.TIE]), np.zeros(1)
    # Davidson: nu / (2 + nu). Rao and Kupper: (theta - 1) / (theta + 1), theta = exp(t).
    assert np.exp(-davidson(zero, tie, nu=1).loss[0]) == pytest.approx(1 / 3)
    assert np.exp(-rao_kupper(zero, tie, threshold=np.log(3)).loss[0]) == pytest.approx(1 / 2)


def test_a_noise_floor_keeps_probability_between_half_eps_and_its_complement() -> None:
    far = np.array([-800.0, 800.0])
    np.testing.assert_allclose(np.exp(-noise_floor(0.1)(far).loss), [0.05, 0.95])
    np.testing.assert_allclose(noise_floor(0.1)(far).gradient, 0, atol=1e-12)
    np.testing.assert_allclose(logistic(far).gradient, [-1, 0], atol=1e-12)


def test_the_pair_loss_is_that_of_the_linear_fit() -> None:
    label, margin = np.full(DELTA.shape, 0.7), np.full(DELTA.shape, 1 / 3)
    np.testing.assert_allclose(
        pair_loss(DELTA, label=label, margin=margin).loss,
        log_losses(DELTA, label, margin=margin),
        rtol=1e-12,
    )


def test_gumbel_noise_gives_the_logistic_link_and_gaussian_noise_the_probit() -> None:
    rng, n = np.random.default_rng(0), 400_000
    for noise, link in (
        (rng.gumbel(size=(2, n)), logistic),
        (rng.normal(scale=0.8, size=(2, n)), probit(0.8)),
    ):
        for delta in (0.3, 1.5):
            wins = np.mean(delta + noise[0] > noise[1])
            # Four standard errors of a share of n draws are at most .0032.
            assert wins == pytest.approx(np.exp(-link(np.array([delta])).loss[0]), abs=0.0032)


def test_both_published_margin_schedules_fall_to_zero() -> None:
    # Table 27 of arXiv:2307.09288: 1, 2/3, 1/3, 0 and three times as much.
    small, large = (np.array(LLAMA2_MARGINS[name]) for name in ("small", "large"))
    np.testing.assert_allclose(small, [1, 2 / 3, 1 / 3, 0])
    np.testing.assert_allclose(large, 3 * small)


def test_the_probit_is_finite_where_its_probability_underflows() -> None:
    delta = np.array([-100.0, -1e9])
    at = probit()(delta)
    # -log Phi(z) ~ z^2/2 and its slope ~ z for large -z, z = D / sqrt 2.
    np.testing.assert_allclose(at.loss, delta**2 / 4, rtol=0.01)
    np.testing.assert_allclose(at.gradient, delta / 2, rtol=0.01)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: probit(0), "sigma"),
        (lambda: noise_floor(1), "eps"),
        (lambda: pair_loss(DELTA, label=1.1), "label"),
        (lambda: pair_loss(DELTA, margin=-1), "margin"),
        (lambda: pair_loss(DELTA, margin=np.zeros((len(DELTA), 1))), "margin"),
        (lambda: davidson(ALL_DELTA, ALL_OUTCOMES, nu=0), "nu"),
        (lambda: rao_kupper(DELTA, np.full(DELTA.shape, Outcome.BOTH_BAD), threshold=1), "outcome"),
        (lambda: plackett_luce(np.zeros(1)), "rewards"),
        (lambda: plackett_luce(np.zeros(3), n_placed=4), "n_placed"),
        (lambda: plackett_luce(np.zeros(3), n_placed=0), "n_placed"),
        (lambda: pair_loss(np.array([np.inf])), "delta"),
        (lambda: davidson(np.zeros(2), np.zeros(1, int), nu=1), "outcome"),
        (lambda: davidson(np.array([np.nan]), np.zeros(1, int), nu=1), "delta"),
        (lambda: rao_kupper(np.zeros(1), np.zeros(1, int), threshold=np.inf), "threshold"),
    ],
)
def test_arguments_outside_their_range_are_named(call: Callable[[], object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        call()
