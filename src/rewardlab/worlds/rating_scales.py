"""Six raters who judge alike but write their judgement on scales of their own.

The scales are made up; they differ in level, in range and in bend.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray


@dataclass(frozen=True, slots=True)
class RatingScale:
    """A rater's monotone scale: quality q in [0, 1] is written low + (high - low) q^bend.

    Attributes:
        name: What the rater is like.
        low: Rating of the worst response.
        high: Rating of the best, above ``low``.
        bend: Above 0; over 1 saves the high marks for the very best.
    """

    name: str
    low: float
    high: float
    bend: float = 1.0

    def rating(self, quality: FloatArray) -> FloatArray:
        """Ratings of responses of this quality, which is in [0, 1] and of any shape."""
        return np.asarray(self.low + (self.high - self.low) * quality**self.bend)


_OWN = (
    RatingScale("dramatic", 1.0, 10.0),
    RatingScale("harsh", 1.0, 3.0, 2.0),
    RatingScale("strict", 3.0, 5.0),
    RatingScale("calm", 5.0, 6.5),
    RatingScale("kind", 7.0, 8.5),
    RatingScale("generous", 8.5, 10.0, 0.5),
)


def scales(privacy: float = 1.0) -> tuple[RatingScale, ...]:
    """The raters' scales, from one shared by all (0) to each its own (1).

    Raises:
        InputError: ``privacy`` is outside [0, 1].
    """
    if not 0 <= privacy <= 1:
        raise InputError(f"privacy: expected a number in [0, 1], got {privacy}")
    return tuple(
        RatingScale(
            own.name,
            1 + privacy * (own.low - 1),
            10 + privacy * (own.high - 10),
            own.bend**privacy,
        )
        for own in _OWN
    )


def shared_out(ratings: FloatArray) -> FloatArray:
    """Lead of response a in average rating, for each way to give a to half of the raters.

    Args:
        ratings: Shape [r, 2]; each rater's rating of a and of b, r even.

    Returns:
        Shape [ways]; the other half rate b.

    Raises:
        InputError: The shape is not [r, 2] with r even and positive.
    """
    if ratings.ndim != 2 or ratings.shape[1] != 2 or len(ratings) % 2 or not len(ratings):
        raise InputError(f"ratings: expected shape [r, 2], r even, got {ratings.shape}")
    raters = range(len(ratings))
    halves = combinations(raters, len(ratings) // 2)
    return np.array(
        [
            ratings[list(half), 0].mean() - np.delete(ratings[:, 1], list(half)).mean()
            for half in halves
        ]
    )
