"""E17b, strategic votes: who misreports can move the winner of a pooled reward."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.rewards.voting_rules import average_utility, borda, crossing, pooled_reward
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, place
from rewardlab.systems.pluralism import vote_panel
from rewardlab.worlds.annotator_groups import OPTIONS, AnnotatorGroups, two_groups

_SHARES = np.linspace(0.0, 1.0, 51)
_PLANS = {
    "raise": (2, (0.0, 1.0, 0.8), "rank B above C"),
    "bury": (0, (1.0, 0.0, 0.8), "rank B last"),
    "exaggerate": (0, (1.0, 0.0, 0.0), "deny that B is any good"),
}
"""Whose favourite they are that misreport, the utilities that their votes follow, and in words."""


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
    favourite, reports, _ = _PLANS[plan]
    group = favourite // 2  # A's supporters are the first group, C's the second.

    def at(share: float) -> AnnotatorGroups:
        return honest.with_reports(group, share, np.array(reports))

    before, after = _winner(honest), _winner(at(misreporting))
    needed = _needed(at, before)
    own = honest.utilities[group]
    mean = average_utility(honest.shares, honest.utilities)
    gain = float(own[after] - own[before])
    of_all = needed * float(honest.shares[group])
    return Result(
        sentence=_sentence(plan, misreporting, before, after, gain),
        quantities=(
            Quantity("changed", "misreports change the winner", float(before != after), YES_NO),
            Quantity("gain", "what a misreporter gains by it", gain),
            Quantity("average", "average true utility of the winner", float(mean[after])),
            Quantity("average_gain", "what all gain on average", float(mean[after] - mean[before])),
            Quantity("needed", "share of the group needed (–: none is enough)", needed, "share"),
            Quantity("needed_of_all", "that share of all annotators", of_all, "share"),
        ),
        chart=LineChart(
            (vote_panel(_SHARES, [at(float(share)) for share in _SHARES]),),
            "share of the group that misreports",
            mark=place(misreporting, f"{misreporting:.0%}"),
        ),
        table=column_table(
            {
                "option": OPTIONS,
                "pooled reward": pooled_reward(at(misreporting).win_rates()),
                "if all are honest": pooled_reward(honest.win_rates()),
                "true average utility": mean,
            }
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
    favourite, _, deed = _PLANS[plan]
    who = f"If {share:.0%} of {OPTIONS[favourite]}'s supporters {deed}"
    if before == after:
        return f"{who}, the pooled reward still crowns {OPTIONS[after]}, as with honest votes."
    return (
        f"{who}, the pooled reward crowns {OPTIONS[after]} instead of {OPTIONS[before]}, and each "
        f"of them {'gains' if gain > 0 else 'loses'} {abs(gain):.2f} of utility."
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
    gain, lost = result.value("gain"), -result.value("average_gain")
    return Answer(
        0 if gain > 0 else (1 if gain == 0 else 2),
        f"The winner becomes one from which they get {gain:+.2f} more; all lose {lost:.2f} on "
        "average. Denying the compromise gives them back what honest votes had shared.",
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
            {name: f"{OPTIONS[of]}'s supporters {deed}" for name, (of, _, deed) in _PLANS.items()},
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
