"""B3, the boat race: a score that is best earned by never finishing, and a reward that is not."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.planning import optimal_actions, policy_values
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import gold_line, place, row_table
from rewardlab.types import FloatArray
from rewardlab.worlds.boat_race import (
    FINISH,
    LAGOON,
    START,
    boat_race,
    circling,
    finishing,
    game_score,
    reward_from_clips,
    where_it_ends,
)

_FINISH_POINTS = 5.0
_HORIZONS = np.geomspace(2.0, 200.0, 61)
_REPEATS = 40


def run(
    target_points: float = 1.0,
    horizon: float = 30.0,
    comparisons: int = 200,
    hit_taste: float = 0.0,
    *,
    rng: np.random.Generator,
) -> Result:
    """The best boat for the game's score, and for a reward learned from comparisons of clips.

    Args:
        target_points: What the game gives for a target; it gives 5 for finishing.
        horizon: How many steps the boat looks ahead, 1 / (1 - discount).
        comparisons: Pairs of clips of which someone has picked one.
        hit_taste: What a target is worth to them, in cells of progress.
        rng: Draws the clips and their choices.
    """
    score = game_score(target_points, _FINISH_POINTS)
    weights = reward_from_clips(comparisons, hit_taste, rng).weights
    learned = boat_race().features @ weights
    fresh = [reward_from_clips(comparisons, hit_taste, rng).weights for _ in range(_REPEATS)]
    again = float(np.mean([_end(boat_race().features @ w, horizon) == FINISH for w in fresh]))
    by_score, by_learned = _end(score, horizon), _end(learned, horizon)
    (score_circle, score_finish), (learned_circle, learned_finish) = (
        _returns(reward, horizon) for reward in (score, learned)
    )
    flip_points, flip_taste = _flips(horizon)
    quantities = (
        Quantity("circling_score", "score of circling", score_circle, "points"),
        Quantity("finishing_score", "score of finishing", score_finish, "points"),
        Quantity(
            "score_finishes",
            "the boat that is best by score finishes",
            float(by_score == FINISH),
            YES_NO,
        ),
        Quantity("circling_learned", "learned reward of circling", learned_circle, "logits"),
        Quantity("finishing_learned", "learned reward of finishing", learned_finish, "logits"),
        Quantity(
            "learned_finishes",
            "the boat that is best by learned reward does",
            float(by_learned == FINISH),
            YES_NO,
        ),
        Quantity("target_weight", "learned weight of a target", float(weights[0]), "logits"),
        Quantity("progress_weight", "learned weight of a cell", float(weights[1]), "logits"),
        Quantity(
            "share_finishing",
            f"{_REPEATS} fresh sets of comparisons after which it does",
            again,
            "share",
        ),
        Quantity("flip_points", "points a target above which circling pays", flip_points, "points"),
        Quantity("flip_taste", "worth of a target, in cells, above which it pays", flip_taste),
    )
    return Result(
        sentence=(
            f"Circling scores {score_circle:.1f} points and finishing {score_finish:.1f}, so the "
            f"best boat for the score {_deed(by_score)}; for the reward learned from "
            f"{comparisons} comparisons of clips it {_deed(by_learned)}."
        ),
        quantities=quantities,
        chart=LineChart(
            panels=(_panel("game score", score), _panel("learned reward", learned)),
            x_label="steps that the boat looks ahead",
            log_x=True,
            mark=place(horizon, f"{horizon:.3g} steps"),
        ),
        table=row_table(
            ("boat", "game score", "learned reward", "reaches the finish"),
            (
                ("circling", score_circle, learned_circle, False),
                ("finishing", score_finish, learned_finish, True),
            ),
        ),
    )


def _returns(reward: FloatArray, horizon: float) -> tuple[float, float]:
    """Return from the start of circling and of finishing."""
    circle, finish = (
        policy_values(boat_race().next_state, reward, actions, discount=1 - 1 / horizon)[START]
        for actions in (circling(), finishing())
    )
    return float(circle), float(finish)


def _end(reward: FloatArray, horizon: float) -> int:
    """Where the optimal boat ends."""
    best = optimal_actions(boat_race().next_state, reward, discount=1 - 1 / horizon)
    return where_it_ends(best)


def _deed(end: int) -> str:
    if end == FINISH:
        return "finishes the race"
    return "circles for good" if end in LAGOON else "never reaches the finish"


def _flips(horizon: float) -> tuple[float, float]:
    """Points, and worth in cells, of a target at which circling and finishing are equally good."""
    race = boat_race()
    targets, progress, finishes = (
        _returns(feature, horizon)
        for feature in (race.features[..., 0], race.features[..., 1], race.finishes)
    )
    more_targets = targets[0] - targets[1]
    bonus = _FINISH_POINTS * (finishes[1] - finishes[0])
    return bonus / more_targets, (progress[1] - progress[0]) / more_targets


def _panel(label: str, reward: FloatArray) -> Panel:
    circle, finish = np.array([_returns(reward, horizon) for horizon in _HORIZONS]).T
    return Panel(
        label,
        (Line("circling", _HORIZONS, circle), gold_line("finishing", _HORIZONS, finish)),
        height=130,
    )


def _default(**settings: float) -> Result:
    return SYSTEM.evaluate(settings)


def _bonus() -> Answer:
    flip = _default().value("flip_points")
    worth = _FINISH_POINTS / flip
    choice = 0 if worth < 8 else (1 if worth < 16 else 2)
    return Answer(
        choice,
        f"Circling pays as soon as a target is worth more than {flip:.2f} points, so finishing "
        f"would have to be worth about {worth:.0f} targets. It is paid once, and late; the lagoon "
        "pays three targets in four steps for as long as the boat looks ahead.",
    )


def _few() -> Answer:
    few, many = (_default(comparisons=n).value("share_finishing") for n in (5, 50))
    choice = 0 if few > 0.9 else (1 if many > 0.9 else 2)
    return Answer(
        choice,
        f"After 5 comparisons {few:.0%} of the boats finish, after 50 {many:.0%}: a weight for "
        "targets that is only a little too high is enough to send the boat into the lagoon.",
    )


SYSTEM = System(
    row="B3",
    name="boat-race",
    title="The boat that would not finish",
    sentence="Circling for targets beats finishing by the score; not by a learned reward.",
    paragraph=(
        "A boat runs a course of nine cells to a finish line. The game gives points for targets "
        "and five for finishing. In a lagoon beside the course three targets come back on every "
        "lap. The best boat for a given reward is computed exactly. For the game's score it goes "
        "round the lagoon for good, although nobody meant it to. Then someone who wants the race "
        "finished looks at pairs of short clips of a boat that steers at random, and picks the "
        "better of each, not always rightly. A reward is fitted to the picks, from targets hit and "
        "cells of progress, and the best boat for it is computed in the same way."
    ),
    controls=(
        Slider("target_points", "points for a target (finishing: 5)", 1.0, 0.0, 3.0, step=0.05),
        Slider("horizon", "steps that the boat looks ahead", 30.0, 2.0, 200.0, log=True),
        Slider("comparisons", "comparisons of clips", 200, 5, 2000, log=True, whole=True),
        Slider(
            "hit_taste", "what the chooser gives for a target, in cells", 0.0, 0.0, 1.0, step=0.05
        ),
    ),
    run=run,
    questions=(
        Question(
            "How many targets would finishing have to be worth for the best boat to finish?",
            ("Fewer than 8", "8 to 16", "More than 16"),
            _bonus,
        ),
        Question(
            "How many comparisons of clips are enough for the boat to finish nearly always?",
            ("5", "More than 5, but 50 are enough", "More than 50"),
            _few,
        ),
    ),
    sources=(
        "Clark and Amodei (2016), openai.com/index/faulty-reward-functions",
        "Christiano et al. (2017), arXiv:1706.03741",
        "Krakovna et al. (2020), Specification gaming: the flip side of AI ingenuity",
    ),
)
