"""Changes of gold along a curve, with critical values for the largest of many at once.

A change is a difference of two points of one curve, averaged over prompts. Changes are tested in
families; the critical value is that of the largest statistic of the family (max-t), so that
looking at many n costs no false calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.knots import knots
from rewardlab.audit.prompt_curves import PromptCurves
from rewardlab.stats.bootstrap import max_t_quantile, mean_curve
from rewardlab.stats.intervals import t_quantile
from rewardlab.types import FloatArray, IntArray

_ROUNDING = 1e-9
"""Changes below this share of the level of gold are rounding."""


@dataclass(frozen=True, slots=True)
class Change:
    """The telling change of a family: the largest significant one, or else the nearest to it.

    Attributes:
        n_from: Where it starts.
        n_to: Where it ends.
        change: Gold at ``n_to`` minus gold at ``n_from``.
        low: One-sided lower bound, simultaneous over the family.
        high: One-sided upper bound, likewise.
        statistic: Change in the tested direction over its standard error.
        critical: What the statistic must exceed.
        std_error: Standard error of the change, over prompts.
    """

    n_from: int
    n_to: int
    change: float
    low: float
    high: float
    statistic: float
    critical: float
    std_error: float

    @property
    def significant(self) -> bool:
        """True if the change goes in the tested direction by more than chance."""
        return self.statistic > self.critical


@dataclass(frozen=True, slots=True)
class Changes:
    """What the verdict is made from.

    Attributes:
        rise: The telling rise from n = 1.
        fall: The telling fall to one of the last three knots.
        last_stretch: Change from about N/2 to N, tested for a rise.
        gain_at_most: Simultaneous upper bound on the gain at any n.
        widest_error: Largest standard error of a gain.
        widest_n: The n at which it is largest.
    """

    rise: Change
    fall: Change
    last_stretch: Change
    gain_at_most: float
    widest_error: float
    widest_n: int


def changes_of_gold(
    curves: PromptCurves, *, level: float = 0.95, rng: np.random.Generator
) -> Changes:
    """Rise, fall and last stretch of a curve's gold over about two knots an octave.

    Args:
        curves: Curves of at least two prompts.
        level: Confidence level of each (one-sided) test.
        rng: Source of randomness (critical values).
    """
    at = knots(curves.n)
    n, gold = curves.n[at], curves.gold[:, at]
    last = len(at) - 1
    # The very last point is the noisiest, so a fall may end at any of the last three.
    falls = [(i, end) for end in range(max(1, last - 2), last + 1) for i in range(end)]
    half = int(np.argmin(np.abs(n[:-1] - n[-1] / 2)))
    rises = _Family(gold, n, [(0, j) for j in range(1, last + 1)], level, rng)
    return Changes(
        rise=rises.largest(1.0),
        fall=_Family(gold, n, falls, level, rng).largest(-1.0),
        last_stretch=_Family(gold, n, [(half, last)], level, rng).largest(1.0),
        gain_at_most=float(np.max(rises.mean + rises.critical * rises.errors)),
        widest_error=float(rises.errors.max()),
        widest_n=int(rises.n_to[np.argmax(rises.errors)]),
    )


class _Family:
    """Mean changes between pairs of knots, with their common critical value."""

    def __init__(
        self,
        gold: FloatArray,
        n: IntArray,
        pairs: list[tuple[int, int]],
        level: float,
        rng: np.random.Generator,
    ) -> None:
        start, end = np.array(pairs).T
        changes = mean_curve(gold[:, end] - gold[:, start])
        self.n_from, self.n_to = n[start], n[end]
        self.mean, self.errors = changes.mean, changes.std_error
        self.level = gold.mean(axis=0)
        if len(pairs) == 1:
            self.critical = t_quantile(2 * level - 1, changes.dof)
        else:
            self.critical = max_t_quantile(
                changes.covariance, dof=changes.dof, level=level, two_sided=False, rng=rng
            )

    def largest(self, sign: float) -> Change:
        """The largest change in the direction of ``sign`` among the significant ones.

        Its bounds hold for all changes of the family at once, so that picking the largest is
        fair; where none is significant, the one nearest to it.
        """
        moving = self.errors > 0
        # Without any variation over prompts a change is certain, unless it is mere rounding.
        certain = sign * self.mean > _ROUNDING * np.abs(self.level).max()
        statistics = np.where(certain, np.inf, -np.inf)
        statistics[moving] = sign * self.mean[moving] / self.errors[moving]
        fired = statistics > self.critical
        j = int(
            np.argmax(np.where(fired, sign * self.mean, -np.inf) if fired.any() else statistics)
        )
        half = self.critical * self.errors[j]
        return Change(
            n_from=int(self.n_from[j]),
            n_to=int(self.n_to[j]),
            change=float(self.mean[j]),
            low=float(self.mean[j] - half),
            high=float(self.mean[j] + half),
            statistic=float(statistics[j]),
            critical=self.critical,
            std_error=float(self.errors[j]),
        )
