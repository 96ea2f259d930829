"""Conservative rewards in the lab's world: what must hold in every run."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.experiments.conservative_rewards import Caution, Combination, gold_by_combination
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import rater_utility

WORLD = lab_world()
COLUMN = {combination: j for j, combination in enumerate(Combination)}


def runs(how: Caution, *, kl_nats: float = 4.0, n_runs: int = 6) -> FloatArray:
    """Gold of each run and combination with a careful rater's 60 labels."""
    return gold_by_combination(
        WORLD,
        rater_utility(WORLD, "careful"),
        n_labels=60,
        how=how,
        kl_nats=kl_nats,
        n_runs=n_runs,
        rng=np.random.default_rng(8),
    )


def test_without_a_price_on_doubt_every_run_is_the_uncautious_one() -> None:
    gold = runs(Caution(4, uwo_penalty=0.0, caution=0.0))
    for cautious, plain in (
        (Combination.WEIGHTED, Combination.MEAN),
        (Combination.WARM, Combination.MEAN),
        (Combination.EXACT, Combination.ONE),
    ):
        np.testing.assert_allclose(gold[:, COLUMN[cautious]], gold[:, COLUMN[plain]], atol=1e-8)


@pytest.mark.parametrize("own_labels", [False, True])
def test_without_kl_nothing_moves(own_labels: bool) -> None:
    gold = runs(Caution(3, 1.0, 1.0, own_labels), kl_nats=0.0, n_runs=2)
    np.testing.assert_allclose(gold, WORLD.ref_probs @ WORLD.gold, atol=1e-5)


def test_an_ensemble_of_one_is_refused() -> None:
    with pytest.raises(InputError, match="members: expected at least 2, got 1"):
        Caution(1, 1.0, 1.0)
