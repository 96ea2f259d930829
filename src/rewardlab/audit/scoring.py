"""Rewards for every vote from the chosen reward, none judged on what it was fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.audit.collecting import (
    Votes,
    collect,
    feature_scale,
    features_of,
    scores_in,
    scores_of,
    with_rewards,
)
from rewardlab.audit.reward_choice import FittedHere, RecordedScores, RewardChoice, SavedModel
from rewardlab.audit.scored import ScoredVotes
from rewardlab.errors import InputError
from rewardlab.preferences.formats import PreferenceReader, Progress
from rewardlab.preferences.splits import grouped_folds
from rewardlab.rewards import text_features
from rewardlab.rewards.linear import fit
from rewardlab.rewards.nested_folds import HeldOutRows, held_out_figures
from rewardlab.rewards.regularisation import choose_l2
from rewardlab.rewards.saving import load
from rewardlab.rewards.training_prompts import load_training_prompts
from rewardlab.rewards.usable import usable_columns
from rewardlab.stats.intervals import cluster_codes
from rewardlab.types import BoolArray, FloatArray, RewardFn

N_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Scored:
    """Votes with the rewards of one choice.

    Attributes:
        votes: The votes that every reward of the comparison could score.
        reward: Which reward, and how its scores were made, in a sentence.
        held_out: Why these votes count as held out, in a few words.
        is_logit: True if reward gaps claim to be Bradley-Terry logits.
        features: Text features that the reward is made of; empty if it is no combination of them.
        fitted_here: True if it was fitted on other folds of these votes.
        widening: Factor >= 1 by which an interval of the accuracy must be widened, because fits of
            different folds share their votes; 1 where nothing was fitted on these votes.
        left_out: A sentence for each reason for which this reward scored fewer votes.
    """

    votes: ScoredVotes
    reward: str
    held_out: str
    is_logit: bool
    features: tuple[str, ...]
    fitted_here: bool
    widening: float
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rewards:
    """Rewards of both sides, each of shape [n], NaN for none; the rest as in ``Scored``."""

    reward_a: FloatArray
    reward_b: FloatArray
    reward: str
    held_out: str
    is_logit: bool = False
    features: tuple[str, ...] = ()
    fitted_here: bool = False
    widening: float = 1.0
    left_out: tuple[str, ...] = ()


def score_votes(
    reader: PreferenceReader,
    choices: Sequence[RewardChoice],
    seed: int,
    *,
    features: Sequence[str] = (),
    on_progress: Progress | None = None,
) -> tuple[Scored, ...]:
    """Read the votes once and score them with each chosen reward.

    Only votes to which every reward gives both sides a finite number are kept, so that rewards are
    compared on the same votes. Folds depend on the seed only: fitted rewards share them.

    Args:
        reader: The preferences, with texts.
        choices: The rewards.
        seed: Of the folds.
        features: Text features to keep beside the rewards; where empty, those that the reward is
            made of, or all of them.
        on_progress: Called with the share of the file read, in [0, 1].

    Raises:
        InputError: The file has no texts, or not the columns that were named.
        ModelError: A saved model cannot be read.
    """
    while_read = [c for c in choices if not isinstance(c, SavedModel | FittedHere)]
    scorers = [
        scores_in(c.column_a, c.column_b) if isinstance(c, RecordedScores) else scores_of(c)
        for c in while_read
    ]
    votes = collect(reader.some_chunks(on_progress=on_progress), scorers=scorers)
    found = []
    for choice in choices:
        if isinstance(choice, SavedModel | FittedHere):
            found.append(_made_of_features(votes, choice, np.random.default_rng(seed)))
        else:
            found.append(_given(votes, choice, while_read.index(choice)))
    unknown = np.any([np.isnan(r.reward_a + r.reward_b) for r in found], axis=0)
    return tuple(_scored(votes, r, unknown, features) for r in found)


def _scored(votes: Votes, found: _Rewards, unknown: BoolArray, features: Sequence[str]) -> Scored:
    sides = (np.where(unknown, np.nan, side) for side in (found.reward_a, found.reward_b))
    names = features or found.features or text_features.NAMES
    return Scored(
        with_rewards(votes, *sides, features=names),
        found.reward,
        found.held_out,
        found.is_logit,
        found.features,
        found.fitted_here,
        found.widening,
        found.left_out,
    )


def _given(votes: Votes, choice: RecordedScores | RewardFn, k: int) -> _Rewards:
    """Rewards that were taken while the file was read: its own columns, or a callable's."""
    reward_a, reward_b = votes.given[:, k, 0], votes.given[:, k, 1]
    n_unknown = int(np.sum(np.isnan(reward_a + reward_b)))
    left_out = (f"{n_unknown:,} votes: a side has no reward",) if n_unknown else ()
    if isinstance(choice, RecordedScores):
        said = f"the rewards in columns {choice.column_a} and {choice.column_b}"
        held_out = "as recorded; whether it was trained on them the file does not tell"
    else:
        said = f"the callable {getattr(choice, '__name__', type(choice).__name__)}"
        held_out = "whether it was trained on them it does not tell"
    return _Rewards(reward_a, reward_b, said, held_out, left_out=left_out)


def _made_of_features(
    votes: Votes, choice: SavedModel | FittedHere, rng: np.random.Generator
) -> _Rewards:
    if isinstance(choice, FittedHere):
        return _fitted_here(votes, choice.features, rng, why="")
    model, trained_prompts = load(choice.folder), load_training_prompts(choice.folder)
    trained = np.isin(votes.prompt_digest, trained_prompts)
    if trained.all():
        why = f", because {choice.folder} was trained on every one of their prompts"
        return _fitted_here(votes, model.names, rng, why=why)
    reward_a, reward_b = (
        np.where(trained, np.nan, model.of_features(side))
        for side in features_of(votes, model.names)
    )
    n_trained = int(trained.sum())
    left_out = f"{n_trained:,} votes: {choice.folder} was trained on their prompts"
    return _Rewards(
        reward_a,
        reward_b,
        f"the model in {choice.folder}",
        "on prompts that the model was not trained on",
        is_logit=True,
        features=model.names,
        left_out=(left_out,) if n_trained else (),
    )


def _fitted_here(
    votes: Votes, features: tuple[str, ...], rng: np.random.Generator, *, why: str
) -> _Rewards:
    folds = out_of_fold_rewards(votes, features, rng)
    n = len(features or text_features.NAMES) - len(folds.left_out)
    return _Rewards(
        folds.reward_a,
        folds.reward_b,
        f"{n} text features, fitted on {N_FOLDS} grouped folds of these votes{why}",
        "each prompt scored by a fit on the others",
        is_logit=True,
        features=features or text_features.NAMES,
        fitted_here=True,
        widening=folds.widening,
    )


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Rewards by text features, each prompt scored by a fit on the other folds.

    Attributes:
        reward_a: Shape [n], in logits.
        reward_b: Shape [n].
        left_out: Features that were not fitted, each with its reason.
        widening: Factor >= 1 by which an interval of the accuracy is too narrow if it takes the
            fits of different folds as independent.
    """

    reward_a: FloatArray
    reward_b: FloatArray
    left_out: tuple[str, ...]
    widening: float


def out_of_fold_rewards(
    votes: Votes, features: tuple[str, ...], rng: np.random.Generator
) -> OutOfFold:
    """Rewards of both sides by text features fitted on the votes themselves.

    The L2 penalty is the one with the least held-out log loss; one number chosen on all folds
    moves the held-out accuracy by far less than its interval.

    Args:
        votes: Length n.
        features: Names to use; all of them where empty.
        rng: For the folds.

    Raises:
        InputError: There are fewer than two prompts, no feature differs, or all votes are ties.
    """
    names = features or text_features.NAMES
    prompt, n_prompts = cluster_codes(votes.prompt)
    if n_prompts < 2:
        raise InputError("votes: expected at least 2 prompts to hold some out, got 1")
    features_a, features_b = features_of(votes, names)
    usable = usable_columns(features_a - features_b, names)
    if not len(usable.kept):
        raise InputError("features: none differs between the two responses of any pair")
    keep = usable.kept
    scale = feature_scale(features_a, features_b)[keep]
    mean = (features_a[:, keep].mean(axis=0) + features_b[:, keep].mean(axis=0)) / 2
    gap = (features_a[:, keep] - features_b[:, keep]) / scale
    n_folds = min(N_FOLDS, n_prompts)
    fold = grouped_folds(prompt, n_folds, rng)
    choice = choose_l2(gap, votes.label, fold)
    reward_a, reward_b = np.empty(len(votes)), np.empty(len(votes))
    for k in range(n_folds):
        held_out = np.flatnonzero(fold == k)
        others = fold != k
        weights = fit(gap[others], votes.label[others], l2=choice.l2).weights / scale
        # Each fold's fit gives the average response 0, so that folds stand on one level.
        reward_a[held_out] = (features_a[np.ix_(held_out, keep)] - mean) @ weights
        reward_b[held_out] = (features_b[np.ix_(held_out, keep)] - mean) @ weights
    prediction = fit(gap, votes.label, l2=choice.l2)
    rows = HeldOutRows(gap, votes.label, None, prompt)
    figures = held_out_figures(rows, prediction, choice.held_out, n_folds, rng)
    return OutOfFold(reward_a, reward_b, usable.left_out, figures.widening.accuracy)
