"""Separation: found exactly when there is no finite fit, and named sparsely."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rewardlab.errors import ConvergenceError, SeparationError
from rewardlab.rewards.linear import fit
from rewardlab.rewards.separation import check_not_separated, separating_direction


def test_random_labels_are_not_separated() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 4))
    assert separating_direction(x, rng.integers(0, 2, 100).astype(float)) is None


def test_one_wrong_row_ends_a_separation() -> None:
    x = np.random.default_rng(0).normal(size=(200, 3))
    label = (x[:, 2] > 0).astype(float)
    with pytest.raises(SeparationError) as caught:
        check_not_separated(x, label, names=["a", "b", "c"])
    assert caught.value.names == ("c",)
    label[np.argmax(np.abs(x[:, 2]))] = 1 - label[np.argmax(np.abs(x[:, 2]))]
    check_not_separated(x[:, 2:], label, names=["c"])


def test_a_rare_feature_that_never_loses_is_found() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    x[:, 1] = 0
    x[:12, 1] = rng.uniform(1, 2, 12)
    label = rng.integers(0, 2, 300).astype(float)
    label[:12] = 1
    with pytest.raises(SeparationError) as caught:
        check_not_separated(x, label, names=["words", "headings", "lists"])
    assert caught.value.names == ("headings",)


def test_two_features_that_separate_together_are_both_named() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4))
    label = (x[:, 0] - 2 * x[:, 3] > 0).astype(float)
    with pytest.raises(SeparationError, match="together predict") as caught:
        check_not_separated(x, label)
    assert set(caught.value.names) == {"feature 0", "feature 3"}


def test_a_tie_off_the_boundary_ends_a_separation() -> None:
    x = np.random.default_rng(0).normal(size=(50, 1))
    label = (x[:, 0] > 0).astype(float)
    assert separating_direction(x, label) is not None
    label[7] = 0.5
    assert separating_direction(x, label) is None


def test_soft_labels_alone_are_never_separated() -> None:
    x = np.random.default_rng(0).normal(size=(50, 2))
    assert separating_direction(x, np.full(50, 0.9)) is None
    assert separating_direction(np.zeros((50, 2)), np.ones(50)) is None


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(287946)  # separated along (1, 1, 1), where rounding once ended the steps
def test_a_fit_is_finite_exactly_where_there_is_no_separation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 25)), int(rng.integers(1, 4))
    x = rng.integers(-3, 4, size=(n, d)).astype(float)
    label = rng.choice([0.0, 1.0, 0.5], p=[0.45, 0.45, 0.1], size=n)
    if np.linalg.matrix_rank(x) < d:
        return
    if separating_direction(x, label) is None:
        assert np.isfinite(fit(x, label).weights).all()
    else:
        with pytest.raises(SeparationError):
            fit(x, label)


def test_a_fit_that_ends_for_another_reason_is_not_called_separated() -> None:
    x = np.random.default_rng(0).normal(size=(60, 1))
    label = np.random.default_rng(1).integers(0, 2, 60).astype(float)
    with pytest.raises(ConvergenceError, match="linearly dependent"):
        fit(np.hstack([x, 2 * x]), label)
