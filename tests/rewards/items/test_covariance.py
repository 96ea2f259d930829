"""Covariances of item fits: against a dense twin, real refits, and where none can be told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items import inverse_information, leave_out, vote_adjustment
from rewardlab.rewards.items.covariance import CovarianceKind, item_covariance
from rewardlab.rewards.items.fit import ItemFit, fit_items
from rewardlab.rewards.items.item_intervals import item_intervals
from rewardlab.rewards.items.model import Gamma, ItemModel, Ridge
from rewardlab.stats.clusters import cluster_covariance
from rewardlab.types import FloatArray, IntArray, Outcome
from tests.rewards.items.simulated_battles import World, draw, with_newcomer

RNG_SEED = 7


def centring(m: int) -> FloatArray:
    return np.eye(m) - 1 / m


def design(battles: Battles) -> FloatArray:
    """Shape [n, m - 1]; strengths less that of the last item."""
    x = np.zeros((len(battles), battles.n_items))
    rows = np.arange(len(battles))
    x[rows, battles.a] += 1
    x[rows, battles.b] -= 1
    return x[:, :-1]


def world(n: int, m: int, *, n_clusters: int | None = None, seed: int = RNG_SEED) -> Battles:
    rng = np.random.default_rng(seed)
    return draw(World(rng.normal(size=m), n, n_clusters=n_clusters, cluster_sd=0.5), rng)


def without(battles: Battles, gone: IntArray) -> Battles:
    kept = np.setdiff1d(np.arange(len(battles)), gone)
    prompt = None if battles.prompt is None else battles.prompt[kept]
    return replace(
        battles,
        a=battles.a[kept],
        b=battles.b[kept],
        outcome=battles.outcome[kept],
        prompt=prompt,
    )


@pytest.mark.parametrize("n_clusters", [13, 60])
def test_the_sandwich_is_the_jackknife_of_a_dense_twin(
    n_clusters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leave_out, "NEGLIGIBLE", 0.0)
    battles = world(900, 6, n_clusters=n_clusters)
    fitted = fit_items(battles, tol=1e-10)
    x, p = (
        design(battles),
        1 / (1 + np.exp(-(fitted.strength[battles.a] - fitted.strength[battles.b]))),
    )
    label = np.array([1.0, 0.0, 0.5])[battles.outcome]
    assert battles.prompt is not None
    twin = cluster_covariance(x, label - p, p * (1 - p), battles.prompt.astype(np.int64))
    to_centred = centring(6)[:, :-1]
    got = item_covariance(battles, fitted, cluster=battles.prompt)
    # The same formula by other algebra.
    assert np.allclose(got.matrix, to_centred @ twin.matrix @ to_centred.T, rtol=1e-6, atol=1e-12)


def test_votes_counted_by_kind_are_votes_one_by_one() -> None:
    battles = world(600, 5)
    fitted = fit_items(battles)
    by_kind = item_covariance(battles, fitted)
    one_by_one = item_covariance(battles, fitted, cluster=np.arange(600))
    assert np.allclose(by_kind.matrix, one_by_one.matrix, rtol=1e-9, atol=1e-15)
    assert np.allclose(by_kind.dof, one_by_one.dof, rtol=1e-9)
    assert by_kind.n_clusters == one_by_one.n_clusters == 600


def test_the_sandwich_is_close_to_refits_without_each_cluster() -> None:
    battles = world(4000, 5, n_clusters=20)
    fitted = fit_items(battles, tol=1e-10)
    assert battles.prompt is not None
    refits = np.stack(
        [
            fit_items(without(battles, np.flatnonzero(battles.prompt == g))).strength
            for g in range(20)
        ]
    )
    moves = refits - fitted.strength
    # One Newton step from the fit leaves an error of second order in moves of about .02.
    got = item_covariance(battles, fitted, cluster=battles.prompt)
    assert np.allclose(got.matrix, 19 / 20 * moves.T @ moves, rtol=0.05, atol=2e-5)


def test_an_item_that_one_cluster_alone_has_cannot_be_told() -> None:
    battles = world(2000, 5, n_clusters=10)
    assert battles.prompt is not None
    strange = (battles.a == 4) | (battles.b == 4)
    one = replace(battles, prompt=np.where(strange, 3, battles.prompt))
    fitted = fit_items(one)
    told = item_covariance(one, fitted, cluster=one.prompt)
    assert told.cannot_say.tolist() == [False] * 4 + [True]
    intervals = item_intervals(fitted, told)
    assert intervals.low[4] == -np.inf and intervals.high[4] == np.inf
    assert np.isfinite(intervals.low[:4]).all()
    assert np.isinf(told.difference_std_error(np.array([0]), np.array([4])))[0]
    assert "no interval for 4: one cluster alone" in " ".join(intervals.warnings)


def test_the_others_intervals_do_not_hang_on_an_item_that_cannot_be_told() -> None:
    drawn = world(2000, 5, n_clusters=10)
    # Votes of item 4 are against item 0 only: they tell nothing of the others.
    with_4, with_0 = (drawn.a == 4) | (drawn.b == 4), (drawn.a == 0) | (drawn.b == 0)
    battles = without(drawn, np.flatnonzero(with_4 & ~with_0))
    assert battles.prompt is not None
    strange = (battles.a == 4) | (battles.b == 4)
    one = replace(battles, prompt=np.where(strange, 3, battles.prompt))
    rest = without(one, np.flatnonzero(strange))
    rest = replace(rest, names=rest.names[:4])
    told = item_covariance(one, fit_items(one), cluster=one.prompt)
    alone = item_covariance(rest, fit_items(rest), cluster=rest.prompt)
    assert np.allclose(told.matrix[:4, :4], alone.matrix, rtol=1e-6)


def test_degrees_of_freedom_do_not_hang_on_an_item_that_cannot_be_told() -> None:
    battles = world(200, 4, n_clusters=20)
    more = with_newcomer(battles, [3, 3])
    alone = item_covariance(battles, fit_items(battles), cluster=battles.prompt)
    beside = item_covariance(more, fit_items(more), cluster=more.prompt)
    assert beside.cannot_say.tolist() == [False] * 4 + [True]
    # Two votes in 200 more; about the newcomer as well they would be 1 to 3 of about 15.
    assert np.allclose(beside.dof[:4], alone.dof, rtol=0.1)
    assert np.allclose(beside.std_error[:4], alone.std_error, rtol=0.1)


def test_two_halves_that_one_cluster_links_are_not_compared() -> None:
    battles = world(3000, 6, n_clusters=10)
    assert battles.prompt is not None
    across = (battles.a < 4) != (battles.b < 4)
    one = replace(battles, prompt=np.where(across, 0, battles.prompt))
    told = item_covariance(one, fit_items(one), cluster=one.prompt)
    assert told.cannot_say.tolist() == [False] * 4 + [True] * 2


def test_large_clusters_are_solved_as_small_ones_are(monkeypatch: pytest.MonkeyPatch) -> None:
    battles = world(2000, 6, n_clusters=10)
    assert battles.prompt is not None
    strange = (battles.a == 4) | (battles.b == 4)
    one = replace(battles, prompt=np.where(strange, 3, battles.prompt))
    fitted = fit_items(one)
    small = item_covariance(one, fitted, cluster=one.prompt)
    monkeypatch.setattr(leave_out, "SMALL", 0)
    large = item_covariance(one, fitted, cluster=one.prompt)
    assert np.array_equal(small.cannot_say, large.cannot_say) and small.cannot_say[4]
    assert np.allclose(small.matrix, large.matrix, rtol=1e-9, equal_nan=True)


@pytest.mark.parametrize("n_clusters", [40, 400, None])
def test_clusters_are_solved_over_their_votes_as_over_their_items(
    n_clusters: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    battles = world(500, 8, n_clusters=n_clusters)
    z = np.random.default_rng(RNG_SEED).normal(size=(500, 2))
    one = replace(battles, covariates=z, covariate_names=("x", "y"))
    fitted = fit_items(one, ItemModel(position=True))
    by_votes = item_covariance(one, fitted, cluster=one.prompt)
    monkeypatch.setattr(vote_adjustment, "MOST_VOTES", 0)
    by_items = item_covariance(one, fitted, cluster=one.prompt)
    # Two ways to solve the same well-conditioned systems.
    np.testing.assert_allclose(by_votes.matrix, by_items.matrix, rtol=1e-9, atol=1e-13)


def test_a_light_cluster_is_no_set_of_single_votes_whatever_its_code() -> None:
    battles = world(904, 2)
    size = np.array([300, 300, 300, 4])  # as many votes in the light one as there are clusters
    fitted = fit_items(battles)
    first, *others = (
        item_covariance(battles, fitted, cluster=np.repeat(np.roll(np.arange(4), shift), size))
        for shift in range(4)
    )
    for other in others:
        # The same sums in another order.
        np.testing.assert_allclose(other.matrix, first.matrix, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("small", [1, 5, 64])
def test_lapack_and_halves_invert_alike(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    battles = world(3000, 23)
    fitted = fit_items(battles)
    monkeypatch.setattr(inverse_information, "SMALL", small)
    by_halves = item_covariance(battles, fitted, kind="hessian").matrix
    monkeypatch.setattr(inverse_information, "REPAYS_SCIPY", 0)
    by_lapack = item_covariance(battles, fitted, kind="hessian").matrix
    # Of a condition number of some tens.
    np.testing.assert_allclose(by_halves, by_lapack, rtol=0, atol=1e-14)


def test_too_many_items_for_a_dense_covariance_are_refused_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    battles = world(100, 3)
    monkeypatch.setattr(inverse_information, "MOST_PARAMETERS", 2)
    with pytest.raises(EstimationError, match="too large") as raised:
        item_covariance(battles, fit_items(battles))
    assert "bootstrap" in raised.value.remedy


def test_votes_that_all_fall_as_expected_give_no_interval_of_width_zero() -> None:
    i, j = np.triu_indices(3, 1)
    ties = np.full(3, Outcome.TIE, dtype=np.int8)
    battles = Battles(("a", "b", "c"), i, j, ties)
    found = item_covariance(battles, fit_items(battles))
    assert np.isinf(found.std_error).all()
    assert "never leave what is expected" in found.warnings[0]
    # Of two equals that win in turn, and a third that only ties with them, the third alone.
    more = Battles(
        ("a", "b", "c"),
        np.array([0, 0, 0, 1]),
        np.array([1, 1, 2, 2]),
        np.array([Outcome.A, Outcome.B, Outcome.TIE, Outcome.TIE], dtype=np.int8),
    )
    found = item_covariance(more, fit_items(more))
    np.testing.assert_array_equal(found.cannot_say, [False, False, True])


def test_where_votes_are_not_clustered_one_vote_alone_is_what_ties_an_item() -> None:
    battles = world(300, 4)
    more = replace(
        battles,
        names=(*battles.names, "new"),
        a=np.append(battles.a, 4),
        b=np.append(battles.b, 0),
        outcome=np.append(battles.outcome, Outcome.TIE).astype(np.int8),
    )
    (warning,) = item_covariance(more, fit_items(more)).warnings
    assert warning == (
        "no interval for new: one vote alone ties them to the others, and one vote does not show "
        "how much votes differ"
    )


def test_one_cluster_is_refused() -> None:
    battles = world(100, 3)
    with pytest.raises(EstimationError, match="one cluster"):
        item_covariance(battles, fit_items(battles), cluster=np.zeros(100, dtype=np.int64))


@pytest.mark.parametrize("kind", ["sandwich", "bootstrap"])
@pytest.mark.parametrize("times", [3, 10**12])
def test_clusters_may_have_any_numbers(kind: CovarianceKind, times: int) -> None:
    battles = world(300, 4, n_clusters=60)
    assert battles.prompt is not None
    fitted = fit_items(battles)
    given, stretched = (
        item_covariance(
            battles,
            fitted,
            kind=kind,
            cluster=cluster,
            n_resamples=20,
            rng=np.random.default_rng(RNG_SEED),
        )
        for cluster in (battles.prompt, battles.prompt.astype(np.int64) * times + 5)
    )
    np.testing.assert_array_equal(given.matrix, stretched.matrix)
    np.testing.assert_array_equal(given.dof, stretched.dof)
    assert given.n_clusters == stretched.n_clusters == 60


def test_wrong_clusters_and_fits_are_refused() -> None:
    battles = world(100, 3)
    fitted = fit_items(battles)
    with pytest.raises(InputError, match="cluster: expected shape"):
        item_covariance(battles, fitted, cluster=np.zeros(7, dtype=np.int64))
    with pytest.raises(InputError, match="cluster: expected codes"):
        item_covariance(battles, fitted, cluster=np.full(100, -1))
    with pytest.raises(InputError, match="fitted: expected"):
        item_covariance(world(100, 4), fitted)


def rare_and_frequent(n: int) -> Battles:
    """Item 0 has 20 votes; three others share n."""
    rng = np.random.default_rng(RNG_SEED)
    rival = np.arange(20) % 3 + 1
    a = np.concatenate([np.zeros(20, dtype=np.int64), np.tile([1, 1, 2], n // 3)])
    b = np.concatenate([rival, np.tile([2, 3, 3], n // 3)])
    won = np.concatenate([np.arange(20) % 2, (rng.random(len(a) - 20) < 0.5).astype(int)])
    return Battles(tuple("rxyz"), a, b, np.where(won == 1, Outcome.A, Outcome.B).astype(np.int8))


def test_a_rare_items_error_does_not_shrink_as_the_others_votes_grow() -> None:
    few, many = rare_and_frequent(300), rare_and_frequent(30_000)
    errors = [
        item_covariance(b, fit_items(b, model), kind=kind).std_error[0]
        for b in (few, many)
        for model in (ItemModel(), ItemModel(prior=Ridge(0.1)))
        for kind in ("sandwich", "hessian")
    ]
    # 20 even votes against the mean of the others: information 20/4, of which the mean's own part
    # (1/4 of the item) takes (3/4)^2: .75 / sqrt(5) = .335, more for few votes of the others.
    assert all(0.31 < error < 0.40 for error in errors), errors


@pytest.mark.parametrize("prior", [Ridge(2.0), Gamma(3.0)])
def test_the_sandwich_of_a_prior_is_the_posteriors_where_the_model_is_true(
    prior: Ridge | Gamma,
) -> None:
    """Where votes are few, the prior's scatter is all there is; by votes alone it would be .2."""
    battles = rare_and_frequent(30_000)
    battles = without(battles, np.arange(2, 20))
    fitted = fit_items(battles, ItemModel(prior=prior))
    sandwich, posterior = (
        item_covariance(battles, fitted, kind=kind) for kind in ("sandwich", "hessian")
    )
    # Two votes are one loss and one win, of items almost alike: HC2 is then close to the model's.
    assert sandwich.std_error == pytest.approx(posterior.std_error, rel=0.03)


@pytest.mark.parametrize("prior", [Ridge(0.5), Gamma(2.0)])
def test_with_a_prior_no_interval_is_wider_than_the_prior_alone_would_make_it(
    prior: Ridge | Gamma,
) -> None:
    battles = world(200, 4, n_clusters=20)
    m = battles.n_items
    assert battles.prompt is not None
    # Twelve wins of one prompt: without it the item would go back to the mean.
    battles = replace(
        battles,
        names=(*battles.names, "new"),
        a=np.append(battles.a, np.full(12, m)),
        b=np.append(battles.b, np.arange(12) % m),
        outcome=np.append(battles.outcome, np.full(12, Outcome.A)).astype(np.int8),
        prompt=np.append(battles.prompt, np.full(12, 3)),
    )
    fitted = fit_items(battles, ItemModel(prior=prior))
    told = item_covariance(battles, fitted, cluster=battles.prompt)
    # Of the gamma prior trigamma(1) = pi^2 / 6.
    deviation = np.sqrt(2) if isinstance(prior, Ridge) else np.pi / np.sqrt(6)
    for level, z in ((0.95, 1.959964), (0.5, 0.674490)):
        ends = item_intervals(fitted, told, level=level)
        half = (ends.high - ends.low) / 2
        assert np.all(half <= z * deviation + 1e-5)
        assert np.all(ends.std_error <= deviation)
    few = item_intervals(fitted, told)
    assert few.high[m] - few.low[m] == pytest.approx(2 * 1.959964 * deviation, rel=1e-5)


def test_groups_are_centred_apart() -> None:
    one, two = world(500, 3), world(500, 4, seed=8)
    joined = Battles(
        tuple("abcdefg"),
        np.concatenate([one.a, two.a + 3]),
        np.concatenate([one.b, two.b + 3]),
        np.concatenate([one.outcome, two.outcome]),
    )
    got = item_covariance(joined, fit_items(joined)).matrix
    assert np.allclose(got[:3, 3:], 0, atol=1e-12)
    alone = item_covariance(one, fit_items(one)).matrix
    # The factor (G - 1) / G differs: 499/500 against 999/1000.
    assert np.allclose(got[:3, :3], alone, rtol=3e-3)


def test_swapping_items_swaps_their_variances() -> None:
    battles = world(400, 4, n_clusters=30)
    turned = replace(battles, a=3 - battles.a, b=3 - battles.b)
    first = item_covariance(battles, fit_items(battles), cluster=battles.prompt)
    second = item_covariance(turned, fit_items(turned), cluster=turned.prompt)
    assert np.allclose(first.matrix, second.matrix[::-1, ::-1], atol=1e-9)
    assert np.allclose(first.dof, second.dof[::-1])


def plain_sandwich(battles: Battles, fitted: ItemFit) -> FloatArray:
    """Shape [m, m]; without any adjustment."""
    x = design(battles)
    p = 1 / (1 + np.exp(-(fitted.strength[battles.a] - fitted.strength[battles.b])))
    score = x * (np.array([1.0, 0.0, 0.5])[battles.outcome] - p)[:, None]
    bread = np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x)
    to_centred = centring(battles.n_items)[:, :-1]
    return np.asarray(to_centred @ bread @ score.T @ score @ bread @ to_centred.T)


def test_where_votes_abound_the_sandwich_is_the_plain_one() -> None:
    battles = world(20_000, 5)
    fitted = fit_items(battles)
    got = item_covariance(battles, fitted).matrix
    # Leverages are below 1%, so that nothing is adjusted; the factor is 19,999/20,000.
    assert np.allclose(got, plain_sandwich(battles, fitted), rtol=1e-3, atol=1e-9)
