"""The three leaderboards of ``rewardlab rank``: of battles, with annotators, and of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rewardlab.cli.rank_options import told_how_to_bound
from rewardlab.cli.reading import progress_bar
from rewardlab.counting import counted
from rewardlab.errors import InputError
from rewardlab.preferences.battle_gathering import BothBad
from rewardlab.preferences.options import ReadOptions

if TYPE_CHECKING:
    from rewardlab.preferences.battles import Battles
    from rewardlab.preferences.item_rankings import ItemRankings, LongForm
    from rewardlab.rewards.elo_orders import OrderSpread
    from rewardlab.rewards.items.crowd import CrowdFit
    from rewardlab.rewards.items.leaderboard import Leaderboard, LeaderboardOptions
    from rewardlab.rewards.items.model import ItemModel, Prior


@dataclass(frozen=True, slots=True)
class Shown:
    """A leaderboard with what was read for it.

    Attributes:
        board: The leaderboard.
        said: What was read and left out, in sentences.
        crowd: The annotators; None where they were not asked for.
        elo: Elo in random orders of the votes; None where it was not asked for.
    """

    board: Leaderboard
    said: tuple[str, ...]
    crowd: CrowdFit | None = None
    elo: OrderSpread | None = None


@dataclass(frozen=True, slots=True)
class EloOrders:
    """Elo, over random orders of the votes.

    Attributes:
        n: How many orders.
        k: Points that a vote can move at most.
    """

    n: int
    k: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the votes is taken.

    Attributes:
        both_bad: What becomes of votes that both are bad.
        style: Whether style is held alike.
        covariates: Name -> (column of a, column of b).
        min_votes: Items with fewer are left out.
        annotators: Whether flip rates of annotators are estimated beside the strengths.
        elo: Whether, and how, Elo is played in random orders too.
        margin: Whether the file's margins are in the loss.
    """

    both_bad: BothBad
    style: bool
    covariates: dict[str, tuple[str, str]]
    min_votes: int
    annotators: bool
    elo: EloOrders | None = None
    margin: bool = False


def board_of_battles(
    files: Sequence[Path],
    reading: ReadOptions,
    wanted: Wanted,
    model: ItemModel,
    options: LeaderboardOptions,
) -> Shown:
    """The leaderboard of the battles in the files."""
    from rewardlab.preferences.battle_names import alike_sentences
    from rewardlab.preferences.battle_reading import BattleOptions, read_battles
    from rewardlab.preferences.battle_selection import frequent_items
    from rewardlab.rewards.items.leaderboard import leaderboard

    taken = BattleOptions(wanted.both_bad, wanted.covariates, margin=wanted.margin)
    if wanted.style:
        from rewardlab.rewards.items.battle_style import style_reader
        from rewardlab.rewards.items.style import STYLE_FEATURES

        taken = replace(taken, text_names=STYLE_FEATURES, of_texts=style_reader())
    with progress_bar("reading") as on_progress:
        read = read_battles(files, reading, taken, on_progress=on_progress)
    frequent = frequent_items(read.battles, wanted.min_votes)
    battles, said = frequent.battles, read.sentences + frequent.sentences
    said += alike_sentences(battles.names)
    if wanted.style:
        from rewardlab.rewards.items.battle_style import with_standard_style

        styled = with_standard_style(battles)
        battles = styled.battles
        if styled.left_out:
            said += (
                f"Left out of style, as no two responses differ: {', '.join(styled.left_out)}.",
            )
    if wanted.annotators:
        from rewardlab.rewards.items.crowd_leaderboard import crowd_leaderboard

        board, crowd = crowd_leaderboard(battles, model, options)
        shown = Shown(board, said, crowd)
    else:
        effects = (*battles.covariate_names, *(("position",) if model.position else ()))
        with told_how_to_bound(effects):
            shown = Shown(leaderboard(battles, model, options), said)
    return shown if wanted.elo is None else _with_elo(shown, battles, wanted.elo)


def _with_elo(shown: Shown, battles: Battles, wanted: EloOrders) -> Shown:
    from numpy.random import default_rng

    from rewardlab.rewards.elo_orders import order_spread

    board = shown.board
    rng = default_rng(board.options.seed)
    spread = order_spread(battles, k=wanted.k, n_orders=wanted.n, rng=rng, batch=board.fit)
    return replace(shown, elo=spread)


def board_of_rankings(
    files: Sequence[Path],
    reading: ReadOptions,
    columns: LongForm | None,
    prior: Prior | None,
    options: LeaderboardOptions,
) -> Shown:
    """The leaderboard of the rankings in the files.

    Args:
        files: One file; or several, read as one, in the convention of rankings.
        reading: How to read them.
        columns: Of the long form; None for the convention.
        prior: On the strengths.
        options: What is said beside the strengths.
    """
    from rewardlab.preferences.battle_names import alike_sentences
    from rewardlab.preferences.formats import read_rankings
    from rewardlab.preferences.item_rankings import item_rankings_of
    from rewardlab.rewards.items.rankings_leaderboard import rankings_leaderboard

    if columns is None:
        found, report = read_rankings(files, replace(reading, needs="items"))
        rankings, said = item_rankings_of(found), report.sentences
    else:
        rankings, said = _long_rankings(files, reading, columns)
    if rankings.n_single:
        said += (f"Left out {counted(rankings.n_single, 'ranking')} of a single item.",)
    said += alike_sentences(rankings.names)
    with told_how_to_bound():
        return Shown(rankings_leaderboard(rankings, prior, options), said)


def _long_rankings(
    files: Sequence[Path], reading: ReadOptions, columns: LongForm
) -> tuple[ItemRankings, tuple[str, ...]]:
    """(the rankings of a file with a row a place, what was read and left out).

    Raises:
        InputError: There are several files, or options for reading preferences.
    """
    from rewardlab.preferences.item_rankings import read_item_rankings
    from rewardlab.preferences.tallies import Tally

    if len(files) > 1 or replace(reading, on_bad="raise") != ReadOptions():
        raise InputError(
            "--ranking, --place and --item read one file as it is; of the options for reading "
            "preferences, only --skip-bad is for it"
        )
    tally = Tally(reading.on_bad)
    rankings = read_item_rankings(
        files[0],
        ranking=columns.ranking,
        place=columns.place,
        item=columns.item,
        lower=columns.lower,
        tally=tally,
    )
    named = f"{columns.ranking}, {columns.place}, {columns.item}"
    said = [f"Read as rankings, a row for each place ({named})."]
    said += [left.sentence for left in tally.left_out()]
    if rankings.n_spoilt:
        said.append(f"Left out whole with them: {counted(rankings.n_spoilt, 'ranking')}.")
    return rankings, tuple(said)
