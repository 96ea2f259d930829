"""E3, Elo: gradient steps on the Bradley-Terry likelihood, one game at a time."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.preferences.battles import battles_of_games
from rewardlab.rewards.elo import POINTS_PER_LOGIT, expected_score, gradient_step, play
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table
from rewardlab.types import FloatArray, IntArray
from rewardlab.worlds.six_responses import NAMES, QUALITY, draw_votes

_ORDERS = 200
_MODEL = ItemModel(prior=Ridge(0.1))
_MIDDLE = 90.0


def run(k: float = 32.0, games: int = 600, *, rng: np.random.Generator) -> Result:
    """Elo of the same games in 200 random orders, beside the fit to all games at once.

    Args:
        k: Elo's K, points a game at most.
        games: Games between random players, won by Bradley-Terry.
        rng: Draws the games and their orders.
    """
    winner, loser = draw_votes(games, rng)
    orders = rng.permuted(np.tile(np.arange(games), (_ORDERS, 1)), axis=1)
    finals = play(np.zeros((_ORDERS, len(QUALITY))), winner[orders], loser[orders], k=k)
    batch = _batch(winner, loser)
    again = _batch(winner[orders[-1]], loser[orders[-1]])
    truth = POINTS_PER_LOGIT * QUALITY
    spread, reach = finals.std(axis=0), float(np.ptp(finals, axis=0).max())
    rankings = len(np.unique(np.argsort(finals, axis=1), axis=0))
    batch_moved = float(np.abs(again - batch).max())
    elo_error, batch_error = _error(finals, truth), _error(batch, truth)
    return Result(
        sentence=(
            f"At K = {k:.3g} the same {games:,} games in {_ORDERS} orders give "
            f"{'one ranking' if rankings == 1 else f'{rankings} rankings'}, and one player's Elo "
            f"ranges over {reach:.0f} points; the batch fit is the same in any order and misses "
            f"the truth by {batch_error:.0f} points, Elo by {elo_error:.0f}."
        ),
        quantities=(
            Quantity("step_points", "step on the gradient in points", gradient_step(k)),
            Quantity("step_logits", "step on the gradient in logits", k / POINTS_PER_LOGIT),
            Quantity("measured_step", "one update over the measured slope", _measured_step(k)),
            Quantity(
                "spread", "deviation over orders, mean of players", float(spread.mean()), "points"
            ),
            Quantity("range", "widest range of one player's Elo", reach, "points"),
            Quantity("rankings", f"different rankings in {_ORDERS} orders", rankings),
            Quantity(
                "batch_spread",
                "most that the batch fit moves in another order",
                batch_moved,
                "points",
            ),
            Quantity("elo_error", "Elo's error, root mean square", elo_error, "points"),
            Quantity("batch_error", "the batch fit's error", batch_error, "points"),
        ),
        chart=_chart(finals, batch),
        table=column_table(
            {
                "player": NAMES,
                "true": truth,
                "batch fit": batch,
                "Elo, mean": finals.mean(axis=0),
                "Elo, deviation over orders": spread,
            }
        ),
    )


def _batch(winner: IntArray, loser: IntArray) -> FloatArray:
    """Shape [m], points; the maximum of the likelihood of all games."""
    games = battles_of_games(winner, loser, NAMES)
    return POINTS_PER_LOGIT * fit_items(games, _MODEL, tol=1e-9).strength


def _measured_step(k: float) -> float:
    """Points moved by one game, over the numerical slope of its log-likelihood in points."""
    ahead = 100.0
    start = np.array([ahead, 0.0])
    moved = play(start, np.array([0]), np.array([1]), k=k)[0] - ahead
    h = 1e-3
    up, down = np.log(expected_score(np.array([ahead + h, ahead - h])))
    return float(moved / ((up - down) / (2 * h)))


def _error(ratings: FloatArray, truth: FloatArray) -> float:
    return float(np.sqrt(np.mean((ratings - truth) ** 2)))


def _chart(finals: FloatArray, batch: FloatArray) -> BarChart:
    edge = (100 - _MIDDLE) / 2
    low, high = np.percentile(finals, [edge, 100 - edge], axis=0)
    bars = []
    for i, name in enumerate(NAMES):
        bars.append(Bar(f"{name}, batch fit", float(batch[i]), tone="gold"))
        bars.append(Bar(f"{name}, Elo", float(finals[:, i].mean()), float(low[i]), float(high[i])))
    return BarChart(tuple(bars), f"points (whiskers: {_MIDDLE:.0f}% of orders of the same games)")


def _small_k() -> Answer:
    usual, small = SYSTEM.evaluate(), SYSTEM.evaluate({"k": 4.0})
    spread = small.value("spread") / usual.value("spread")
    error = small.value("elo_error") - usual.value("elo_error")
    return Answer(
        2 if spread >= 1 else 0 if error < 0 else 1,
        f"The deviation over orders goes to {spread:.0%} of what it was, and the error moves by "
        f"{error:+.0f} points: a small step is steadier, but 600 of them may not reach the truth.",
    )


SYSTEM = System(
    row="E3",
    name="elo",
    title="Elo is gradient descent",
    sentence="Elo takes one Bradley-Terry gradient step a game, so it depends on their order.",
    paragraph=(
        "After each game Elo moves K times the surprise from the loser's to the winner's rating. "
        "That is one gradient step on the Bradley-Terry likelihood of that game: a step of "
        "K 400 / ln 10 with ratings in points, or K ln 10 / 400 in logits. Because the step never "
        "shrinks, the last games weigh most and the same games in another order end elsewhere. The "
        "maximum of the likelihood of all games together does not depend on their order or on K. "
        "(It has a penalty of 0.1 here, so that a player who never loses stays finite.) For "
        "ranking language models, whose strength does not change between games, it is the better "
        "estimate."
    ),
    controls=(
        Slider("k", "K, points a game at most", 32.0, 1.0, 128.0, log=True),
        Slider("games", "games", 600, 50, 1500, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "K is lowered from 32 to 4 for the same 600 games. What becomes of Elo?",
            (
                "Less dependent on order, and nearer the truth",
                "Less dependent on order, but further from the truth",
                "More dependent on order",
            ),
            _small_k,
        ),
    ),
    sources=(
        "Elo (1978), The Rating of Chessplayers",
        "Christiano et al. (2017), arXiv:1706.03741",
        "Chiang et al. (2024), arXiv:2403.04132",
    ),
)
