"""What a run is said to have done."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.experiments.lab_policies import BetaSweep, RunSettings, beta_sweep, optimised
from rewardlab.systems.lab_story import run_sentence, sweep_shown
from rewardlab.types import OptimizationPath
from rewardlab.worlds.lab import lab_world

WORLD = lab_world()
HURRIED = WORLD.features @ [2.7, 2.2, -0.1, 1.2, 0.5, 1.2]


def path(gold: list[float], proxy: list[float] | None = None) -> OptimizationPath:
    """A path of three or more points, a nat apart."""
    n = len(gold)
    rising = np.linspace(1, 5, n) if proxy is None else np.array(proxy)
    steps = np.arange(n, dtype=float)
    return OptimizationPath("natural_gradient", steps, steps, rising, np.array(gold))


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        ([2, 4, 1], "rose from 2.00 to a peak of 4.00 after 1 step (√KL 1.00), then fell to 1.00"),
        ([2, 4, 1], "below where it started"),
        ([2, 4, 3], "then fell to 3.00, still above its start"),
        ([2, 4, 3.8], "and fell a little, to 3.80"),
        ([2, 4, 2], "then fell back to 2.00, where it started"),
        ([2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], "rose from 2.00 to 4.00 and held"),
        ([2, 3, 4], "rose from 2.00 to 4.00 and is still rising"),
        ([2, 2, 2], "stayed at 2.00"),
        ([2, 1, -0.5], "only fell, from 2.00 to −0.50"),
        ([2, 0, 2.02], "ended at 2.02, where it started, having been as low as 0.00 on the way"),
        ([2, -3, -1], "quality fell from 2.00 to −1.00, having been as low as −3.00 on the way"),
        ([2, 4, 1, 3.97, 3.97], "from 2.00 to 3.97, having been as low as 1.00 on the way"),
        ([2, 4, 0, 3], "then fell to 3.00, still above its start, having been as low as 0.00"),
    ],
)
def test_each_course_of_true_quality_has_its_own_words(gold: list[float], told: str) -> None:
    assert told in run_sentence(path(gold), RunSettings(n_steps=len(gold) - 1))


@given(st.lists(st.integers(-40, 60), min_size=3, max_size=30))
def test_what_is_said_of_true_quality_agrees_with_the_path(tenths: list[int]) -> None:
    gold = np.array(tenths) / 10
    told = run_sentence(path(gold.tolist()), RunSettings(n_steps=len(gold) - 1))
    start, peak, end = gold[0], gold.max(), gold[-1]
    assert f"{end:.2f}".replace("-", "−") in told
    assert ("to a peak of" in told) == (peak > start and peak > end)
    assert ("below where it started" in told) == ("to a peak of" in told and end < start)
    if "stayed at" in told.split(";")[1] or "and held" in told:
        # no fall on the way of more than a quarter of the whole range
        assert (np.maximum.accumulate(gold) - gold).max() <= 0.25 * np.ptp(gold) + 0.05
    if "and held" in told:
        assert end == peak > start
    if "only fell" in told:
        assert end < start == peak
    if "as low as" in told:
        low = float(told.split("as low as ")[1].split(" ")[0].replace("−", "-"))
        assert low in gold
        assert low < end


def test_the_learned_reward_rises_stays_or_falls() -> None:
    at = RunSettings(n_steps=2)
    assert "learned reward rose from 1.00 to 5.00" in run_sentence(path([2, 3, 4]), at)
    assert "stayed at 1.00" in run_sentence(path([2, 3, 4], [1, 1, 1.001]), at)
    assert "fell from 1.00 to 0.00" in run_sentence(path([2, 3, 4], [1, 1, 0]), at)


def test_a_policy_that_did_not_move_is_said_not_to_have() -> None:
    run = optimised(WORLD, np.zeros(len(WORLD)), RunSettings(n_steps=20))
    assert run_sentence(run.path, RunSettings(n_steps=20)).startswith("Nothing moved")


def test_a_run_that_was_stopped_says_where() -> None:
    settings = RunSettings(n_steps=400, stop=7)
    told = run_sentence(optimised(WORLD, HURRIED, settings).path, settings)
    assert told.startswith("Stopped after 7 steps. ")
    settings = RunSettings("best_of_n", stop=7)
    told = run_sentence(optimised(WORLD, HURRIED, settings).path, settings)
    assert told.startswith("Stopped at n = 8. ")


def test_steps_that_overshoot_are_said_to() -> None:
    settings = RunSettings(beta=1.0, step_size=2.1, n_steps=30)
    told = run_sentence(optimised(WORLD, HURRIED, settings).path, settings)
    assert "step size times beta is 2.10, and must stay below 2" in told


def test_a_sweep_says_where_true_quality_ends_highest() -> None:
    sweep = beta_sweep(WORLD, HURRIED)
    shown = sweep_shown(sweep)
    assert shown.best_beta == sweep.betas[sweep.best]
    assert f"{sweep.path.gold_reward.max():.2f}" in shown.sentence
    assert shown.chart.mark is not None
    assert shown.chart.mark.x == pytest.approx(1 / shown.best_beta)
    assert shown.table.rows[-1][0] == pytest.approx(0.02)


def test_a_reward_that_is_right_or_wrong_throughout_has_no_best_beta_between() -> None:
    assert "The looser the leash the better" in sweep_shown(beta_sweep(WORLD, WORLD.gold)).sentence
    assert "No beta helps here" in sweep_shown(beta_sweep(WORLD, -WORLD.gold)).sentence
    assert isinstance(beta_sweep(WORLD, WORLD.gold), BetaSweep)
