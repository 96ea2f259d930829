"""An ensemble of text-feature rewards that differ as much as the labels leave open.

Each member is fitted to prompts drawn with replacement, all comparisons of a prompt together. The
features and the penalty are those of the fit to all comparisons.
"""

from __future__ import annotations

import numpy as np

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.splits import grouped_folds
from rewardlab.rewards.feature_bootstrap import bootstrap_fits
from rewardlab.rewards.feature_comparisons import compare_features
from rewardlab.rewards.regularisation import choose_l2
from rewardlab.rewards.text_feature_reward import TextFeatureReward
from rewardlab.rewards.usable import usable_columns
from rewardlab.stats.intervals import cluster_codes
from rewardlab.types import Preferences

MIN_DECIDED, MIN_PROMPTS = 20, 10
"""Comparisons with a winner, and prompts, below which members would differ by accident."""

_FOLDS = 5


def bootstrap_ensemble(
    preferences: Preferences, *, n_members: int, rng: np.random.Generator
) -> list[TextFeatureReward]:
    """Rewards fitted to resampled prompts; a tie is half a win for each side.

    Args:
        preferences: The comparisons, with texts.
        n_members: How many, at least 2.
        rng: Draws folds and prompts.

    Raises:
        InputError: There are too few members, or a row has no text.
        EstimationError: There are too few comparisons, prompts, or features that differ.

    Source: Efron (1979); resampling whole clusters, Davison and Hinkley (1997), section 3.8.
    """
    if n_members < 2:
        raise InputError(f"n_members: expected at least 2, got {n_members}")
    n_decided = int(np.count_nonzero(preferences.label != 0.5))
    n_prompts = len(set(preferences.prompt_id))
    if n_decided < MIN_DECIDED or n_prompts < MIN_PROMPTS:
        raise EstimationError(
            f"too few labels to fit a reward to: expected {MIN_DECIDED} with a winner, of "
            f"{MIN_PROMPTS} prompts, got {n_decided}, of {n_prompts}",
            remedy="Label more pairs, or give a saved reward.",
        )
    found = compare_features(preferences)
    usable = usable_columns(found.differences, found.names)
    if not len(usable.kept):
        raise EstimationError("no text feature differs often enough between the responses")
    mean, scale = found.mean[usable.kept], found.scale[usable.kept]
    rows = found.differences[:, usable.kept] / scale
    folds = grouped_folds(found.prompt_id, min(_FOLDS, n_prompts), rng)
    l2 = choose_l2(rows, found.label, folds).l2
    prompt, _ = cluster_codes(found.prompt_id)
    # With a penalty every refit exists, so that there are as many as were asked for.
    refits = bootstrap_fits(rows, found.label, prompt, n_resamples=n_members, rng=rng, l2=l2)
    return [TextFeatureReward(usable.names, w, mean, scale) for w in refits.weights]
