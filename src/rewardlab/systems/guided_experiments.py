"""A7, the guided experiments: what goes wrong with a learned reward, and what helps."""

from __future__ import annotations

import numpy as np

from rewardlab.experiments.lab_runs import N_MAX, N_STEPS
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Question, Result, System
from rewardlab.systems.lab_experiments import EXPERIMENTS
from rewardlab.systems.lab_repeats import Setup


def run(
    experiment: str = "1",
    n_seeds: int = 7,
    beta: float = 1.0,
    n_steps: int = N_STEPS,
    n_max: int = N_MAX,
    few_labels: int = 8,
    *,
    rng: np.random.Generator,
) -> Result:
    """One experiment over several sets of labels.

    Args:
        experiment: Its number.
        n_seeds: Runs, each with its own labels.
        beta: Price of a nat of KL, in experiment 2.
        n_steps: Steps of RL.
        n_max: Largest n of best-of-n.
        few_labels: Labels in experiment 6.
        rng: Source of randomness.
    """
    seeds = rng.integers(2**32, size=n_seeds)
    _, shown = EXPERIMENTS[experiment]
    return shown(Setup(seeds, beta, n_steps, n_max, few_labels))


def _at_default(experiment: str) -> Result:
    return run(experiment, rng=np.random.default_rng(0))


def _hacked() -> Answer:
    result = _at_default("1")
    start, peak, final = (result.value(name) for name in ("start", "peak", "final"))
    return Answer(
        0 if final >= peak - 0.1 else 1 if final > start else 2,
        f"It rises from {start:.2f} to {peak:.2f} and ends at {final:.2f}, while the learned "
        f"reward never falls in {result.value('rises'):.0%} of the runs.",
    )


def _honest() -> Answer:
    result = _at_default("3")
    damage, fall = result.value("damage"), result.value("best_of_n_fall")
    hurried = result.value("damage_hurried")
    return Answer(
        0 if fall <= 0.05 else 1 if fall < hurried else 2,
        f"Best-of-n falls {fall:.2f} from its peak and RL {damage:.2f}; under the hurried rater RL "
        f"falls {hurried:.2f}.",
    )


SYSTEM = System(
    row="A7",
    name="guided-experiments",
    title="Guided experiments",
    sentence="Five experiments: a reward is hacked, leashed, taught well, climbed twice, starved.",
    paragraph=(
        "Each experiment labels 100 pairs of short answers, fits a reward with six weights and "
        "optimises a model against it; as labels are drawn at random, it does so several times and "
        "shows medians. Experiments 1, 2 and 5 have the hurried rater, who likes length, "
        "confidence and compliments; 3 sets the careful one beside it. Reinforcement learning "
        "(RL) takes exact steps; best-of-n draws n answers and keeps the one with the highest "
        "learned reward. The horizontal axis is how far a model has moved, the square root of KL. "
        "Experiment 4, labelling by hand, is for the browser."
    ),
    controls=(
        Choice(
            "experiment", "experiment", "1", {k: title for k, (title, _) in EXPERIMENTS.items()}
        ),
        Slider("n_seeds", "runs", 7, 3, 20, whole=True),
        Slider("beta", "beta in experiment 2", 1.0, 0.05, 4.0, log=True),
        Slider(
            "n_steps",
            "steps of RL in experiments 1 to 3 and 5",
            N_STEPS,
            10,
            N_STEPS,
            whole=True,
            log=True,
        ),
        Slider(
            "n_max",
            "largest n of best-of-n in experiments 3 and 5",
            N_MAX,
            2,
            N_MAX,
            whole=True,
            log=True,
        ),
        Slider("few_labels", "labels in experiment 6", 8, 5, 100, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "RL climbs the hurried rater's reward without a penalty. What does true quality do?",
            (
                "It rises with the reward and stays there",
                "It peaks and falls, but ends above the start",
                "It peaks early and ends below the start",
            ),
            _hacked,
        ),
        Question(
            "The careful rater goes by the rubric alone. What does best-of-4096 do now?",
            (
                "It no longer falls from its peak",
                "It falls, though less than RL under the hurried rater",
                "It falls as far as RL under the hurried rater",
            ),
            _honest,
        ),
    ),
    sources=(
        "Gao, Schulman and Hilton (2022), arXiv:2210.10760",
        "Singhal et al. (2023), arXiv:2310.03716",
        "Sharma et al. (2023), arXiv:2310.13548",
    ),
)
