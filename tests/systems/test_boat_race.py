"""The boat race: where the best boat turns from finishing to circling."""

from __future__ import annotations

import pytest

from rewardlab.policies.planning import optimal_actions
from rewardlab.systems.boat_race import SYSTEM
from rewardlab.worlds.boat_race import FINISH, LAGOON, boat_race, game_score, where_it_ends


def best_end(target_points: float, discount: float) -> int:
    score = game_score(target_points, 5.0)
    return where_it_ends(optimal_actions(boat_race().next_state, score, discount=discount))


@pytest.mark.parametrize("horizon", [4.0, 30.0, 150.0])
def test_the_best_boat_flips_where_the_system_says(horizon: float) -> None:
    flip = SYSTEM.evaluate({"horizon": horizon}).value("flip_points")
    assert best_end(0.99 * flip, 1 - 1 / horizon) == FINISH
    assert best_end(1.01 * flip, 1 - 1 / horizon) in LAGOON


def test_the_best_boat_of_a_learned_reward_flips_with_the_chooser_s_taste() -> None:
    flip = SYSTEM.evaluate().value("flip_taste")
    shares = [
        SYSTEM.evaluate({"hit_taste": flip * by, "comparisons": 2000}).value("share_finishing")
        for by in (0.5, 1.5)
    ]
    assert shares[0] > 0.9
    assert shares[1] < 0.1
