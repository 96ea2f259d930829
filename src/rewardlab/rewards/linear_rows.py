"""Comparisons of a linear reward, gone through a chunk at a time: loss, gradient and curvature.

Chunks are small enough to stay in the cache between the product that gives each row's delta and
the one that sums the rows' scores, so that a pass reads the features from memory once and keeps
nothing of the length of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.rewards.row_terms import row_terms
from rewardlab.types import BoolArray, FloatArray, IntArray

Features = NDArray[np.floating[Any]]
"""Differences of features in any precision; each chunk is read in double precision."""

CHUNK_BYTES = 1024 * 1024
"""What a chunk may hold of the features: it stays in the cache of one core, and its rows are
enough to outweigh the calls that each chunk costs."""
LEAST_ROWS, MOST_ROWS = 64, 16000
"""An array of as many numbers as the most rows is still memory that has been used before: what is
larger is often asked of the system anew, which costs more than to compute with it."""
BYTES_OF_PRODUCT, LEAST_ROWS_OF_PRODUCT = 192 * 1024, 1024
"""The same for chunks whose curvature is taken, which are copied; with fewer rows, adding up the
chunks' curvatures would cost as much as taking them."""
FEATURES_READ_AHEAD = 32
"""From so many features on the product with the weights waits for memory more than it computes:
it follows the rows, some at a time. A sum of squares runs through the chunk from end to end, which
memory serves more than twice as fast, and leaves it in the cache."""
LOGS_AT_ONCE = 8
"""Rows whose 1 + e^-delta are multiplied before one logarithm is taken."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Comparisons as ``check_rows`` left them; what is None is 1 (weights) or 0 for every row.

    Attributes:
        differences: Shape [n, d].
        label: Shape [n], in [0, 1].
        row_weight: Shape [n], >= 0.
        margin: Shape [n], >= 0, in logits.
        offset: Shape [n], in logits.
    """

    differences: Features
    label: FloatArray
    row_weight: FloatArray | None = None
    margin: FloatArray | None = None
    offset: FloatArray | None = None

    @property
    def total_weight(self) -> float:
        """Sum of the rows' weights."""
        return float(len(self.label) if self.row_weight is None else self.row_weight.sum())

    def part(self, rows: slice | IntArray | BoolArray) -> Rows:
        """Some of the rows."""
        return Rows(
            self.differences[rows],
            self.label[rows],
            None if self.row_weight is None else self.row_weight[rows],
            None if self.margin is None else self.margin[rows],
            None if self.offset is None else self.offset[rows],
        )

    def at(self, places: IntArray) -> Rows:
        """The rows at places >= 0; several times as fast as ``part`` where rows are short."""
        if not self.differences.flags.c_contiguous:
            return self.part(places)
        columns = (self.row_weight, self.margin, self.offset)
        taken = (None if column is None else column[places] for column in columns)
        return Rows(self.differences.take(places, axis=0), self.label[places], *taken)

    def chunks(self) -> Iterator[tuple[FloatArray, Rows]]:
        """A chunk at a time of all rows.

        Yields:
            The differences, contiguous in double precision, and the rows that they belong to.
        """
        n, d = self.differences.shape
        size = min(max(CHUNK_BYTES // (8 * d) // 8 * 8, LEAST_ROWS), MOST_ROWS)
        for first in range(0, n, size):
            chunk = self.part(slice(first, first + size))
            yield np.ascontiguousarray(chunk.differences, dtype=np.float64), chunk

    def chunks_for_product(
        self, places: IntArray | None = None
    ) -> Iterator[tuple[FloatArray, Rows]]:
        """The same in chunks for curvature, of all rows or of those at ``places``."""
        n, d = self.differences.shape
        size = max(BYTES_OF_PRODUCT // (8 * d) // 8 * 8, LEAST_ROWS_OF_PRODUCT)
        for first in range(0, n if places is None else len(places), size):
            rows = slice(first, first + size)
            chunk = self.part(rows) if places is None else self.at(places[rows])
            yield np.ascontiguousarray(chunk.differences, dtype=np.float64), chunk


def check_rows(
    differences: Features,
    label: FloatArray,
    *,
    row_weight: FloatArray | None,
    margin: FloatArray | None,
    offset: FloatArray | None,
) -> Rows:
    """The arguments of a fit as rows; the differences' finiteness is checked by the first pass.

    Raises:
        InputError: Shapes disagree, or a column is outside its range.
    """
    if differences.ndim != 2 or 0 in differences.shape:
        raise InputError(f"differences: expected shape [n, d], got {differences.shape}")
    n = len(differences)
    columns = {"label": label, "row_weight": row_weight, "margin": margin, "offset": offset}
    as_float = {
        name: np.asarray(values, dtype=float)
        for name, values in columns.items()
        if values is not None
    }
    if margin is not None:
        as_float["margin"] = np.nan_to_num(as_float["margin"], nan=0.0, posinf=np.inf)
    for name, values in as_float.items():
        if values.shape != (n,):
            raise InputError(f"{name}: expected shape [{n}], got {values.shape}")
    rows = Rows(differences, **as_float)
    _check_ranges(rows)
    return rows


def _check_ranges(rows: Rows) -> None:
    """Refuse columns outside their ranges; smallest and largest take no memory, and carry NaN."""
    if rows.offset is not None and not np.isfinite(rows.offset).all():
        raise InputError("offset: expected finite numbers")
    if not (rows.label.min() >= 0 and rows.label.max() <= 1):
        raise InputError("label: expected probabilities in [0, 1]")
    weight, margin = rows.row_weight, rows.margin
    if weight is not None and not (weight.min() >= 0 and 0 < weight.max() < np.inf):
        raise InputError("row_weight: expected finite numbers >= 0, not all 0")
    if margin is not None and not (margin.min() >= 0 and margin.max() < np.inf):
        raise InputError("margin: expected finite numbers >= 0")


def root_mean_squares(rows: Rows) -> FloatArray:
    """Shape [d]; of each column of the differences."""
    squares = np.zeros(rows.differences.shape[1])
    for x, _ in rows.chunks():
        squares += np.einsum("ij,ij->j", x, x)
    return np.asarray(np.sqrt(squares / len(rows.label)))


def loss_and_gradient(
    rows: Rows, weights: FloatArray, l2: float, *, with_loss: bool = True
) -> tuple[float, FloatArray]:
    """The summed, penalised loss and its gradient of shape [d], in one pass.

    Args:
        rows: The comparisons.
        weights: Shape [d].
        l2: Penalty, >= 0.
        with_loss: If not, the loss is NaN, and the pass shorter by a tenth.

    Raises:
        InputError: The differences are not finite.
    """
    loss, gradient = l2 / 2 * float(weights @ weights), l2 * weights
    moved = bool(weights.any())
    with np.errstate(over="ignore", invalid="ignore"):
        for x, chunk in rows.chunks():
            _read_ahead(x)
            delta = x @ weights if moved else np.zeros(len(x))
            part, score = _loss_and_score(delta, chunk, with_loss=with_loss)
            loss += part
            gradient -= score @ x
    _check_finite(rows, loss if with_loss else 0.0, gradient)
    return loss, gradient


def loss_gradient_hessian(
    rows: Rows, weights: FloatArray, l2: float, *, places: IntArray | None = None
) -> tuple[float, FloatArray, FloatArray]:
    """The same with the Hessian, of shape [d, d], of all rows or of those at ``places``.

    Raises:
        InputError: The differences are not finite.
    """
    d = len(weights)
    loss = l2 / 2 * float(weights @ weights)
    gradient, hessian, scaled = l2 * weights, np.zeros((d, d)), np.empty((0, d))
    hessian.flat[:: d + 1] = l2
    with np.errstate(over="ignore", invalid="ignore"):
        for x, chunk in rows.chunks_for_product(places):
            _read_ahead(x)
            part, score, curvature = _loss_score_curvature(x @ weights, chunk)
            loss += part
            gradient -= score @ x
            # Both factors scaled by the root keep the product a symmetric rank-k update.
            scaled = scaled[: len(x)] if len(scaled) >= len(x) else np.empty_like(x)
            np.multiply(x, np.sqrt(curvature, out=curvature)[:, None], out=scaled)
            hessian += scaled.T @ scaled
        _check_finite(rows, loss + float(hessian.trace()), gradient)
    return loss, gradient, hessian


def _read_ahead(x: FloatArray) -> None:
    """Bring a chunk into the cache, faster than products with it would; a copy is there already."""
    if x.shape[1] >= FEATURES_READ_AHEAD and x.base is not None:
        flat = x.reshape(-1)
        np.dot(flat, flat)


def _loss_and_score(
    delta: FloatArray, chunk: Rows, *, with_loss: bool = True
) -> tuple[float, FloatArray]:
    """Summed loss and each row's score, both weighted; ``delta`` without offset is used up.

    The loss is NaN if it is not asked for.
    """
    if chunk.offset is not None:
        delta += chunk.offset
    if chunk.margin is None and chunk.row_weight is None:
        # -log sigma(delta) + (1 - y) delta, and y - sigma, from one exponential.
        odds = np.negative(delta, out=np.empty_like(delta) if with_loss else delta)
        np.exp(odds, out=odds)
        odds += 1.0
        loss = float("nan")
        if with_loss:
            loss = _sum_of_logs(odds) + float(np.add.reduce(delta) - chunk.label @ delta)
        if np.isfinite(loss) or not with_loss:
            np.reciprocal(odds, out=odds)
            return loss, np.subtract(chunk.label, odds, out=odds)
    at = row_terms(delta, chunk.label, margin=chunk.margin)
    if chunk.row_weight is None:
        return float(at.loss.sum()), at.score
    return float(at.loss @ chunk.row_weight), at.score * chunk.row_weight


def _loss_score_curvature(delta: FloatArray, chunk: Rows) -> tuple[float, FloatArray, FloatArray]:
    """The same with each row's curvature, weighted."""
    weight = chunk.row_weight
    if chunk.margin is None and weight is None:
        loss, score = _loss_and_score(delta, chunk)
        win = chunk.label - score
        return loss, score, win * (1 - win)
    if chunk.offset is not None:
        delta += chunk.offset
    at = row_terms(delta, chunk.label, margin=chunk.margin)
    if weight is None:
        return float(at.loss.sum()), at.score, at.curvature
    return float(at.loss @ weight), at.score * weight, at.curvature * weight


def _sum_of_logs(values: FloatArray) -> float:
    """Sum of the logarithms of numbers of at least 1, inf where a product of a few overflows."""
    whole = len(values) // LOGS_AT_ONCE * LOGS_AT_ONCE
    products = np.multiply.reduce(values[:whole].reshape(LOGS_AT_ONCE, -1), axis=0)
    rest = np.multiply.reduce(values[whole:])
    return float(np.add.reduce(np.log(products, out=products)) + np.log(rest))


def _check_finite(rows: Rows, loss: float, gradient: FloatArray) -> None:
    """A number that is not finite anywhere in the data reaches every sum over them."""
    if np.isfinite(loss) and np.isfinite(gradient).all():
        return
    if not all(np.isfinite(x).all() for x, _ in rows.chunks()):
        raise InputError("differences: expected finite numbers")
    raise ConvergenceError("linear fit: the loss overflows; scale the features down")
