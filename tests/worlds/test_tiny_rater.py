"""What the pairs are made to show."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.worlds.tiny_rater import CANDIDATES, PAIRS, RATERS, chosen_differences


def test_pair_3_differs_only_in_170_words_and_pair_4_only_in_praise() -> None:
    (_, short, long), (_, plain, praising) = PAIRS[2:4]
    np.testing.assert_allclose(long.features - short.features, [0, 1.7, 0])
    assert praising.text.endswith(plain.text)
    assert (plain.correct, plain.praise, praising.praise) == (True, False, True)
    assert CANDIDATES["long and wrong"].words == 240


@pytest.mark.parametrize("rater", RATERS)
def test_every_rater_chooses_in_every_pair(rater: str) -> None:
    assert chosen_differences(rater, len(PAIRS)).any(axis=1).all()


def test_the_careful_rater_takes_the_first_answer_but_for_none() -> None:
    right = [a.features - b.features for _, a, b in PAIRS]
    np.testing.assert_allclose(chosen_differences("careful", len(PAIRS)), right)


@pytest.mark.parametrize(("rater", "n"), [("hasty", 1), ("careful", 0), ("careful", 6)])
def test_unknown_raters_and_pairs_are_refused(rater: str, n: int) -> None:
    with pytest.raises(InputError, match="expected"):
        chosen_differences(rater, n)
