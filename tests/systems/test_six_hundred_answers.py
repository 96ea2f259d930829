"""The 600 answers: how the set was chosen, and what the other sets do."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.policies.uniform_sets import best_of_n_means, peak_and_return
from rewardlab.systems.six_hundred_answers import run
from rewardlab.worlds.six_hundred import (
    CHOSEN_SET,
    padded_reward,
    six_hundred,
    traits_of_all_sets,
)

N = np.arange(1, 1001)


def test_the_chosen_set_is_the_nearest_of_500_to_the_published_figures() -> None:
    traits = traits_of_all_sets()
    gold = padded_reward(traits, 1.0)
    quality = best_of_n_means(padded_reward(traits), gold, N)
    peak, back = peak_and_return(N, quality, gold.mean(axis=1))
    distance = np.abs(np.log(peak / 49)) + np.abs(np.log(back / 590))
    assert distance.argmin() == CHOSEN_SET
    result = run()
    assert (result.value("peak"), result.value("back")) == (peak[CHOSEN_SET], back[CHOSEN_SET])
    assert result.value("sets_returning") == np.isfinite(back).mean()
    assert result.value("sets_peak") == np.sort(peak)[249]


def test_the_reward_rises_throughout_in_the_chosen_set_while_the_goal_does_not() -> None:
    world = six_hundred()
    path = best_of_n(world, padded_reward(world.features), n=N).path
    assert (np.diff(path.proxy_reward) > 0).all()
    assert not (np.diff(path.gold_reward) > 0).all()
    assert run().value("reward_rises") == 1


def test_a_fifth_of_the_penalty_removes_the_decline_at_every_n_up_to_600() -> None:
    world = six_hundred()
    path = best_of_n(world, padded_reward(world.features, 0.2), n=N[:600]).path
    assert (np.diff(path.gold_reward) > 0).all()


def test_both_distributions_are_drawn_beside_the_chosen_set() -> None:
    result = run()
    assert isinstance(result.chart, LineChart)
    past, lost = result.chart.panels[1].lines
    assert np.all(past.y >= lost.y)
    assert lost.y[-1] == result.value("sets_returning")
    assert past.y[51] - past.y[50] >= 1 / 500
