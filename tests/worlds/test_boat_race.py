"""The boat race: its course, and rewards learned from clips."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.rewards.linear import hessian
from rewardlab.worlds.boat_race import (
    FINISH,
    FORK,
    LAGOON,
    PRIOR,
    boat_race,
    circling,
    finishing,
    reward_from_clips,
    sample_clips,
    where_it_ends,
)


def test_going_ahead_finishes_and_turning_circles_for_good() -> None:
    assert where_it_ends(finishing()) == FINISH
    assert where_it_ends(circling()) in LAGOON
    left_once = circling()
    left_once[LAGOON[-1]] = 0
    assert where_it_ends(left_once) == FINISH


def test_progress_is_the_same_through_the_lagoon_and_past_it() -> None:
    race = boat_race()
    lap = race.features[[FORK, *LAGOON[:-1]], [1, 0, 0, 0]].sum(axis=0)
    np.testing.assert_array_equal(lap, [3, 0])
    np.testing.assert_array_equal(race.features[LAGOON[-1], 0], race.features[FORK, 0])


def test_nothing_happens_after_the_finish() -> None:
    race = boat_race()
    assert race.next_state[FINISH].tolist() == [FINISH, FINISH]
    assert not race.features[FINISH].any()
    assert not race.finishes[FINISH].any()


def test_the_fit_recovers_what_the_chooser_wants() -> None:
    fitted = reward_from_clips(40_000, 0.3, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    differences = sample_clips(40_000, rng) - sample_clips(40_000, rng)
    # Without margins the curvature does not depend on the labels.
    curvature = hessian(fitted.weights, differences, np.full(40_000, 0.5), l2=PRIOR)
    error = np.sqrt(np.diag(np.linalg.inv(curvature)))
    assert np.all(np.abs(fitted.weights - [0.3, 1.0]) < 3 * error)
    assert np.all(error < 0.02)


def test_clips_hold_what_eight_random_steps_can() -> None:
    clips = sample_clips(2000, np.random.default_rng(0))
    assert clips.min() == 0
    assert clips.max() <= 8
    assert 1 < clips[:, 0].mean() < 4
    assert 1 < clips[:, 1].mean() < 4


def test_a_reward_from_no_comparison_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        reward_from_clips(0, 0.0, np.random.default_rng(0))
    with pytest.raises(InputError, match="finite hit_taste"):
        reward_from_clips(5, np.nan, np.random.default_rng(0))
