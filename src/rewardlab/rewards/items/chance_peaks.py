"""How far apart chance alone puts two items: the largest difference among them, by normal draws."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from rewardlab.types import BoolArray, FloatArray

BLOCK_DRAWS = 128
BLOCK_ITEMS = 128
SMALL = 40
ROUNDING = np.float32(1 + 1e-5)
"""By how much a bound is raised, lest rounding puts it below what it bounds."""

Matrix32 = NDArray[np.float32]


def normal_draws(matrix: FloatArray, n_draws: int, rng: np.random.Generator) -> Matrix32:
    """Shape [B, m]; normal vectors with this covariance; 0 where it is NaN.

    Args:
        matrix: Shape [m, m]; may be singular.
        n_draws: B.
        rng: Source of the draws.
    """
    known = np.flatnonzero(~np.isnan(np.diagonal(matrix)))
    all_known = len(known) == len(matrix)
    root, place = _root(matrix if all_known else matrix[np.ix_(known, known)])
    draws = np.zeros((n_draws, len(known)), dtype=np.float32)
    for first in range(0, n_draws, BLOCK_DRAWS):
        drawn = draws[first : first + BLOCK_DRAWS]
        noise = rng.standard_normal(drawn.shape, dtype=np.float32)
        for begin in range(0, len(known), BLOCK_ITEMS):
            end = begin + BLOCK_ITEMS  # nothing stands to the right of the diagonal
            drawn[:, begin:end] = noise[:, :end] @ root[begin:end, :end].T
    if all_known and place is None:
        return draws
    spread = np.zeros((n_draws, len(matrix)), dtype=np.float32)
    spread[:, known if place is None else known[place]] = draws
    return spread


def _root(matrix: FloatArray) -> tuple[Matrix32, NDArray[np.intp] | None]:
    """(lower triangular root, whose rows are which items; None for as they stand)."""
    try:
        return np.linalg.cholesky(matrix).astype(np.float32), None
    except np.linalg.LinAlgError:
        pivoted, pivot, rank, _ = scipy.linalg.lapack.dpstrf(matrix, lower=True, tol=-1.0)
    pivoted[:, rank:] = 0
    return np.tril(pivoted).astype(np.float32), pivot - 1


class ChancePeaks:
    """The largest of weight_ij (z_i - z_j) of each draw z, for weights that only ever fall to 0.

    With d the deviations of z, weight_ij (z_i - z_j) is at most weight_ij |(d_i, d_j)| times
    |(max(z_i, 0) / d_i, min(z_j, 0) / d_j)|. What bounds a draw once bounds it from then on.
    """

    def __init__(self, z: Matrix32, weight: Matrix32) -> None:
        """Of draws of shape [B, m] and weights >= 0 of shape [m, m], which are kept and changed."""
        self.z, self.weight = z, weight
        if len(weight) <= SMALL:
            return
        square = np.einsum("bi,bi->i", z, z) / len(z)
        self._deviation = np.maximum(np.sqrt(square), np.float32(1e-30))
        square = self._deviation**2
        self._stretched = square[:, None] + square
        self._stretched *= weight
        self._stretched *= weight
        self._stretched *= ROUNDING**2
        self._bounds, self._high, self._low = self._first_bounds()

    def leave_out(self, pairs: BoolArray) -> None:
        """Set the weights of these pairs, of shape [m, m], to 0."""
        np.copyto(self.weight, np.float32(0), where=pairs)
        if len(self.weight) > SMALL:
            np.copyto(self._stretched, np.float32(0), where=pairs)

    def quantile(self, level: float) -> float:
        """Quantile over the draws of their peaks, the next higher draw.

        Few draws can matter, and of these few items: those whose bound exceeds what so many draws
        as lie above the quantile are known to reach.
        """
        z, n = self.z, len(self.z)
        place = int(np.ceil(level * (n - 1)))
        if len(self.weight) <= SMALL:
            return float(np.partition(_all_peaks(z, self.weight), place)[place])
        each = np.arange(n)
        apart = z[each, self._high] - z[each, self._low]
        peaks = np.maximum(self.weight[self._high, self._low] * apart, 0)
        by_row, by_column = self._stretched.max(axis=1), self._stretched.max(axis=0)
        known = np.partition(peaks, place)[place]
        for b in np.argsort(-self._bounds):
            if self._bounds[b] <= known**2:
                break
            peak = self._peak_above(b, by_row, by_column, known)
            self._bounds[b] = min(self._bounds[b], (max(peak, known) * ROUNDING) ** 2)
            if peak > peaks[b]:
                peaks[b] = peak
                known = np.partition(peaks, place)[place]
        return float(known)

    def _first_bounds(self) -> tuple[Matrix32, NDArray[np.intp], NDArray[np.intp]]:
        """Shape [B] each: squares that no peak exceeds, and a pair of items likely far apart."""
        n = len(self.z)
        by_row, by_column = self._stretched.max(axis=1), self._stretched.max(axis=0)
        bounds = np.empty(n, dtype=np.float32)
        high, low = np.empty(n, dtype=np.intp), np.empty(n, dtype=np.intp)
        for first in range(0, n, BLOCK_DRAWS):
            part = slice(first, first + BLOCK_DRAWS)
            of_row, of_column = self._bounds_of(self.z[part], by_row, by_column)
            high[part], low[part] = of_row.argmax(axis=1), of_column.argmax(axis=1)
            bounds[part] = np.minimum(of_row.max(axis=1), of_column.max(axis=1))
        return bounds, high, low

    def _bounds_of(
        self, z: Matrix32, by_row: Matrix32, by_column: Matrix32
    ) -> tuple[Matrix32, Matrix32]:
        """Shape [b, m] each: squares that no pair with the item first, and second, exceeds."""
        scaled = z / self._deviation
        up = np.maximum(scaled, np.float32(0))
        down = scaled - up
        up *= up
        down *= down
        highest, lowest = up.max(axis=1, keepdims=True), down.max(axis=1, keepdims=True)
        up += lowest
        up *= by_row
        down += highest
        down *= by_column
        return up, down

    def _peak_above(
        self, b: int, by_row: Matrix32, by_column: Matrix32, known: np.float32
    ) -> np.float32:
        """A draw's peak; anything lower where it is not above what is known."""
        z = self.z[b]
        of_row, of_column = self._bounds_of(z[None], by_row, by_column)
        rows = np.flatnonzero(of_row[0] > known**2)
        columns = np.flatnonzero(of_column[0] > known**2)
        apart = (z[rows, None] - z[columns]) * self.weight[rows[:, None], columns]
        return np.float32(apart.max(initial=0))


def _all_peaks(draws: Matrix32, weight: Matrix32) -> Matrix32:
    """Shape [B]; those largest, of few items: all pairs looked at, many draws at a time."""
    peaks = [
        ((z[:, :, None] - z[:, None, :]) * weight).max(axis=(1, 2))
        for z in np.array_split(draws, max(1, len(draws) // BLOCK_DRAWS))
    ]
    return np.concatenate(peaks)
