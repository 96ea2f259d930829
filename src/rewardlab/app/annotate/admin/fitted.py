"""The reward that a project's judgements teach so far, and how far to trust each annotator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Engine

from rewardlab.app.annotate.exports.judgements import preferences_of
from rewardlab.app.annotate.store.contents import Project
from rewardlab.app.uploads.fit import fitted_words
from rewardlab.audit.judgements import Judgements
from rewardlab.audit.reliability import AnnotatorReliability, measure_reliability
from rewardlab.errors import RewardLabError
from rewardlab.rewards.feature_fit import fit_text_feature_reward

MIN_DECIDED = 50
"""Judgements with a winner below which no reward of some thirty features is worth fitting."""

_SEED = 0
"""Of the folds: the same judgements always give the same reward."""


@dataclass(frozen=True, slots=True)
class FittedSoFar:
    """What is learned from the judgements that stand.

    Attributes:
        n: Judgements that it rests on.
        words: The fit in words and bars; None where there is none.
        because: Why there is none; "" where there is.
        reliability: How often each annotator flips.
        no_reliability: Why that is not known of anybody; "" where it is.
    """

    n: int
    words: dict[str, Any] | None
    because: str
    reliability: tuple[AnnotatorReliability, ...]
    no_reliability: str


def fitted_so_far(engine: Engine, project: Project, judgements: Judgements) -> FittedSoFar:
    """Fit a reward of text features to all judgements but the checks, and flip rates beside it.

    Args:
        engine: The database.
        project: The project.
        judgements: All of the project that stand.
    """
    n, words, because = _reward(engine, project)
    try:
        reliability = measure_reliability(judgements).annotators
    except RewardLabError as error:
        return FittedSoFar(n, words, because, (), _on_one_line(error))
    return FittedSoFar(n, words, because, reliability, "")


def _reward(engine: Engine, project: Project) -> tuple[int, dict[str, Any] | None, str]:
    preferences = preferences_of(engine, project.project).preferences
    n = len(preferences)
    decided = int(np.count_nonzero(preferences.label != 0.5))
    if decided < MIN_DECIDED:
        prefer = "judgement prefers" if decided == 1 else "judgements prefer"
        return n, None, f"{decided:,} {prefer} a side, and it takes {MIN_DECIDED}"
    try:
        fitted = fit_text_feature_reward(preferences, rng=np.random.default_rng(_SEED))
    except RewardLabError as error:
        return n, None, _on_one_line(error)
    return n, fitted_words(fitted), ""


def _on_one_line(error: RewardLabError) -> str:
    return " ".join(str(error).split())
