"""Items with few votes: left out until each that is left has enough."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.preferences.battle_selection import frequent_items
from rewardlab.preferences.battles import Battles


def battles(pairs: list[tuple[int, int]], m: int) -> Battles:
    a, b = np.array(pairs).T
    n = len(pairs)
    return Battles(
        tuple("abcdefgh"[:m]),
        a,
        b,
        np.zeros(n, dtype=np.int8),
        prompt=np.arange(n),
        annotator=np.arange(n),
        annotator_names=tuple(map(str, range(n))),
    )


def test_leaving_one_item_out_can_leave_another_with_too_few() -> None:
    # d has one vote; without it c has one too.
    found = frequent_items(battles([(0, 1), (1, 0), (2, 0), (2, 3)], 4), 2)
    assert found.battles.names == ("a", "b")
    assert found.left_out == {"d": 1, "c": 2}
    assert found.n_votes == 2
    assert found.battles.annotator_names == ("0", "1")
    assert found.battles.prompt is not None and found.battles.prompt.tolist() == [0, 1]


def test_nothing_is_left_out_where_all_have_enough() -> None:
    given = battles([(0, 1), (1, 0)], 2)
    found = frequent_items(given, 2)
    assert found.battles is given
    assert found.sentences == ()


def test_too_much_to_ask_is_refused_with_the_most_there_is() -> None:
    with pytest.raises(InputError, match="the most that can be asked for is 2"):
        frequent_items(battles([(0, 1), (1, 0)], 2), 3)
