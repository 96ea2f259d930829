"""``rewardlab rank``: a leaderboard from battles, with what can be told apart."""

from __future__ import annotations

import typer

from rewardlab.cli.reading import FilesArgument, reads_preferences
from rewardlab.preferences.options import ReadOptions


@reads_preferences()
def rank(files: FilesArgument, *, reading: ReadOptions) -> None:
    """Rank items by the votes on them.

    Example: rewardlab rank battles.csv
    """
    from rewardlab.cli.rank_table import leaderboard_lines
    from rewardlab.preferences.battle_reading import read_battles
    from rewardlab.rewards.items.leaderboard import leaderboard
    from rewardlab.rewards.items.model import ItemModel

    read = read_battles(files, reading)
    board = leaderboard(read.battles, ItemModel())
    typer.echo("\n".join([*read.sentences, *leaderboard_lines(board)]))
