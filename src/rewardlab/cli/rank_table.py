"""How leaderboards are shown in the terminal: plain lines, made quickly for thousands of items."""

from __future__ import annotations

from rewardlab.rewards.items.leaderboard import Leaderboard


def leaderboard_lines(board: Leaderboard) -> list[str]:
    """The leaderboard's tables, one a group."""
    lines = []
    for items in board.groups:
        lines.append("")
        for k in items.tolist():
            lines.append(
                f"{board.rank[k]:4d} {board.fit.names[k]:30s} {board.fit.strength[k]:8.3f} "
                f"{board.fit.n_votes[k]:8,.0f} {board.n_wins[k]:8,d} {board.n_ties[k]:8,d}"
            )
    return lines
