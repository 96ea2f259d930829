"""Hidden groups of annotators who want different things, and the votes they pool.

That both groups get .8 from the compromise is the source's; that they get 1 from their favourite
and 0 from each other's is how it is completed here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.types import FloatArray

OPTIONS = ("A", "B", "C")
"""One group's favourite, the compromise, the other group's favourite."""


@dataclass(frozen=True, slots=True)
class AnnotatorGroups:
    """g groups who vote on m options; a label does not say which group it came from.

    Attributes:
        shares: Shape [g], sum 1; of annotators.
        utilities: Shape [g, m]; what each group gets from each option.
        reports: Shape [g, m]; the utilities that its votes follow, ``utilities`` if honest.
        sharpness: k > 0; a vote prefers i to j with chance sigma(k (report_i - report_j)). High:
            votes tell only the order. Low: they tell by how much, too.
    """

    shares: FloatArray
    utilities: FloatArray
    reports: FloatArray
    sharpness: float

    def __post_init__(self) -> None:
        if self.utilities.ndim != 2 or self.reports.shape != self.utilities.shape:
            raise InputError(
                f"AnnotatorGroups.reports: expected the shape [g, m] of the utilities, "
                f"{self.utilities.shape}, got {self.reports.shape}"
            )
        if self.shares.shape != self.utilities.shape[:1]:
            raise InputError(f"AnnotatorGroups.shares: expected [g], got {self.shares.shape}")
        if np.any(self.shares < 0) or abs(self.shares.sum() - 1) > 1e-9:
            raise InputError("AnnotatorGroups.shares: expected shares that sum to 1")
        if not (np.isfinite(self.utilities).all() and np.isfinite(self.reports).all()):
            raise InputError("AnnotatorGroups.utilities, reports: expected finite numbers")
        if not 0 < self.sharpness < np.inf:
            raise InputError(f"AnnotatorGroups.sharpness: expected > 0, got {self.sharpness}")

    def win_rates(self) -> FloatArray:
        """Shape [m, m]; chance that a vote of the whole crowd prefers the row to the column."""
        gaps = self.reports[:, :, None] - self.reports[:, None, :]
        return np.asarray(np.tensordot(self.shares, special.expit(self.sharpness * gaps), 1))

    def own_rewards(self) -> FloatArray:
        """Shape [g, m], logits; the Bradley-Terry fit to each group's own endless votes.

        Within a group votes follow Bradley-Terry, so that its fit is k report, here with sum zero.
        """
        own = self.reports - self.reports.mean(axis=1, keepdims=True)
        return np.asarray(self.sharpness * own)

    def with_reports(self, group: int, share: float, reports: FloatArray) -> AnnotatorGroups:
        """The same people, where a share of one group votes as if its utilities were others.

        Args:
            group: Index of the group.
            share: In [0, 1]; of the group.
            reports: Shape [m].

        Raises:
            InputError: The share is outside its range, there is no such group, or the reports are
                not of shape [m].
        """
        if not 0 <= share <= 1:
            raise InputError(f"share: expected a number in [0, 1], got {share}")
        if not 0 <= group < len(self.shares):
            raise InputError(f"group: expected 0 to {len(self.shares) - 1}, got {group}")
        if reports.shape != self.reports[group].shape:
            raise InputError(
                f"reports: expected shape {self.reports[group].shape}, got {reports.shape}"
            )
        shares = np.append(self.shares, share * self.shares[group])
        shares[group] *= 1 - share
        return replace(
            self,
            shares=shares,
            utilities=np.vstack([self.utilities, self.utilities[group]]),
            reports=np.vstack([self.reports, reports]),
        )


def two_groups(
    *, first_share: float = 0.6, compromise: tuple[float, float] = (0.8, 0.8), sharpness: float = 30
) -> AnnotatorGroups:
    """Two groups: utilities (1, c1, 0) and (0, c2, 1) of ``OPTIONS``, all voting honestly.

    Args:
        first_share: Share of the group that wants A.
        compromise: c1 and c2, what each group gets from B.
        sharpness: k.
    """
    utilities = np.array([[1.0, compromise[0], 0.0], [0.0, compromise[1], 1.0]])
    return AnnotatorGroups(
        np.array([first_share, 1 - first_share]), utilities, utilities, sharpness
    )
