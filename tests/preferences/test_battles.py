"""What battles are refused, and the codes that they may have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.preferences.battles import Battles, battles_of_names
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.model import ItemModel
from rewardlab.types import Outcome

A, B = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 2])
OUTCOME = np.array([0, 0, 0, 2], dtype=np.int8)
NAMES = ("x", "y", "z")


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("model", [ItemModel(), ItemModel(ties="davidson", position=True)])
def test_codes_of_any_width_and_sign_give_the_same_fit(kind: str, model: ItemModel) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(3, size=60)
    b = (a + rng.integers(1, 3, size=60)) % 3
    outcome = rng.integers(3, size=60).astype(np.int8)
    plain = fit_items(Battles(NAMES, a, b, outcome), model)
    other = fit_items(Battles(NAMES, a.astype(kind), b.astype(kind), outcome), model)
    np.testing.assert_allclose(other.theta, plain.theta, rtol=0, atol=1e-12)


def test_a_name_that_stands_twice_is_refused() -> None:
    with pytest.raises(InputError, match="each name once, got 'x' 2 times"):
        Battles(("x", "y", "x"), A, B, OUTCOME)


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("a", A.astype(float), "Battles.a: expected integer codes, got float64"),
        ("outcome", OUTCOME > 0, "Battles.outcome: expected integer codes, got bool"),
        ("prompt", -A, "Battles.prompt: expected codes >= 0, got -2 to 0"),
        ("prompt", A.astype(float), "Battles.prompt: expected integer codes"),
        ("annotator", A, "Battles.annotator: expected codes from 0 to 1, got 0 to 2"),
        ("b", B + 1, "Battles.b: expected codes from 0 to 2, got 1 to 3"),
    ],
)
def test_what_is_no_code_is_refused_by_name(column: str, values: NDArray[Any], said: str) -> None:
    columns: dict[str, Any] = {"a": A, "b": B, "outcome": OUTCOME, column: values}
    with pytest.raises(InputError, match=said):
        Battles(NAMES, **columns, annotator_names=("v", "w") if column == "annotator" else ())


def test_columns_of_names_become_codes() -> None:
    battles = battles_of_names(
        ["m", "k", "m"],
        ["k", "l", "l"],
        [Outcome.A, Outcome.TIE, Outcome.B],
        prompt=["q2", "q1", "q2"],
        annotator=["z", "y", "z"],
    )
    assert (battles.names, battles.annotator_names) == (("k", "l", "m"), ("y", "z"))
    assert (battles.a.tolist(), battles.b.tolist()) == ([2, 0, 2], [0, 1, 1])
    assert battles.outcome.tolist() == [0, 2, 1]
    assert battles.prompt is not None and battles.prompt.tolist() == [1, 0, 1]
    assert battles.annotator is not None and battles.annotator.tolist() == [1, 0, 1]


def test_columns_of_other_lengths_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="prompt: expected length 1, got 2"):
        battles_of_names(["k"], ["l"], [Outcome.A], prompt=["q", "r"])
