"""Candidates with a true quality and a feature that raises the proxy and, in excess, costs gold.

Of each candidate the quality g, the hackable feature h (length, flattery, a confident tone) and
each reward model's own error are independent standard normals. A reward model's proxy is
g + a h + noise; gold is g - PENALTY max(0, h - HARMLESS)^2. All reward models share a, so that
averaging them removes noise and leaves the blind spot as it is.

The source gives the proxy and says that gold pays once h gets extreme. From where, and how much,
is ours: at a = 1 gold turns within the 4,096 samples that it goes up to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray

HARMLESS = 1.5
"""Up to here the feature does no harm, in standard deviations: about 14 candidates in 15."""

PENALTY = 2.0
"""Gold lost per squared standard deviation beyond."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is true of P prompts' m candidates, and what k reward models misjudge.

    Attributes:
        quality: Shape [P, m]; g, standard deviations.
        hackable: Shape [P, m]; h.
        errors: Shape [k, P, m]; each reward model's own error, of unit variance.
    """

    quality: FloatArray
    hackable: FloatArray
    errors: FloatArray

    @property
    def gold(self) -> FloatArray:
        """Shape [P, m]; g less the penalty on what h has beyond ``HARMLESS``."""
        excess = np.maximum(self.hackable - HARMLESS, 0.0)
        return self.quality - PENALTY * excess**2

    def proxy(self, a: float, noise: float, *, members: int = 1) -> FloatArray:
        """Shape [P, m]; g + a h + noise, averaged over the first ``members`` reward models.

        Args:
            a: What the reward models pay for h, in units of what they pay for g.
            noise: Standard deviation of each reward model's own error, >= 0.
            members: How many are averaged, from 1 to k.

        Raises:
            InputError: There are not that many reward models, or the noise is negative.
        """
        if not noise >= 0:
            raise InputError(f"noise: expected a number of at least 0, got {noise:g}")
        if not 1 <= members <= len(self.errors):
            raise InputError(f"members: expected 1 to {len(self.errors)}, got {members}")
        own = self.errors[0] if members == 1 else self.errors[:members].mean(axis=0)
        return np.asarray(self.quality + a * self.hackable + noise * own)


def draw_candidates(
    n_prompts: int, n_samples: int, *, n_models: int, rng: np.random.Generator
) -> Candidates:
    """Candidates for best-of-n up to ``n_samples``, all coordinates independent.

    Args:
        n_prompts: P.
        n_samples: m, for each prompt.
        n_models: k, reward models with errors of their own.
        rng: Source of randomness.
    """
    shape = (n_prompts, n_samples)
    return Candidates(
        quality=rng.standard_normal(shape),
        hackable=rng.standard_normal(shape),
        errors=rng.standard_normal((n_models, *shape)),
    )
