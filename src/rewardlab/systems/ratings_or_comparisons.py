"""E1b, ratings or comparisons: private scales can turn averaged ratings round, not comparisons."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Mark, Panel
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table
from rewardlab.worlds.rating_scales import scales, shared_out

_MIDDLE = 0.5
_SAME = 1e-9


def run(privacy: float = 1.0, gap: float = 0.1, dissenters: int = 0) -> Result:
    """Two responses, rated and compared by six raters.

    Args:
        privacy: 0: all use one scale; 1: each uses its own.
        gap: By how much A is better than B, in quality from 0 to 1.
        dissenters: Raters who see it the other way round, those with the widest scales first.
    """
    raters = scales(privacy)
    qualities = np.array([_MIDDLE + gap / 2, _MIDDLE - gap / 2])
    seen = [qualities[::-1] if i < dissenters else qualities for i in range(len(raters))]
    ratings = np.array([s.rating(q) for s, q in zip(raters, seen, strict=True)])
    prefer_a = int(np.sum(ratings[:, 0] > ratings[:, 1]))
    leads = shared_out(ratings)
    wrong = float(np.mean(leads < -_SAME))
    lead = float(np.mean(ratings[:, 0] - ratings[:, 1]))
    grid = np.linspace(0.0, 1.0, 41) ** 2  # Finer where a scale is steep.
    lines = tuple(
        Line(s.name, grid, s.rating(grid), tone="other" if i < dissenters else "proxy")
        for i, s in enumerate(raters)
    )
    return Result(
        sentence=_sentence(prefer_a, wrong, lead),
        quantities=(
            Quantity("prefer_a", "raters who prefer A when they see both", prefer_a),
            Quantity("comparisons_wrong", "comparisons that prefer B", 1 - prefer_a / 6, "share"),
            Quantity(
                "ratings_wrong", "ways to share out the raters that put B ahead", wrong, "share"
            ),
            Quantity("mean_lead", "A's lead in average rating if all rate both", lead, "points"),
            Quantity("ways", "ways to give each response to half of the raters", len(leads)),
        ),
        chart=LineChart(
            panels=(Panel("rating that each rater writes", lines, height=260),),
            x_label="quality as the rater sees it (band: the two responses)",
            mark=Mark(_MIDDLE, qualities[1], qualities[0], "B to A"),
        ),
        table=column_table(
            {
                "rater": [s.name for s in raters],
                "rating of A": ratings[:, 0],
                "rating of B": ratings[:, 1],
                "prefers": np.where(ratings[:, 0] > ratings[:, 1], "A", "B"),
            }
        ),
    )


def _sentence(prefer_a: int, wrong: float, lead: float) -> str:
    if abs(lead) <= _SAME:
        both = "puts neither ahead"
    else:
        both = f"puts {'A' if lead > 0 else 'B'} ahead by {abs(lead):.2f} points"
    return (
        f"Shown both, {prefer_a} of 6 raters prefer{'s' * (prefer_a == 1)} A; if half of them rate "
        f"A and the others B, the averages put B ahead in {wrong:.0%} of the ways to share them "
        f"out; averaging all ratings of both {both}."
    )


def _one_scale() -> Answer:
    own, shared = run(), run(privacy=0.0)
    a, b = own.value("ratings_wrong"), shared.value("ratings_wrong")
    choice = 0 if b < a and b == 0 else (1 if b < a else 2)
    return Answer(
        choice,
        f"B comes out ahead in {a:.0%} of the ways with private scales and in {b:.0%} with one "
        "scale: nothing but the scales turned the order round.",
    )


def _one_dissenter() -> Answer:
    result = run(dissenters=1)
    lead, prefer = result.value("mean_lead"), result.value("prefer_a")
    return Answer(
        0 if lead > 0 else 1,
        f"{prefer:.0f} of 6 still prefer A, but the dissenter's wide scale outweighs five narrow "
        f"ones: A's average lead is {lead:+.2f} points. If the wide scale means that the dissenter "
        "cares more, that is what comparisons lose.",
    )


SYSTEM = System(
    row="E1b",
    name="ratings-or-comparisons",
    title="Ratings or comparisons",
    sentence="Raters' private scales can reverse averaged ratings, but never what each prefers.",
    paragraph=(
        "Six raters see the same quality but write it on scales of their own: one never goes above "
        "3, another never below 8, a third uses the whole range. Response A is a little better "
        "than B. If each rater compares the two, the scale cancels, because any increasing scale "
        "keeps the order. If each response is rated by half of the raters, as often happens, a "
        "harsh half can sink the better one. Comparisons pay for this with one loss: they do not "
        "say by how much. A single rater with a wide scale who disagrees can then outweigh the "
        "others in ratings, and counts once in comparisons."
    ),
    controls=(
        Slider("privacy", "scales: one for all (0) to each its own (1)", 1.0, 0.0, 1.0),
        Slider("gap", "how much better A is", 0.1, 0.01, 1.0),
        Slider("dissenters", "raters who prefer B", 0, 0, 6, step=1, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "All raters are taught one scale. How often do averaged ratings still put B ahead?",
            ("Never", "Less often", "As often"),
            _one_scale,
        ),
        Question(
            "One of the six, the one with the widest scale, prefers B. All rate both responses. "
            "Which has the higher average rating?",
            ("A, which five of six prefer", "B"),
            _one_dissenter,
        ),
    ),
    sources=(
        "Stiennon et al. (2020), arXiv:2009.01325",
        "Christiano et al. (2017), arXiv:1706.03741",
    ),
)
