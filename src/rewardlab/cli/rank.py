"""``rewardlab rank``: a leaderboard from battles, with what can be told apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rewardlab.cli.reading import FilesArgument, reads_preferences
from rewardlab.errors import InputError
from rewardlab.preferences.options import ReadOptions

if TYPE_CHECKING:
    from rewardlab.cli.rank_boards import Wanted
    from rewardlab.preferences.item_rankings import LongForm
    from rewardlab.rewards.items.model import ItemModel


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
    style: Annotated[
        bool,
        typer.Option("--style", help="Hold length and format of the texts alike."),
    ] = False,
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLUMN_A,COLUMN_B",
            help="Hold alike what two columns of numbers differ in, a less b. Repeatable.",
        ),
    ] = None,
    margin: Annotated[
        bool, typer.Option("--margin", help="Use the file's margins, in logits, in the loss.")
    ] = False,
    prior: Annotated[
        str | None,
        typer.Option(metavar="ridge:X|gamma:X", help="Draw strengths together; none by default."),
    ] = None,
    annotators: Annotated[
        bool,
        typer.Option("--annotators", help="Estimate how often each annotator flips, and weigh it."),
    ] = False,
    elo_orders: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="Tell what the order of the votes alone does to Elo, by N random orders.",
        ),
    ] = None,
    elo_k: Annotated[
        float | None,
        typer.Option(
            metavar="K",
            help="Most points that Elo moves a rating by a vote; 32 by default.",
        ),
    ] = None,
    rankings: Annotated[
        bool,
        typer.Option("--rankings", help="Read rankings, and fit them whole (Plackett-Luce)."),
    ] = False,
    ranking: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Rankings with a row a place: which ranking it is."),
    ] = None,
    place: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The place in it, 1 the best.")
    ] = None,
    item: Annotated[str | None, typer.Option(metavar="COLUMN", help="What stands there.")] = None,
    lower: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The place of items known only to be lower, as DNF."),
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
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw the leaderboard too.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
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

    Example: rewardlab rank battles.csv --elo-orders 20

    Example: rewardlab rank votes.csv --join texts.jsonl --on pair_id --style

    Example: rewardlab rank games.csv --format crowd --column left=winner --column right=loser
    --column label=winner

    Example: rewardlab rank races.csv --ranking race --place place --item driver
    """
    from rewardlab.cli.rank_boards import EloOrders, Wanted, board_of_battles, board_of_rankings
    from rewardlab.cli.rank_options import covariates_of, prior_of, scale_of
    from rewardlab.cli.rank_showing import check_plot, show
    from rewardlab.rewards.items.leaderboard import LeaderboardOptions
    from rewardlab.rewards.items.model import ItemModel

    if top is not None and top < 1:
        raise InputError(f"--top: expected at least 1, got {top}")
    check_plot(plot, (*files, *reading.files_besides))
    model = ItemModel(ties, link, position, prior_of(prior))
    of_rankings = rankings or any(column is not None for column in (ranking, place, item, lower))
    if interval == "none" and cluster not in (None, "none"):
        raise InputError(f"--cluster {cluster}: for intervals, and --interval none asks for none")
    options = LeaderboardOptions(interval, cluster, level, scale_of(scale, anchor), seed)
    if elo_k is not None and elo_orders is None:
        raise InputError("--elo-k goes with --elo-orders, which is missing")
    elo = None if elo_orders is None else EloOrders(elo_orders, 32.0 if elo_k is None else elo_k)
    wanted = Wanted(both_bad, style, covariates_of(covariate), min_votes, annotators, elo, margin)
    if of_rankings:
        _require_plain(model, wanted)
        columns = _long_form(rankings, ranking, place, item, lower)
        shown = board_of_rankings(files, reading, columns, model.prior, options)
    else:
        shown = board_of_battles(files, reading, wanted, model, options)
    show(shown, top=top, plot=plot, as_json=as_json)


def _long_form(
    rankings: bool, ranking: str | None, place: str | None, item: str | None, lower: str | None
) -> LongForm | None:
    """The columns of the long form; None for rows that hold a whole ranking each.

    Raises:
        InputError: A column is missing, or both forms are asked for.
    """
    from rewardlab.preferences.item_rankings import LongForm

    named = {"--ranking": ranking, "--place": place, "--item": item}
    if rankings:
        asked = [option for option, name in named.items() if name is not None]
        if asked or lower is not None:
            raise InputError(
                f"--rankings: rows hold a whole ranking each; {asked[0] if asked else '--lower'} "
                "is for a row a place"
            )
        return None
    if ranking is None or place is None or item is None:
        missing = ", ".join(option for option, name in named.items() if name is None)
        raise InputError(f"--ranking, --place and --item go together; missing: {missing}")
    return LongForm(ranking, place, item, lower)


def _require_plain(model: ItemModel, wanted: Wanted) -> None:
    """Refuse what Plackett-Luce has not.

    Raises:
        InputError: Something of battles alone is asked for.
    """
    asked = {
        "--ties": model.ties != "half",
        "--both-bad": wanted.both_bad != "tie",
        "--link": model.link != "logistic",
        "--position": model.position,
        "--style": wanted.style,
        "--covariate": bool(wanted.covariates),
        "--margin": wanted.margin,
        "--annotators": wanted.annotators,
        "--min-votes": wanted.min_votes > 0,
        "--elo-orders": wanted.elo is not None,
    }
    named = [option for option, is_asked in asked.items() if is_asked]
    if named:
        raise InputError(f"{', '.join(named)}: for battles; rankings are fitted without")
