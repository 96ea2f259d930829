"""A linear reward by Bradley-Terry: P(a is better) = sigma(w . (x_a - x_b)), fitted by Newton.

There is no intercept: which of two responses is called a is arbitrary, and a constant in the
difference would be a preference for a side, not for a response. A tie is a label of 1/2, a soft
label any probability; both enter the log loss as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.rewards.separation import check_not_separated
from rewardlab.types import FloatArray

CHUNK_ROWS = 2048
MAX_ITERATIONS = 60
MAX_HALVINGS = 30
SUBSAMPLE = 16
ROUGH = 1e-2
EXTREME = 10.0
"""Logits a typical difference; a fit beyond is checked for separation before it is believed."""
SUFFICIENT_DECREASE = 1e-4


@dataclass(frozen=True, slots=True)
class LinearFit:
    """Weights of a linear reward and how they were reached.

    Attributes:
        weights: Shape [d], logits per unit of each feature.
        l2: Penalty that was added to the summed log loss: l2 / 2 * |weights|^2.
        log_loss: Mean over rows (by their weights) of the loss without penalty, in nats.
        gradient_norm: Largest absolute entry of the gradient of the summed, penalised loss.
        hessian: Shape [d, d]; of the summed, penalised loss at the weights.
        iterations: Newton steps taken.
        n: Rows used.
    """

    weights: FloatArray
    l2: float
    log_loss: float
    gradient_norm: float
    hessian: FloatArray
    iterations: int
    n: int


@dataclass(frozen=True, slots=True)
class _Rows:
    """Comparisons as ``fit`` checked them; shape [n, d], and [n] each."""

    differences: FloatArray
    label: FloatArray
    row_weight: FloatArray
    margin: FloatArray
    offset: FloatArray

    def part(self, rows: slice) -> _Rows:
        """Some of the rows; those of the differences contiguous."""
        return _Rows(
            np.ascontiguousarray(self.differences[rows]),
            self.label[rows],
            self.row_weight[rows],
            self.margin[rows],
            self.offset[rows],
        )

    def chunks(self) -> Iterator[_Rows]:
        for first in range(0, len(self.label), CHUNK_ROWS):
            yield self.part(slice(first, first + CHUNK_ROWS))


def fit(
    differences: FloatArray,
    label: FloatArray,
    *,
    l2: float = 0.0,
    row_weight: FloatArray | None = None,
    margin: FloatArray | None = None,
    offset: FloatArray | None = None,
    start: FloatArray | None = None,
    tol: float = 1e-8,
    names: Sequence[str] = (),
) -> LinearFit:
    """Weights that minimise the summed log loss + l2 / 2 * |w|^2.

    Args:
        differences: Shape [n, d]; features of a less features of b, finite.
        label: Shape [n], in [0, 1]; probability that a is better, 1/2 for a tie.
        l2: Penalty, >= 0.
        row_weight: Shape [n], >= 0; 1 if not given.
        margin: Shape [n], >= 0; by how much the winner's reward must be ahead, in logits: the loss
            is -log sigma(delta - margin) for the winner. NaN and None mean 0.
        offset: Shape [n], finite; logits that each comparison has before any weight, 0 if not
            given.
        start: Shape [d]; first weights, 0 if not given.
        tol: The fit ends when the next step is shorter than ``tol`` standard errors.
        names: Names of the features for messages, length d.

    Raises:
        InputError: Shapes disagree, or an argument is outside its range.
        SeparationError: A combination of features predicts every outcome, so that there is no
            finite maximum (only without a penalty).
        ConvergenceError: Newton's method did not end; dependent features are named as a cause.

    Source: Bradley and Terry (1952); the margin is equation 2 of Touvron et al. (2023),
    arXiv:2307.09288, here for soft labels too: each side's loss carries the margin.
    """
    rows = _checked(differences, label, l2, row_weight, margin, offset)
    first = _start(rows, l2) if start is None else np.asarray(start, dtype=float)
    used = rows.row_weight > 0
    try:
        fitted = _newton(rows, first, l2, tol)
    except ConvergenceError:
        if l2 == 0:
            check_not_separated(rows.differences[used], rows.label[used], names=names)
        raise
    # Along a separated direction the loss flattens until rounding ends the steps.
    if l2 == 0 and np.max(np.abs(fitted.weights) * _spread(rows)) > EXTREME:
        check_not_separated(rows.differences[used], rows.label[used], names=names)
    return fitted


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


def _checked(
    differences: FloatArray,
    label: FloatArray,
    l2: float,
    row_weight: FloatArray | None,
    margin: FloatArray | None,
    offset: FloatArray | None,
) -> _Rows:
    if differences.ndim != 2 or 0 in differences.shape:
        raise InputError(f"differences: expected shape [n, d], got {differences.shape}")
    n = len(differences)
    weight = np.ones(n) if row_weight is None else np.asarray(row_weight, dtype=float)
    ahead = np.zeros(n) if margin is None else np.nan_to_num(margin, nan=0.0, posinf=np.inf)
    before = np.zeros(n) if offset is None else np.asarray(offset, dtype=float)
    columns = {"label": label, "row_weight": weight, "margin": ahead, "offset": before}
    for name, values in columns.items():
        if values.shape != (n,):
            raise InputError(f"{name}: expected shape [{n}], got {values.shape}")
    for name, values in (("differences", differences), ("offset", before)):
        if not np.isfinite(values).all():
            raise InputError(f"{name}: expected finite numbers")
    if not bool(np.all((label >= 0) & (label <= 1))):
        raise InputError("label: expected probabilities in [0, 1]")
    if not bool(np.all((weight >= 0) & np.isfinite(weight)) and weight.sum() > 0):
        raise InputError("row_weight: expected finite numbers >= 0, not all 0")
    if not bool(np.all((ahead >= 0) & np.isfinite(ahead))):
        raise InputError("margin: expected finite numbers >= 0")
    if not (np.isfinite(l2) and l2 >= 0):
        raise InputError(f"l2: expected a finite number >= 0, got {l2}")
    return _Rows(np.asarray(differences, dtype=float), label, weight, ahead, before)


@dataclass(frozen=True, slots=True)
class _Point:
    """Weights, and the summed, penalised loss there with its gradient and Hessian."""

    weights: FloatArray
    loss: float
    gradient: FloatArray
    hessian: FloatArray


def _spread(rows: _Rows) -> FloatArray:
    """Shape [d]; root mean square of each column."""
    squares = np.einsum("ij,ij->j", rows.differences, rows.differences)
    return np.asarray(np.sqrt(squares / len(rows.label)))


def _newton(rows: _Rows, start: FloatArray, l2: float, tol: float) -> LinearFit:
    """Newton's method with halved steps, from ``start``."""
    scale = _spread(rows)
    at = _evaluate(rows, start, l2)
    for iteration in range(MAX_ITERATIONS):
        step, decrement = _newton_step(at)
        # In standard errors alone a step along a separated direction looks short, because its
        # standard error grows without bound; so it must also be short in logits.
        if decrement <= tol and np.max(np.abs(step) * scale) <= np.sqrt(tol):
            return _finished(rows, at, l2, iteration)
        at = _line_search(rows, at, step, decrement, l2)
    raise ConvergenceError(f"linear fit: Newton's method did not end in {MAX_ITERATIONS} steps")


def _finished(rows: _Rows, at: _Point, l2: float, iterations: int) -> LinearFit:
    penalty = l2 / 2 * float(at.weights @ at.weights)
    return LinearFit(
        weights=at.weights,
        l2=l2,
        log_loss=(at.loss - penalty) / float(rows.row_weight.sum()),
        gradient_norm=float(np.max(np.abs(at.gradient))),
        hessian=at.hessian,
        iterations=iterations,
        n=len(rows.label),
    )


def _newton_step(at: _Point) -> tuple[FloatArray, float]:
    """The step, and its length in standard errors (the Newton decrement)."""
    scale = np.sqrt(np.diagonal(at.hessian))
    if not np.all(scale > 0):
        raise ConvergenceError("linear fit: a feature has no curvature: it never differs")
    # LAPACK itself: small fits by the hundred spend a quarter of their time in wrappers' checks.
    factor, failed = lapack.dpotrf(at.hessian / np.outer(scale, scale))
    if failed:
        raise ConvergenceError("linear fit: singular curvature: features are linearly dependent")
    step = -lapack.dpotrs(factor, at.gradient / scale)[0] / scale
    return step, float(np.sqrt(max(-(at.gradient @ step), 0.0)))


def _line_search(rows: _Rows, at: _Point, step: FloatArray, decrement: float, l2: float) -> _Point:
    """The point after the longest halved step that lowers the loss enough."""
    size = 1.0
    rounding = 1e-12 * max(abs(at.loss), 1.0)
    for _ in range(MAX_HALVINGS):
        moved = _evaluate(rows, at.weights + size * step, l2)
        if moved.loss <= at.loss - SUFFICIENT_DECREASE * size * decrement**2 + rounding:
            return moved
        size /= 2
    raise ConvergenceError("linear fit: no step along Newton's direction lowers the loss")


def _evaluate(rows: _Rows, weights: FloatArray, l2: float) -> _Point:
    """Loss, gradient and Hessian in one pass over chunks of rows."""
    loss = l2 / 2 * float(weights @ weights)
    gradient, hessian = l2 * weights, l2 * np.eye(len(weights))
    for chunk in rows.chunks():
        x = chunk.differences
        at = row_terms(x @ weights + chunk.offset, chunk.label, margin=chunk.margin)
        loss += float(at.loss @ chunk.row_weight)
        gradient -= x.T @ (at.score * chunk.row_weight)
        # Both factors scaled by the root keep the product a symmetric rank-k update.
        scaled = x * np.sqrt(at.curvature * chunk.row_weight)[:, None]
        hessian += scaled.T @ scaled
    return _Point(weights, loss, gradient, hessian)


def _start(rows: _Rows, l2: float) -> FloatArray:
    """Weights of a rough fit to every 16th row where there are many rows, else 0."""
    n, d = rows.differences.shape
    if n < SUBSAMPLE * 200 * d:
        return np.zeros(d)
    sample = rows.part(slice(None, None, SUBSAMPLE))
    try:
        return _newton(sample, np.zeros(d), l2 / SUBSAMPLE, ROUGH).weights
    except ConvergenceError:
        # The sample may be separable where all rows are not; the start does not alter the end.
        return np.zeros(d)
