"""Covariates that stand beside strengths: how two responses differ in length and format.

With them in the model, strengths are what is left when style is held alike ("style control").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards import text_features
from rewardlab.types import FloatArray, Text

STYLE_FEATURES: tuple[str, ...] = ("n_words", "headings", "list_items", "emphasis")
"""Text features that make up style, as ``text_features`` counts them."""


@dataclass(frozen=True, slots=True)
class Covariates:
    """Columns for ``Battles.covariates``.

    Attributes:
        values: Shape [n, k]; of a less of b.
        names: Length k.
        left_out: Names of columns in which no two responses differ, so that they explain nothing.
    """

    values: FloatArray
    names: tuple[str, ...]
    left_out: tuple[str, ...]


def style_covariates(response_a: Sequence[Text], response_b: Sequence[Text]) -> Covariates:
    """Words, headings, list items and bold or italic spans: (x_a - x_b) / (x_a + x_b), scaled.

    The ratio lies in [-1, 1] and is 0 where both are 0; it is divided by its root mean square over
    the battles, so that a coefficient is logits for a typical difference.

    Args:
        response_a: Length n.
        response_b: Length n.

    Raises:
        InputError: The lengths differ, or there is no response.

    Source: Li, Angelopoulos and Chiang (2024), "Does style matter? Disentangling style and
    substance in Chatbot Arena". Deviations: the ratios are not centred, since a constant would be
    an effect of the side, and turning a battle round turns its covariates round; 1 is not added to
    the sums; length is in words, not tokens, and italic counts with bold.
    """
    if len(response_a) != len(response_b):
        raise InputError(f"response_b: expected length {len(response_a)}, got {len(response_b)}")
    if not len(response_a):
        raise InputError("response_a: expected at least one response, got none")
    a, b = _style(response_a), _style(response_b)
    total = a + b
    ratio = (a - b) / np.where(total > 0, total, 1.0)
    size = np.sqrt(np.mean(ratio**2, axis=0))
    return _varying(ratio / np.where(size > 0, size, 1.0), STYLE_FEATURES)


def column_covariates(columns: Mapping[str, tuple[FloatArray, FloatArray]]) -> Covariates:
    """Differences of numbers that a file holds for both sides, in their own units.

    Args:
        columns: Name -> the numbers of side a and of side b, shape [n] each.

    Raises:
        InputError: There is no column, shapes disagree, or a number is not finite.
    """
    if not columns:
        raise InputError("columns: expected at least one pair of columns, got none")
    n = len(next(iter(columns.values()))[0])
    for name, sides in columns.items():
        for side, values in zip("ab", sides, strict=True):
            if values.shape != (n,):
                raise InputError(f"{name}, side {side}: expected shape [{n}], got {values.shape}")
            if not np.isfinite(values).all():
                n_bad = int(np.sum(~np.isfinite(values)))
                raise InputError(
                    f"{name}, side {side}: expected finite numbers, got {n_bad:,} that are not; "
                    "leave these rows out"
                )
    return _varying(np.column_stack([a - b for a, b in columns.values()]), tuple(columns))


def _style(responses: Sequence[Text]) -> FloatArray:
    """Shape [n, 4]; what ``STYLE_FEATURES`` count."""
    features = text_features.compute([""] * len(responses), responses)
    return features[:, [text_features.NAMES.index(name) for name in STYLE_FEATURES]]


def _varying(values: FloatArray, names: tuple[str, ...]) -> Covariates:
    varies = np.any(values != 0, axis=0)
    return Covariates(
        np.ascontiguousarray(values[:, varies]),
        tuple(name for name, kept in zip(names, varies, strict=True) if kept),
        tuple(name for name, kept in zip(names, varies, strict=True) if not kept),
    )
