"""What the order of votes does to Elo, as plain JSON values."""

from __future__ import annotations

from typing import Any

from rewardlab.rewards.elo_orders import OrderSpread, spread_sentence


def elo_orders_json(spread: OrderSpread) -> dict[str, Any]:
    """Elo over random orders of the same votes: what the order alone does, and each item's."""
    best, worst = spread.rank_range
    mean, deviation = spread.mean, spread.std
    return {
        "k": spread.k,
        "orders": spread.n_orders,
        "std_points": spread.typical_std,
        "pairs_the_other_way": spread.swapped_share,
        "sentence": spread_sentence(spread),
        "items": [
            {
                "item": name,
                "in_file_order": float(spread.as_given[i]),
                "mean": float(mean[i]),
                "std": float(deviation[i]),
                "rank_best": int(best[i]),
                "rank_worst": int(worst[i]),
            }
            for i, name in enumerate(spread.names)
        ],
    }
