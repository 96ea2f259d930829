"""Crowd-BT: derivatives and integrals, planted annotators, what plain Bradley-Terry makes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.crowd import CrowdFit, fit_crowd
from rewardlab.rewards.items.crowd_fitting import fit_votes
from rewardlab.rewards.items.crowd_model import (
    FlipPrior,
    agreeing,
    crowd_point,
    decided_votes,
    place_nodes,
)
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.item_intervals import item_intervals
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.types import FloatArray
from tests.rewards.items.simulated_crowd import centred_normals, crowd_votes

COIN, MALICIOUS = 18, 19
BAD_FEW: FloatArray = np.where(np.arange(20) == MALICIOUS, 1.0, 0.05)
BAD_FEW[COIN] = 0.5


def some_battles(seed: int = 0) -> Battles:
    rng = np.random.default_rng(seed)
    return crowd_votes(rng.normal(size=5), np.array([0.0, 0.1, 0.9]), 40, rng)


@pytest.mark.parametrize("prior", [FlipPrior(1.3, 4.0), FlipPrior(0.5, 30.0)])
def test_the_likelihood_is_the_integral_over_flip_rates(prior: FlipPrior) -> None:
    battles, s = some_battles(), np.random.default_rng(1).normal(size=5)
    assert battles.annotator is not None
    votes, _ = decided_votes(battles, battles.annotator.astype(np.int64))
    total = 0.0
    for k in range(3):
        mine = slice(int(votes.first[k]), int(votes.first[k + 1]))
        agrees, times = agreeing(votes, s)[mine], votes.times[mine]

        def chance(t: float, agrees: FloatArray = agrees, times: FloatArray = times) -> float:
            e = np.sin(t / 2) ** 2
            votes_chance = np.exp(times @ np.log(e + (1 - 2 * e) * agrees))
            return float(votes_chance * stats.beta.pdf(e, prior.a, prior.b) * np.sin(t) / 2)

        total += np.log(integrate.quad(chance, 0, np.pi, epsabs=0, epsrel=1e-10, limit=200)[0])
    at = crowd_point(votes, s, prior, place_nodes(votes, s, prior))
    # Two dozen nodes within six standard deviations.
    assert at.log_likelihood == pytest.approx(total, abs=1e-5)
    assert np.allclose(at.posterior.sum(axis=1), 1)


def test_derivatives_are_those_of_differences() -> None:
    battles, rng = some_battles(), np.random.default_rng(2)
    assert battles.annotator is not None
    votes, _ = decided_votes(battles, battles.annotator.astype(np.int64))
    x, h = np.append(rng.normal(size=5), [0.3, 1.2]), 1e-5
    nodes = place_nodes(votes, x[:5], FlipPrior(*np.exp(x[5:])))

    def at(x: FloatArray) -> float:
        return crowd_point(votes, x[:5], FlipPrior(*np.exp(x[5:])), nodes).log_likelihood

    here = crowd_point(votes, x[:5], FlipPrior(*np.exp(x[5:])), nodes)
    exact = np.append(here.by_strength, here.by_prior)
    numeric = [(at(x + h * unit) - at(x - h * unit)) / (2 * h) for unit in np.eye(7)]
    # Rounding of a sum near 100, over 2h.
    np.testing.assert_allclose(exact, numeric, atol=1e-7)


@pytest.fixture(scope="module")
def with_bad_few() -> tuple[FloatArray, Battles, CrowdFit]:
    rng = np.random.default_rng(3)
    truth = centred_normals(12, rng)
    battles = crowd_votes(truth, BAD_FEW, 150, rng)
    return truth, battles, fit_crowd(battles)


def test_a_coin_and_a_malicious_annotator_are_found(
    with_bad_few: tuple[FloatArray, Battles, CrowdFit],
) -> None:
    fitted = with_bad_few[2]
    assert fitted.low[COIN] > 0.25 and fitted.low[MALICIOUS] > 0.75
    assert np.all(fitted.high[:COIN] < 0.45)
    assert np.argsort(fitted.flip_rate)[-2:].tolist() == [COIN, MALICIOUS]


def test_rates_and_ends_are_in_order(
    with_bad_few: tuple[FloatArray, Battles, CrowdFit],
) -> None:
    fitted = with_bad_few[2]
    assert np.all((fitted.low >= 0) & (fitted.low <= fitted.flip_rate))
    assert np.all((fitted.flip_rate <= fitted.high) & (fitted.high <= 1))
    assert fitted.items.gradient_norm <= 1e-6
    assert fitted.items.model.prior == Ridge(0.1)


def test_strengths_are_nearer_the_truth_than_those_of_plain_bradley_terry(
    with_bad_few: tuple[FloatArray, Battles, CrowdFit],
) -> None:
    truth, battles, fitted = with_bad_few
    plain = fit_items(battles, ItemModel(prior=Ridge(0.1)))
    off, plain_off = (
        np.sqrt(np.mean((each.strength - truth) ** 2)) for each in (fitted.items, plain)
    )
    # Plain strengths are shrunk by what flips, by about a fifth here.
    assert off < 0.75 * plain_off


def test_the_mirror_image_is_turned_back(
    with_bad_few: tuple[FloatArray, Battles, CrowdFit],
) -> None:
    _, battles, fitted = with_bad_few
    assert battles.annotator is not None
    votes, _ = decided_votes(battles, battles.annotator.astype(np.int64))
    again = fit_votes(votes, -fitted.items.strength, Ridge(0.1), tol=1e-6)
    assert np.allclose(again.s - again.s.mean(), fitted.items.strength, atol=1e-3)


def test_ties_are_left_out_and_counted() -> None:
    battles = some_battles()
    assert battles.annotator is not None
    decided = fit_crowd(battles)
    tied = Battles(
        names=battles.names,
        a=np.append(battles.a, [0, 1]),
        b=np.append(battles.b, [1, 2]),
        outcome=np.append(battles.outcome, [2, 2]).astype(np.int8),
        annotator=np.append(battles.annotator, [0, 3]),
        annotator_names=(*battles.annotator_names, "only ties"),
    )
    fitted = fit_crowd(tied)
    assert np.array_equal(fitted.items.strength, decided.items.strength)
    assert fitted.n_ties.tolist() == [1, 0, 0, 1]
    assert fitted.n_votes.tolist() == [40, 40, 40, 0]
    assert fitted.why_not[3] == "gave no vote with a winner"
    assert (fitted.low[3], fitted.high[3]) == (0.0, 1.0)
    assert fitted.flip_rate[3] == pytest.approx(fitted.flip_prior.mean)


def test_an_item_with_ties_only_is_one_without_votes_and_no_group() -> None:
    battles = some_battles()
    assert battles.annotator is not None
    with_another = replace(
        battles,
        names=(*battles.names, "never decided"),
        a=np.append(battles.a, 0),
        b=np.append(battles.b, battles.n_items),
        outcome=np.append(battles.outcome, 2).astype(np.int8),
        annotator=np.append(battles.annotator, 0),
    )
    _, told = fit_crowd(with_another).items.warnings
    assert told.startswith("no vote to use on never decided")


def test_few_votes_leave_a_rate_open_and_say_so() -> None:
    rng = np.random.default_rng(4)
    fitted = fit_crowd(crowd_votes(centred_normals(6, rng), np.full(30, 0.1), 8, rng))
    assert any("fits; more votes" in said for said in fitted.why_not)


def test_without_annotators_the_fit_is_refused() -> None:
    battles = replace(some_battles(), annotator=None, annotator_names=())
    with pytest.raises(InputError, match="expected battles with annotators"):
        fit_crowd(battles)


def test_ties_alone_are_refused() -> None:
    battles = some_battles()
    tied = replace(battles, outcome=np.full(len(battles), 2, dtype=np.int8))
    with pytest.raises(EstimationError, match="every vote is a tie"):
        fit_crowd(tied)


@pytest.mark.slow
@pytest.mark.parametrize(("n_annotators", "n_each", "cost"), [(10, 300, 1.15), (100, 30, 1.15)])
def test_a_crowd_that_never_flips_costs_little(n_annotators: int, n_each: int, cost: float) -> None:
    off = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = centred_normals(20, rng)
        battles = crowd_votes(truth, np.zeros(n_annotators), n_each, rng)
        plain = fit_items(battles, ItemModel(prior=Ridge(0.1)))
        both = (fit_crowd(battles).items, plain)
        off.append([np.sqrt(np.mean((each.strength - truth) ** 2)) for each in both])
    crowd, plain_off = np.mean(off, axis=0)
    assert crowd < cost * plain_off


@pytest.mark.slow
@pytest.mark.parametrize(("n_annotators", "n_each"), [(20, 100), (60, 30)])
def test_intervals_cover_planted_rates_of_each_kind_and_strengths(
    n_annotators: int, n_each: int
) -> None:
    kinds = np.array([0.5, 0.5, 1.0, 0.0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1])
    flip = np.repeat(kinds, n_annotators // 10)
    hit, of_items = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = centred_normals(12, rng)
        fitted = fit_crowd(crowd_votes(truth, flip, n_each, rng))
        hit.append((fitted.low <= flip) & (flip <= fitted.high))
        ends = item_intervals(fitted.items, fitted.covariance)
        of_items.append((ends.low <= truth) & (truth <= ends.high))
    covered = np.mean(hit, axis=0)
    # 120 to 1,440 intervals of each kind at 95%; measured .93 to .98 over kinds and sizes.
    for kind in np.unique(kinds):
        assert 0.91 <= covered[flip == kind].mean() <= 1.0
    # 720 intervals of strengths, those of one fit dependent: an error of .015.
    assert 0.91 <= np.mean(of_items) <= 0.99
