"""``rewardlab rank``: a leaderboard from battles, with what can be told apart."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from rewardlab.cli.reading import FilesArgument, progress_bar, reads_preferences
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions


@reads_preferences()
def rank(
    files: FilesArgument,
    ties: Annotated[
        Literal["half", "davidson", "rao-kupper", "leave-out"],
        typer.Option(help="What a tie is: half a win each, or an outcome with a model of its own."),
    ] = "half",
    both_bad: Annotated[
        Literal["tie", "leave-out"],
        typer.Option(help="What becomes of votes that both are bad."),
    ] = "tie",
    link: Annotated[
        Literal["logistic", "probit"],
        typer.Option(help="Bradley-Terry, or Thurstone's case V."),
    ] = "logistic",
    position: Annotated[
        bool, typer.Option("--position", help="Estimate what being shown first adds.")
    ] = False,
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLUMN_A,COLUMN_B",
            help="Hold alike what two columns of numbers differ in, a less b. Repeatable.",
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(metavar="ridge:X|gamma:X", help="Draw strengths together; none by default."),
    ] = None,
    cluster: Annotated[
        Literal["prompt", "annotator", "none"] | None,
        typer.Option(
            help="What votes may depend on each other; the prompt where the file has it.",
            show_default=False,
        ),
    ] = None,
    interval: Annotated[
        Literal["sandwich", "hessian", "bootstrap", "none"],
        typer.Option(help="How intervals are made; none is quickest."),
    ] = "sandwich",
    level: Annotated[
        float, typer.Option(help="Confidence level: of each interval, and of all rank ranges.")
    ] = 0.95,
    scale: Annotated[
        Literal["logits", "elo"],
        typer.Option(help="Logits about 0, or Elo points about 1000."),
    ] = "logits",
    anchor: Annotated[
        str | None,
        typer.Option(metavar="NAME=VALUE", help="Shift the scale so that the item has this value."),
    ] = None,
    min_votes: Annotated[
        int, typer.Option(metavar="N", help="Leave out items with fewer votes.")
    ] = 0,
    top: Annotated[
        int | None, typer.Option(metavar="N", help="Print the first N items of each table.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
    *,
    reading: ReadOptions,
) -> None:
    """Rank items by the votes on them.

    Strengths by maximum likelihood, each with its interval and the ranks it may hold. Items that
    were never compared, if only by way of others, have tables of their own. Exit code 2 if no
    finite strengths exist.

    Example: rewardlab rank battles.csv

    Example: rewardlab rank battles.csv --ties davidson --scale elo --anchor gpt-4=1200
    """
    from rewardlab.cli.rank_options import covariates_of, prior_of, scale_of, told_how_to_bound
    from rewardlab.cli.rank_table import leaderboard_lines
    from rewardlab.preferences.battle_reading import BattleOptions, read_battles
    from rewardlab.preferences.battle_selection import frequent_items
    from rewardlab.rewards.items.leaderboard import LeaderboardOptions, leaderboard
    from rewardlab.rewards.items.model import ItemModel

    if top is not None and top < 1:
        raise InputError(f"--top: expected at least 1, got {top}")
    model = ItemModel(ties, link, position, prior_of(prior))
    options = LeaderboardOptions(interval, cluster, level, scale_of(scale, anchor), seed)
    taken = BattleOptions(both_bad, covariates_of(covariate))
    with progress_bar("reading") as on_progress:
        read = read_battles(files, reading, taken, on_progress=on_progress)
    frequent = frequent_items(read.battles, min_votes)
    with told_how_to_bound():
        board = leaderboard(frequent.battles, model, options)
    typer.echo(
        "\n".join([*read.sentences, *frequent.sentences, *leaderboard_lines(board, top=top)])
    )
