"""E1d, rankings: one ranking of k responses is less news than its pairs make it look."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.rewards.ranking_errors import MOST_RESPONSES, ranking_errors
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, gold_line, place
from rewardlab.types import FloatArray

_SIZES = np.arange(2, MOST_RESPONSES + 1)


def run(responses: int = 6, spread: float = 2.0) -> Result:
    """Errors of rewards from full rankings and from all their pairs, exactly.

    Args:
        responses: k, ranked at once.
        spread: Reward of the best less that of the worst, in logits; the others evenly between.
    """
    rewards = [np.linspace(spread / 2, -spread / 2, k) for k in _SIZES]
    errors = [ranking_errors(one) for one in rewards]
    at = errors[responses - 2]
    pairs = responses * (responses - 1) // 2
    # Comparisons of one pair each with as small an error as one ranking's, by its information.
    worth = pairs / at.overstated**2
    needed = np.array([one.rankings_needed for one in errors])
    overstated = np.array([one.overstated for one in errors])
    return Result(
        sentence=_sentence(responses, pairs, worth, at.rankings_needed, at.overstated),
        quantities=(
            Quantity("pairs", "pairs in one ranking", pairs),
            Quantity("weight", "weight of each pair in the mean", 1 / pairs),
            Quantity(
                "rankings_needed", "rankings that pairs need, as a multiple", at.rankings_needed
            ),
            Quantity("overstated", "true over claimed standard error of pairs", at.overstated),
            Quantity("worth", "independent comparisons that a ranking is worth", worth),
        ),
        chart=_chart(needed, overstated, responses),
        table=column_table(
            {
                "responses": _SIZES,
                "pairs": _SIZES * (_SIZES - 1) // 2,
                "rankings that pairs need": needed,
                "true over claimed error": overstated,
            }
        ),
    )


def _sentence(k: int, pairs: int, worth: float, needed: float, overstated: float) -> str:
    if k == 2:
        return "A ranking of 2 is one comparison: Plackett-Luce is Bradley-Terry, nothing is lost."
    return (
        f"A ranking of {k} has {pairs} pairs but is worth {worth:.1f} independent comparisons: "
        f"errors are {overstated:.2f} times what the pairs claim, and fitting them takes "
        f"{needed - 1:.0%} more rankings than Plackett-Luce."
    )


def _chart(needed: FloatArray, overstated: FloatArray, responses: int) -> LineChart:
    sizes = _SIZES.astype(float)
    rankings = (Line("pairs", sizes, needed), gold_line("full ranking", sizes, np.ones_like(sizes)))
    return LineChart(
        panels=(
            Panel(
                "true over claimed standard error of pairs",
                (Line("pairs", sizes, overstated),),
                height=130,
            ),
            Panel("rankings needed, as a multiple of Plackett-Luce's", rankings, height=130),
        ),
        x_label="responses ranked at once",
        mark=place(responses, f"{responses} responses"),
    )


def _independent() -> Answer:
    result = run()
    pairs, worth = result.value("pairs"), result.value("worth")
    choice = 0 if worth > 0.9 * pairs else (1 if worth > 5 else 2)
    return Answer(
        choice,
        f"Its {pairs:.0f} pairs carry what {worth:.1f} independent comparisons would: who lost to "
        "the third has most likely lost to the first.",
    )


SYSTEM = System(
    row="E1d",
    name="rankings",
    title="Rankings and their pairs",
    sentence="A ranking's pairs are correlated: counted as independent, they claim too much.",
    paragraph=(
        "Instead of two, a rater may put k responses in order. Plackett-Luce gives the whole "
        "ranking a probability: the best is drawn by softmax, then the next among the rest. "
        "InstructGPT took each ranking apart into its k (k - 1) / 2 pairs and averaged their "
        "Bradley-Terry losses, all pairs of a prompt in one batch. That finds the same rewards, "
        "with a somewhat larger error. But the pairs of one ranking repeat each other: taken for "
        "independent votes they make intervals too narrow, and spread over batches they invite "
        "overfitting. The errors here are exact for many rankings, found by visiting every order."
    ),
    controls=(
        Slider("responses", "responses ranked at once", 6, 2, MOST_RESPONSES, step=1, whole=True),
        Slider("spread", "reward of the best less that of the worst", 2.0, 0.0, 8.0),
    ),
    run=run,
    questions=(
        Question(
            "A rater ranks 6 responses, which makes 15 pairs. How many independent comparisons is "
            "that worth?",
            ("About 15", "Fewer, but more than 5", "5 or fewer"),
            _independent,
        ),
    ),
    sources=(
        "Plackett (1975), Applied Statistics 24, 193-202",
        "Ouyang et al. (2022), arXiv:2203.02155",
        "Zhu, Jordan and Jiao (2023), arXiv:2301.11270",
    ),
)
