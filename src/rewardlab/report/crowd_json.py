"""Annotators' flip rates as plain values."""

from __future__ import annotations

from rewardlab.rewards.items.crowd import CrowdFit


def annotators_json(crowd: CrowdFit) -> list[dict[str, object]]:
    """Each annotator's votes, flip rate with its interval, and why nothing can be said of them."""
    return [
        {
            "annotator": name,
            "flip_rate": float(crowd.flip_rate[k]),
            "low": float(crowd.low[k]),
            "high": float(crowd.high[k]),
            "votes": int(crowd.n_votes[k]),
            "ties": int(crowd.n_ties[k]),
            "why_not": crowd.why_not[k],
        }
        for k, name in enumerate(crowd.annotator_names)
    ]
