"""The six guided experiments: what their words say is so, at the seed shown and in the median."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from rewardlab.experiments.lab_learning import Learned, learned_from
from rewardlab.experiments.lab_policies import RunMethod, RunSettings, beta_sweep, optimised
from rewardlab.policies.recording import Optimised
from rewardlab.systems.lab_features import levels_of
from rewardlab.systems.lab_guide import EXPERIMENTS, SEED, Beside, Guided
from rewardlab.systems.lab_methods import METHODS, checked_run, default_run
from rewardlab.systems.lab_story import run_sentence
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import draw_comparisons, rater_utility

WORLD = lab_world()
SEEDS = tuple(range(11))
SAMPLED: tuple[RunMethod, ...] = ("grpo", "ppo", "reinforce")


@dataclass(frozen=True)
class Course:
    """One run, and what it was against."""

    learned: Learned
    run: Optimised

    @property
    def gold(self) -> FloatArray:
        return self.run.path.gold_reward

    @property
    def start(self) -> float:
        return float(self.gold[0])

    @property
    def peak(self) -> float:
        return float(self.gold.max())

    @property
    def end(self) -> float:
        return float(self.gold[-1])

    @property
    def fall(self) -> float:
        return self.peak - self.end

    @property
    def peak_at(self) -> float:
        return float(np.sqrt(self.run.path.kl_nats[self.gold.argmax()]))


@cache
def course(number: int, run: RunSettings, seed: int) -> Course:
    """An experiment's labels at a seed, and a run on them."""
    guided = EXPERIMENTS[number - 1]
    utility = rater_utility(WORLD, guided.rater)
    rng = np.random.default_rng(seed)
    learned = learned_from(draw_comparisons(utility, WORLD.ref_logprobs, guided.n, rng=rng))
    assert learned is not None
    return Course(learned, optimised(WORLD, learned.reward, replace(run, seed=seed)))


def own(guided: Guided, seed: int) -> Course:
    """An experiment's own run."""
    return course(guided.number, guided.run, seed)


def median(values: list[float]) -> float:
    return float(np.median(values))


def test_there_are_six_and_the_fourth_is_by_hand() -> None:
    assert [guided.number for guided in EXPERIMENTS] == [1, 2, 3, 4, 5, 6]
    assert [guided.labels_by_hand for guided in EXPERIMENTS].index(True) == 3
    for guided in EXPERIMENTS:
        checked_run(guided.run)


def test_the_first_is_hacked_at_the_seed_shown() -> None:
    at = own(EXPERIMENTS[0], SEED)
    proxy = at.run.path.proxy_reward
    assert (np.diff(proxy) > -1e-12).all()  # at its end it gains less than rounding loses
    assert at.gold.argmax() < 0.25 * len(at.gold)
    assert at.end < at.start - 1
    assert "below where it started" in run_sentence(at.run.path, EXPERIMENTS[0].run)
    levels = levels_of(int(at.run.likeliest[-1]))
    assert (levels["length"], levels["confidence"]) == ("450 words", "very sure")
    assert levels["flattery"] == "flattering"


@pytest.mark.parametrize("method", [method.key for method in METHODS])
def test_every_method_hacks_the_first_by_default(method: RunMethod) -> None:
    runs = [course(1, default_run(method), seed) for seed in SEEDS]
    assert median([at.end - at.start for at in runs]) < -0.4
    assert median([at.peak - at.start for at in runs]) > 1
    assert median([float(np.ptp(at.run.path.proxy_reward)) for at in runs]) > 3
    shown = course(1, default_run(method), SEED)
    assert shown.end < shown.start < shown.peak
    assert shown.run.path.proxy_reward[-1] > shown.run.path.proxy_reward[0] + 3


def test_the_second_keeps_what_the_first_loses() -> None:
    guided = EXPERIMENTS[1]
    runs = [own(guided, seed) for seed in SEEDS]
    free = [own(EXPERIMENTS[0], seed) for seed in SEEDS]
    kept = [(a.end - a.start) / (b.peak - b.start) for a, b in zip(runs, free, strict=True)]
    assert median(kept) > 0.9
    shown, loose = own(guided, SEED), own(EXPERIMENTS[0], SEED)
    assert guided.beside is not None
    assert guided.beside.run == EXPERIMENTS[0].run
    assert shown.end > 0.95 * loose.peak
    sweep = beta_sweep(WORLD, shown.learned.reward)
    assert 0.3 < sweep.betas[sweep.best] < 3


def test_the_third_does_less_damage_and_still_some_with_both_methods() -> None:
    guided = EXPERIMENTS[2]
    best = default_run("best_of_n")
    runs = [own(guided, seed) for seed in SEEDS]
    hurried = [own(EXPERIMENTS[0], seed) for seed in SEEDS]
    assert median([b.fall - a.fall for a, b in zip(runs, hurried, strict=True)]) > 1
    assert median([a.fall for a in runs]) > 0.3
    assert median([course(3, best, seed).fall for seed in SEEDS]) > 0.05
    lost = [at.fall / (at.peak - at.start) for at in runs]  # a share of what was gained
    assert min(lost) < 0.2
    assert max(lost) > 1
    shown = own(guided, SEED)
    assert 1 < shown.fall < own(EXPERIMENTS[0], SEED).fall
    assert course(3, best, SEED).fall > 1
    assert guided.beside == Beside("hurried rater", EXPERIMENTS[0].run, rater=EXPERIMENTS[0].rater)
    assert shown.run.path.tracked["length"][-1] > 0.9
    # The rubric likes some 150 words; a weight's best length is the shortest or the longest.
    assert levels_of(int(np.argmax(shown.learned.reward)))["length"] in ("30 words", "450 words")
    assert levels_of(int(np.argmax(WORLD.gold)))["length"] == "150 words"


def test_in_the_fifth_best_of_n_peaks_later_and_higher_and_rl_falls_deeper() -> None:
    guided = EXPERIMENTS[4]
    assert guided.beside is not None
    assert guided.beside.run == EXPERIMENTS[0].run
    pairs = [(own(guided, seed), course(5, EXPERIMENTS[0].run, seed)) for seed in SEEDS]
    for best, rl in [*pairs, (own(guided, SEED), own(EXPERIMENTS[0], SEED))]:
        assert min(best.fall, rl.fall) > 0
    assert median([best.peak_at - rl.peak_at for best, rl in pairs]) > 0.05
    assert median([best.peak - rl.peak for best, rl in pairs]) > 0.1
    assert median([rl.fall - best.fall for best, rl in pairs]) > 0.5
    best, rl = own(guided, SEED), own(EXPERIMENTS[0], SEED)
    assert best.peak_at > rl.peak_at
    assert best.peak > rl.peak
    assert rl.fall > best.fall


def test_in_the_sixth_one_pair_is_held_back_and_weights_swing_without_intervals() -> None:
    guided = EXPERIMENTS[5]
    runs = [own(guided, seed).learned for seed in SEEDS]
    assert all(learned.held.n == 1 for learned in runs)
    assert np.isnan(own(guided, SEED).learned.low).all()
    many = [own(EXPERIMENTS[0], seed).learned for seed in SEEDS]
    few_swing, many_swing = (
        float(np.std([x.weights[0] for x in each]) / np.mean([x.weights[0] for x in each]))
        for each in (runs, many)
    )
    assert few_swing > 1.2 * many_swing
    signs = np.sign([learned.weights for learned in runs])
    assert (np.diff(signs, axis=0) != 0).any(axis=1).mean() > 0.8  # from a seed to the next


def test_sampled_methods_say_that_answers_share_weights() -> None:
    for method in METHODS:
        assert ("shares its parameters" in method.about) == (method.key in SAMPLED)
