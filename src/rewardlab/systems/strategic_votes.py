"""E17b, strategic votes: who misreports can move the winner of a pooled reward."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rewardlab.audit.pluralism import average_utility, borda, crossing, pooled_reward
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Mark, Panel
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.types import FloatArray
from rewardlab.worlds.annotator_groups import OPTIONS, AnnotatorGroups, two_groups

_FIRST, _SECOND = 0, 1
_SHARES = np.linspace(0.0, 1.0, 51)
_PLANS = {
    "raise": (_SECOND, (0.0, 1.0, 0.8), "C's supporters rank B above C"),
    "bury": (_FIRST, (1.0, 0.0, 0.8), "A's supporters rank B last"),
    "exaggerate": (_FIRST, (1.0, 0.0, 0.0), "A's supporters deny that B is any good"),
}
"""Who misreports, the utilities that their votes follow, and in words."""


def run(
    misreporting: float = 0.6,
    plan: str = "raise",
    sharpness: float = 30.0,
    first_share: float = 0.6,
) -> Result:
    """The pooled reward's winner as a share of one group misreports.

    Args:
        misreporting: Share of the group that misreports.
        plan: Which group, and what it reports.
        sharpness: k; how surely a small difference in utility decides a vote.
        first_share: Share of annotators who want A; the others want C.
    """
    honest = two_groups(first_share=first_share, sharpness=sharpness)
    group, reports, _ = _PLANS[plan]

    def at(share: float) -> AnnotatorGroups:
        return honest.with_reports(group, share, np.array(reports))

    reward = pooled_reward(at(misreporting).win_rates())
    before, after = _winner(honest), _winner(at(misreporting))
    needed = _needed(at, before)
    own = honest.utilities[group]
    mean = average_utility(honest.shares, honest.utilities)
    size = float(honest.shares[group])
    quantities = (
        Quantity("honest_winner", "winner if all are honest (0 A, 1 B, 2 C)", before),
        Quantity("winner", "winner as they vote", after),
        Quantity("changed", "misreports change the winner", float(before != after)),
        Quantity("gain", "what a misreporter gains by it", float(own[after] - own[before])),
        Quantity("average", "average true utility of the winner", float(mean[after])),
        Quantity("average_gain", "what all gain on average", float(mean[after] - mean[before])),
        Quantity("needed", "share of the group that is needed", needed, "share"),
        Quantity("needed_of_all", "that share of all annotators", needed * size, "share"),
    )
    return Result(
        sentence=_sentence(plan, misreporting, before, after, float(own[after] - own[before])),
        quantities=quantities,
        chart=_chart(np.array([borda(at(float(s)).win_rates()) for s in _SHARES]), misreporting),
        table=Table(
            ("option", "pooled reward", "if all are honest", "true average utility"),
            tuple(
                (name, float(r), float(h), float(u))
                for name, r, h, u in zip(
                    OPTIONS, reward, pooled_reward(honest.win_rates()), mean, strict=True
                )
            ),
        ),
    )


def _winner(groups: AnnotatorGroups) -> int:
    return int(np.argmax(pooled_reward(groups.win_rates())))


def _needed(at: Callable[[float], AnnotatorGroups], honest_winner: int) -> float:
    """Least share of misreports at which another option wins; NaN if none does."""

    def lead(share: float) -> float:
        count = borda(at(share).win_rates())
        return float(count[honest_winner] - np.delete(count, honest_winner).max())

    return crossing(lead, _SHARES)


def _sentence(plan: str, share: float, before: int, after: int, gain: float) -> str:
    who = f"If {share:.0%} misreport ({_PLANS[plan][2]})"
    if before == after:
        return f"{who}, the pooled reward still crowns {OPTIONS[after]}, as with honest votes."
    return (
        f"{who}, the pooled reward crowns {OPTIONS[after]} instead of {OPTIONS[before]}, and each "
        f"of them {'gains' if gain > 0 else 'loses'} {abs(gain):.2f} of utility."
    )


def _chart(counts: FloatArray, misreporting: float) -> LineChart:
    a, b, c = (counts[:, i] for i in range(3))
    return LineChart(
        panels=(
            Panel(
                "mean win rate, whose order is the pooled reward's",
                (
                    Line("A, one group's favourite", _SHARES, a),
                    Line("B, the compromise", _SHARES, b, tone="gold", stroke="dashed"),
                    Line("C, the other's favourite", _SHARES, c, tone="other", stroke="dotted"),
                ),
                percent=True,
            ),
        ),
        x_label="share of the group that misreports",
        mark=Mark(misreporting, math.nan, math.nan, f"{misreporting:.0%}"),
    )


def _minority() -> Answer:
    result = run()
    needed, gain = result.value("needed_of_all"), result.value("gain")
    return Answer(
        0 if gain > 0 else 1,
        f"Once {needed:.0%} of all annotators rank the compromise above their own favourite, B "
        f"overtakes A, and they gain {gain:+.2f}. Votes that follow what pays are no longer "
        "evidence of what people want.",
    )


def _blunt_majority() -> Answer:
    result = run(misreporting=1.0, plan="exaggerate", sharpness=4.0)
    before, after = (OPTIONS[int(result.value(name))] for name in ("honest_winner", "winner"))
    return Answer(
        0 if after == "A" else (1 if after == before else 2),
        f"Honest blunt votes crown {before}, exaggerated ones {after}: the average utility moves "
        f"by {result.value('average_gain'):+.2f}.",
    )


SYSTEM = System(
    row="E17b",
    name="strategic-votes",
    title="Strategic votes",
    sentence="A pooled reward pays annotators to misreport: a minority can move its winner.",
    paragraph=(
        "Most annotators want A, a minority wants C, and both find B nearly as good. A pooled "
        "reward ranks options by how often they win. The minority cannot make C win, but by voting "
        "as if the compromise were its favourite it can make B beat A. The majority can answer by "
        "denying that B is any good, which undoes a compromise that honest blunt votes would have "
        "found; ranking B last goes too far and hands the win to C. Short of a dictator, any rule "
        "that picks among three options can be bent in some such way, so what annotators gain by "
        "their votes is part of the reward."
    ),
    controls=(
        Slider("misreporting", "share of the group that misreports", 0.6, 0.0, 1.0),
        Choice(
            "plan",
            "who misreports, and how",
            "raise",
            {k: words for k, (*_, words) in _PLANS.items()},
        ),
        Slider("sharpness", "sharpness k of votes", 30.0, 0.5, 30.0, log=True),
        Slider("first_share", "share of annotators who want A", 0.6, 0.05, 0.95, step=0.01),
    ),
    run=run,
    questions=(
        Question(
            "60% want A, 40% want C, and honest sharp votes crown A. Can C's supporters do better "
            "by lying, though they are the minority?",
            ("Yes", "No, the majority decides"),
            _minority,
        ),
        Question(
            "Votes are blunt (k = 4), and honest ones crown the compromise B. All who want A now "
            "vote as if B were worthless. Who wins?",
            ("A", "Still B", "C"),
            _blunt_majority,
        ),
    ),
    sources=(
        "Siththaranjan, Laidlaw and Hadfield-Menell (2023), arXiv:2312.08358",
        "Conitzer et al. (2024), arXiv:2404.10271",
        "Gibbard (1973), Econometrica 41, 587-601",
    ),
)
