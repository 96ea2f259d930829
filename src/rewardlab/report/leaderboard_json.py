"""A leaderboard as plain JSON values."""

from __future__ import annotations

from typing import Any

from rewardlab.report.as_json import to_json
from rewardlab.rewards.items.leaderboard import Leaderboard
from rewardlab.rewards.items.leaderboard_words import sentences


def leaderboard_json(board: Leaderboard) -> dict[str, Any]:
    """Tables of rows, effects, settings and sentences; what is unknown or infinite is null."""
    fit = board.fit
    effects = [_effect(board, k) for k in range(len(fit.effect_names))]
    return {
        "tables": [[_row(board, k) for k in items.tolist()] for items in board.groups],
        "effects": effects,
        "model": to_json(fit.model),
        "options": to_json(board.options),
        "cluster": board.cluster,
        "n_clusters": board.n_clusters,
        "n_votes": fit.n,
        "n_ties": fit.n_ties,
        "log_loss": fit.log_loss,
        "gradient_norm": fit.gradient_norm,
        "iterations": fit.iterations,
        "solver": fit.solver,
        "intervals": None if board.intervals is None else board.intervals.method,
        "sentences": sentences(board),
        "warnings": list(board.warnings),
    }


def _row(board: Leaderboard, k: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "item": board.fit.names[k],
        "rank": int(board.rank[k]),
        "strength": float(board.value[k]),
        "logits": float(board.fit.strength[k]),
        "low": float(board.low[k]),
        "high": float(board.high[k]),
        "rank_low": None if board.ranges is None else int(board.ranges.low[k]),
        "rank_high": None if board.ranges is None else int(board.ranges.high[k]),
        "std_error_logits": None
        if board.intervals is None
        else float(board.intervals.std_error[k]),
        "may_be_first": None if board.ranges is None else bool(board.ranges.low[k] == 1),
        "votes": float(board.fit.n_votes[k]),
        "wins": int(board.n_wins[k]),
        "ties": int(board.n_ties[k]),
    }
    if board.plain is not None:
        row["strength_without_covariates"] = float(board.plain.value[k])
        row["rank_without_covariates"] = int(board.plain.rank[k])
    return row


def _effect(board: Leaderboard, k: int) -> dict[str, Any]:
    ends = board.intervals
    return {
        "name": board.fit.effect_names[k],
        "logits": float(board.fit.effect[k]),
        "std_error": None if ends is None else float(ends.effect_std_error[k]),
        "low": None if ends is None else float(ends.effect_low[k]),
        "high": None if ends is None else float(ends.effect_high[k]),
    }
