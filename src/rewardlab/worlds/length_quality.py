"""Answers that differ in length and quality, with a reward that pays for both.

The reference is Gaussian over (log2 length, quality), both measured from its mean: one unit of
length is a doubling. Its lengths vary a lot from one sample to the next, its quality much less.

The source gives the reward, quality + a log2(length), and says that about three quarters of its
gain come from length. The default spreads are ours and give that share, a^2 1^2 / (a^2 1^2 +
.58^2) at a = 1; so is what length is truly worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet, normalised

LENGTH, QUALITY = "length", "quality"

_HELPS, _PADDING = 0.3, 0.3
"""What a doubling of length is truly worth, and what its square costs."""


@dataclass(frozen=True, slots=True)
class LengthQuality:
    """The world's settings.

    Attributes:
        length_sd: Standard deviation of the reference's length, in doublings.
        quality_sd: Of its quality.
        correlation: Of the two, in (-1, 1).
        length_weight: a in the reward quality + a x length.
    """

    length_sd: float = 1.0
    quality_sd: float = 0.58
    correlation: float = 0.0
    length_weight: float = 1.0

    def __post_init__(self) -> None:
        if not (self.length_sd > 0 and self.quality_sd > 0 and abs(self.correlation) < 1):
            raise InputError(
                "LengthQuality: expected positive spreads and a correlation inside (-1, 1), got "
                f"{self.length_sd:g}, {self.quality_sd:g} and {self.correlation:g}"
            )
        if not np.isfinite(self.length_weight):
            raise InputError(f"length_weight: expected a finite number, got {self.length_weight}")

    @property
    def covariance(self) -> FloatArray:
        """Shape [2, 2]; of the reference."""
        both = self.correlation * self.length_sd * self.quality_sd
        return np.array([[self.length_sd**2, both], [both, self.quality_sd**2]])

    def reward_gradient(self, *, drop_length: bool = False) -> FloatArray:
        """Shape [2]; what a unit of length and of quality adds to the reward.

        Args:
            drop_length: True leaves out the part that pays for length, as ODIN does.
        """
        return np.array([0.0 if drop_length else self.length_weight, 1.0])


def true_gain(shift: FloatArray) -> FloatArray:
    """Change of mean true quality when a Gaussian's mean moves by ``shift``.

    True quality is quality + .3 length - .3 length^2: a little more length helps, padding costs.

    Args:
        shift: Shape [..., 2].
    """
    length, quality = shift[..., 0], shift[..., 1]
    return np.asarray(quality + _HELPS * length - _PADDING * length**2)


def best_multiple(shift: FloatArray) -> float:
    """The multiple of a shift at which true quality is highest; inf if it only ever rises.

    Args:
        shift: Shape [2].
    """
    slope = shift[1] + _HELPS * shift[0]
    bend = 2 * _PADDING * shift[0] ** 2
    if slope <= 0:
        return 0.0
    return float(slope / bend) if bend else float("inf")


def length_quality_grid(world: LengthQuality) -> AnswerSet:
    """The same world as 61 x 61 listed answers, out to six standard deviations.

    Args:
        world: Its settings.
    """
    steps = np.linspace(-6.0, 6.0, 61)
    length, quality = (
        axis.ravel() for axis in np.meshgrid(steps * world.length_sd, steps * world.quality_sd)
    )
    points = np.column_stack([length, quality])
    precision = np.linalg.inv(world.covariance)
    return AnswerSet(
        prompt="",
        texts=[f"{2**x:.2f} times the usual length, quality {y:+.2f}" for x, y in points],
        features=points,
        feature_names=(LENGTH, QUALITY),
        ref_logprobs=normalised(-0.5 * np.einsum("ij,jk,ik->i", points, precision, points)),
        gold=true_gain(points),
    )
