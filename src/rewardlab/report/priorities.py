"""What to do first: what failed, then what warns of the reward, then what warns of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab.report.frame import Shown
from rewardlab.types import Status

_ABOUT_THE_REWARD = (
    "optimisation-curve",
    "curve-prompts",
    "ceiling",
    "held-out-accuracy",
    "accuracy-by-difficulty",
    "reward-overpays",
    "votes-pay-for",
    "reward-beyond-features",
    "length-alone",
    "calibration",
    "unlikely-labels",
)
"""Findings about the reward by what a wrong step would cost: optimising too far comes first."""

_STATUSES = (Status.FAIL, Status.WARN, Status.CANNOT_SAY, Status.PASS)


@dataclass(frozen=True, slots=True)
class ToDo:
    """One thing to do, with the findings that ask for it; all of one status."""

    action: str
    status: Status
    asked_by: tuple[Shown, ...]


def ranked(data: Sequence[Shown], reward: Sequence[Shown]) -> list[Shown]:
    """Findings by status; within one, the reward's in order of cost, then the data's by share."""
    names = [*_ABOUT_THE_REWARD, ""]

    def of_reward(one: Shown) -> int:
        return names.index(one.finding.name if one.finding.name in names else "")

    def of_data(one: Shown) -> float:
        return -(one.finding.share or 0.0)

    ordered = [*sorted(reward, key=of_reward), *sorted(data, key=of_data)]
    return sorted(ordered, key=lambda one: _STATUSES.index(one.finding.status))


def to_do(shown: Sequence[Shown], *statuses: Status) -> list[ToDo]:
    """What the findings of these statuses ask for, each action once, in their order.

    Args:
        shown: Findings, the most urgent first.
        statuses: Those that count.
    """
    grouped: dict[tuple[Status, str], list[Shown]] = {}
    for one in shown:
        if one.finding.status in statuses:
            key = one.finding.status, one.finding.action
            grouped.setdefault(key, []).append(one)
    return [ToDo(action, status, tuple(asked)) for (status, action), asked in grouped.items()]
