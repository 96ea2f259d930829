"""The choice of the penalty: by held-out loss, prompts kept together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import InputError
from rewardlab.rewards.linear import fit
from rewardlab.rewards.regularisation import choose_l2
from rewardlab.rewards.row_terms import log_losses
from rewardlab.types import FloatArray, IntArray


def simulate(
    effect: float, seed: int = 0, n: int = 300, d: int = 10
) -> tuple[FloatArray, FloatArray, IntArray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    label = (rng.random(n) < special.expit(effect * x[:, 0])).astype(float)
    return x, label, rng.integers(0, 5, n)


def test_held_out_deltas_are_those_of_fits_without_the_fold() -> None:
    x, label, fold = simulate(1.0)
    chosen = choose_l2(x, label, fold, grid=(3.0, 30.0))
    for k in range(5):
        weights = fit(x[fold != k], label[fold != k], l2=chosen.l2).weights
        np.testing.assert_allclose(chosen.held_out[fold == k], x[fold == k] @ weights, atol=1e-7)
    assert chosen.log_loss.min() == pytest.approx(log_losses(chosen.held_out, label).mean())


def test_noise_asks_for_a_stronger_penalty_than_signal() -> None:
    noise = choose_l2(*simulate(0.0))
    signal = choose_l2(*simulate(3.0))
    assert noise.l2 > 30 * signal.l2


def test_the_grid_is_reported_strongest_first_and_its_edge_is_said() -> None:
    chosen = choose_l2(*simulate(0.0), grid=(0.1, 1.0, 10.0))
    assert chosen.grid == (10.0, 1.0, 0.1)
    assert (chosen.l2, chosen.at_edge) == (10.0, True)
    assert not choose_l2(*simulate(0.0), grid=(10.0,)).at_edge


def test_one_fold_or_no_grid_is_refused() -> None:
    x, label, fold = simulate(1.0)
    with pytest.raises(InputError, match="at least 2 folds"):
        choose_l2(x, label, np.zeros_like(fold))
    with pytest.raises(InputError, match="penalties > 0"):
        choose_l2(x, label, fold, grid=())
    with pytest.raises(InputError, match="penalties > 0"):
        choose_l2(x, label, fold, grid=(1.0, 0.0))
