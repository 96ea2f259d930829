"""Covariates that stand beside strengths: how two responses differ in length and format.

With them in the model, strengths are what is left when style is held alike ("style control").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards import text_features
from rewardlab.rewards.vocabulary import Vocabulary
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
    """The style of all battles at once: ``style_ratios``, then ``standardised``.

    Args:
        response_a: Length n.
        response_b: Length n.

    Raises:
        InputError: The lengths differ, or there is no response.
    """
    return standardised(style_ratios(response_a, response_b), STYLE_FEATURES)


def style_ratios(
    response_a: Sequence[Text | None],
    response_b: Sequence[Text | None],
    *,
    vocabulary: Vocabulary | None = None,
) -> FloatArray:
    """(x_a - x_b) / (x_a + x_b) of ``STYLE_FEATURES``, each battle by itself.

    Args:
        response_a: Length n; None is read as "".
        response_b: Length n.
        vocabulary: Tokens met before, to be quicker on a stream of battles.

    Returns:
        Shape [n, 4], in [-1, 1]; 0 where neither response has any.

    Raises:
        InputError: The lengths differ.

    Source: Li, Angelopoulos and Chiang (2024), "Does style matter? Disentangling style and
    substance in Chatbot Arena". Deviations: 1 is not added to the sums; length is in words, not
    tokens; italic counts with bold.
    """
    if len(response_a) != len(response_b):
        raise InputError(f"response_b: expected length {len(response_a)}, got {len(response_b)}")
    known = vocabulary if vocabulary is not None else Vocabulary()
    a, b = _style(response_a, known), _style(response_b, known)
    total = a + b
    return np.asarray((a - b) / np.where(total > 0, total, 1.0))


def standardised(values: FloatArray, names: Sequence[str]) -> Covariates:
    """Columns over their root mean squares: a coefficient is logits for a typical difference.

    They are not centred, as arenas do: a constant would be an effect of the side, and turning a
    battle round turns its covariates round.

    Args:
        values: Shape [n, k], finite; of a less of b, for all battles.
        names: Length k.

    Raises:
        InputError: There is no battle, or a value is not finite.
    """
    if not len(values) or not np.isfinite(values).all():
        raise InputError("values: expected finite numbers of at least one battle")
    size = np.sqrt(np.mean(values**2, axis=0))
    varies = size > 0
    return Covariates(
        values[:, varies] / size[varies],
        tuple(name for name, kept in zip(names, varies, strict=True) if kept),
        tuple(name for name, kept in zip(names, varies, strict=True) if not kept),
    )


def _style(responses: Sequence[Text | None], vocabulary: Vocabulary) -> FloatArray:
    """Shape [n, 4]; what ``STYLE_FEATURES`` count."""
    prompts = [""] * len(responses)
    features = text_features.compute(prompts, responses, vocabulary=vocabulary)
    return features[:, [text_features.NAMES.index(name) for name in STYLE_FEATURES]]
