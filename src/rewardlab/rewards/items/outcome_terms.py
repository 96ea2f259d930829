"""Loss of each cell's votes at D, and its derivatives by D and by the tie parameter."""

from __future__ import annotations

from dataclasses import dataclass

from rewardlab.errors import InputError
from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.linear import row_terms
from rewardlab.types import FloatArray


@dataclass(frozen=True, slots=True)
class CellTerms:
    """Summed loss of each cell's votes, in nats, and its derivatives.

    Attributes:
        loss: Shape [c].
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
    """The terms at D.

    Args:
        model: What votes follow.
        cells: c of them.
        delta: Shape [c]; D.
        tie: The tie parameter; not read where the model has none.
    """
    if model.tie_parameter or model.link != "logistic":
        raise InputError("model: not yet")
    half = cells.n_tie / 2 if model.ties == "half" else 0.0
    won, lost = cells.n_i + half, cells.n_j + half
    n = won + lost
    at = row_terms(delta, won / n, margin=cells.margin)
    return CellTerms(n * at.loss, -n * at.score, n * at.curvature)
