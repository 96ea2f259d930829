"""The scale on which strengths are shown: logits about the mean, or Elo points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.column_names import did_you_mean
from rewardlab.rewards.elo import POINTS_PER_LOGIT
from rewardlab.rewards.items.fit import ItemFit
from rewardlab.types import FloatArray

ScaleName = Literal["logits", "elo"]
ELO_CENTRE = 1000.0


@dataclass(frozen=True, slots=True)
class StrengthScale:
    """How a strength in logits becomes a figure.

    Attributes:
        name: "logits", centred at 0 in each group; "elo", 400 / ln 10 points a logit, at 1000.
        anchor: (item, figure that it shall have); its group is shifted as a whole. An interval
            stays that of a strength about its group's mean: the anchor's is no narrower.
    """

    name: ScaleName = "logits"
    anchor: tuple[str, float] | None = None

    @property
    def points_per_logit(self) -> float:
        """What a logit is in points of the scale."""
        return POINTS_PER_LOGIT if self.name == "elo" else 1.0

    def shift(self, fitted: ItemFit) -> FloatArray:
        """Shape [m]; what is added to a strength times ``points_per_logit``.

        Raises:
            InputError: The scale is not of the fit's link, or there is no such item.
        """
        if self.name == "elo" and fitted.model.link != "logistic":
            raise InputError("scale: Elo points are of the logistic link; take logits for probit")
        shift = np.full(len(fitted.names), ELO_CENTRE if self.name == "elo" else 0.0)
        if self.anchor is None:
            return shift
        name, figure = self.anchor
        if name not in fitted.names:
            hint = did_you_mean(fitted.names, name)
            raise InputError(f"anchor: there is no item {name!r}{'; ' + hint if hint else ''}")
        if not math.isfinite(figure):
            raise InputError(f"anchor: expected a finite figure for {name!r}, got {figure}")
        at = fitted.names.index(name)
        here = fitted.group == fitted.group[at]
        shift[here] = figure - self.points_per_logit * fitted.strength[at]
        return shift
