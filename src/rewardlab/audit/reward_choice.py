"""Which reward is audited: a saved model, text features fitted here, or scores in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab.errors import InputError
from rewardlab.rewards import text_features
from rewardlab.types import RewardFn

FEATURES_PREFIX = "features:"
SCORES_PREFIX = "scores:"


@dataclass(frozen=True, slots=True)
class SavedModel:
    """A directory written by ``rewardlab fit``."""

    folder: Path


@dataclass(frozen=True, slots=True)
class FittedHere:
    """Text features fitted on the votes themselves, scored on grouped folds.

    Attributes:
        features: Names of the features; all of them where empty.
    """

    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedScores:
    """Rewards in two columns of the file, from any reward model.

    Attributes:
        column_a: Reward of the file's response a (or chosen).
        column_b: Reward of the file's response b (or rejected).
    """

    column_a: str
    column_b: str


RewardChoice = SavedModel | FittedHere | RecordedScores | RewardFn
"""From Python, any callable that scores responses is a choice too."""


def parse_reward(text: str) -> RewardChoice:
    """The reward that a command line's word names.

    ``features:a,b,c`` (or ``features:all``) are fitted here on grouped folds; ``scores:A,B`` are
    two columns of the file; anything else is a directory written by ``rewardlab fit``.

    Raises:
        InputError: A feature is unknown, two columns are not named, or there is no such directory.
    """
    if text.startswith(FEATURES_PREFIX):
        listed = text.removeprefix(FEATURES_PREFIX)
        return FittedHere() if listed == "all" else FittedHere(parse_features(listed))
    if text.startswith(SCORES_PREFIX):
        columns = [c for c in text.removeprefix(SCORES_PREFIX).split(",") if c]
        if len(set(columns)) != 2:
            raise InputError(f"{text}: expected two columns, as in scores:reward_a,reward_b")
        return RecordedScores(*columns)
    folder = Path(text)
    if not folder.is_dir():
        raise InputError(
            f"{text}: expected a directory written by 'rewardlab fit', or features:NAME,NAME, "
            "or scores:COLUMN,COLUMN"
        )
    return SavedModel(folder)


def folders_of(choices: Sequence[RewardChoice]) -> list[Path]:
    """The folders of the saved models among the choices."""
    return [choice.folder for choice in choices if isinstance(choice, SavedModel)]


def parse_features(listed: str) -> tuple[str, ...]:
    """Names of text features, listed with commas.

    Raises:
        InputError: A name is no text feature, or there is none.
    """
    names = tuple(name for name in listed.split(",") if name)
    unknown = [name for name in names if name not in text_features.NAMES]
    if unknown or not names:
        raise InputError(
            f"features {listed!r}: expected names of text features, got "
            f"{', '.join(unknown) or 'none'}; there are {', '.join(text_features.NAMES)}"
        )
    return names
