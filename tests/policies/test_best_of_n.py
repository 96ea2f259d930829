"""Order-statistic weights, their fast product, the KL bound and its inverse."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import (
    average_ties,
    expected_best,
    kl_bound,
    log_spaced_n,
    n_of_kl,
    order_weights,
    sort_by_proxy,
)
from rewardlab.types import FloatArray


def enumerated(proxy: FloatArray, gold: FloatArray, n: int) -> float:
    """Mean gold of the best of every n-subset, tied bests averaged: the slow twin."""
    found = []
    for subset in combinations(range(len(proxy)), n):
        chosen = list(subset)
        best = proxy[chosen] == proxy[chosen].max()
        found.append(gold[chosen][best].mean())
    return float(np.mean(found))


@given(
    st.integers(2, 8).flatmap(
        lambda m: st.tuples(
            st.lists(st.integers(0, 4), min_size=m, max_size=m),
            st.lists(st.floats(-5, 5), min_size=m, max_size=m),
        )
    )
)
def test_expectations_equal_enumeration_of_all_subsets_with_ties(
    columns: tuple[list[int], list[float]],
) -> None:
    proxy, gold = np.array(columns[0], dtype=float), np.array(columns[1])
    n = np.arange(1, len(proxy) + 1)
    ordered, values = sort_by_proxy(proxy[None], gold[None])
    slow = [enumerated(proxy, gold, int(k)) for k in n]
    # Sums of at most 70 subsets of numbers up to 5.
    np.testing.assert_allclose(expected_best(values, n)[0], slow, atol=1e-12)
    slow_proxy = [enumerated(proxy, proxy, int(k)) for k in n]
    np.testing.assert_allclose(expected_best(ordered, n)[0], slow_proxy, atol=1e-12)


def test_weights_equal_exact_binomials() -> None:
    m = 40
    weights = order_weights(m, np.arange(1, m + 1))
    exact = [[comb(i - 1, n - 1) / comb(m, n) for i in range(1, m + 1)] for n in range(1, m + 1)]
    # Products of at most 40 rounded ratios.
    np.testing.assert_allclose(weights, exact, rtol=1e-13, atol=0)


@pytest.mark.parametrize("m", [1, 2, 4096, 10_000])
def test_weights_of_every_n_sum_to_one(m: int) -> None:
    n = np.unique(np.linspace(1, m, 200).astype(np.int64))
    # m rounded additions of numbers that sum to 1.
    np.testing.assert_allclose(order_weights(m, n).sum(axis=1), 1.0, atol=1e-12)


def test_cutting_the_tails_changes_nothing_at_4096_samples() -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal((3, 4096))
    n = log_spaced_n(4096)
    whole = values @ order_weights(4096, n).T
    # The tail that is cut weighs 1e-17; the rest is the order of summation.
    np.testing.assert_allclose(expected_best(values, n), whole, atol=1e-13)


def test_best_of_one_is_the_mean_and_best_of_all_the_top_sample() -> None:
    values = np.arange(12.0).reshape(2, 6) ** 2
    curve = expected_best(values, np.array([1, 6]))
    np.testing.assert_allclose(curve[:, 0], values.mean(axis=1), rtol=1e-14)
    np.testing.assert_array_equal(curve[:, 1], values[:, -1])


def test_best_of_n_of_uniforms_is_unbiased() -> None:
    rng = np.random.default_rng(1)
    ordered = np.sort(rng.random((20_000, 8)), axis=1)
    n = np.arange(1, 9)
    # E max of n uniforms is n/(n+1); the standard error is below .29 / sqrt(20,000) = .002.
    np.testing.assert_allclose(expected_best(ordered, n).mean(axis=0), n / (n + 1), atol=0.008)


def test_more_than_the_samples_is_refused_with_the_remedy() -> None:
    with pytest.raises(InputError, match=r"expected 1 to 11.*got 16.*record more samples"):
        expected_best(np.zeros((2, 11)), np.array([1, 16]))
    with pytest.raises(InputError, match="got 0"):
        order_weights(5, np.array([0]))
    with pytest.raises(InputError, match="increasing"):
        expected_best(np.zeros((2, 5)), np.array([2, 2]))
    with pytest.raises(InputError, match="at least one"):
        expected_best(np.zeros((2, 5)), np.array([], dtype=np.int64))


def test_ties_may_go_to_the_first_or_last_recorded() -> None:
    proxy, gold = np.array([[2.0, 1.0, 2.0]]), np.array([[10.0, 20.0, 30.0]])
    top = np.array([3])
    picked = {
        ties: float(expected_best(sort_by_proxy(proxy, gold, ties=ties)[1], top)[0, 0])
        for ties in ("average", "first", "last")
    }
    assert picked == {"average": 20.0, "first": 10.0, "last": 30.0}


def test_averaging_ties_keeps_each_prompts_sum_and_stays_within_prompts() -> None:
    proxy = np.array([[1.0, 1.0, 2.0], [2.0, 2.0, 2.0]])
    values = np.array([[1.0, 3.0, 5.0], [0.0, 3.0, 6.0]])
    averaged = average_ties(proxy, values)
    np.testing.assert_array_equal(averaged, [[2.0, 2.0, 5.0], [3.0, 3.0, 3.0]])


def test_kl_bound_has_its_published_value_at_16() -> None:
    # log 16 - 15/16, the "best-of-16" of Stiennon et al. (2020).
    assert kl_bound(np.array([16]))[0] == pytest.approx(1.8350887, abs=1e-7)
    assert kl_bound(np.array([np.inf]))[0] == np.inf
    for bad in (0, np.nan):
        with pytest.raises(InputError, match="at least 1"):
            kl_bound(np.array([bad]))


@given(st.floats(0.0, 708.0))
def test_n_of_kl_inverts_the_bound(kl_nats: float) -> None:
    n = n_of_kl(kl_nats)
    # Near n = 1 the bound is flat: rounding of n alone moves it by 1e-16.
    assert kl_bound(np.array([n]))[0] == pytest.approx(kl_nats, rel=1e-12, abs=1e-15)


def test_n_of_kl_overflows_to_infinity_and_refuses_what_is_no_kl() -> None:
    assert n_of_kl(1e4) == np.inf
    for wrong in (-0.1, float("nan")):
        with pytest.raises(InputError, match="kl_nats"):
            n_of_kl(wrong)


@pytest.mark.parametrize("n_max", [1, 2, 11, 64, 65, 100, 4096])
def test_grid_runs_from_one_to_the_largest(n_max: int) -> None:
    n = log_spaced_n(n_max)
    assert n[0] == 1
    assert n[-1] == n_max
    assert np.all(np.diff(n) > 0)
    assert len(n) == n_max if n_max <= 64 else len(n) < 130
    with pytest.raises(InputError, match="n_max"):
        log_spaced_n(0)


def test_fractions_of_samples_and_unknown_ties_are_refused() -> None:
    fraction: Any = np.array([2.7])
    with pytest.raises(InputError, match="whole"):
        order_weights(5, fraction)
    with pytest.raises(InputError, match="n_ranks: expected 1 to 5, got 6"):
        order_weights(5, np.array([2]), n_ranks=6)
    unknown: Any = "random"
    with pytest.raises(InputError, match="average"):
        sort_by_proxy(np.ones((1, 2)), np.ones((1, 2)), ties=unknown)
