"""Which features can be fitted: each one left out is named with its reason."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards.usable import usable_columns


def test_constant_rare_and_dependent_features_are_left_out_by_name() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 5)) * [1, 1, 100, 1, 1]
    x[:, 1] = 0
    x[3:, 3] = 0
    x[:, 4] = x[:, 0] - 0.02 * x[:, 2]
    found = usable_columns(x, ["words", "headings", "chars", "links", "mix"])
    assert found.names == ("words", "chars")
    assert found.kept.tolist() == [0, 2]
    assert found.left_out == (
        "headings: never differs between the two responses",
        "links: differs in 3 of 1,500 comparisons, fewer than 10",
        "mix: its differences are a combination of those of words, chars",
    )


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_is_kept_has_full_rank_and_spans_what_is_left_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-3, 4, 3)
    x = np.hstack([base, base @ rng.integers(-2, 3, size=(3, 3))])[:, rng.permutation(6)]
    found = usable_columns(x, [f"f{j}" for j in range(6)])
    scaled = x / np.maximum(np.linalg.norm(x, axis=0), 1e-300)
    kept = scaled[:, found.kept]
    assert np.linalg.matrix_rank(kept, tol=1e-9) == len(found.kept)
    coefficients = np.linalg.lstsq(kept, scaled, rcond=None)[0]
    assert np.abs(scaled - kept @ coefficients).max() < 1e-5
    assert len(found.names) + len(found.left_out) == 6


def test_names_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="names: expected length 2, got 1"):
        usable_columns(np.ones((3, 2)), ["a"])
