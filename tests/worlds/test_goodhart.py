"""Each of Goodhart's worlds holds its own mechanism, and no other."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.worlds.goodhart import goodhart_world


def test_length_is_as_good_as_gold_where_answers_are_usual_and_not_far_out() -> None:
    answers = goodhart_world("extremal").answers
    length = answers.feature("length")
    usual = length <= 2
    np.testing.assert_array_equal(answers.gold[usual], length[usual])
    assert answers.ref_probs[usual].sum() > 0.97
    assert answers.gold[-1] < 0 < length[-1]


def test_length_says_what_gold_is_until_someone_pads() -> None:
    answers = goodhart_world("causal").answers
    length, content = answers.feature("length"), answers.feature("content")
    p = answers.ref_probs
    spread = [value - p @ value for value in (length, answers.gold)]
    correlation = (p @ (spread[0] * spread[1])) / np.sqrt(
        np.prod([p @ (value * value) for value in spread])
    )
    assert correlation > 0.9
    same = np.isclose(content, content[100])
    assert np.all(np.diff(length[same]) > 0) and np.all(np.diff(answers.gold[same]) < 0)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InputError, match="expected one of regressional"):
        goodhart_world("moral")
