"""A taste of raters, its reward, and what a loose leash makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.policies.closed_form import gibbs
from rewardlab.rewards.linear import fit
from rewardlab.worlds.sycophancy import sycophancy_world, taste_reward


def test_the_reward_is_what_bradley_terry_fits_to_the_raters_choices() -> None:
    world = sycophancy_world()
    difference = world.features[:1] - world.features[1:]
    fitted = fit(np.repeat(difference, 10, axis=0), np.repeat([1.0, 0.0], [6, 4]))
    np.testing.assert_allclose(world.features @ fitted.weights, taste_reward(0.6), atol=1e-9)


@given(taste=st.floats(0.05, 0.95), beta=st.floats(0.05, 4.0), start=st.floats(0.01, 0.99))
def test_odds_are_the_taste_s_odds_to_the_power_of_one_over_beta(
    taste: float, beta: float, start: float
) -> None:
    policy = gibbs(sycophancy_world(start).ref_logprobs, taste_reward(taste), beta)
    expected = np.log(start / (1 - start)) + np.log(taste / (1 - taste)) / beta
    assert policy[0] - policy[1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 1.0, float("nan")])
def test_shares_outside_zero_and_one_are_refused(share: float) -> None:
    with pytest.raises(InputError, match="taste"):
        taste_reward(share)
    with pytest.raises(InputError, match="start"):
        sycophancy_world(share)
