"""The selection model: planted shares recovered with intervals that cover them."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.audit.selection_model import SelectionFit, fit_selection
from rewardlab.errors import EstimationError, InputError
from rewardlab.worlds.verifier import Pool, top_with_exploits

N = 2 ** np.arange(9)
ASKED = np.full(len(N), 2000)


def simulated_fit(f: float, s: float, p: float, rng: np.random.Generator) -> SelectionFit:
    """The fit to counts drawn from the model."""
    right = rng.binomial(ASKED, top_with_exploits(Pool(p, s), N, f))
    return fit_selection(N, right, ASKED, right_share=p)


@pytest.mark.parametrize(("f", "s", "p"), [(1 / 20, 1.5, 0.4), (1 / 500, 1.0, 0.3)])
def test_intervals_cover_planted_parameters_at_their_level(f: float, s: float, p: float) -> None:
    rng = np.random.default_rng(6)
    fits = [simulated_fit(f, s, p, rng) for _ in range(200)]
    for name, true in (("misscored", f), ("discrimination", s)):
        figures = [getattr(fit, name) for fit in fits]
        covered = np.mean([figure.low <= true <= figure.high for figure in figures])
        # Three binomial standard errors of 200 runs at 95%.
        assert covered == pytest.approx(0.95, abs=0.047)
        assert np.mean([figure.value for figure in figures]) == pytest.approx(true, rel=0.02)


def test_exact_proportions_give_back_the_parameters() -> None:
    asked = np.full(len(N), 10**9)
    right = np.rint(asked * top_with_exploits(Pool(0.35, 1.3), N, 0.01)).astype(np.int64)
    fit = fit_selection(N, right, asked, right_share=0.35)
    assert fit.misscored.value == pytest.approx(0.01, rel=1e-4)
    assert fit.discrimination.value == pytest.approx(1.3, rel=1e-4)


def test_accuracy_that_never_falls_cannot_tell_the_share_from_zero() -> None:
    right = np.rint(ASKED * top_with_exploits(Pool(0.5, 1.0), N, 0.0)).astype(np.int64)
    right[-1] = ASKED[-1]
    with pytest.raises(EstimationError, match="accuracy does not fall with n"):
        fit_selection(N, right, ASKED, right_share=0.5)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(InputError, match="counts from 0 to those asked"):
        fit_selection(N, ASKED + 1, ASKED, right_share=0.5)
    with pytest.raises(InputError, match="distinct numbers"):
        fit_selection(np.array([1, 2]), np.array([1, 1]), np.array([2, 2]), right_share=0.5)
    with pytest.raises(InputError, match="level"):
        fit_selection(N, ASKED // 2, ASKED, right_share=0.5, level=95.0)
    with pytest.raises(InputError, match="of one length"):
        fit_selection(N, ASKED[:3], ASKED, right_share=0.5)
