"""Where no fit exists it is refused in words; what rests on a prior is said."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import EstimationError, InputError, SeparationError
from rewardlab.preferences.battles import Battles, battles_of_games
from rewardlab.rewards.items import newton, solver
from rewardlab.rewards.items.cells import Cells, count_cells
from rewardlab.rewards.items.effect_separation import unbounded_direction
from rewardlab.rewards.items.existence import check_exists, used_cells
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel, LinkName, Ridge, Ties
from rewardlab.types import FloatArray, Outcome

LONG_ORDERS = [
    ("davidson", "logistic", 30),
    ("rao-kupper", "logistic", 30),
    ("rao-kupper", "probit", 30),
    ("davidson", "logistic", 160),
]
TIE_MODELS: tuple[Ties, ...] = ("davidson", "rao-kupper")


def battles(rows: str, **covariates: FloatArray) -> Battles:
    """Battles from words such as "ab>", "ab<" and "ab="; items are letters."""
    words = rows.split()
    names = tuple(sorted(set("".join(word[:2] for word in words))))
    a, b = ([names.index(word[k]) for word in words] for k in (0, 1))
    outcome = ["><=".index(word[2]) for word in words]
    return Battles(
        names,
        np.array(a),
        np.array(b),
        np.array(outcome, dtype=np.int8),
        covariates=np.column_stack(list(covariates.values())) if covariates else None,
        covariate_names=tuple(covariates),
    )


BOTH_WAYS = "ab> ba> bc> cb> ca> ac>"


def test_items_that_never_won_are_named() -> None:
    with pytest.raises(SeparationError, match="c never won against the others") as raised:
        fit_items(battles("ab> ba> bc> ac>"))
    assert raised.value.names == ("c",)


def test_a_tie_bounds_an_item_only_where_the_model_counts_it() -> None:
    tied = battles("ab> ba> bc> ac=")
    assert np.isfinite(fit_items(tied).strength).all()
    with pytest.raises(SeparationError, match="c never won"):
        fit_items(tied, ItemModel(ties="leave-out"))


def test_ties_that_are_left_out_link_nobody() -> None:
    fitted = fit_items(battles("ab> ba> bc="), ItemModel(ties="leave-out"))
    assert "no vote to use on c" in fitted.warnings[0]
    assert fitted.n == 2
    assert fitted.n_ties == 1


def test_nothing_but_ties_is_no_vote_where_they_are_left_out() -> None:
    with pytest.raises(EstimationError, match="all votes are ties"):
        fit_items(battles("ab= ba="), ItemModel(ties="leave-out"))


@pytest.mark.parametrize("ties", TIE_MODELS)
@pytest.mark.parametrize(("rows", "told"), [(BOTH_WAYS, "none is a tie"), ("ab= bc=", "all are")])
def test_a_tie_parameter_needs_ties_and_wins(ties: Ties, rows: str, told: str) -> None:
    with pytest.raises(EstimationError, match=told):
        fit_items(battles(rows), ItemModel(ties=ties))


@pytest.mark.parametrize("ties", TIE_MODELS)
def test_wins_in_one_order_with_ties_between_neighbours_bound_no_tie_model(ties: Ties) -> None:
    # Every win goes down the alphabet and ties link all; D and the threshold grow together.
    one_order = battles("ab> ab= bc> bc= ac>")
    assert np.isfinite(fit_items(one_order).strength).all()
    with pytest.raises(EstimationError, match="won every vote that was not a tie"):
        fit_items(one_order, ItemModel(ties=ties))
    fitted = fit_items(one_order, ItemModel(ties=ties, prior=Ridge(1.0)))
    assert np.isfinite(fitted.effect).all()


@pytest.mark.parametrize(("ties", "link", "m"), LONG_ORDERS)
def test_a_long_order_without_an_upset_is_not_taken_for_converged(
    ties: Ties, link: LinkName, m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solver, "DENSE_CELLS", 100)
    k = np.arange(m - 1)
    a, b = np.concatenate([k, k, k[:-5]]), np.concatenate([k + 1, k + 1, k[:-5] + 6])
    outcome = np.concatenate([np.zeros(m - 1), np.full(m - 1, Outcome.TIE), np.zeros(m - 6)])
    played = Battles(tuple(map(str, range(m))), a, b, outcome.astype(np.int8))
    with pytest.raises(EstimationError, match="won every vote that was not a tie"):
        fit_items(played, ItemModel(ties=ties, link=link))


@pytest.mark.parametrize("ties", TIE_MODELS)
def test_one_upset_bounds_a_tie_model(ties: Ties) -> None:
    fitted = fit_items(battles("ab> ab= bc> bc= ac> ca>"), ItemModel(ties=ties))
    assert np.isfinite(fitted.effect).all()


@pytest.mark.parametrize("link", ["logistic", "probit"])
def test_a_side_that_always_wins_is_named(link: LinkName) -> None:
    with pytest.raises(SeparationError, match="position explains every vote") as raised:
        fit_items(battles(BOTH_WAYS), ItemModel(link=link, position=True))
    assert raised.value.names == ("position",)


def test_a_side_that_wins_always_with_one_item_shares_infinity_with_strengths() -> None:
    # On side a, b wins always and a every other time: D goes to infinity in two halves.
    rows = " ".join(["ab> ab<"] * 20 + ["ba>"] * 9 + ["ab>"])
    for ties in ("half", "leave-out"):
        with pytest.raises(SeparationError, match="position, with strengths, explains"):
            fit_items(battles(rows), ItemModel(ties=ties, position=True))


def test_a_prior_on_strengths_does_not_bound_an_effect() -> None:
    with pytest.raises(SeparationError, match="position"):
        fit_items(battles(BOTH_WAYS), ItemModel(position=True, prior=Ridge(1.0)))


def test_a_covariate_that_separates_is_named() -> None:
    # A side with more of it won all votes.
    z = np.array([1.0, 1.0, 2.0, 0.5, 1.0, 2.0, -0.5])
    played = battles(f"{BOTH_WAYS} ab<", length=z)
    with pytest.raises(SeparationError, match="length explains every vote"):
        fit_items(played)


def test_a_covariate_seen_once_is_not_taken_for_converged() -> None:
    z = np.zeros(1200)
    z[0] = 1.0
    with pytest.raises(SeparationError, match="rare explains every vote"):
        fit_items(battles(" ".join([BOTH_WAYS] * 200), rare=z))


def test_a_covariate_that_never_varies_is_refused() -> None:
    with pytest.raises(InputError, match="length: it is 0 in all comparisons"):
        fit_items(battles(BOTH_WAYS, length=np.zeros(6)))


def test_a_covariate_that_the_items_explain_is_refused_or_rests_on_the_prior() -> None:
    # Items a, b and c have sizes 3, 1 and -2.
    played = battles(f"{BOTH_WAYS} ab> cb>", size=np.array([2.0, -2, 3, -3, -5, 5, 2, -3]))
    with pytest.raises(EstimationError, match="size cannot be told from the strengths"):
        fit_items(played)
    warned = fit_items(played, ItemModel(prior=Ridge(1.0))).warnings
    assert warned == ("only the prior tells size from the strengths of the items",)


def test_covariates_that_explain_each_other_are_refused() -> None:
    z = np.array([1.0, -0.3, 0.4, 1.0, -2.0, 1.0])
    played = battles(BOTH_WAYS, words=z, letters=2 * z)
    with pytest.raises(EstimationError, match="letters cannot be told from the other effects"):
        fit_items(played, ItemModel(prior=Ridge(1.0)))


def test_a_side_that_goes_with_the_items_is_not_told_from_them() -> None:
    with pytest.raises(EstimationError, match="position cannot be told from the strengths"):
        fit_items(battles("ab> ab< ab>"), ItemModel(position=True))


def test_a_position_that_was_not_recorded_is_refused() -> None:
    played = battles_of_games(np.array([0, 1]), np.array([1, 0]), 2)
    with pytest.raises(InputError, match="position: the file does not say"):
        fit_items(played, ItemModel(position=True))


def test_an_item_without_votes_is_said() -> None:
    played = Battles(("a", "b", "spare"), np.array([0, 1]), np.array([1, 0]), np.zeros(2, np.int8))
    assert fit_items(played).warnings == (
        "no vote to use on spare: a strength of 0 says nothing there",
    )


@pytest.mark.parametrize("ties", ["half", "leave-out", *TIE_MODELS])
def test_the_solver_ends_if_and_only_if_no_direction_is_unbounded(ties: Ties) -> None:
    rng = np.random.default_rng(3)
    model = ItemModel(ties=ties, position=True)
    found = []
    for _ in range(25):
        cells = _random_cells(rng)
        direction = unbounded_direction(used_cells(cells, model), model)
        found.append(direction is not None)
        if direction is not None:
            _assert_no_vote_against(cells, model, direction)
        elif not _is_refused_for_other_reasons(cells, model):
            solved = newton.solve(used_cells(cells, model), model, tol=1e-9)
            assert np.abs(solved.theta).max() < 20
    assert 0 < sum(found) < 25


def _is_refused_for_other_reasons(cells: Cells, model: ItemModel) -> bool:
    """Whether an effect is not identified."""
    try:
        check_exists(used_cells(cells, model), model, ("a", "b", "c"), ("position",))
    except EstimationError as error:
        assert "cannot be told" in str(error)
        return True
    return False


def _random_cells(rng: np.random.Generator) -> Cells:
    n = 7
    a = rng.integers(3, size=n)
    b = (a + rng.integers(1, 3, size=n)) % 3
    outcome = rng.choice(3, size=n, p=[0.5, 0.2, 0.3]).astype(np.int8)
    outcome[:2] = Outcome.A, Outcome.TIE
    return count_cells(Battles(("a", "b", "c"), a, b, outcome), position=True)


def _assert_no_vote_against(cells: Cells, model: ItemModel, direction: FloatArray) -> None:
    d = direction[cells.i] - direction[cells.j] + cells.effects @ direction[3:4]
    bound = direction[-1] if model.tie_parameter else 0.0
    assert np.all(d[cells.n_i > 0] >= bound - 1e-6)
    assert np.all(-d[cells.n_j > 0] >= bound - 1e-6)
    if model.ties != "leave-out":
        assert np.all(np.abs(d[cells.n_tie > 0]) <= bound + 1e-6)
