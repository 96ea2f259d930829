"""The largest differences by chance, against all pairs looked at plainly."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.rewards.items.chance_peaks import SMALL, ChancePeaks, Matrix32, normal_draws

M, N = 3 * SMALL, 700


def plain_quantile(z: Matrix32, weight: Matrix32, level: float) -> float:
    peaks = sorted(float(((one[:, None] - one) * weight).max()) for one in z)
    return peaks[int(np.ceil(level * (len(z) - 1)))]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("m", [SMALL, M])
def test_the_quantile_is_that_of_all_pairs_as_they_are_left_out(level: float, m: int) -> None:
    rng = np.random.default_rng(3)
    scale = np.exp(rng.normal(size=m))
    z = (rng.normal(size=(N, m)) * scale).astype(np.float32)
    weight = (1 / np.hypot(scale[:, None], scale)).astype(np.float32)
    weight *= rng.random((m, m)) < 0.8  # pairs that are never compared
    peaks = ChancePeaks(z, weight.copy())
    for share in (0.0, 0.3, 0.9, 1.0):
        gone = rng.random((m, m)) < share
        weight[gone] = 0
        peaks.leave_out(gone)
        # The same differences of float32, multiplied in the same order.
        assert peaks.quantile(level) == plain_quantile(z, weight, level)


@pytest.mark.parametrize("rank", [5, M])
def test_draws_have_the_covariance_and_nothing_where_it_is_unknown(rank: int) -> None:
    rng = np.random.default_rng(4)
    root = rng.normal(size=(M, rank))
    matrix = root @ root.T
    matrix[7], matrix[:, 7] = np.nan, np.nan
    z = normal_draws(matrix, 20_000, rng).astype(float)
    assert not z[:, 7].any()
    root[7] = 0
    found = z.T @ z / len(z)
    size = np.sqrt(np.maximum(np.sum(root**2, axis=1), 1e-30))
    # A correlation of 20,000 draws errs by .007 at most; the largest of 7,000 by 4 to 5 times that.
    np.testing.assert_allclose((found - root @ root.T) / np.outer(size, size), 0, atol=0.04)
