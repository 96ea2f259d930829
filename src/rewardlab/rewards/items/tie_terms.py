"""Losses of a win, a loss and a tie under models with a tie parameter, with their derivatives.

Both losses are convex in D and the tie parameter together. Davidson's parameter is log nu, any
number; Rao and Kupper's is the threshold t > 0, and the loss of a tie grows without bound as t
falls to 0.

Source: Davidson (1970), JASA 65, 317-328; Rao and Kupper (1967), JASA 62, 194-204; Glenn and David
(1960), *Biometrics* 16, 86-109, for the threshold with the probit link.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from rewardlab.rewards.items.link_terms import LinkTerms, link_terms
from rewardlab.rewards.items.model import LinkName
from rewardlab.types import FloatArray


@dataclass(frozen=True, slots=True)
class TieTerms:
    """A loss in nats, and its derivatives by D and the tie parameter t; shape [c] each.

    Attributes:
        loss: The loss.
        d: By D.
        dd: By D twice.
        t: By t.
        tt: By t twice.
        dt: By D and t.
    """

    loss: FloatArray
    d: FloatArray
    dd: FloatArray
    t: FloatArray
    tt: FloatArray
    dt: FloatArray

    def times(self, n: FloatArray) -> TieTerms:
        """The terms of n such votes; n of shape [c]."""
        return TieTerms(
            n * self.loss, n * self.d, n * self.dd, n * self.t, n * self.tt, n * self.dt
        )

    def plus(self, other: TieTerms) -> TieTerms:
        """The terms of both."""
        return TieTerms(
            self.loss + other.loss,
            self.d + other.d,
            self.dd + other.dd,
            self.t + other.t,
            self.tt + other.tt,
            self.dt + other.dt,
        )


def davidson_total(delta: FloatArray, log_nu: float) -> TieTerms:
    """log(exp(D/2) + exp(-D/2) + nu): an outcome's loss is this less the outcome's own exponent."""
    half = delta / 2
    top = np.maximum(np.abs(half), log_nu)
    a, b, tie = np.exp(half - top), np.exp(-half - top), np.exp(log_nu - top)
    total = a + b + tie
    lead, decided, tied = (a - b) / total, (a + b) / total, tie / total
    return TieTerms(
        loss=top + np.log(total),
        d=lead / 2,
        dd=(decided - lead**2) / 4,
        t=tied,
        tt=tied * decided,
        dt=-lead * tied / 2,
    )


def rao_kupper_win(link: LinkName, delta: FloatArray, threshold: float, *, side: int) -> TieTerms:
    """-log F(D - t) for a win of side 1, -log F(-D - t) for one of side -1."""
    return _win(link_terms(link, side * delta - threshold), side)


def _win(at: LinkTerms, side: int) -> TieTerms:
    c = at.curvature
    return TieTerms(at.loss, side * at.slope, c, -at.slope, c, -side * c)


def rao_kupper_tie(link: LinkName, delta: FloatArray, threshold: float) -> TieTerms:
    """-log(F(D + t) - F(D - t)), t > 0."""
    return (_logistic_tie if link == "logistic" else _probit_tie)(delta, threshold)


def _logistic_tie(delta: FloatArray, t: float) -> TieTerms:
    """1 - sigma(D - t) - sigma(-D - t) = (exp(2t) - 1) sigma(D - t) sigma(-D - t)."""
    wins = _win(link_terms("logistic", delta - t), 1)
    both = wins.plus(_win(link_terms("logistic", -delta - t), -1))
    left = -math.expm1(-2 * t)
    return TieTerms(
        both.loss - (2 * t + math.log(left)),
        both.d,
        both.dd,
        both.t - 2 / left,
        both.tt + 4 * (1 - left) / left**2,
        both.dt,
    )


def _probit_tie(delta: FloatArray, t: float) -> TieTerms:
    """The same of Phi(D / sqrt 2), in logarithms: far from D = 0 both terms underflow."""
    away = np.abs(delta)
    near, far = (
        scipy.special.log_ndtr((t - away) / math.sqrt(2)),
        scipy.special.log_ndtr(-(t + away) / math.sqrt(2)),
    )
    log_p = near + np.log(-np.expm1(far - near))
    low, high = delta - t, delta + t
    # Densities at both thresholds over the chance between them.
    at_low, at_high = (
        np.exp(-(z**2) / 4 - math.log(2 * math.sqrt(math.pi)) - log_p) for z in (low, high)
    )
    less, more = at_high - at_low, at_high + at_low
    bend = (high * at_high - low * at_low) / 2
    return TieTerms(
        loss=-log_p,
        d=-less,
        dd=less**2 + bend,
        t=-more,
        tt=more**2 + bend,
        dt=less * more + (high * at_high + low * at_low) / 2,
    )
