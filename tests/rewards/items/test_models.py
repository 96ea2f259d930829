"""Every model of votes: against independent libraries, recovered, and symmetric as it should be."""

from __future__ import annotations

from dataclasses import replace

import choix
import evalica
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel, LinkName, Ties
from rewardlab.rewards.losses import davidson, rao_kupper
from rewardlab.types import FloatArray, Outcome

M = 5
STRENGTH = np.array([0.9, 0.4, 0.1, -0.5, -0.9])
POSITION, LENGTH, TIE = 0.3, -0.5, 0.6


def chances(model: ItemModel, delta: FloatArray) -> FloatArray:
    """Shape [n, 3]; chances of A, B and a tie; the tie parameter is .6, or of none."""
    if model.ties == "davidson":
        scores = np.stack([delta / 2, -delta / 2, np.full_like(delta, TIE)], axis=1)
        return np.asarray(special.softmax(scores, axis=1))
    below = special.expit if model.link == "logistic" else _normal
    threshold = TIE if model.ties == "rao-kupper" else 0.0
    a, b = below(delta - threshold), below(-delta - threshold)
    return np.stack([a, b, 1 - a - b], axis=1)


def _normal(delta: FloatArray) -> FloatArray:
    return np.asarray(special.ndtr(delta / np.sqrt(2)))


def drawn(model: ItemModel, n: int, *, seed: int = 0, with_effects: bool = True) -> Battles:
    """Battles that follow the model, with a position and a covariate if asked for."""
    rng = np.random.default_rng(seed)
    a = rng.integers(M, size=n)
    b = (a + rng.integers(1, M, size=n)) % M
    z = rng.normal(size=(n, 1))
    delta = STRENGTH[a] - STRENGTH[b] + with_effects * (POSITION + LENGTH * z[:, 0])
    p = chances(model, delta).cumsum(axis=1)
    outcome = (rng.random(n)[:, None] > p[:, :2]).sum(axis=1).astype(np.int8)
    names = tuple("abcde")
    if not with_effects:
        return Battles(names, a, b, outcome)
    return Battles(names, a, b, outcome, covariates=z, covariate_names=("length",))


def design(battles: Battles) -> FloatArray:
    """Shape [n, M - 1 + 2]; item differences without the last item, a constant, the covariate."""
    items = np.eye(M)[battles.a] - np.eye(M)[battles.b]
    assert battles.covariates is not None
    return np.hstack([items[:, :-1], np.ones((len(battles), 1)), battles.covariates])


def centred(values: FloatArray) -> FloatArray:
    return np.asarray(values - values.mean())


@pytest.mark.parametrize("link", ["logistic", "probit"])
def test_effects_beside_strengths_equal_those_of_a_generalised_linear_model(link: LinkName) -> None:
    model = ItemModel(link=link, position=True)
    played = drawn(model, 3000)
    fitted = fit_items(played, model, tol=1e-10)
    # Noise of deviation 1 on each response is sqrt 2 on their difference.
    scale = 1.0 if link == "logistic" else np.sqrt(2)
    links = sm.families.links
    family = sm.families.Binomial(links.Logit() if link == "logistic" else links.Probit())
    peer = sm.GLM(played.outcome == Outcome.A, design(played), family=family).fit(tol=1e-14)
    strength = centred(np.append(peer.params[: M - 1], 0.0)) * scale
    np.testing.assert_allclose(fitted.strength, strength, atol=1e-6)
    np.testing.assert_allclose(fitted.effect, peer.params[M - 1 :] * scale, atol=1e-6)
    assert fitted.effect_names == ("position", "length")


def test_strengths_equal_those_of_choix_by_mm() -> None:
    played = drawn(ItemModel(), 2000, with_effects=False)
    won = played.outcome == Outcome.A
    games = zip(np.where(won, played.a, played.b), np.where(won, played.b, played.a), strict=True)
    peer = choix.mm_pairwise(M, list(games), tol=1e-12)
    np.testing.assert_allclose(fit_items(played, tol=1e-10).strength, centred(peer), atol=1e-6)


def as_evalica(battles: Battles) -> tuple[list[str], list[str], list[evalica.Winner]]:
    winners = [evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw]
    return (
        [battles.names[i] for i in battles.a],
        [battles.names[i] for i in battles.b],
        [winners[outcome] for outcome in battles.outcome],
    )


def test_half_wins_equal_those_of_evalica() -> None:
    played = drawn(ItemModel(ties="davidson"), 2000, with_effects=False)
    peer = evalica.bradley_terry(*as_evalica(played), tie_weight=0.5, tolerance=1e-12, limit=10_000)
    strength = centred(np.log(peer.scores.sort_index().to_numpy()))
    np.testing.assert_allclose(fit_items(played, tol=1e-10).strength, strength, atol=1e-6)


def test_davidson_equals_newmans_iteration_in_evalica() -> None:
    model = ItemModel(ties="davidson")
    played = drawn(model, 2000, with_effects=False)
    peer = evalica.newman(*as_evalica(played), tolerance=1e-12, limit=10_000)
    fitted = fit_items(played, model, tol=1e-10)
    strength = centred(np.log(peer.scores.sort_index().to_numpy()))
    np.testing.assert_allclose(fitted.strength, strength, atol=1e-6)
    # Newman's v is half Davidson's nu.
    assert np.exp(fitted.effect[0]) == pytest.approx(2 * peer.v, abs=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_tie_models_with_effects_minimise_the_losses_of_single_votes(ties: Ties) -> None:
    model = ItemModel(ties=ties, position=True)
    played = drawn(model, 1500)
    x = design(played)

    def loss(theta: FloatArray) -> float:
        delta, tie = x @ theta[:-1], float(np.exp(theta[-1]))
        if ties == "davidson":
            return float(davidson(delta, played.outcome, nu=tie).loss.sum())
        return float(rao_kupper(delta, played.outcome, threshold=tie).loss.sum())

    # Differences of 1e3 nats hide steps below about 1e-5; the optimum is followed by its value.
    found = optimize.minimize(loss, np.zeros(M + 2), options={"gtol": 1e-4})
    fitted = fit_items(played, model, tol=1e-10)
    tie = np.log(fitted.effect[-1]) if ties == "rao-kupper" else fitted.effect[-1]
    strength = centred(np.append(found.x[: M - 1], 0.0))
    np.testing.assert_allclose(fitted.strength, strength, atol=1e-4)
    np.testing.assert_allclose([*fitted.effect[:-1], tie], found.x[M - 1 :], atol=1e-4)
    assert fitted.log_loss * len(played) <= found.fun + 1e-9


@pytest.mark.parametrize(
    "model",
    [
        ItemModel(position=True),
        ItemModel(link="probit", position=True),
        ItemModel(ties="davidson", position=True),
        ItemModel(ties="rao-kupper", position=True),
        ItemModel(ties="rao-kupper", link="probit", position=True),
    ],
    ids=lambda m: f"{m.ties}-{m.link}",
)
def test_the_truth_is_found_again(model: ItemModel) -> None:
    fitted = fit_items(drawn(model, 40_000, seed=1), model)
    # Standard errors are below .02 with 16,000 votes an item; four of them.
    np.testing.assert_allclose(fitted.strength, STRENGTH, atol=0.08)
    truth = [POSITION, LENGTH] + [TIE] * model.tie_parameter
    np.testing.assert_allclose(fitted.effect, truth, atol=0.08)


def test_a_margin_asks_the_winner_to_be_ahead() -> None:
    rng = np.random.default_rng(2)
    played = drawn(ItemModel(), 400, with_effects=False)
    margin = rng.random(400)
    fitted = fit_items(replace(played, margin=margin), tol=1e-10)
    x = (np.eye(M)[played.a] - np.eye(M)[played.b]) * np.where(played.outcome == 0, 1, -1)[:, None]

    def loss(rest: FloatArray) -> float:
        return float(-special.log_expit(x @ np.append(rest, 0.0) - margin).sum())

    found = optimize.minimize(loss, np.zeros(M - 1), options={"gtol": 1e-4})
    np.testing.assert_allclose(fitted.strength, centred(np.append(found.x, 0.0)), atol=1e-4)


MODELS = st.builds(
    ItemModel,
    ties=st.sampled_from(["half", "davidson", "rao-kupper"]),
    position=st.just(True),
)
small = settings(max_examples=15, deadline=None)


@small
@given(MODELS, st.integers(0, 20))
def test_turning_sides_round_negates_the_position_and_leaves_strengths(
    model: ItemModel, seed: int
) -> None:
    played = drawn(ItemModel(ties="davidson"), 300, seed=seed)
    assert played.covariates is not None
    turned = replace(
        played,
        a=played.b,
        b=played.a,
        outcome=np.array([1, 0, 2], dtype=np.int8)[played.outcome],
        covariates=-played.covariates,
    )
    there, back = fit_items(played, model, tol=1e-9), fit_items(turned, model, tol=1e-9)
    np.testing.assert_allclose(there.strength, back.strength, atol=1e-6)
    np.testing.assert_allclose(
        there.effect * [-1, 1, 1][: len(there.effect)], back.effect, atol=1e-6
    )


@small
@given(MODELS, st.permutations(range(M)))
def test_renaming_items_renames_their_strengths(model: ItemModel, order: list[int]) -> None:
    played = drawn(ItemModel(ties="davidson"), 300)
    code = np.array(order)
    renamed = replace(played, a=code[played.a], b=code[played.b])
    original, moved = fit_items(played, model, tol=1e-9), fit_items(renamed, model, tol=1e-9)
    np.testing.assert_allclose(moved.strength[code], original.strength, atol=1e-6)
    np.testing.assert_allclose(moved.effect, original.effect, atol=1e-6)


def test_the_unit_of_a_covariate_does_not_matter() -> None:
    played = drawn(ItemModel(), 500)
    assert played.covariates is not None
    grams = fit_items(replace(played, covariates=played.covariates * 1e6), tol=1e-9)
    tonnes = fit_items(played, tol=1e-9)
    np.testing.assert_allclose(grams.effect * 1e6, tonnes.effect, atol=1e-6)
    np.testing.assert_allclose(grams.strength, tonnes.strength, atol=1e-6)
