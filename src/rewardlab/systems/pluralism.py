"""E17, whose preferences: one reward for all is a voting rule, and rules disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.plots.text import listed
from rewardlab.rewards.voting_rules import (
    average_utility,
    borda,
    contested,
    crossing,
    pooled_reward,
    spread_over_groups,
    worst_off,
)
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, gold_line, other_line, place
from rewardlab.types import FloatArray
from rewardlab.worlds.annotator_groups import OPTIONS, AnnotatorGroups, two_groups

_A, _B, _C = range(3)
_SHARPNESS = np.geomspace(0.5, 30.0, 60)


def run(
    sharpness: float = 30.0,
    first_share: float = 0.6,
    compromise_first: float = 0.8,
    compromise_second: float = 0.8,
) -> Result:
    """What each rule makes of two groups' votes.

    Args:
        sharpness: k; how surely a small difference in utility decides a vote.
        first_share: Share of annotators who want A; the others want C.
        compromise_first: What A's group gets from B; A gives it 1 and C gives it 0.
        compromise_second: What C's group gets from B.
    """

    def at(k: float) -> AnnotatorGroups:
        b = (compromise_first, compromise_second)
        return two_groups(first_share=first_share, compromise=b, sharpness=k)

    groups = at(sharpness)
    rates, shares, utilities = groups.win_rates(), groups.shares, groups.utilities
    reward, count = pooled_reward(rates), borda(rates)
    mean, least = average_utility(shares, utilities), worst_off(utilities)
    spread, split = spread_over_groups(shares, utilities), contested(utilities)
    own = average_utility(shares, np.max(utilities, axis=1, keepdims=True))
    rival = _A if first_share >= 0.5 else _C
    flip = crossing(lambda k: _lead(at(k), rival), _SHARPNESS)
    leads = {
        "reward": ("the pooled reward", reward),
        "borda": ("Borda's count", count),
        "utility": ("average utility", mean),
        "worst": ("the worst-off group", least),
    }
    lost = float(mean.max() - mean[int(np.argmax(reward))])
    return Result(
        sentence=_sentence(first_share, sharpness, reward, mean),
        quantities=(
            *(
                Quantity(f"lead_{slug}", f"A's lead over B by {rule}", float(by[_A] - by[_B]))
                for slug, (rule, by) in leads.items()
            ),
            Quantity("loss", "average utility lost by the pooled reward", lost),
            Quantity("flip_sharpness", f"k at which {OPTIONS[rival]} overtakes B (–: none)", flip),
            Quantity("spread_of_a", "spread of A's utility over people", float(spread[_A])),
            Quantity("spread_of_b", "spread of B's", float(spread[_B])),
            Quantity("contested", "options that one group likes and another does not", split.sum()),
            Quantity("by_group", "utility if each group is given its own favourite", float(own[0])),
        ),
        chart=LineChart(
            (vote_panel(_SHARPNESS, [at(float(k)) for k in _SHARPNESS]),),
            "sharpness k (to the right votes tell only the order, not by how much)",
            log_x=True,
            mark=place(sharpness, f"k {sharpness:.3g}"),
        ),
        table=column_table(
            {
                "option": OPTIONS,
                "pooled reward": reward,
                "Borda": count,
                "average utility": mean,
                "worst group": least,
                "spread over people": spread,
                "reward for A's group": groups.own_rewards()[0],
                "for C's": groups.own_rewards()[1],
                "contested": split,
            }
        ),
    )


def _lead(groups: AnnotatorGroups, rival: int) -> float:
    """The rival's lead over B in Borda's count, whose order is the pooled reward's."""
    count = borda(groups.win_rates())
    return float(count[rival] - count[_B])


def vote_panel(x: FloatArray, groups: Sequence[AnnotatorGroups]) -> Panel:
    """Borda's count of each option as something about the groups changes."""
    a, b, c = np.array([borda(one.win_rates()) for one in groups]).T
    return Panel(
        "mean win rate (Borda's count)",
        (
            Line("A, one group's favourite", x, a),
            gold_line("B, the compromise", x, b),
            other_line("C, the other's favourite", x, c, "dotted"),
        ),
        percent=True,
    )


def _sentence(share: float, k: float, reward: FloatArray, mean: FloatArray) -> str:
    crowned, useful = _best(reward), _best(mean)
    verdict = "agrees" if set(crowned) <= set(useful) else f"prefers {listed(useful)}"
    return (
        f"With {share:.0%} wanting A and {1 - share:.0%} wanting C, at sharpness {k:.3g} the "
        f"pooled Bradley-Terry reward crowns {listed(crowned)}; average utility {verdict}."
    )


def _best(values: FloatArray) -> list[str]:
    """The options with the highest value, up to rounding."""
    return [OPTIONS[i] for i in np.flatnonzero(values > values.max() - 1e-9)]


def _low_sharpness() -> Answer:
    sharp, blunt = run(), run(sharpness=1.0)
    before, after = sharp.value("lead_reward"), blunt.value("lead_reward")
    return Answer(
        0 if after > 0 else 1,
        f"A's pooled reward leads B's by {before:+.2f} at k = 30 and by {after:+.2f} at k = 1; the "
        f"change comes at k = {sharp.value('flip_sharpness'):.2f}. Blunt votes waver when "
        "utilities are close and hold when they are not, so that they tell intensity.",
    )


def _flagged() -> Answer:
    result = run()
    a, b = result.value("spread_of_a"), result.value("spread_of_b")
    return Answer(
        0 if a > 0.2 and b < 0.1 else 1,
        f"A's utility has spread {a:.2f} over people and B's {b:.2f}: a reward that keeps the "
        f"spread beside the mean flags {result.value('contested'):.0f} options as contested.",
    )


SYSTEM = System(
    row="E17",
    name="pluralism",
    title="Whose preferences",
    sentence="A reward pooled from two groups is a voting rule that can pass over the compromise.",
    paragraph=(
        "Two hidden groups of annotators disagree: one wants A, the other C, and both find B "
        "nearly as good as their favourite. A reward fitted to their pooled votes ranks options by "
        "how often they win, which is Borda's count, and forgets by how much. With sharp votes "
        "the larger group's favourite wins although B would please more people more. With blunt "
        "votes, which waver where utilities are close, it finds B. Other rules choose otherwise: "
        "the highest average, the best for whoever is worst off, a reward of its own for each "
        "group, or a mean with its spread over people, which shows where they disagree."
    ),
    controls=(
        Slider("sharpness", "sharpness k of votes", 30.0, 0.5, 30.0, log=True),
        Slider("first_share", "share of annotators who want A", 0.6, 0.05, 0.95, step=0.01),
        Slider("compromise_first", "utility of the compromise B to those who want A", 0.8, 0, 1),
        Slider("compromise_second", "utility of B to those who want C", 0.8, 0, 1),
    ),
    run=run,
    questions=(
        Question(
            "Votes become blunt (k = 1), wavering wherever utilities are close. Which option does "
            "the pooled reward crown?",
            ("A, the larger group's favourite", "B, the compromise", "C"),
            _low_sharpness,
        ),
        Question(
            "A reward that keeps each option's spread over people beside its mean is asked what is "
            "contested. What does it name?",
            ("A and C, but not B", "Nothing: the means hide it"),
            _flagged,
        ),
    ),
    sources=(
        "Siththaranjan, Laidlaw and Hadfield-Menell (2023), arXiv:2312.08358",
        "Chakraborty et al. (2024), arXiv:2402.08925",
        "Conitzer et al. (2024), arXiv:2404.10271",
        "Sorensen et al. (2024), arXiv:2402.05070",
    ),
)
