"""Errors from rankings: those of simulated fits, and those of theory where it gives them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards.items.cells import cells_of_wins
from rewardlab.rewards.items.fit import fit_cells
from rewardlab.rewards.ranking_errors import ranking_errors

several = st.lists(st.floats(-3, 3), min_size=2, max_size=5).map(np.array)


@given(several)
def test_the_full_likelihood_is_never_worse_and_pairs_never_worth_more(
    rewards: np.ndarray,
) -> None:
    errors = ranking_errors(rewards)
    assert errors.rankings_needed >= 1 - 1e-9
    assert errors.overstated >= 1 - 1e-9


@pytest.mark.parametrize("k", range(2, 8))
def test_alike_responses_overstate_by_the_root_of_k_plus_one_over_three(k: int) -> None:
    # A rank has variance (k^2 - 1)/12, a sum of k - 1 independent wins (k - 1)/4.
    assert ranking_errors(np.zeros(k)).overstated == pytest.approx(np.sqrt((k + 1) / 3))


def test_two_responses_make_one_comparison() -> None:
    errors = ranking_errors(np.array([1.0, -0.5]))
    np.testing.assert_allclose(errors.full, errors.pairs)
    np.testing.assert_allclose(errors.full, errors.naive)


def test_simulated_fits_to_pairs_scatter_as_the_sandwich_says() -> None:
    rng, n, rewards = np.random.default_rng(0), 400, np.array([0.8, 0.2, -1.0])
    fits = []
    for _ in range(400):
        # Gumbel noise makes Plackett-Luce rankings; a beats b if its utility is higher.
        utility = rewards + rng.gumbel(size=(n, 3))
        wins = np.sum(utility[:, :, None] > utility[:, None, :], axis=0).astype(float)
        fits.append(fit_cells(cells_of_wins(wins)).strength)
    errors = ranking_errors(rewards)
    # Four standard errors of a variance from 400 fits are about 28%, of their trace less.
    scatter = float(np.trace(np.cov(np.array(fits).T))) * n
    assert scatter == pytest.approx(float(np.trace(errors.pairs)), rel=0.25)
    assert scatter > 1.1 * float(np.trace(errors.naive))


def test_too_many_responses_to_visit_are_refused() -> None:
    with pytest.raises(InputError, match="rewards"):
        ranking_errors(np.zeros(8))
