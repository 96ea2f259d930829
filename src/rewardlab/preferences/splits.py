"""Folds that keep each prompt's rows together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rewardlab.errors import InputError
from rewardlab.stats.intervals import cluster_codes
from rewardlab.types import IntArray


def grouped_folds(
    prompt_id: Sequence[str] | IntArray, n_folds: int, rng: np.random.Generator
) -> IntArray:
    """The fold of each row; all rows of a prompt share one, and folds hold about equal rows.

    Prompts are taken in random order, those with most rows first, and each goes to the fold that
    holds the fewest rows so far.

    Args:
        prompt_id: Length n; the prompt of each row, by name or code.
        n_folds: How many folds, from 2 to the number of prompts.
        rng: Source of randomness.

    Returns:
        Shape [n], int64, in 0..n_folds-1; no fold is empty.

    Raises:
        InputError: There are fewer than two folds, or fewer prompts than folds.
    """
    if n_folds < 2:
        raise InputError(f"n_folds: expected at least 2, got {n_folds}")
    codes, n_groups = cluster_codes(prompt_id)
    if n_groups < n_folds:
        raise InputError(f"n_folds: expected at most one fold a prompt ({n_groups}), got {n_folds}")
    sizes = np.bincount(codes, minlength=n_groups)
    shuffled = rng.permutation(n_groups)
    by_size = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    fold_of_group = np.empty(n_groups, dtype=np.int64)
    rows_in_fold = np.zeros(n_folds, dtype=np.int64)
    for group in by_size:
        fold = int(np.argmin(rows_in_fold))
        fold_of_group[group] = fold
        rows_in_fold[fold] += sizes[group]
    return fold_of_group[codes]
