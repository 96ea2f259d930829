"""Style as covariates of battles that stream from files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rewardlab.errors import FormatError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.style import STYLE_FEATURES, standardised, style_ratios
from rewardlab.rewards.vocabulary import Vocabulary
from rewardlab.types import FloatArray, Preferences


@dataclass(frozen=True, slots=True)
class StyledBattles:
    """Battles whose covariates of style are standardised.

    Attributes:
        battles: With them.
        left_out: Features in which no two responses differ.
    """

    battles: Battles
    left_out: tuple[str, ...]


def style_reader() -> Callable[[Preferences], FloatArray]:
    """Gives the ratios of ``STYLE_FEATURES`` of chunks of votes, tokens remembered between them."""
    vocabulary = Vocabulary()

    def ratios(chunk: Preferences) -> FloatArray:
        for a, b, i in zip(chunk.response_a, chunk.response_b, range(len(chunk)), strict=True):
            if a is None or b is None:
                raise FormatError(
                    f"{chunk.location(i)}: style is of the texts, and the row has none; name a "
                    "file of them with --join FILE --on COLUMN"
                )
        return style_ratios(chunk.response_a, chunk.response_b, vocabulary=vocabulary)

    return ratios


def with_standard_style(battles: Battles) -> StyledBattles:
    """The battles with each covariate of style over its root mean square.

    Args:
        battles: Their first covariates are ``STYLE_FEATURES``; the others stay as they are.
    """
    k = len(STYLE_FEATURES)
    if battles.covariates is None or battles.covariate_names[:k] != STYLE_FEATURES:
        raise FormatError("battles: expected covariates of style before all others")
    style = standardised(battles.covariates[:, :k], STYLE_FEATURES)
    names = style.names + battles.covariate_names[k:]
    values = np.hstack([style.values, battles.covariates[:, k:]])
    covariates = values if names else None
    styled = replace(battles, covariates=covariates, covariate_names=names)
    return StyledBattles(styled, style.left_out)
