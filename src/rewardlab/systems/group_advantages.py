"""C2, group advantages: a prompt teaches only when its answers differ in reward."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.advantages import group_advantages, signal_probability
from rewardlab.policies.expected_updates import advantage_pull
from rewardlab.policies.policy_gradient import GroupMethod
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, other_line, place
from rewardlab.types import FloatArray

_RATES = np.geomspace(0.001, 0.999, 121)


def run(group_size: int = 8, n_right: int = 2, success_rate: float = 0.02) -> Result:
    """Advantages of one group, and how often a prompt gives any.

    Args:
        group_size: Answers drawn for a prompt at a time.
        n_right: How many of this group are right: reward 1, the others 0; all if it has fewer.
        success_rate: Chance that one answer is right, for the share of visits with a signal.
    """
    n_right = min(n_right, group_size)
    rewards = (np.arange(group_size) < n_right).astype(np.float64)
    plain = group_advantages(rewards)
    others = group_advantages(rewards, baseline="leave_one_out")
    divided = group_advantages(rewards, divide_by_sd=True)
    signal = float(signal_probability(np.array(success_rate), group_size))
    rate = np.array([success_rate])
    push, push_divided = (
        float(_push(rate, group_size, divide_by_sd=divide)[0]) for divide in (False, True)
    )
    quantities = (
        Quantity("signal", "visits on which the prompt teaches anything", signal, "share"),
        Quantity("highest_advantage", "highest advantage, divided by spread", float(divided.max())),
        Quantity("lowest_advantage", "lowest advantage, divided by spread", float(divided.min())),
        Quantity(
            "share_of_gradient",
            "size of the mean gradient when the mean holds the answer itself",
            GroupMethod(group_size=group_size).share_of_gradient,
            "share",
        ),
        Quantity("push", "mean push on being right, not divided", push),
        Quantity("push_divided", "mean push on being right, divided by spread", push_divided),
    )
    return Result(
        sentence=_sentence(group_size, n_right, divided, success_rate, signal),
        quantities=quantities,
        chart=_chart(group_size, success_rate),
        table=column_table(
            {
                "answer": ["right"] * n_right + ["wrong"] * (group_size - n_right),
                "reward": rewards,
                "minus group mean": plain,
                "minus mean of others": others,
                "divided by spread": divided,
            }
        ),
    )


def _push(rates: FloatArray, group_size: int, *, divide_by_sd: bool) -> FloatArray:
    """Mean step of the logit of being right against being wrong, at each rate; shape of rates."""
    pull = advantage_pull(
        np.array([1.0, 0.0]), GroupMethod("group_mean", divide_by_sd, group_size=group_size)
    )
    return np.array([pull(np.log([rate, 1 - rate]))[0] for rate in rates])


def _chart(group_size: int, success_rate: float) -> LineChart:
    few, many = (signal_probability(_RATES, size) for size in (group_size, 8 * group_size))
    plain, divided = (_push(_RATES, group_size, divide_by_sd=divide) for divide in (False, True))
    return LineChart(
        panels=(
            Panel(
                "visits with a signal",
                (
                    Line(f"{group_size} answers", _RATES, few),
                    other_line(f"{8 * group_size} answers", _RATES, many),
                ),
                percent=True,
            ),
            Panel(
                "mean push on being right",
                (
                    Line("not divided", _RATES, plain),
                    other_line("divided by spread", _RATES, divided),
                ),
                height=110,
            ),
        ),
        x_label="chance that one answer is right",
        log_x=True,
        mark=place(success_rate, f"{success_rate:.3g}"),
    )


def _sentence(
    group_size: int, n_right: int, divided: FloatArray, success_rate: float, signal: float
) -> str:
    group = "all are equal: every advantage is 0"
    if divided.any():
        group = (
            f"each right answer gets an advantage of {divided.max():+.2f} and each wrong one "
            f"{divided.min():+.2f}"
        )
    return (
        f"With {n_right} of {group_size} right, {group}. At a success rate of {success_rate:.3g}, "
        f"{signal:.1%} of visits teach something."
    )


def _hard_prompt() -> Answer:
    signal = run(group_size=8, success_rate=0.02).value("signal")
    choice = int(np.argmin(np.abs(np.array([0.02, 0.15, 0.5, 1.0]) - signal)))
    return Answer(
        choice,
        f"{signal:.1%}: a signal needs a right and a wrong answer, and all 8 are wrong on "
        f"{0.98**8:.0%} of visits.",
    )


def _all_right() -> Answer:
    result = run(group_size=4, n_right=4)
    highest = result.value("highest_advantage")
    return Answer(
        1 if highest == 0 else 0,
        f"The highest advantage is {highest:g}: each reward equals the mean of its group.",
    )


SYSTEM = System(
    row="C2",
    name="group-advantages",
    title="Advantages within a group",
    sentence="A prompt teaches only when some of its sampled answers are right and some wrong.",
    paragraph=(
        "GRPO needs no second network to say what reward to expect: it draws a group of answers to "
        "one prompt and compares each reward with the group's mean. What is above it becomes "
        "likelier, what is below it rarer. GRPO also divides by the group's spread (its standard "
        "deviation), so that a rare success counts for more. If all answers are right, or all are "
        "wrong, nothing differs from the mean and the prompt teaches nothing on that visit. The "
        "mean holds the answer itself, which shrinks the average step to 1 - 1/G of the true one; "
        "the mean of the others alone does not."
    ),
    controls=(
        Slider("group_size", "answers in a group", 8, 2, 64, whole=True),
        Slider("n_right", "right answers in this group, at most all", 2, 0, 64, whole=True),
        Slider("success_rate", "chance that one answer is right", 0.02, 0.001, 0.999, log=True),
    ),
    run=run,
    questions=(
        Question(
            "A model solves a problem 2% of the time. With groups of 8, on what share of visits "
            "does it learn anything from it?",
            ("About 2%", "About 15%", "About half", "All"),
            _hard_prompt,
        ),
        Question(
            "Four answers, and all four are right. What does the update do?",
            ("Makes all four likelier", "Nothing"),
            _all_right,
        ),
    ),
    sources=(
        "Shao et al. (2024), arXiv:2402.03300",
        "Liu et al. (2025), arXiv:2503.20783",
        "Ahmadian et al. (2024), arXiv:2402.14740",
    ),
)
