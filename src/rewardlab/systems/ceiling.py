"""E4, from agreement to ceiling: how good a perfect reward can look on noisy votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.ceiling import equal_noise_ceiling
from rewardlab.audit.vote_noise import TwoKinds, two_kinds
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.systems.drawing import other_line, place, row_table


@dataclass(frozen=True, slots=True)
class _Published:
    """An agreement rate from a paper: who agreed with whom, and how often."""

    who: str
    agreement: float


_PUBLISHED = {
    "stiennon-labellers": _Published("Stiennon 2020, labellers with researchers", 0.77),
    "stiennon-researchers": _Published("Stiennon 2020, researchers with each other", 0.73),
    "ouyang-training": _Published("Ouyang 2022, training labellers", 0.726),
    "ouyang-held-out": _Published("Ouyang 2022, held-out labellers", 0.773),
    "bai": _Published("Bai 2022, researchers with crowd workers", 0.63),
    "zheng": _Published("Zheng 2023, experts, votes without ties", 0.81),
}
_OWN = "own"
_GRID = np.linspace(0.5, 1.0, 101)


def run(
    agreement: float = 0.726, rate: str = "own", unevenness: float = 0.0, votes: str = "3"
) -> Result:
    """The ceiling at one agreement rate, and over all of them.

    Args:
        agreement: Chance that two voters agree, ties set aside.
        rate: "own" for this rate, or a published one in its place.
        unevenness: 0: all pairs equally noisy; 1: each pair is settled or a coin.
        votes: Votes a pair whose majority is predicted, an odd number.
    """
    a = agreement if rate == _OWN else _PUBLISHED[rate].agreement
    kinds = two_kinds(a, unevenness)
    high = float(equal_noise_ceiling(a))
    majority = kinds.against_majority(int(votes))
    against = "one vote" if votes == "1" else f"the majority of {votes}"
    return Result(
        sentence=_sentence(kinds, votes, majority),
        quantities=(
            Quantity("agreement", "two voters agree", a, "share"),
            Quantity(
                "flip_rate", "votes on open pairs against the favourite", kinds.flip_rate, "share"
            ),
            Quantity("ceiling", "a perfect reward against single votes", kinds.ceiling, "share"),
            Quantity("lowest", "lowest ceiling that the rate allows", a, "share"),
            Quantity("highest", "highest ceiling that the rate allows", high, "share"),
            Quantity("majority", f"a perfect reward against {against}", majority, "share"),
            Quantity("settled", "pairs on which all agree", kinds.settled, "share"),
        ),
        chart=_chart(a, unevenness, int(votes)),
        table=_published_table(),
    )


def _sentence(kinds: TwoKinds, votes: str, majority: float) -> str:
    if kinds.settled == 0:
        why = f"if every vote is flipped {kinds.flip_rate:.1%} of the time"
    else:
        why = (
            f"if {kinds.settled:.0%} of pairs are settled and votes on the others are flipped "
            f"{kinds.flip_rate:.1%} of the time"
        )
    against = "" if votes == "1" else f" (the majority of {votes} votes {majority:.1%})"
    high = float(equal_noise_ceiling(kinds.agreement))
    return (
        f"Two voters agree {kinds.agreement:.1%} of the time: a perfect reward matches a single "
        f"vote {kinds.ceiling:.1%} of the time{against} {why}; the rate alone allows "
        f"{kinds.agreement:.1%} to {high:.1%}."
    )


def _chart(agreement: float, unevenness: float, votes: int) -> LineChart:
    mixes = [two_kinds(float(a), unevenness) for a in _GRID]
    lines = [
        Line("highest: equal noise", _GRID, equal_noise_ceiling(_GRID), tone="gold"),
        other_line("lowest: the rate itself", _GRID, _GRID),
    ]
    if votes > 1:
        majority = np.array([mix.against_majority(votes) for mix in mixes])
        lines.append(Line(f"against majority of {votes}", _GRID, majority, stroke="dotted"))
    if unevenness > 0:
        lines.append(Line("this mix of pairs", _GRID, np.array([mix.ceiling for mix in mixes])))
    return LineChart(
        panels=(Panel("accuracy of a perfect reward", tuple(lines), percent=True),),
        x_label="how often two voters agree (ties set aside)",
        mark=place(agreement, f"{agreement:.1%}"),
    )


def _published_table() -> Table:
    return row_table(
        ("who agrees with whom", "agreement", "flip rate", "lowest ceiling", "highest"),
        (
            (one.who, one.agreement, kinds.flip_rate, one.agreement, kinds.ceiling)
            for one in _PUBLISHED.values()
            for kinds in (two_kinds(one.agreement),)
        ),
    )


def _barely_above_agreement() -> Answer:
    result = run(agreement=0.7)
    low, high = result.value("lowest"), result.value("highest")
    return Answer(
        0 if low - 0.69 > 0.05 else 2 if high - 0.69 < 0.02 else 1,
        f"The ceiling lies between {low:.1%} and {high:.1%}. At the lower end 69% is as good as "
        f"perfect; at the upper end {100 * (high - 0.69):.0f} points are missing. Only knowing how "
        "noise differs between pairs tells which.",
    )


SYSTEM = System(
    row="E4",
    name="ceiling",
    title="From agreement to ceiling",
    sentence="How often two people agree bounds how accurate even a perfect reward can look.",
    paragraph=(
        "People who vote on the same pair of answers often disagree, so a reward that knows what "
        "most people prefer still misses single votes. If every vote goes against the favourite "
        "equally often, the agreement rate gives that flip rate and the best possible accuracy. "
        "If some pairs are settled and others are a matter of taste, the same agreement leaves "
        "less room, down to the agreement rate itself. A test set labelled by a majority of votes "
        "raises the ceiling. Ties are set aside: the rates are over votes that chose a side, and "
        "a rate that counts ties as disagreement is not comparable."
    ),
    controls=(
        Slider(
            "agreement",
            "how often two voters agree, if no rate is chosen",
            0.726,
            0.5,
            1.0,
            step=0.001,
        ),
        Choice(
            "rate",
            "or a published rate in its place",
            _OWN,
            {_OWN: "the rate above"}
            | {name: f"{one.who} ({one.agreement:.1%})" for name, one in _PUBLISHED.items()},
        ),
        Slider("unevenness", "how far agreement comes from settled pairs", 0.0, 0.0, 1.0),
        Choice(
            "votes",
            "the test label is the majority of",
            "3",
            {"1": "a single vote", "3": "three votes", "5": "five votes", "7": "seven votes"},
        ),
    ),
    run=run,
    questions=(
        Question(
            "Two voters agree on 70% of pairs. A reward scores 69% against single votes. Is it "
            "a weak reward?",
            ("Yes, far below the ceiling", "It cannot be said", "No, it is perfect"),
            _barely_above_agreement,
        ),
    ),
    sources=(
        "Stiennon et al. (2020), arXiv:2009.01325",
        "Ouyang et al. (2022), arXiv:2203.02155",
        "Bai et al. (2022), arXiv:2204.05862",
        "Zheng et al. (2023), arXiv:2306.05685",
    ),
)
