"""How often 95% intervals hold the truth, in worlds where they might not.

Each world gives at least 3,500 intervals. Those of one sample depend on each other: the simulation
error of a coverage of .95 is then .003 to .007, by the spread of the samples' own shares.
"""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import SeparationError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.covariance import CovarianceKind, item_covariance
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.item_intervals import item_intervals
from rewardlab.rewards.items.model import ItemModel, Ridge
from rewardlab.rewards.items.rank_ranges import rank_ranges
from rewardlab.types import BoolArray, FloatArray, Outcome
from tests.rewards.items.simulated_battles import World, draw, half_win_estimand, with_newcomer

SEED = 11
SPREAD = np.linspace(1.5, -1.5, 10)
RARE = np.array([1.0, 1, 0.01, 1, 1, 0.01, 1, 0.01, 1, 1])
"""Three of ten items with about 17 votes each in 6,000."""
PRIOR_SHARE = np.where(RARE < 1, 0.05, 1.0)
"""The same three with about 8 votes each in 600."""


def held(
    world: World,
    truth: FloatArray,
    model: ItemModel | None = None,
    *,
    kind: CovarianceKind = "sandwich",
    samples: int = 400,
) -> FloatArray:
    """Shape [samples, m + e]; whether each interval holds the truth; samples with a fit only."""
    rng = np.random.default_rng(SEED)
    rows = []
    for _ in range(samples):
        battles = draw(world, rng)
        try:
            fitted = fit_items(battles, model or ItemModel())
        except SeparationError:
            continue
        cluster = battles.prompt if kind == "sandwich" else None
        told = item_intervals(fitted, item_covariance(battles, fitted, kind=kind, cluster=cluster))
        low = np.concatenate([told.low, told.effect_low])
        high = np.concatenate([told.high, told.effect_high])
        rows.append((low <= truth) & (truth <= high))
    assert len(rows) > 0.9 * samples
    return np.array(rows, dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        pytest.param(World(SPREAD, 2000), id="plain"),
        pytest.param(World(SPREAD, 6000, share=RARE), id="rare items"),
        pytest.param(World(SPREAD, 3000, n_clusters=100, cluster_sd=0.5), id="100 clusters"),
        pytest.param(World(SPREAD, 3000, n_clusters=13, cluster_sd=0.5), id="13 clusters"),
        pytest.param(
            World(SPREAD, 3000, n_clusters=25, cluster_sd=0.5, uneven=True), id="25 annotators"
        ),
        pytest.param(World(SPREAD, 3000, nu=1.0), id="ties as half wins"),
    ],
)
def test_sandwich_intervals_hold_the_truth_as_often_as_they_say(world: World) -> None:
    assert 0.93 < held(world, half_win_estimand(world)).mean() < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sandwich", "hessian"])
@pytest.mark.parametrize(
    ("world", "model", "effect"),
    [
        pytest.param(
            World(SPREAD, 3000, nu=1.0), ItemModel(ties="davidson"), [0.0], id="Davidson's ties"
        ),
        pytest.param(
            World(SPREAD, 3000, position=0.4), ItemModel(position=True), [0.4], id="position"
        ),
    ],
)
def test_effects_and_strengths_beside_them_are_held(
    world: World, model: ItemModel, effect: list[float], kind: CovarianceKind
) -> None:
    inside = held(world, np.concatenate([SPREAD, effect]), model, kind=kind)
    assert 0.93 < inside.mean() < 0.97
    # One entry in 400 samples: simulation error .011, so that three of them are .033.
    assert inside[:, -1].mean() > 0.95 - 0.033


@pytest.mark.slow
@pytest.mark.parametrize(("l2", "n_clusters"), [(1.0, None), (4.0, None), (1.0, 25)])
def test_with_a_prior_sandwich_intervals_hold_strengths_that_scatter_as_it_says(
    l2: float, n_clusters: int | None
) -> None:
    rng = np.random.default_rng(SEED)
    inside: list[BoolArray] = []
    while len(inside) < 300:
        strength = rng.normal(size=10) / np.sqrt(l2)
        world = World(strength, 600, n_clusters, 0.3 if n_clusters else 0.0, share=PRIOR_SHARE)
        battles = draw(world, rng)
        fitted = fit_items(battles, ItemModel(prior=Ridge(l2)))
        if fitted.group.max() > 0:
            continue  # An item without a vote is in no table with the others.
        told = item_intervals(fitted, item_covariance(battles, fitted, cluster=battles.prompt))
        truth = strength - strength.mean()
        inside.append((told.low <= truth) & (truth <= told.high))
    held_by_item = np.mean(inside, axis=0)
    # Truths differ from sample to sample, so that its ten intervals depend little: .004 and .007.
    assert 0.93 < held_by_item.mean() < 0.97
    assert 0.92 < held_by_item[PRIOR_SHARE < 1].mean() < 0.98


@pytest.mark.slow
@pytest.mark.parametrize(("n_rare", "cluster_sd"), [(3, 0.0), (12, 0.0), (12, 0.5)])
def test_with_a_prior_intervals_of_items_of_one_cluster_hold_and_are_no_wider_than_it(
    n_rare: int, cluster_sd: float
) -> None:
    rng = np.random.default_rng(SEED)
    inside, widest = [], 0.0
    for _ in range(300):
        strength = rng.normal(size=12)
        battles = draw(World(strength[:10], 400, n_clusters=40, cluster_sd=cluster_sd), rng)
        battles = with_rare_items(battles, strength, n_rare, cluster_sd, rng)
        fitted = fit_items(battles, ItemModel(prior=Ridge(1.0)))
        told = item_intervals(fitted, item_covariance(battles, fitted, cluster=battles.prompt))
        truth = strength - strength.mean()
        inside.append((told.low <= truth) & (truth <= told.high))
        widest = max(widest, float((told.high - told.low).max()))
    held_by_item = np.mean(inside, axis=0)
    # Truths differ from sample to sample: simulation error .004 of all and .009 of the two.
    assert 0.92 < held_by_item.mean() < 0.97
    assert 0.92 < held_by_item[10:].mean() < 0.98
    assert widest < 2 * 1.96


def with_rare_items(
    battles: Battles,
    strength: FloatArray,
    n_rare: int,
    cluster_sd: float,
    rng: np.random.Generator,
) -> Battles:
    """Items 10 and 11 more, each with so many votes of one cluster, where it has its own level."""
    item = np.repeat([10, 11], n_rare)
    other = rng.integers(10, size=len(item))
    level = strength[item] + np.repeat(cluster_sd * rng.normal(size=2), n_rare)
    won = rng.random(len(item)) < 1 / (1 + np.exp(strength[other] - level))
    assert battles.prompt is not None
    return Battles(
        tuple(map(str, range(12))),
        np.append(battles.a, item),
        np.append(battles.b, other),
        np.append(battles.outcome, np.where(won, Outcome.A, Outcome.B)).astype(np.int8),
        prompt=np.append(battles.prompt, np.repeat(rng.integers(40, size=2), n_rare)),
    )


@pytest.mark.slow
def test_half_wins_make_hessian_intervals_too_wide() -> None:
    world = World(SPREAD, 3000, nu=1.0)
    assert held(world, half_win_estimand(world), kind="hessian").mean() > 0.97


@pytest.mark.slow
def test_hessian_intervals_miss_the_truth_where_clusters_differ() -> None:
    world = World(SPREAD, 3000, n_clusters=13, cluster_sd=0.5)
    assert held(world, half_win_estimand(world), kind="hessian").mean() < 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        pytest.param(World(np.zeros(10), 2000), id="10 items"),
        pytest.param(World(np.zeros(10), 6000, share=RARE), id="rare items"),
        pytest.param(World(np.zeros(30), 3000), id="30 items"),
        pytest.param(World(np.zeros(10), 3000, n_clusters=50, cluster_sd=0.5), id="50 clusters"),
        pytest.param(World(np.zeros(10), 3000, n_clusters=13, cluster_sd=0.5), id="13 clusters"),
    ],
)
def test_equal_items_are_told_apart_in_at_most_5_percent_of_samples(world: World) -> None:
    rng, samples = np.random.default_rng(SEED), 600
    wrong = 0
    for _ in range(samples):
        battles = draw(world, rng)
        fitted = fit_items(battles)
        covariance = item_covariance(battles, fitted, cluster=battles.prompt)
        told = rank_ranges(fitted.strength, covariance, fitted.group, rng=rng, n_draws=1000)
        wrong += bool(np.any((told.low > 1) | (told.high < len(fitted.names))))
    # Simulation error .009; two of them.
    assert 0.005 < wrong / samples < 0.05 + 0.018


@pytest.mark.slow
def test_an_item_of_one_cluster_leaves_coverage_and_ranks_of_the_others_as_they_are() -> None:
    rng = np.random.default_rng(SEED)
    world = World(np.array([1.0, 0.3, -0.3, -1.0]), 200, n_clusters=20, cluster_sd=0.5)
    truth = half_win_estimand(world)
    inside, first = [], []
    for _ in range(400):
        alone = draw(world, rng)
        beside = with_newcomer(alone, [prompt := int(rng.integers(20)), prompt])
        for battles in (alone, beside):
            fitted = fit_items(battles)
            covariance = item_covariance(battles, fitted, cluster=battles.prompt)
            told = item_intervals(fitted, covariance)
            about = truth + fitted.strength[:4].mean()
            inside.append((told.low[:4] <= about) & (about <= told.high[:4]))
            ranks = rank_ranges(fitted.strength, covariance, fitted.group, rng=rng, n_draws=500)
            first.append(np.count_nonzero(ranks.low[:4] == 1))
    # Four intervals in 400 samples: simulation error .007, so that three of them are .02.
    assert np.mean(inside[::2]) == pytest.approx(0.95, abs=0.025)
    assert np.mean(inside[1::2]) == pytest.approx(0.95, abs=0.025)
    assert np.mean(first[1::2]) == pytest.approx(np.mean(first[::2]), abs=0.1)
