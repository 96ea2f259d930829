"""E2, six responses: hidden qualities found again from noisy votes, but on a smaller scale."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.items.cells import cells_of_wins
from rewardlab.rewards.items.covariance import item_covariance
from rewardlab.rewards.items.fit import ItemFit, fit_cells, fit_items
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table
from rewardlab.types import FloatArray
from rewardlab.worlds.six_responses import (
    NAMES,
    QUALITY,
    accuracy,
    ceiling,
    draw_votes,
    vote_shares,
)

_MODEL = ItemModel(prior=Ridge(0.1))
"""Its prior keeps a response that never loses finite; a tenth of a vote's weight."""
_DRAWS = 100
_Z = 1.96


def run(comparisons: int = 1000, flips: float = 0.3, *, rng: np.random.Generator) -> Result:
    """The fit to one draw of votes, and what many draws of this size would give.

    Args:
        comparisons: Votes, each on a random pair.
        flips: Share of votes that are turned round.
        rng: Draws the votes.
    """
    draws = [_votes(comparisons, flips, rng) for _ in range(_DRAWS)]
    fits = [_fitted(votes) for votes in draws]
    shown, std_error = fits[0], item_covariance(draws[0], fits[0], kind="hessian").std_error
    ranks = np.array([rank_correlation(one.strength) for one in fits])
    found = float(np.mean([np.argmax(one.strength) == np.argmax(QUALITY) for one in fits]))
    accuracies = np.array([accuracy(one.strength, flips) for one in fits])
    own, scale, best = float(accuracies[0]), scale_of(shown.strength), ceiling(flips)
    limit = scale_of(fit_cells(cells_of_wins(vote_shares(flips)), tol=1e-10).strength)
    truth = accuracy(QUALITY, flips)
    return Result(
        sentence=(
            f"{comparisons:,} comparisons with {flips:.0%} flipped: rank correlation with the "
            f"truth {ranks[0]:.2f}, scale {scale:.2f} of the true one; the fit predicts {own:.1%} "
            f"of fresh votes, where even the true qualities predict no more than {best:.1%}."
        ),
        quantities=(
            Quantity("rank_correlation", "rank correlation with the truth", float(ranks[0])),
            Quantity("usual_rank", "the same, median of 100 draws", float(np.median(ranks))),
            Quantity(
                "poor_rank", "the same, poorest tenth of draws", float(np.quantile(ranks, 0.1))
            ),
            Quantity("best_found", "draws that find the best response", found, "share"),
            Quantity("scale", "fitted scale as a multiple of the true", scale),
            Quantity("scale_limit", "the same with endless comparisons", limit),
            Quantity("accuracy", "fit predicts fresh votes", own, "share"),
            Quantity(
                "usual_accuracy", "the same, mean of 100 draws", float(accuracies.mean()), "share"
            ),
            Quantity("true_accuracy", "true qualities predict fresh votes", truth, "share"),
            Quantity("ceiling", "the most that any score can predict", best, "share"),
        ),
        chart=_chart(shown.strength, std_error),
        table=column_table(
            {
                "response": NAMES,
                "true quality": QUALITY,
                "fitted": shown.strength,
                "standard error": std_error,
            }
        ),
    )


def _votes(n: int, flips: float, rng: np.random.Generator) -> Battles:
    return battles_of_games(*draw_votes(n, rng, flips=flips), NAMES)


def _fitted(votes: Battles) -> ItemFit:
    return fit_items(votes, _MODEL, tol=1e-9)


def rank_correlation(quality: FloatArray) -> float:
    """Spearman's rank correlation with the true qualities, which have no ties."""
    ranks = np.argsort(np.argsort(quality)), np.argsort(np.argsort(QUALITY))
    return float(np.corrcoef(*ranks)[0, 1])


def scale_of(quality: FloatArray) -> float:
    """Slope of the fitted on the true qualities; below 1 where noise compresses them."""
    return float(quality @ QUALITY / (QUALITY @ QUALITY))


def _chart(fitted: FloatArray, std_error: FloatArray) -> BarChart:
    bars = []
    for i, name in enumerate(NAMES):
        value, half = float(fitted[i]), _Z * float(std_error[i])
        bars.append(Bar(f"{name}, true", float(QUALITY[i]), tone="gold"))
        bars.append(Bar(f"{name}, fitted", value, value - half, value + half))
    return BarChart(tuple(bars), "quality in logits (whiskers: 95% for the sampling of votes)")


def _true_scores() -> Answer:
    result = SYSTEM.evaluate()
    truth, best = result.value("true_accuracy"), result.value("ceiling")
    return Answer(
        0 if truth > 0.99 else 1 if truth > 0.7 else 2,
        f"They predict {truth:.1%}, which is the ceiling ({best:.1%}): close pairs are decided "
        "by taste, and 30% of votes are turned round. No score can predict a coin.",
    )


def _scale() -> Answer:
    clean, noisy = SYSTEM.evaluate({"flips": 0.0}), SYSTEM.evaluate()
    a, b = clean.value("scale_limit"), noisy.value("scale_limit")
    return Answer(
        0 if b > 1.1 * a else 1 if b > 0.9 * a else 2,
        f"With endless votes the scale is {a:.2f} without flips and {b:.2f} with 30%: the reward's "
        f"scale measures the noise, while the usual rank correlation stays at "
        f"{noisy.value('usual_rank'):.2f}.",
    )


SYSTEM = System(
    row="E2",
    name="six-responses",
    title="Six responses",
    sentence="Noisy votes keep the ranking of six responses but shrink the scale of their rewards.",
    paragraph=(
        "Six responses have hidden qualities. Votes on random pairs follow Bradley-Terry, and a "
        "share of them is turned round. The qualities are fitted again by maximum likelihood (with "
        "a tiny penalty of 0.1, so that a response that never loses stays finite) and shifted to "
        "the same mean, since votes tell only differences. Few votes give a shaky ranking. Many "
        "noisy votes give the right ranking on a smaller scale, because a reward's scale says how "
        "predictable votes are. Accuracy on fresh votes has a ceiling that even the true qualities "
        "cannot pass."
    ),
    controls=(
        Slider("comparisons", "comparisons", 1000, 10, 10_000, log=True, whole=True),
        Slider("flips", "share of votes turned round", 0.3, 0.0, 0.5),
    ),
    run=run,
    questions=(
        Question(
            "30% of votes are turned round. What share of fresh votes do the true qualities "
            "predict?",
            ("All of them", "Over 70%", "Less than 70%"),
            _true_scores,
        ),
        Question(
            "Votes are flipped 30% of the time instead of never. What happens to the scale of the "
            "fitted rewards?",
            ("It grows", "It hardly changes", "It shrinks well below the true one"),
            _scale,
        ),
    ),
    sources=(
        "Bradley and Terry (1952), Biometrika 39, 324-345",
        "Christiano et al. (2017), arXiv:1706.03741",
    ),
)
