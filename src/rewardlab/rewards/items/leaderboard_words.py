"""What a leaderboard means, in sentences."""

from __future__ import annotations

import math

from rewardlab.rewards.items.leaderboard import Leaderboard
from rewardlab.rewards.items.model import Gamma, Ridge

MOST_NAMES = 20

PRIOR_WORDS = (
    "With a prior, intervals and ranges of ranks hold on average over items that scatter as it "
    "says, about the mean of their table; an item far out is drawn in, and its interval with it."
)

_LINKS = {"logistic": "Bradley-Terry", "probit": "Thurstone (case V)"}
_TIES = {
    "half": "ties as half a win each",
    "davidson": "ties by Davidson's model",
    "rao-kupper": "ties by Rao and Kupper's model",
    "leave-out": "ties left out",
}


def sentences(board: Leaderboard) -> list[str]:
    """Model, intervals, ranges of ranks, what cannot be told from the first, and warnings."""
    said = [_model_words(board)]
    if board.intervals is not None:
        said.append(_interval_words(board))
        if board.fit.model.prior is not None:
            said.append(PRIOR_WORDS)
    if board.ranges is not None:
        said.append(
            f"Ranks: with {100 * board.options.level:g}% confidence every item's true place is in "
            "its range, for all items at once. Overlapping intervals alone do not say that two "
            "items cannot be told apart."
        )
        said += _first_words(board)
    return said + [f"Warning: {sentence}." for sentence in board.warnings]


def effect_words(board: Leaderboard) -> list[tuple[str, str]]:
    """(name, "value (low to high) logits") of each effect."""
    rows = []
    for k, name in enumerate(board.fit.effect_names):
        words = f"{board.fit.effect[k]:+.3f}"
        if board.intervals is not None:
            low, high = board.intervals.effect_low[k], board.intervals.effect_high[k]
            known = math.isfinite(low) and math.isfinite(high)
            words += f" ({low:+.3f} to {high:+.3f})" if known else " (the data cannot say)"
        rows.append((_tie_name(board) if name == "tie" else name, f"{words} logits"))
    return rows


def _tie_name(board: Leaderboard) -> str:
    return "ties (log nu)" if board.fit.model.ties == "davidson" else "ties (threshold)"


def _model_words(board: Leaderboard) -> str:
    model, fit = board.fit.model, board.fit
    parts = [board.model_name or _LINKS[model.link]]
    if board.unit == "vote":
        parts.append(_TIES[model.ties])
    if model.position:
        parts.append("with an effect of the position")
    match model.prior:
        case Ridge(l2):
            parts.append(f"ridge prior of {l2:g}")
        case Gamma(shape):
            parts.append(f"gamma prior of shape {shape:g}")
    loss = f"log loss {fit.log_loss:.4f} nats a {board.unit}"
    return f"{', '.join(parts)}: {fit.n:,.0f} {board.unit}s, {len(fit.names):,} items; {loss}."


def _interval_words(board: Leaderboard) -> str:
    if board.intervals is None:
        return ""
    of = "" if board.cluster == "none" else f", clustered by {board.cluster}"
    return (
        f"Intervals: {board.intervals.method}{of}; each alone, of a strength about the mean of its "
        "table."
    )


def _first_words(board: Leaderboard) -> list[str]:
    """Of each group, which items may be first too."""
    said = []
    for items in board.groups:
        if board.ranges is None or len(items) < 2:
            continue
        first = board.fit.names[items[0]]
        near = [board.fit.names[k] for k in items[1:] if board.ranges.low[k] == 1]
        if not near:
            said.append(f"{first} is told from all others.")
            continue
        shown = ", ".join(near[:MOST_NAMES])
        more = f" and {len(near) - MOST_NAMES:,} more" if len(near) > MOST_NAMES else ""
        said.append(f"Cannot be told from the first, {first}: {shown}{more}.")
    return said
