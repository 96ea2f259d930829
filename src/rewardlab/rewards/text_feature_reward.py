"""A reward that pays for text features: a weighted sum that can be read line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.text_features import NAMES, compute
from rewardlab.rewards.vocabulary import Vocabulary
from rewardlab.types import FloatArray, Text


@dataclass(frozen=True, slots=True)
class TextFeatureReward:
    """sum over features of weight * (feature - mean) / scale, in logits of preference.

    It is a ``RewardFn``. The mean only sets the zero: an average response of the data it was
    fitted on has reward 0.

    Attributes:
        names: Length d; features that it pays for.
        weight: Shape [d], logits per standard deviation of the feature.
        mean: Shape [d], mean over the responses it was fitted on.
        scale: Shape [d], > 0; standard deviation over those responses.
    """

    names: tuple[str, ...]
    weight: FloatArray
    mean: FloatArray
    scale: FloatArray

    def __post_init__(self) -> None:
        for name in ("weight", "mean", "scale"):
            values = getattr(self, name)
            if values.shape != (len(self.names),) or not np.isfinite(values).all():
                raise InputError(f"{name}: expected {len(self.names)} finite numbers")
        if not np.all(self.scale > 0):
            raise InputError("scale: expected numbers > 0")
        unknown = [name for name in self.names if name not in NAMES]
        if unknown:
            raise InputError(f"names: {', '.join(unknown)} is no text feature")

    def __call__(
        self, prompts: Sequence[Text], responses: Sequence[Text | None], /, **columns: Sequence[Any]
    ) -> FloatArray:
        """Rewards of the responses. Shape [batch]; NaN where a response is None.

        Args:
            prompts: Length batch.
            responses: Length batch.
            columns: Not used; any reward may be given ground truth and the like.
        """
        return self.score(prompts, responses, vocabulary=Vocabulary())

    def score(
        self, prompts: Sequence[Text], responses: Sequence[Text | None], *, vocabulary: Vocabulary
    ) -> FloatArray:
        """The same with a vocabulary of earlier calls, to be quicker on a stream."""
        features = compute(prompts, responses, vocabulary=vocabulary)
        rewards = self.of_features(features[:, [NAMES.index(name) for name in self.names]])
        rewards[[response is None for response in responses]] = np.nan
        return rewards

    def of_features(self, features: FloatArray) -> FloatArray:
        """Rewards from features.

        Args:
            features: Shape [n, d], columns as in ``names``.

        Returns:
            Shape [n].
        """
        rewards: FloatArray = (features - self.mean) @ self.per_unit
        return rewards

    @property
    def per_unit(self) -> FloatArray:
        """Shape [d], logits per unit of each feature."""
        return np.asarray(self.weight / self.scale)
