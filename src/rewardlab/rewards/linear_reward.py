"""A linear reward as a callable that reads its features from columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, Text


@dataclass(frozen=True, slots=True)
class LinearReward:
    """w . (x - centre), for features given as columns by their names.

    Comparisons fix a reward only up to a constant. The centre says where it is 0, so that several
    rewards can be set against each other: without a common one, "the lowest of all" means nothing.

    Attributes:
        weights: Shape [d].
        names: Length d; the columns that hold the features.
        centre: Shape [d]; features of an answer whose reward is 0, such as the reference policy's
            mean.
    """

    weights: FloatArray
    names: tuple[str, ...]
    centre: FloatArray

    def __post_init__(self) -> None:
        d = len(self.names)
        if self.weights.shape != (d,) or self.centre.shape != (d,):
            raise InputError(
                f"LinearReward: expected weights and centre of shape ({d},), got "
                f"{self.weights.shape} and {self.centre.shape}"
            )

    def score(self, features: FloatArray) -> FloatArray:
        """Shape [n]; for features of shape [n, d]."""
        return np.asarray((features - self.centre) @ self.weights)

    def __call__(
        self, prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Sequence[Any]
    ) -> FloatArray:
        return self.score(feature_matrix(columns, self.names, len(responses)))


def feature_matrix(
    columns: Mapping[str, Sequence[Any]], names: Sequence[str], n: int
) -> FloatArray:
    """Shape [n, d]; the columns of these names, side by side.

    Raises:
        InputError: One is missing, not of length ``n``, or not of numbers.
    """
    matrix = np.empty((n, len(names)))
    for j, name in enumerate(names):
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise InputError(f"columns: expected one of the name {name!r}, got {known}")
        if len(columns[name]) != n:
            raise InputError(f"columns[{name!r}]: expected length {n}, got {len(columns[name])}")
        try:
            matrix[:, j] = columns[name]
        except (TypeError, ValueError):
            raise InputError(f"columns[{name!r}]: expected a number for each row") from None
    return matrix
