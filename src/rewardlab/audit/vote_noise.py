"""What one agreement rate implies of the votes behind it, under a simple model of their noise."""

from __future__ import annotations

from dataclasses import dataclass

from scipy import special

from rewardlab.audit.ceiling import equal_noise_ceiling
from rewardlab.errors import InputError


@dataclass(frozen=True, slots=True)
class TwoKinds:
    """Votes on two kinds of pairs: settled ones, and open ones that are all equally noisy.

    Attributes:
        agreement: Chance that two voters on the same pair agree, ties set aside.
        settled: Share of pairs on which every voter says the same.
        favourite: Chance that a voter on an open pair prefers its favourite.
    """

    agreement: float
    settled: float
    favourite: float

    @property
    def flip_rate(self) -> float:
        """Share of votes on open pairs that go against the favourite."""
        return 1 - self.favourite

    @property
    def ceiling(self) -> float:
        """Accuracy of a perfect reward against single votes."""
        return self.against_majority(1)

    def against_majority(self, votes: int) -> float:
        """Accuracy of a perfect reward against the majority of an odd number of votes a pair.

        Raises:
            InputError: The number is even, or not positive.
        """
        if votes < 1 or votes % 2 == 0:
            raise InputError(f"votes: expected an odd number, got {votes}")
        # P(Binomial(m, q) > m/2) is the incomplete beta function at q.
        half = (votes + 1) / 2
        won = float(special.betainc(half, half, self.favourite))
        return self.settled + (1 - self.settled) * won


def two_kinds(agreement: float, unevenness: float = 0.0) -> TwoKinds:
    """The votes that agree at a given rate: a = s + (1 - s)(q^2 + (1 - q)^2), s = u (2a - 1).

    Unevenness 0 gives the same noise everywhere, with flip rate (1 - sqrt(2a - 1))/2 and the
    highest ceiling; 1 gives pairs that are either settled or a coin, and a ceiling of a.

    Args:
        agreement: a, in [.5, 1].
        unevenness: u, in [0, 1]; how far the agreement comes from settled pairs.

    Raises:
        InputError: An argument is outside its range.
    """
    for name, value, low in (("agreement", agreement, 0.5), ("unevenness", unevenness, 0.0)):
        if not low <= value <= 1:
            raise InputError(f"{name}: expected a number from {low:g} to 1, got {value:g}")
    settled = unevenness * (2 * agreement - 1)
    if settled == 1:
        return TwoKinds(agreement, 1.0, 1.0)
    of_open = (agreement - settled) / (1 - settled)
    return TwoKinds(agreement, settled, float(equal_noise_ceiling(of_open)))
