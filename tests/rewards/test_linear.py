"""The linear fit: against scikit-learn, numerical gradients, symmetries and known parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special
from sklearn.linear_model import LogisticRegression

from rewardlab.errors import ConvergenceError, InputError, SeparationError
from rewardlab.rewards.linear import Solver, fit, hessian
from rewardlab.rewards.row_terms import log_losses, row_terms
from rewardlab.types import FloatArray


@dataclass(frozen=True)
class Data:
    x: FloatArray
    hard: FloatArray
    soft: FloatArray
    row_weight: FloatArray


def simulate(n: int = 400, d: int = 5, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * np.geomspace(0.1, 10, d)
    p = special.expit(x @ (rng.normal(size=d) / np.geomspace(0.1, 10, d)))
    soft = rng.choice([0.0, 0.2, 0.5, 0.9, 1.0], size=n)
    return Data(x, (rng.random(n) < p).astype(float), soft, rng.uniform(0.1, 3, n))


def scikit_learn(
    x: FloatArray, label: FloatArray, l2: float, row_weight: FloatArray | None = None
) -> FloatArray:
    """The same model there: a soft label is two rows with weights label and 1 - label."""
    weight = np.ones(len(x)) if row_weight is None else row_weight
    model = LogisticRegression(
        C=1 / l2 if l2 else np.inf,
        fit_intercept=False,
        solver="newton-cholesky",
        tol=1e-12,
        max_iter=1000,
    )
    model.fit(
        np.vstack([x, x]),
        np.repeat([1, 0], len(x)),
        sample_weight=np.concatenate([label * weight, (1 - label) * weight]),
    )
    return np.asarray(model.coef_[0])


@pytest.mark.parametrize("l2", [0.0, 0.3, 50.0])
@pytest.mark.parametrize("labels", ["hard", "soft"])
def test_weights_equal_an_independent_logistic_regression(l2: float, labels: str) -> None:
    data = simulate()
    label = getattr(data, labels)
    found = fit(data.x, label, l2=l2)
    np.testing.assert_allclose(found.weights, scikit_learn(data.x, label, l2), atol=1e-6)


def test_row_weights_equal_an_independent_logistic_regression() -> None:
    data = simulate()
    found = fit(data.x, data.soft, l2=0.1, row_weight=data.row_weight)
    expected = scikit_learn(data.x, data.soft, 0.1, data.row_weight)
    np.testing.assert_allclose(found.weights, expected, atol=1e-6)


def test_a_fit_with_margins_equals_a_general_minimiser() -> None:
    data = simulate(d=3)
    margin = np.random.default_rng(3).choice([0.0, 0.5, 2.0, np.nan], size=len(data.x))

    def loss(weights: FloatArray) -> float:
        m = np.nan_to_num(margin)
        return float(log_losses(data.x @ weights, data.soft, margin=m).sum())

    # A minimiser without derivatives of the model's own loss; its own tolerance allows 1e-4.
    expected = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", tol=1e-10).x
    found = fit(data.x, data.soft, margin=margin)
    np.testing.assert_allclose(found.weights, expected, rtol=1e-3, atol=1e-4)


def test_the_margin_loss_is_the_one_of_llama_2() -> None:
    delta, margin = np.array([0.7, -1.2]), np.array([0.4, 2.0])
    expected = -np.log(special.expit(delta - margin))
    np.testing.assert_allclose(log_losses(delta, np.ones(2), margin=margin), expected, rtol=1e-12)
    mirrored = log_losses(-delta, np.zeros(2), margin=margin)
    np.testing.assert_allclose(mirrored, expected, rtol=1e-12)


@pytest.mark.parametrize("with_margin", [False, True])
def test_score_and_curvature_are_the_derivatives_of_the_loss(with_margin: bool) -> None:
    rng = np.random.default_rng(0)
    delta, label = rng.normal(size=20) * 3, rng.random(20)
    margin = rng.random(20) if with_margin else None
    at = row_terms(delta, label, margin=margin)
    h = 1e-4

    def loss(shift: float) -> FloatArray:
        return log_losses(delta + shift, label, margin=margin)

    # Central differences: error h^2 / 6 times the third derivative (below .1), plus rounding.
    np.testing.assert_allclose(-at.score, (loss(h) - loss(-h)) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(at.curvature, (loss(h) - 2 * loss(0) + loss(-h)) / h**2, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_swapping_sides_and_reordering_rows_change_nothing(seed: int) -> None:
    data = simulate(n=120, d=3, seed=seed)
    rng = np.random.default_rng(seed)
    swap, order = rng.random(120) < 0.5, rng.permutation(120)
    x = np.where(swap[:, None], -data.x, data.x)[order]
    label = np.where(swap, 1 - data.soft, data.soft)[order]
    expected = fit(data.x, data.soft, l2=1.0).weights
    np.testing.assert_allclose(fit(x, label, l2=1.0).weights, expected, rtol=1e-6, atol=1e-9)


def test_known_weights_are_recovered() -> None:
    rng = np.random.default_rng(5)
    x, weights = rng.normal(size=(40_000, 3)), np.array([0.5, -0.2, 0.0])
    label = (rng.random(40_000) < special.expit(x @ weights)).astype(float)
    # Standard errors are about 2 / sqrt(40,000) = .01; four of them.
    np.testing.assert_allclose(fit(x, label).weights, weights, atol=0.045)


def test_ties_alone_give_weights_of_zero() -> None:
    data = simulate()
    np.testing.assert_allclose(fit(data.x, np.full(400, 0.5)).weights, 0, atol=1e-12)


def test_the_hessian_is_the_derivative_of_the_gradient() -> None:
    data = simulate(d=3)
    margin = np.random.default_rng(3).choice([0.0, 0.5, np.nan], size=len(data.x))
    weights, h = np.array([0.3, -0.1, 0.02]), 1e-5
    settings = {"row_weight": data.row_weight, "margin": margin}

    def gradient(w: FloatArray) -> FloatArray:
        at = row_terms(data.x @ w, data.soft, margin=np.nan_to_num(margin))
        return np.asarray(2.0 * w - data.x.T @ (at.score * data.row_weight))

    numerical = [(gradient(weights + e) - gradient(weights - e)) / (2 * h) for e in h * np.eye(3)]
    found = hessian(weights, data.x, data.soft, l2=2.0, **settings)
    # Central differences: relative error h^2 plus rounding of 1e-16 / h.
    np.testing.assert_allclose(found, numerical, rtol=1e-7, atol=1e-5)


def test_the_fit_says_what_it_did() -> None:
    data = simulate()
    found = fit(data.x, data.soft, l2=2.0)
    assert (found.n, found.l2, found.solver) == (400, 2.0, Solver.NEWTON)
    assert 0 < found.iterations < 20
    assert found.gradient_norm < 1e-6
    mean = log_losses(data.x @ found.weights, data.soft).mean()
    assert found.log_loss == pytest.approx(mean, rel=1e-12)


def test_dependent_features_without_penalty_do_not_converge_and_say_why() -> None:
    data = simulate(d=2)
    x = np.column_stack([data.x, data.x[:, 0]])
    with pytest.raises(ConvergenceError, match="linearly dependent"):
        fit(x, data.hard)
    assert np.isfinite(fit(x, data.hard, l2=1.0).weights).all()


def test_a_constant_feature_without_penalty_is_refused() -> None:
    data = simulate(d=2)
    with pytest.raises(ConvergenceError, match="never differs"):
        fit(np.column_stack([data.x, np.zeros(400)]), data.hard)


def test_features_whose_squares_overflow_are_said_to_be_too_large() -> None:
    data = simulate()
    with pytest.raises(ConvergenceError, match="scale the features down"):
        fit(data.x * 1e160, data.hard, l2=1.0)


def test_a_separable_fit_is_refused_without_penalty_only() -> None:
    data = simulate(d=3)
    label = (data.x[:, 1] > 0).astype(float)
    with pytest.raises(SeparationError, match="hedges") as caught:
        fit(data.x, label, names=["words", "hedges", "lists"])
    assert caught.value.names == ("hedges",)
    assert np.isfinite(fit(data.x, label, l2=0.01).weights).all()


ARGUMENTS: dict[str, FloatArray] = {
    "differences": np.array([[1.0], [2.0]]),
    "label": np.array([0.0, 1.0]),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": np.array([0.0, 2.0])}, "label: expected probabilities"),
        ({"label": np.array([0.0])}, r"label: expected shape \[2\], got \(1,\)"),
        ({"differences": np.array([[1.0], [np.nan]])}, "differences: expected finite"),
        ({"differences": np.empty((0, 1))}, r"expected shape \[n, d\], got \(0, 1\)"),
        ({"row_weight": np.zeros(2)}, "row_weight: expected finite numbers >= 0, not all 0"),
        ({"margin": np.array([0.0, -1.0])}, "margin: expected finite numbers >= 0"),
    ],
)
def test_bad_arrays_are_named(change: dict[str, FloatArray], message: str) -> None:
    given = {**ARGUMENTS, **change}
    with pytest.raises(InputError, match=message):
        fit(
            given["differences"],
            given["label"],
            row_weight=given.get("row_weight"),
            margin=given.get("margin"),
        )


@pytest.mark.parametrize("l2", [-1.0, np.nan, np.inf])
def test_a_bad_penalty_is_named(l2: float) -> None:
    with pytest.raises(InputError, match="l2: expected a finite number >= 0"):
        fit(ARGUMENTS["differences"], ARGUMENTS["label"], l2=l2)


def test_an_offset_that_holds_a_fitted_weight_leaves_the_others_where_they_were() -> None:
    data = simulate()
    whole = fit(data.x, data.soft)
    rest = fit(data.x[:, 1:], data.soft, offset=data.x[:, 0] * whole.weights[0])
    np.testing.assert_allclose(rest.weights, whole.weights[1:], rtol=1e-6)
    assert rest.log_loss == pytest.approx(whole.log_loss, rel=1e-10)


def test_an_offset_that_is_not_finite_or_too_short_is_refused() -> None:
    data = simulate()
    with pytest.raises(InputError, match="offset"):
        fit(data.x, data.soft, offset=np.full(len(data.soft), np.nan))
    with pytest.raises(InputError, match="offset"):
        fit(data.x, data.soft, offset=np.zeros(3))
