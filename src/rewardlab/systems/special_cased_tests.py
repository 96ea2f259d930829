"""D4, special-cased tests: the same training reward from runs that learned different things."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.policies.group_rounds import sampled_rounds
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table
from rewardlab.types import FloatArray
from rewardlab.worlds.reversing import N_TESTS, N_VISIBLE, passed_tests, reversing_world

_SHARES = (0.10, 0.50, 0.30, 0.10)
"""Of A, B, C and D at the start: the right program and the special case are as likely."""
_SCORERS = {"lazy": N_VISIBLE, "all": N_TESTS}


def run(
    scorer: str = "lazy", rounds: int = 24, runs: int = 6, *, rng: np.random.Generator
) -> Result:
    """Several runs of the same training, which differ only in what they happened to write.

    Args:
        scorer: "lazy" runs the two tests of the prompt, "all" runs all six.
        rounds: Rounds of three attempts.
        runs: How many runs.
        rng: Draws the attempts.
    """
    world = reversing_world(_SHARES)
    reward = passed_tests()[:, : _SCORERS[scorer]].all(axis=1).astype(float)
    path, _ = sampled_rounds(
        world.ref_logprobs,
        reward,
        n_rounds=rounds,
        n_runs=runs,
        group_size=3,
        step_size=2 / 3,
        rng=rng,
    )
    shares = np.exp(path[-1])
    training, hidden, special = shares @ reward, shares @ world.gold, shares[:, 3]
    return Result(
        sentence=_sentence(scorer, training, hidden, special),
        quantities=(
            Quantity("lowest_training", "lowest training reward", training.min(), "share"),
            Quantity("highest_training", "highest training reward", training.max(), "share"),
            Quantity("lowest_hidden", "fewest answers that pass all six", hidden.min(), "share"),
            Quantity("highest_hidden", "most answers that pass all six", hidden.max(), "share"),
            Quantity("hidden_spread", "distance of the two", np.ptp(hidden), "share"),
            Quantity("most_special", "largest share of the special case", special.max(), "share"),
        ),
        chart=BarChart(
            bars=tuple(
                bar
                for i in range(runs)
                for bar in (
                    Bar("training reward", training[i], group=f"run {i + 1}"),
                    Bar("passes all six tests", hidden[i], tone="gold", group=f"run {i + 1}"),
                )
            ),
            x_label=f"share of answers after {rounds} rounds",
            percent=True,
        ),
        table=column_table(
            {
                "run": range(1, runs + 1),
                "training reward": training,
                "passes all six": hidden,
                "special case D": special,
            }
        ),
    )


def _sentence(scorer: str, training: FloatArray, hidden: FloatArray, special: FloatArray) -> str:
    tests = "only the two visible tests" if scorer == "lazy" else "all six tests"
    return (
        f"Scored on {tests}, the runs earn a training reward of {_range(training)}, pass all six "
        f"tests with {_range(hidden)} of their answers, and write the special case up to "
        f"{special.max():.0%} of the time."
    )


def _range(values: FloatArray) -> str:
    low, high = f"{values.min():.0%}", f"{values.max():.0%}"
    return low if low == high else f"{low} to {high}"


def _told_apart() -> Answer:
    lazy = run(rng=np.random.default_rng(0))
    gap = lazy.value("hidden_spread")
    training, hidden = (
        _range(np.array([lazy.value(f"{end}_{what}") for end in ("lowest", "highest")]))
        for what in ("training", "hidden")
    )
    return Answer(
        2 if gap > 0.5 else (1 if gap > 0.1 else 0),
        f"In six runs the training reward is {training}, and the share of answers that pass all "
        f"six tests {hidden}: the scorer pays both programs alike, so chance picks one.",
    )


SYSTEM = System(
    row="D4",
    name="special-cased-tests",
    title="Special-casing the tests",
    sentence="A scorer that runs only the visible tests pays a hack like the real thing.",
    paragraph=(
        "The prompt now shows two of the six tests, and the model knows a fourth program, D, that "
        "recognises those two inputs and gives what they ask for. A lazy scorer runs only these "
        "two tests, so D and the right program A earn the same. Each run is the same training; "
        "they differ only in which programs they happened to write early on. The training reward "
        "cannot tell the runs apart. The hidden tests can, and a scorer that runs them from the "
        "start lets the special case die out."
    ),
    controls=(
        Choice(
            "scorer",
            "what the scorer runs",
            "lazy",
            {"lazy": "the two visible tests", "all": "all six tests"},
        ),
        Slider("rounds", "rounds of training", 24, 0, 100, step=1, whole=True, plays=True),
        Slider("runs", "runs side by side", 6, 2, 12, step=1, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "Every run ends with a training reward near 95%. How alike are their hidden tests?",
            ("All near 95% too", "They differ by some points", "They differ by more than half"),
            _told_apart,
        ),
    ),
    sources=("Denison et al. (2024), arXiv:2406.10162", "Baker et al. (2025), arXiv:2503.11926"),
)
