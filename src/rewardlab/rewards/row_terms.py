"""The log loss of comparisons as a function of delta, the reward of a less the reward of b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.types import FloatArray


@dataclass(frozen=True, slots=True)
class RowTerms:
    """Loss of each row and its derivatives with respect to delta = w . (x_a - x_b).

    Attributes:
        loss: Shape [n], in nats.
        score: Shape [n]; minus the first derivative, y - p without a margin.
        curvature: Shape [n]; the second derivative, p (1 - p) without a margin.
    """

    loss: FloatArray
    score: FloatArray
    curvature: FloatArray


def row_terms(
    delta: FloatArray, label: FloatArray, *, margin: FloatArray | None = None
) -> RowTerms:
    """-y log sigma(delta - m) - (1 - y) log sigma(-delta - m) for each row, with derivatives.

    Args:
        delta: Shape [n]; reward of a less reward of b, in logits.
        label: Shape [n]; y, the probability that a is better.
        margin: Shape [n]; m, 0 if not given.
    """
    if margin is None or not margin.any():
        loss, p = _win(delta)
        return RowTerms(loss + (1 - label) * delta, label - p, p * (1 - p))
    loss_a, p_a = _win(delta - margin)
    loss_b, p_b = _win(-delta - margin)
    return RowTerms(
        label * loss_a + (1 - label) * loss_b,
        label * (1 - p_a) - (1 - label) * (1 - p_b),
        label * p_a * (1 - p_a) + (1 - label) * p_b * (1 - p_b),
    )


def log_losses(
    delta: FloatArray, label: FloatArray, *, margin: FloatArray | None = None
) -> FloatArray:
    """Log loss of each comparison, in nats; see ``row_terms``."""
    return row_terms(delta, label, margin=margin).loss


def _win(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """-log sigma(z) and sigma(z), from one exponential that cannot overflow."""
    e = np.exp(-np.abs(z))
    return np.log1p(e) + np.maximum(-z, 0.0), np.where(z >= 0, 1.0, e) / (1.0 + e)
