"""All solvers and both engines reach the same strengths, whatever the graph of comparisons."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from rewardlab.errors import InputError, SeparationError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items import compiled, newton, solver
from rewardlab.rewards.items.cells import count_cells
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import Gamma, ItemModel, Prior, Ridge, Ties
from tests.rewards.items.battles_made import drawn, of_neighbours

TIGHT = 1e-11
"""Gradients a vote; strengths then agree to 1e-8, as curvatures a vote are well above 1e-3."""


@pytest.mark.parametrize("ties", ["half", "leave-out"])
@pytest.mark.parametrize("prior", [None, Ridge(0.7), Gamma(1.5)])
def test_compiled_numpy_and_newton_agree(ties: Ties, prior: Prior | None) -> None:
    battles = drawn(300, 30_000)
    model = ItemModel(ties=ties, prior=prior)
    by_numpy = fit_items(battles, model, tol=TIGHT, engine="numpy")
    by_kernels = fit_items(battles, model, tol=TIGHT, engine="compiled")
    exact = newton.solve(count_cells(battles), model, tol=TIGHT)
    expected = exact.theta - exact.theta.mean()
    assert by_kernels.solver == "L-BFGS over pairs (compiled)"
    assert by_numpy.solver == "L-BFGS over pairs (numpy)"
    for fitted in (by_numpy, by_kernels):
        assert np.allclose(fitted.strength, expected, rtol=0, atol=1e-8)
        assert fitted.log_loss == pytest.approx(exact.log_loss, rel=1e-12)
        assert fitted.n_ties == np.count_nonzero(battles.outcome == 2)
    assert np.array_equal(by_numpy.n_votes, by_kernels.n_votes)


def test_few_items_by_a_table_agree_with_newton_on_cells() -> None:
    battles, model = drawn(20, 3000), ItemModel()
    fitted = fit_items(battles, tol=TIGHT)
    exact = newton.solve(count_cells(battles), model, tol=TIGHT)
    assert fitted.solver == "Newton on a table of pairs"
    assert np.allclose(fitted.strength, exact.theta - exact.theta.mean(), rtol=0, atol=1e-8)
    assert fitted.log_loss == pytest.approx(exact.log_loss, rel=1e-12)


def test_a_narrow_code_type_and_many_equal_battles_change_nothing() -> None:
    wide = drawn(300, 30_000)
    many = np.tile(np.arange(len(wide)), 2)
    many = np.concatenate([many, np.zeros(700, dtype=int)])  # more votes than one byte counts
    narrow = Battles(
        wide.names,
        wide.a[many].astype(np.uint16),
        wide.b[many].astype(np.uint16),
        wide.outcome[many],
    )
    by_kernels = fit_items(narrow, tol=TIGHT, engine="compiled")
    by_numpy = fit_items(narrow, tol=TIGHT, engine="numpy")
    assert np.allclose(by_kernels.strength, by_numpy.strength, rtol=0, atol=1e-8)
    assert by_kernels.n == len(many)


@pytest.mark.parametrize(("m", "taken"), [(60, "Newton on a table of pairs"), (400, "L-BFGS")])
def test_a_long_chain_is_solved_to_the_tolerance(m: int, taken: str) -> None:
    wins = np.arange(m - 1)
    up, down = np.repeat(wins, 3), wins
    battles = Battles(
        tuple(map(str, range(m))),
        np.concatenate([up, down + 1]),
        np.concatenate([up + 1, down]),
        np.zeros(4 * (m - 1), dtype=np.int8),
    )
    fitted = fit_items(battles, tol=1e-9)
    # Each item beat the next three times of four: log 3 a link, exactly.
    expected = np.log(3) * ((m - 1) / 2 - np.arange(m))
    assert fitted.solver.startswith(taken) or "as L-BFGS was slow" in fitted.solver
    assert fitted.gradient_norm <= 1e-9
    # A gradient of 1e-9 a vote moves a link by some 1e-8, and errors add up along the chain.
    assert np.allclose(fitted.strength, expected, rtol=0, atol=1e-8 * m)


@pytest.mark.parametrize(
    ("limit", "taken"), [(3000, "Newton on a table of pairs"), (0, "sparse Newton")]
)
def test_where_steps_are_slow_newton_takes_over_and_says_so(
    monkeypatch: pytest.MonkeyPatch, limit: int, taken: str
) -> None:
    monkeypatch.setattr(solver, "MAX_PASSES", 20)
    monkeypatch.setattr(solver, "DENSE_FALLBACK", limit)
    battles = of_neighbours(500, 50_000)
    fitted = fit_items(battles, tol=1e-9)
    exact = newton.solve(count_cells(battles), ItemModel(), tol=1e-9)
    assert fitted.solver == f"{taken}, as L-BFGS was slow"
    assert np.allclose(fitted.strength, exact.theta - exact.theta.mean(), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        ItemModel(ties="davidson", position=True),
        ItemModel(ties="rao-kupper"),
        ItemModel(link="probit", prior=Ridge(1.0)),
    ],
)
def test_other_models_of_many_items_agree_with_newton(
    monkeypatch: pytest.MonkeyPatch, model: ItemModel
) -> None:
    battles = drawn(30, 6000)
    exact = fit_items(battles, model, tol=1e-10)
    monkeypatch.setattr(solver, "DENSE_CELLS", 0)
    fitted = fit_items(battles, model, tol=1e-10)
    assert fitted.solver == "L-BFGS over cells (numpy)"
    assert np.allclose(fitted.strength, exact.strength, rtol=0, atol=1e-7)
    assert np.allclose(fitted.effect, exact.effect, rtol=0, atol=1e-7)


def test_engines_are_chosen_by_what_repays_their_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    assert not compiled.takes_compiled("auto", 100_000)
    assert compiled.takes_compiled("auto", 10_000_000)
    assert not compiled.takes_compiled("numpy", 10_000_000)
    monkeypatch.setattr(compiled, "find_spec", lambda _: None)
    assert not compiled.takes_compiled("auto", 10_000_000)
    with pytest.raises(InputError, match=r"pip install 'rewardlab\[fast\]'"):
        compiled.takes_compiled("compiled", 1)


def test_an_item_that_beat_nobody_in_a_large_fit_is_still_named() -> None:
    battles = drawn(300, 30_000, ties=0.0)
    outcome = np.where(battles.a == 7, 1, np.where(battles.b == 7, 0, battles.outcome))
    with pytest.raises(SeparationError, match="7 never won"):
        fit_items(replace(battles, outcome=outcome.astype(np.int8)), engine="compiled")


def _lopsided(wins: int, losses: int, *, n_links: int) -> Battles:
    """A chain whose items beat the next so often, and lost to it so seldom."""
    upper = np.repeat(np.arange(n_links), wins + losses)
    outcome = np.tile(np.repeat(np.array([0, 1], dtype=np.int8), [wins, losses]), n_links)
    return Battles(tuple(map(str, range(n_links + 1))), upper, upper + 1, outcome)


@pytest.mark.parametrize("most_in_table", [0, solver.DENSE_PAIRS])
@pytest.mark.parametrize("n_links", [1, 3])
def test_one_vote_in_many_that_goes_the_other_way_still_tells_the_strength(
    monkeypatch: pytest.MonkeyPatch, most_in_table: int, n_links: int
) -> None:
    monkeypatch.setattr(solver, "DENSE_PAIRS", most_in_table)
    fitted = fit_items(_lopsided(299_999, 1, n_links=n_links), engine="numpy")
    # The log odds of a link, whose standard error is 1; a gradient of 1e-6 a vote could be
    # anywhere above them.
    assert np.allclose(-np.diff(fitted.strength), np.log(299_999), rtol=0, atol=0.01)


def test_a_probit_of_one_vote_in_many_is_exact_too() -> None:
    fitted = fit_items(_lopsided(299_999, 1, n_links=1), ItemModel(link="probit"))
    expected = math.sqrt(2) * special.ndtri(1 - 1 / 300_000)
    assert -np.diff(fitted.strength)[0] == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_a_long_chain_with_ties_of_their_own_is_solved(
    monkeypatch: pytest.MonkeyPatch, ties: Ties
) -> None:
    monkeypatch.setattr(solver, "DENSE_CELLS", 100)
    upper = np.repeat(np.arange(399), 4)
    outcome = np.tile(np.array([0, 0, 1, 2], dtype=np.int8), 399)
    battles = Battles(tuple(map(str, range(400))), upper, upper + 1, outcome)
    model = ItemModel(ties=ties)
    fitted = fit_items(battles, model)
    exact = newton.solve(count_cells(battles), model, tol=1e-10)
    assert fitted.effect[0] == pytest.approx(exact.theta[-1], abs=1e-4)
    assert np.ptp(fitted.strength) == pytest.approx(np.ptp(exact.theta[:-1]), rel=1e-3)
