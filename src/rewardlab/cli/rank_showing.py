"""What ``rewardlab rank`` prints and writes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rewardlab.errors import InputError

if TYPE_CHECKING:
    from rewardlab.cli.rank_boards import Shown


def check_plot(plot: Path | None, inputs: Iterable[Path]) -> None:
    """Refuse, before any work, a name that is no .svg or is an input.

    Raises:
        InputError: It is one of these.
    """
    if plot is None:
        return
    from rewardlab.cli.writing import check_outputs

    if plot.suffix != ".svg":
        raise InputError(f"--plot: expected a name that ends in .svg, got {plot}")
    check_outputs([plot], inputs)


def show(shown: Shown, *, top: int | None, plot: Path | None, as_json: bool) -> None:
    """Print the leaderboard as tables or JSON, and draw it where that was asked for."""
    if plot is not None:
        from rewardlab.cli.writing import write_text
        from rewardlab.plots.leaderboard_chart import leaderboard_chart
        from rewardlab.plots.svg import standalone

        write_text(plot, standalone(leaderboard_chart(shown.board, top=top)))
    if as_json:
        from rewardlab.report.as_json import json_text, to_json
        from rewardlab.report.leaderboard_json import leaderboard_json

        plain = {"read": list(shown.said), **leaderboard_json(shown.board)}
        if shown.crowd is not None:
            from rewardlab.report.crowd_json import annotators_json

            plain["annotators"] = annotators_json(shown.crowd)
        if shown.elo is not None:
            from rewardlab.report.elo_orders_json import elo_orders_json

            plain["elo_orders"] = elo_orders_json(shown.elo)
        typer.echo(json_text(to_json(plain)))
        return
    from rewardlab.cli.rank_table import annotator_lines, leaderboard_lines, wrapped

    lines = [line for sentence in shown.said for line in wrapped(sentence)]
    lines += leaderboard_lines(shown.board, top=top)
    if shown.crowd is not None:
        lines += annotator_lines(shown.crowd, top=top)
    if shown.elo is not None:
        from rewardlab.rewards.elo_orders import spread_sentence

        lines += wrapped(spread_sentence(shown.elo))
    typer.echo("\n".join(lines))
    if plot is not None:
        typer.echo(f"Written: {plot}")
