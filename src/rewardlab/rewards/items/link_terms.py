"""Loss of a win at D under each link, with its first two derivatives."""

from __future__ import annotations

from dataclasses import dataclass

from rewardlab.rewards.items.model import LinkName
from rewardlab.rewards.losses import logistic, probit
from rewardlab.types import FloatArray

_THURSTONE = probit()


@dataclass(frozen=True, slots=True)
class LinkTerms:
    """-log P(win | D) and its derivatives by D, each of D's shape, in nats."""

    loss: FloatArray
    slope: FloatArray
    curvature: FloatArray


def link_terms(link: LinkName, delta: FloatArray) -> LinkTerms:
    """The terms of wins at D.

    Both curvatures follow from the slope g: p (1 - p) = -g (1 + g) for the logistic link, and
    g (g - D/2) for the probit of unit noise on each response, h (h + u) / 2 with u = D / sqrt 2.

    Args:
        link: "logistic" or "probit".
        delta: D, of any shape.
    """
    if link == "logistic":
        at = logistic(delta)
        return LinkTerms(at.loss, at.gradient, -at.gradient * (1 + at.gradient))
    at = _THURSTONE(delta)
    return LinkTerms(at.loss, at.gradient, at.gradient * (at.gradient - delta / 2))
