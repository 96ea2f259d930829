"""Clustered means and proportions: hand values, symmetry and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.stats.intervals import (
    cluster_codes,
    cluster_mean,
    cluster_proportion,
    name_codes,
    t_quantile,
)


def test_one_row_a_cluster_gives_the_textbook_t_interval() -> None:
    values = np.array([1.0, 2.0, 4.0, 7.0])
    estimate = cluster_mean(values, np.arange(4))
    std_error = values.std(ddof=1) / 2
    assert estimate.std_error == pytest.approx(std_error, rel=1e-12)
    # Student's t with 3 degrees of freedom: 3.182 (any table).
    assert estimate.high - estimate.value == pytest.approx(3.182446 * std_error, rel=1e-6)


def test_repeating_every_row_within_its_cluster_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    values, clusters = rng.normal(size=30), np.repeat(np.arange(10), 3)
    once = cluster_mean(values, clusters)
    thrice = cluster_mean(np.tile(values, 3), np.tile(clusters, 3))
    assert (once.low, once.high) == pytest.approx((thrice.low, thrice.high), rel=1e-12)


def test_wilson_matches_its_formula_where_rows_are_their_own_clusters() -> None:
    values = np.array([1.0] * 30 + [0.0] * 70)
    estimate = cluster_proportion(values, np.arange(100))
    # Independent rows: the effective size is n - 1 (the variance divides by n - 1), capped at n.
    q2, n = t_quantile(0.95, 99) ** 2, 99.0
    centre = (0.3 + q2 / (2 * n)) / (1 + q2 / n)
    assert (estimate.low + estimate.high) / 2 == pytest.approx(centre, rel=1e-9)


def test_a_proportion_of_one_keeps_an_honest_width() -> None:
    estimate = cluster_proportion(np.ones(1000), np.repeat(np.arange(10), 100))
    assert estimate.high == 1.0
    assert estimate.low < 0.75


def test_intervals_cover_at_their_level_under_clustering() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    runs = 1000
    for _ in range(runs):
        share = rng.beta(4, 2, size=60)
        sizes = rng.integers(1, 12, size=60)
        clusters = np.repeat(np.arange(60), sizes)
        values = (rng.random(len(clusters)) < share[clusters]).astype(float)
        estimate = cluster_proportion(values, clusters)
        covered += estimate.low <= 4 / 6 <= estimate.high
    # Monte Carlo error of 1,000 runs at .95 is .7 points; three of them.
    assert 0.93 <= covered / runs <= 0.97


@given(st.lists(st.text(max_size=2), min_size=1, max_size=12), st.integers(1, 5), st.booleans())
def test_names_in_equal_runs_get_the_codes_of_the_same_names_one_by_one(
    heads: list[str], each: int, last_differs: bool
) -> None:
    names = [name for name in heads for _ in range(each)]
    if last_differs:
        names[-1] = "another"
    code = {name: k for k, name in enumerate(dict.fromkeys(names))}
    codes, distinct = name_codes(names)
    assert codes.tolist() == [code[name] for name in names]
    assert distinct == tuple(code)


@given(st.lists(st.text(max_size=3), min_size=1, max_size=40))
def test_codes_are_dense_and_in_order_of_first_appearance(names: list[str]) -> None:
    codes, n = cluster_codes(names)
    assert sorted(set(codes.tolist())) == list(range(n))
    assert [names[list(codes).index(k)] for k in range(n)] == list(dict.fromkeys(names))


@pytest.mark.parametrize(
    ("values", "clusters"),
    [
        (np.array([]), np.array([], dtype=np.int64)),
        (np.array([1.0, np.nan]), np.arange(2)),
        (np.array([1.0]), np.arange(2)),
    ],
)
def test_bad_input_is_refused(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
    clusters: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> None:
    with pytest.raises(InputError):
        cluster_mean(values, clusters)


def test_a_single_cluster_has_no_interval() -> None:
    estimate = cluster_proportion(np.array([1.0, 0.0]), np.zeros(2, dtype=np.int64))
    assert estimate.value == 0.5
    assert np.isnan(estimate.low)
    assert np.isnan(estimate.high)
