"""What an outcome reward cannot tell apart."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.systems.process_rewards import run


def test_an_outcome_reward_leaves_the_share_of_lucky_solutions_exactly_as_it_was() -> None:
    shown = run(scheme="outcome", rng=np.random.default_rng(0))
    assert shown.value("lucky_before") > 0.01
    assert shown.value("lucky_after") == pytest.approx(shown.value("lucky_before"), rel=1e-12)


def test_the_mean_of_steps_leaves_the_policy_less_sound_than_the_product_does() -> None:
    by_mean, by_product = (
        run(scheme=scheme, rng=np.random.default_rng(0)).value("sound_after")
        for scheme in ("mean", "product")
    )
    assert by_mean < by_product - 0.1
