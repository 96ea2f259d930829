"""Resamples of the same pairs of items, fitted together, and which of them have a finite fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.model import Prior
from rewardlab.rewards.items.prior_terms import prior_curvature, prior_gradient
from rewardlab.rewards.items.quasi_newton import NEAR_BEFORE
from rewardlab.rewards.items.within_groups import pin_shifts
from rewardlab.types import BoolArray, FloatArray, IntArray

Bits = NDArray[np.uint8]

MAX_STEPS = 40


@dataclass(frozen=True, slots=True)
class PairResamples:
    """Counts of R resamples of c cells.

    Attributes:
        i: Shape [c], codes.
        j: Shape [c], codes.
        i_won: Shape [c, R]; votes for i, ties as the model counts them.
        j_won: Shape [c, R].
    """

    i: IntArray
    j: IntArray
    i_won: FloatArray
    j_won: FloatArray


def refit_together(
    resamples: PairResamples,
    cells: Cells,
    strength: FloatArray,
    prior: Prior | None,
    group: IntArray,
    *,
    tol: float,
) -> tuple[FloatArray, BoolArray]:
    """Strengths of each resample by Newton's steps with one Hessian, that of the fit.

    Each resample's steps are scaled by the square root of how many votes its items have there, over
    those they had.

    Args:
        resamples: Counts.
        cells: What was resampled.
        strength: Shape [m]; of the fit.
        prior: On the strengths.
        group: Shape [m], codes.
        tol: Largest gradient a vote.

    Returns:
        Strengths of shape [m, R], and which of them have reached the tolerance, of shape [R].
    """
    at_i, at_j = _incidence(resamples.i, len(strength)), _incidence(resamples.j, len(strength))
    either = (at_i + at_j).tocsr()
    votes = resamples.i_won + resamples.j_won
    wins, size = at_i @ resamples.i_won + at_j @ resamples.j_won, either @ votes
    expected_votes = either @ cells.n
    scale = np.sqrt(np.maximum(size, 0.5) / np.maximum(expected_votes, 0.5)[:, None])
    factor = scipy.linalg.cho_factor(_hessian(cells, strength, prior, group))
    found = np.repeat(strength[:, None], votes.shape[1], axis=1)
    left = np.arange(votes.shape[1])
    fall = np.full(len(left), np.inf)
    for _ in range(MAX_STEPS):
        s = found[:, left]
        worth = np.exp(s)
        share = votes / (worth[resamples.i] + worth[resamples.j])
        gradient = worth * (either @ share) - wins + prior_gradient(prior, s)
        norm = np.max(np.abs(gradient) / np.maximum(size, 1.0), axis=0)
        more = (norm > tol) | (fall > NEAR_BEFORE)
        if not more.all():
            left, votes, wins, size = left[more], votes[:, more], wins[:, more], size[:, more]
            scale, s, gradient = scale[:, more], s[:, more], gradient[:, more]
        if not len(left):
            break
        step = scipy.linalg.cho_solve(factor, gradient / scale, check_finite=False) / scale
        fall = np.einsum("ir,ir->r", gradient, step)
        found[:, left] = s - np.clip(step, -2.0, 2.0)
    ended = np.ones(found.shape[1], dtype=bool)
    ended[left] = False
    return found, ended


def _incidence(item: IntArray, m: int) -> scipy.sparse.csr_matrix:
    c = len(item)
    return scipy.sparse.csr_matrix((np.ones(c), (item, np.arange(c))), shape=(m, c))


def _hessian(
    cells: Cells, strength: FloatArray, prior: Prior | None, group: IntArray
) -> FloatArray:
    """Of the fit, made regular along each group's common shift."""
    m = len(strength)
    p = 1 / (1 + np.exp(strength[cells.j] - strength[cells.i]))
    curvature = cells.n * p * (1 - p)
    key = np.asarray(cells.i, dtype=np.int64) * m + cells.j
    between = np.bincount(key, curvature, m * m).reshape(m, m)
    between = between + between.T
    hessian: FloatArray = np.diag(between.sum(1) + prior_curvature(prior, strength)) - between
    pin_shifts(hessian, group)
    return np.asarray(hessian)


def have_fit(resamples: PairResamples, group: IntArray) -> BoolArray:
    """Shape [R]; whether wins lead from every item to every other of its group.

    All resamples are searched at once, a bit each.

    Args:
        resamples: Counts.
        group: Shape [m], codes.
    """
    first = np.unique(group, return_index=True)[1]
    winner = np.concatenate([resamples.i, resamples.j])
    loser = np.concatenate([resamples.j, resamples.i])
    present = np.packbits(np.concatenate([resamples.i_won > 0, resamples.j_won > 0]), axis=1)
    reached = _reached(winner, loser, present, first, len(group))
    reached &= _reached(loser, winner, present, first, len(group))
    everywhere = np.unpackbits(np.bitwise_and.reduce(reached, axis=0))
    return everywhere[: resamples.i_won.shape[1]].astype(bool)


def _reached(tail: IntArray, head: IntArray, present: Bits, first: IntArray, m: int) -> Bits:
    """Shape [m, bytes]; a bit for each resample where edges lead to the item from a first one."""
    order = np.argsort(head, kind="stable")
    tail, present = tail[order], present[order]
    heads, starts = np.unique(head[order], return_index=True)
    reached = np.zeros((m, present.shape[1]), dtype=np.uint8)
    reached[first] = 255
    while True:
        arriving = np.bitwise_or.reduceat(reached[tail] & present, starts, axis=0)
        after = reached[heads] | arriving
        if np.array_equal(after, reached[heads]):
            return reached
        reached[heads] = after
