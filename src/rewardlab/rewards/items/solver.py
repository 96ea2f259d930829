"""Which solver an item fit takes: dense Newton for few items, limited-memory steps beyond."""

from __future__ import annotations

from rewardlab.rewards.items import newton
from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.compiled import Engine
from rewardlab.rewards.items.model import ItemModel
from rewardlab.rewards.items.newton import Solved


def solve(cells: Cells, model: ItemModel, *, tol: float, engine: Engine = "auto") -> Solved:
    """Theta at which no strength's gradient exceeds ``tol`` a vote.

    Raises:
        ConvergenceError: It was not reached.
    """
    return newton.solve(cells, model, tol=tol)
