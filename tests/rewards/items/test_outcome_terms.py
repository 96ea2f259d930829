"""Losses of votes: their derivatives, and that they are the losses of single votes."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.rewards.items.cells import Cells
from rewardlab.rewards.items.model import ItemModel, LinkName, Ties
from rewardlab.rewards.items.outcome_terms import cell_terms, tie_start
from rewardlab.rewards.losses import davidson, logistic, pair_loss, probit, rao_kupper
from rewardlab.types import FloatArray, Outcome

MODELS = [
    ItemModel(ties="half"),
    ItemModel(ties="half", link="probit"),
    ItemModel(ties="leave-out"),
    ItemModel(ties="leave-out", link="probit"),
    ItemModel(ties="davidson"),
    ItemModel(ties="rao-kupper"),
    ItemModel(ties="rao-kupper", link="probit"),
]
ONE = {
    Outcome.A: (1.0, 0.0, 0.0),
    Outcome.B: (0.0, 1.0, 0.0),
    Outcome.TIE: (0.0, 0.0, 1.0),
}
DELTA = np.array([-50.0, -8.0, -1.5, -0.2, 0.0, 0.3, 2.0, 9.0, 50.0])


def cells(margin: float | None, counts: tuple[float, float, float] | None = None) -> Cells:
    """A cell for each D, with votes of all kinds, or with the given ones."""
    c = len(DELTA)
    if counts is None:
        rng = np.random.default_rng(0)
        n = rng.integers(1, 6, size=(3, c)).astype(float)
    else:
        n = np.tile(np.array(counts)[:, None], c)
    i = np.zeros(c, dtype=np.int64)
    ahead = None if margin is None else np.full(c, margin)
    return Cells(2, i, i + 1, n[0], n[1], n[2], ahead, np.zeros((c, 0)))


def slope(values: list[FloatArray], h: float) -> FloatArray:
    """Derivative from the values at -h and h."""
    return np.asarray((values[1] - values[0]) / (2 * h))


def assert_near(analytic: FloatArray | None, numeric: FloatArray) -> None:
    """Central differences of step 1e-5 are good to rounding over it; losses reach 1e4 here."""
    assert analytic is not None
    np.testing.assert_allclose(analytic, numeric, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("margin", [None, 0.7])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{m.ties}-{m.link}")
def test_derivatives_are_those_of_the_loss(model: ItemModel, margin: float | None) -> None:
    votes, tie, h = cells(margin), 0.8, 1e-5
    at = cell_terms(model, votes, DELTA, tie)
    by_d = [cell_terms(model, votes, DELTA + step, tie) for step in (-h, h)]
    assert np.isfinite(at.loss).all()
    assert_near(at.slope, slope([x.loss for x in by_d], h))
    assert_near(at.curvature, slope([x.slope for x in by_d], h))
    if not model.tie_parameter:
        return
    by_t = [cell_terms(model, votes, DELTA, tie + step) for step in (-h, h)]
    assert_near(at.tie_slope, slope([x.loss for x in by_t], h))
    assert_near(at.cross, slope([x.slope for x in by_t], h))
    slopes = [x.tie_slope for x in by_t if x.tie_slope is not None]
    assert_near(at.tie_curvature, slope(slopes, h))


@pytest.mark.parametrize("margin", [0.0, 0.7])
@pytest.mark.parametrize("link", ["logistic", "probit"])
def test_half_wins_are_soft_labels_of_the_pair_loss(link: LinkName, margin: float) -> None:
    votes = cells(margin, (2.0, 1.0, 1.0))
    at = cell_terms(ItemModel(link=link), votes, DELTA, 0.0)
    single = pair_loss(
        DELTA, label=2.5 / 4, margin=margin, link=logistic if link == "logistic" else probit()
    )
    np.testing.assert_allclose(at.loss, 4 * single.loss, rtol=1e-12)
    np.testing.assert_allclose(at.slope, 4 * single.gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("outcome", [Outcome.A, Outcome.B, Outcome.TIE])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_tie_models_are_the_losses_of_single_votes(ties: Ties, outcome: Outcome) -> None:
    votes = cells(None, ONE[outcome])
    at = cell_terms(ItemModel(ties=ties), votes, DELTA, 0.6)
    outcomes = np.full(len(DELTA), outcome)
    if ties == "davidson":
        single = davidson(DELTA, outcomes, nu=float(np.exp(0.6)))
    else:
        single = rao_kupper(DELTA, outcomes, threshold=0.6)
    np.testing.assert_allclose(at.loss, single.loss, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(at.slope, single.gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", [m for m in MODELS if m.tie_parameter], ids=lambda m: m.link)
def test_chances_of_the_three_outcomes_sum_to_one(model: ItemModel) -> None:
    total = np.zeros(len(DELTA))
    for counts in ONE.values():
        total += np.exp(-cell_terms(model, cells(None, counts), DELTA, 0.9).loss)
    np.testing.assert_allclose(total, 1, rtol=1e-12)


@pytest.mark.parametrize("model", [m for m in MODELS if m.tie_parameter], ids=lambda m: m.link)
def test_the_first_tie_parameter_is_that_of_equals(model: ItemModel) -> None:
    votes = cells(None, (3.0, 4.0, 5.0))
    at = cell_terms(model, cells(None, ONE[Outcome.TIE]), np.zeros(9), tie_start(model, votes))
    np.testing.assert_allclose(np.exp(-at.loss), 5 / 12, rtol=1e-12)


def test_a_threshold_of_none_is_impossible() -> None:
    at = cell_terms(ItemModel(ties="rao-kupper"), cells(None), DELTA, 0.0)
    assert np.isinf(at.loss).all()
