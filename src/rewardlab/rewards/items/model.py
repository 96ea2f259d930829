"""Which model of votes an item fit takes, and which prior, if any."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rewardlab.errors import InputError

Ties = Literal["half", "davidson", "rao-kupper", "leave-out"]
LinkName = Literal["logistic", "probit"]


@dataclass(frozen=True, slots=True)
class Ridge:
    """Normal prior on each strength about its group's mean: l2 / 2 |s|^2 is added to the loss.

    Attributes:
        l2: > 0; 1 / variance, in logits^-2. It does not scale with the number of votes, so that a
            rare item is drawn in more than a frequent one.
    """

    l2: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.l2) and self.l2 > 0):
            raise InputError(f"l2: expected a finite number > 0, got {self.l2}")


@dataclass(frozen=True, slots=True)
class Gamma:
    """Gamma prior on each exp(strength), with its rate set so that the mode lies at strength 0.

    Adds sum_i (c - 1) (exp(s_i) - s_i) to the loss, near s = 0 as much as 2 (c - 1) wins and as
    many losses against a player of strength 0.

    Attributes:
        shape: c > 1; 1 would be no prior.

    Source: Caron and Doucet (2012), *Journal of Computational and Graphical Statistics* 21.
    """

    shape: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.shape) and self.shape > 1):
            raise InputError(f"shape: expected a finite number > 1, got {self.shape}")


Prior = Ridge | Gamma


@dataclass(frozen=True, slots=True)
class ItemModel:
    """What a vote follows, D being the strength of a less that of b.

    Attributes:
        ties: "half": half a win for each; "davidson": a third outcome of weight nu;
            "rao-kupper": what is left between two thresholds; "leave-out": ties are left out.
        link: "logistic" (Bradley-Terry) or "probit" (Thurstone, case V).
        position: Estimate what being side a adds to D, in logits.
        prior: On the strengths; None for maximum likelihood.
    """

    ties: Ties = "half"
    link: LinkName = "logistic"
    position: bool = False
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if self.ties == "davidson" and self.link == "probit":
            raise InputError("ties: Davidson's model has the logistic link only; take rao-kupper")

    @property
    def tie_parameter(self) -> bool:
        """True if the model estimates how often equals tie."""
        return self.ties in ("davidson", "rao-kupper")
