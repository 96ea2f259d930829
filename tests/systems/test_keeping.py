"""Tests of kept draws: nothing but the time tells them from fresh ones."""

from __future__ import annotations

import numpy as np

from rewardlab.systems.keeping import kept
from rewardlab.types import FloatArray


def _draw(rng: np.random.Generator, n: int, scale: float = 1.0) -> FloatArray:
    return scale * rng.normal(size=n)


def test_a_kept_draw_is_the_draw_and_leaves_the_generator_where_it_would_be() -> None:
    recalled = kept(_draw, most=4)
    for _ in range(2):
        ours, own = np.random.default_rng(3), np.random.default_rng(3)
        for _ in range(2):
            np.testing.assert_array_equal(recalled(ours, 5, scale=2.0), _draw(own, 5, scale=2.0))
        assert ours.random() == own.random()


def test_it_is_drawn_once_for_a_state_and_arguments() -> None:
    drawn: list[int] = []

    def draw(rng: np.random.Generator, n: int) -> float:
        drawn.append(n)
        return float(rng.random())

    recalled = kept(draw, most=4)
    found = [recalled(np.random.default_rng(seed), n) for seed, n in [(0, 1), (0, 1), (1, 1)]]
    assert found[0] == found[1] != found[2]
    assert drawn == [1, 1]
