"""The lab's runs repeated over several sets of labels, and what differs between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.experiments.lab_reward import held_out_accuracy
from rewardlab.experiments.lab_runs import LabRun, lab_run
from rewardlab.plots.series import Line, Stroke, Tone
from rewardlab.types import FloatArray, IntArray, OptimizationPath
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Rater, rater_utility

MANY_LABELS = 100
_POINTS = 60


@dataclass(frozen=True, slots=True)
class Setup:
    """What the experiments share.

    Attributes:
        seeds: Shape [k], int64; one a run, the same for all that is compared.
        beta: Price of KL in the rescue.
        n_steps: Steps of RL.
        n_max: Largest n of best-of-n.
        few_labels: Labels in the experiment on small data.
    """

    seeds: IntArray
    beta: float
    n_steps: int
    n_max: int
    few_labels: int

    def runs(self, rater: Rater, *, beta: float = 0.0, n_labels: int = MANY_LABELS) -> list[LabRun]:
        """One run a seed."""
        world = lab_world()
        utility = rater_utility(world, rater)
        return [
            lab_run(
                world,
                utility,
                rng=np.random.default_rng(seed),
                n_labels=n_labels,
                beta=beta,
                n_steps=self.n_steps,
                n_max=self.n_max,
            )
            for seed in self.seeds
        ]


@dataclass(frozen=True, slots=True)
class Courses:
    """The paths of several runs, point by point.

    Attributes:
        sqrt_kl: Shape [runs, k].
        proxy: Shape [runs, k].
        gold: Shape [runs, k].
    """

    sqrt_kl: FloatArray
    proxy: FloatArray
    gold: FloatArray

    @classmethod
    def of(cls, paths: Sequence[OptimizationPath]) -> Courses:
        """Stack paths of equal length."""
        return cls(
            np.sqrt([path.kl_nats for path in paths]),
            np.array([path.proxy_reward for path in paths]),
            np.array([path.gold_reward for path in paths]),
        )

    @property
    def peak(self) -> FloatArray:
        """Shape [runs]; the highest true quality."""
        return np.asarray(self.gold.max(axis=1))

    @property
    def peak_at(self) -> FloatArray:
        """Shape [runs]; where it is, in square root of KL."""
        return np.asarray(self.sqrt_kl[np.arange(len(self.gold)), self.gold.argmax(axis=1)])

    @property
    def fall(self) -> FloatArray:
        """Shape [runs]; from the highest true quality to the last."""
        return self.peak - self.gold[:, -1]

    def line(self, label: str, tone: Tone = "gold", *, of: str = "gold", stroke: Stroke) -> Line:
        """Median over the distance, with the middle half of the runs as a band."""
        reach = float(np.median(self.sqrt_kl[:, -1]))
        grid = np.linspace(0, reach, _POINTS)
        values = self.proxy if of == "proxy" else self.gold
        # Beyond its own end a run stays where it ended.
        rows = [np.interp(grid, x, y) for x, y in zip(self.sqrt_kl, values, strict=True)]
        low, mid, high = np.quantile(rows, (0.25, 0.5, 0.75), axis=0)
        return Line(label, grid, mid, low, high, tone, stroke)


@dataclass(frozen=True, slots=True)
class Relabelled:
    """What is learned from several sets of as many labels.

    Attributes:
        accuracy: Shape [runs]; held-out accuracy, NaN where nothing is held back.
        weights: Shape [runs, 6].
        alike: Median correlation of two of the rewards over the reference's answers.
    """

    accuracy: FloatArray
    weights: FloatArray
    alike: float

    @classmethod
    def of(cls, setup: Setup, n_labels: int) -> Relabelled:
        """Label and fit once a seed."""
        world, runs = lab_world(), setup.runs("hurried", n_labels=n_labels)
        accuracy = [
            held_out_accuracy(world, run.comparisons, run.weights).accuracy.value for run in runs
        ]
        rewards = np.array([reward_of(world, run) for run in runs])
        centred = rewards - (rewards @ world.ref_probs)[:, None]
        covariance = (centred * world.ref_probs) @ centred.T
        deviation = np.sqrt(np.diagonal(covariance))
        pairs = np.triu_indices(len(runs), 1)
        correlation = (covariance / np.outer(deviation, deviation))[pairs]
        weights = np.array([run.weights for run in runs])
        return cls(np.array(accuracy), weights, float(np.median(correlation)))

    @property
    def spread(self) -> float:
        """Standard deviation of the accuracy over sets of labels."""
        return float(np.std(self.accuracy, ddof=1))

    @property
    def swing(self) -> float:
        """Standard deviation of the weight of correctness, as a share of its mean."""
        return float(np.std(self.weights[:, 0], ddof=1) / abs(self.weights[:, 0].mean()))


def reward_of(world: AnswerSet, run: LabRun) -> FloatArray:
    """Shape [n]; the reward that a run learned."""
    return np.asarray(world.features @ run.weights)
