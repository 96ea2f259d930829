"""Folds never part a prompt's rows and are about equal in size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.preferences.splits import grouped_folds


@given(
    names=st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60),
    n_folds=st.integers(2, 4),
    seed=st.integers(0, 99),
)
def test_prompts_stay_whole_and_no_fold_is_empty(names: list[str], n_folds: int, seed: int) -> None:
    n_prompts = len(set(names))
    if n_prompts < n_folds:
        with pytest.raises(InputError, match=r"at most one fold a prompt"):
            grouped_folds(names, n_folds, np.random.default_rng(seed))
        return
    folds = grouped_folds(names, n_folds, np.random.default_rng(seed))
    assert len({(name, fold) for name, fold in zip(names, folds, strict=True)}) == n_prompts
    sizes = np.bincount(folds, minlength=n_folds)
    assert sizes.min() > 0
    largest = max(names.count(name) for name in set(names))
    assert sizes.max() - sizes.min() <= largest  # what giving to the emptiest fold guarantees


def test_equal_prompts_are_dealt_evenly_and_at_random() -> None:
    names = [str(i // 3) for i in range(300)]
    first, second = (grouped_folds(names, 5, np.random.default_rng(seed)) for seed in (0, 1))
    assert np.bincount(first).tolist() == [60] * 5
    assert (first != second).any()
    again = grouped_folds(names, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(first, again)


def test_fewer_prompts_than_folds_are_refused() -> None:
    with pytest.raises(InputError, match=r"at least 2"):
        grouped_folds(["a", "b"], 1, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"at most one fold"):
        grouped_folds([], 2, np.random.default_rng(0))
