"""Fits to many rows: the same weights as Newton's method on all rows, in any conditioning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import InputError, SeparationError
from rewardlab.rewards import linear_newton
from rewardlab.rewards.linear import Solver, fit, hessian
from rewardlab.rewards.linear_rows import check_rows, loss_and_gradient
from rewardlab.rewards.linear_sample import sample_stride
from rewardlab.rewards.row_terms import log_losses
from rewardlab.types import FloatArray

N, D = 20_000, 4


def simulate(n: int = N, d: int = D, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    label = rng.random(n) < special.expit(x @ rng.normal(size=d))
    return x, label.astype(float)


def by_newton(x: FloatArray, label: FloatArray, l2: float, **columns: Any) -> FloatArray:
    """Weights by Newton's method alone, which uses the curvature of all rows."""
    given = {"row_weight": None, "margin": None, "offset": None, **columns}
    rows = check_rows(x, label, **given)
    return linear_newton.solve(rows, np.zeros(x.shape[1]), l2, 1e-10).weights


def columns_of(kind: str) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    columns: dict[str, dict[str, Any]] = {
        "none": {},
        "weights": {"row_weight": rng.choice([0.0, 0.3, 4.0], size=N)},
        "margins": {"margin": rng.choice([0.0, 1.0, np.nan], size=N)},
        "offsets": {"offset": rng.normal(size=N)},
    }
    return columns[kind]


@pytest.mark.parametrize("kind", ["none", "weights", "margins", "offsets"])
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("l2", [0.0, 3.0])
def test_a_samples_curvature_leads_to_newtons_weights(kind: str, soft: bool, l2: float) -> None:
    x, label = simulate()
    label = np.abs(label - 0.2) if soft else label
    columns = columns_of(kind)
    found = fit(x, label, l2=l2, **columns)
    assert found.solver is Solver.PRECONDITIONED
    # 1e-8 standard errors of about .02 each, by either method.
    np.testing.assert_allclose(found.weights, by_newton(x, label, l2, **columns), atol=1e-9)


def test_scales_and_dependence_of_the_features_alter_neither_path_nor_end() -> None:
    x, label = simulate()
    scales = np.array([1e-6, 1.0, 1e3, 1e6])
    mixed = np.array([[1.0, 0, 0, 0], [1.0, 1e-4, 0, 0], [1.0, 1.0, 1.0, 0], [0, 0, 0, 1.0]]).T
    plain, scaled, dependent = (fit(z, label) for z in (x, x * scales, x @ mixed))
    assert scaled.solver is dependent.solver is Solver.PRECONDITIONED
    np.testing.assert_allclose(scaled.weights * scales, plain.weights, atol=1e-8)
    np.testing.assert_allclose(mixed @ dependent.weights, plain.weights, atol=1e-8)
    assert scaled.iterations == dependent.iterations == plain.iterations


def test_sorted_and_periodic_rows_are_no_trap_for_the_sample() -> None:
    x, label = simulate()
    order = np.lexsort((np.arange(N) // 16, np.arange(N) % 16))
    by_label = np.argsort(label, kind="stable")
    expected = by_newton(x, label, 1.0)
    for places in (order, by_label):
        found = fit(x[places], label[places], l2=1.0)
        assert found.solver is Solver.PRECONDITIONED
        np.testing.assert_allclose(found.weights, expected, atol=1e-9)


def test_the_same_data_give_the_same_bits() -> None:
    x, label = simulate()
    first, second = fit(x, label, l2=1.0), fit(x, label, l2=1.0)
    assert first.weights.tobytes() == second.weights.tobytes()


def test_single_precision_and_column_order_give_the_weights_of_their_values() -> None:
    x, label = simulate()
    single = x.astype(np.float32)
    expected = fit(single.astype(np.float64), label, l2=1.0).weights
    np.testing.assert_allclose(fit(single, label, l2=1.0).weights, expected, atol=1e-12)
    by_column = np.asfortranarray(single.astype(np.float64))
    np.testing.assert_allclose(fit(by_column, label, l2=1.0).weights, expected, atol=1e-12)


def test_rows_that_outweigh_the_rest_and_miss_the_sample_are_left_to_newton() -> None:
    x, label = simulate()
    x = x.copy()
    heavy = np.random.default_rng(2).choice(N, 60, replace=False)
    x[heavy] *= np.geomspace(1e2, 1e5, 60)[:, None]
    label = np.where(np.isin(np.arange(N), heavy), 0.5, label)
    found = fit(x, label, l2=1.0)
    assert found.solver is Solver.NEWTON_AFTER_SAMPLE
    np.testing.assert_allclose(found.weights, by_newton(x, label, 1.0), atol=1e-9)


@pytest.mark.parametrize("l2", [0.0, 1e-3])
def test_a_feature_that_hardly_any_row_has_is_fitted(l2: float) -> None:
    x, label = simulate()
    rare = np.zeros(N)
    rare[[5, 4000, 9000, 15000]] = 1.0
    label[[5, 4000, 9000, 15000]] = [1.0, 1.0, 0.0, 1.0]
    x = np.column_stack([x, rare])
    found = fit(x, label, l2=l2)
    np.testing.assert_allclose(found.weights, by_newton(x, label, l2), atol=1e-7)


def test_a_separable_fit_of_many_rows_is_refused_and_names_the_feature() -> None:
    x, _ = simulate()
    label = (x[:, 1] > 0).astype(float)
    with pytest.raises(SeparationError) as caught:
        fit(x, label, names=["words", "hedges", "lists", "thanks"])
    assert caught.value.names == ("hedges",)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("place", [0, 12_345])
def test_one_number_that_is_not_finite_among_many_rows_is_refused(value: float, place: int) -> None:
    x, label = simulate()
    x[place, 2] = value
    with pytest.raises(InputError, match="differences: expected finite"):
        fit(x, label, l2=1.0)


def test_a_loose_tolerance_ends_sooner_and_within_it() -> None:
    x, label = simulate()
    loose, tight = fit(x, label, tol=1e-2), fit(x, label)
    assert loose.iterations < tight.iterations
    # Standard errors are above 1 / sqrt(n / 4) = .014 logits here; a hundredth of two of them.
    np.testing.assert_allclose(loose.weights, tight.weights, atol=4e-4)


@pytest.mark.parametrize("n", [400, N])
def test_the_last_step_is_taken_and_the_loss_told_is_that_of_the_weights(n: int) -> None:
    x, label = simulate(n)
    found, exact = fit(x, label, l2=1.0, tol=1e-2), fit(x, label, l2=1.0, tol=1e-12)
    # Newton's step leaves a share of it that is its length in logits; a sample's step a third.
    distance = found.weights - exact.weights
    curvature = hessian(exact.weights, x, label, l2=1.0)
    assert np.sqrt(distance @ curvature @ distance) < 1e-2 / 3
    mean = log_losses(x @ found.weights, label).mean()
    assert found.log_loss == pytest.approx(mean, rel=1e-7)
    assert exact.log_loss == pytest.approx(log_losses(x @ exact.weights, label).mean(), rel=1e-13)


@pytest.mark.parametrize("kind", ["none", "weights", "margins", "offsets"])
def test_a_pass_without_the_loss_has_the_same_gradient(kind: str) -> None:
    x, label = simulate()
    given = {"row_weight": None, "margin": None, "offset": None, **columns_of(kind)}
    rows, weights = check_rows(x, label, **given), np.array([0.3, -2.0, 0.0, 40.0])
    expected = loss_and_gradient(rows, weights, 1.0)[1]
    found = loss_and_gradient(rows, weights, 1.0, with_loss=False)[1]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


def test_a_fit_that_ends_at_once_has_its_loss_told() -> None:
    x, label = simulate()
    found = fit(x, label, l2=1.0, tol=1e3)
    assert found.solver is Solver.PRECONDITIONED
    assert found.iterations == 1
    # The only step is some standard errors long. Half the square of that is what it gains, by a
    # curvature that is good to a third: 10 of 12,000 nats at the most.
    mean = log_losses(x @ found.weights, label).mean()
    assert found.log_loss == pytest.approx(mean, rel=1e-3)


@pytest.mark.parametrize("by_column", [False, True])
def test_rows_at_places_are_those_of_the_whole(by_column: bool) -> None:
    x, label = simulate()
    rows = check_rows(
        np.asfortranarray(x) if by_column else x,
        label,
        row_weight=np.arange(1.0, N + 1),
        margin=None,
        offset=label / 2,
    )
    places = np.array([3, 3, 19_999, 0])
    found = rows.at(places)
    assert found.row_weight is not None
    assert found.offset is not None
    assert found.margin is None
    np.testing.assert_array_equal(found.differences, x[places])
    np.testing.assert_array_equal(found.label, label[places])
    np.testing.assert_array_equal(found.row_weight, places + 1.0)
    np.testing.assert_array_equal(found.offset, label[places] / 2)


@pytest.mark.parametrize(("n", "d", "stride"), [(1000, 5, 0), (8000, 5, 4), (10**6, 100, 16)])
def test_a_sample_is_taken_where_it_is_small(n: int, d: int, stride: int) -> None:
    assert sample_stride(n, d) == stride
