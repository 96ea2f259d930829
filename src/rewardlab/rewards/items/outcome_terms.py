"""Loss of each cell's votes at D, and its derivatives by D and by the tie parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.link_terms import link_terms
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.tie_terms import (
    TieTerms,
    davidson_total,
    rao_kupper_tie,
    rao_kupper_win,
)
from rewardlab.rewards.row_terms import row_terms
from rewardlab.types import FloatArray


@dataclass(frozen=True, slots=True)
class CellTerms:
    """Summed loss of each cell's votes, in nats, and its derivatives.

    Attributes:
        loss: Shape [c]; infinite where the tie parameter is outside its range.
        slope: Shape [c]; by D.
        curvature: Shape [c]; by D twice.
        tie_slope: Shape [c]; by the tie parameter; None without one.
        tie_curvature: Shape [c]; by it twice.
        cross: Shape [c]; by it and D.
    """

    loss: FloatArray
    slope: FloatArray
    curvature: FloatArray
    tie_slope: FloatArray | None = None
    tie_curvature: FloatArray | None = None
    cross: FloatArray | None = None


def cell_terms(model: ItemModel, cells: Cells, delta: FloatArray, tie: float) -> CellTerms:
    """The terms at D; all are convex in D and the tie parameter together.

    Each side's loss carries the cell's margin, half-won ties too. Where ties are an outcome of
    their own nobody has to be ahead in them, and their margin is not read.

    Args:
        model: What votes follow.
        cells: c of them; votes that the model leaves out count for nothing.
        delta: Shape [c]; D.
        tie: log nu (Davidson) or the threshold (Rao-Kupper); not read where the model has none.
    """
    if model.ties == "davidson":
        return _of_ties(_davidson(cells, delta, tie))
    if model.ties == "rao-kupper":
        return _of_ties(_rao_kupper(model, cells, delta, tie))
    half = cells.n_tie / 2 if model.ties == "half" else 0.0
    won, lost = cells.n_i + half, cells.n_j + half
    if model.link == "logistic":
        n = won + lost
        at = row_terms(delta, won / np.where(n > 0, n, 1.0), margin=cells.margin)
        return CellTerms(n * at.loss, -n * at.score, n * at.curvature)
    margin = 0.0 if cells.margin is None else cells.margin
    up, down = link_terms(model.link, delta - margin), link_terms(model.link, -delta - margin)
    return CellTerms(
        won * up.loss + lost * down.loss,
        won * up.slope - lost * down.slope,
        won * up.curvature + lost * down.curvature,
    )


def tie_start(model: ItemModel, cells: Cells) -> float:
    """The tie parameter of equal items that tie as often as all do; 0 where the model has none.

    Args:
        model: What votes follow.
        cells: With ties and with wins, if the model has a tie parameter.
    """
    share = float(cells.n_tie.sum() / cells.n.sum())
    if model.ties == "davidson":
        return math.log(2 * share / (1 - share))
    if model.ties == "rao-kupper":
        up = (1 + share) / 2
        return float(
            scipy.special.logit(up)
            if model.link == "logistic"
            else 2**0.5 * scipy.special.ndtri(up)
        )
    return 0.0


def _of_ties(at: TieTerms) -> CellTerms:
    return CellTerms(at.loss, at.d, at.dd, at.t, at.tt, at.dt)


def _davidson(cells: Cells, delta: FloatArray, log_nu: float) -> TieTerms:
    """Each outcome's loss is the total's, less its exponent: D/2, -D/2 or log nu."""
    if cells.margin is None:
        total = davidson_total(delta, log_nu).times(cells.n)
        ahead, behind = delta, -delta
    else:
        ahead, behind = delta - cells.margin, -delta - cells.margin
        total = davidson_total(ahead, log_nu).times(cells.n_i)
        total = total.plus(davidson_total(-behind, log_nu).times(cells.n_j))
        total = total.plus(davidson_total(delta, log_nu).times(cells.n_tie))
    own = cells.n_i * ahead / 2 + cells.n_j * behind / 2 + cells.n_tie * log_nu
    return TieTerms(
        total.loss - own,
        total.d + (cells.n_j - cells.n_i) / 2,
        total.dd,
        total.t - cells.n_tie,
        total.tt,
        total.dt,
    )


def _rao_kupper(model: ItemModel, cells: Cells, delta: FloatArray, threshold: float) -> TieTerms:
    if threshold <= 0:
        none = np.zeros_like(delta)
        return TieTerms(np.full_like(delta, np.inf), none, none, none, none, none)
    margin = 0.0 if cells.margin is None else cells.margin
    a = rao_kupper_win(model.link, delta - margin, threshold, side=1).times(cells.n_i)
    b = rao_kupper_win(model.link, delta + margin, threshold, side=-1).times(cells.n_j)
    return a.plus(b).plus(rao_kupper_tie(model.link, delta, threshold).times(cells.n_tie))
