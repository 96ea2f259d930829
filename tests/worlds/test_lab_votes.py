"""What raters said, people included."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.types import Outcome
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_prompts import PROMPTS
from rewardlab.worlds.lab_raters import draw_comparisons, draw_pairs
from rewardlab.worlds.lab_texts import features_of_text
from rewardlab.worlds.lab_votes import (
    SAID,
    Said,
    Votes,
    as_preferences,
    gathered,
    no_votes,
    votes_of,
)

WORLD = lab_world()


def votes(*said: Said, prompt: str = "coding") -> Votes:
    """Votes on the pairs (0, 300), (1, 301) and so on."""
    n = len(said)
    pairs = np.column_stack([np.arange(n), 300 + np.arange(n)])
    codes = np.array([SAID.index(one) for one in said], dtype=np.int8)
    return Votes((prompt,) * n, pairs, codes, ("someone",) * n)


def test_a_tie_is_half_a_win_and_neither_both_bad_nor_a_skip_is_fitted() -> None:
    comparisons = votes("a", "both_bad", "b", "skip", "tie").comparisons()
    assert comparisons.label.tolist() == [1.0, 0.0, 0.5]
    assert comparisons.pairs[:, 0].tolist() == [0, 2, 4]


def test_everything_said_is_counted() -> None:
    counts = votes("a", "a", "tie", "skip").counts()
    assert counts == {"a": 2, "b": 0, "tie": 1, "both_bad": 0, "skip": 1}


def test_every_fifth_that_counts_is_in_the_test_split() -> None:
    said: list[Said] = ["a", "skip", "a", "both_bad", "b", "tie", "a", "a"]
    split = as_preferences(votes(*said)).split
    assert split == ["train", "train", "train", "train", "train", "test", "train"]


def test_preferences_say_what_was_said_with_the_texts_of_their_prompts() -> None:
    both = gathered([votes("a", "tie"), votes("both_bad", prompt="money")])
    preferences = as_preferences(both)
    assert preferences.outcome.tolist() == [Outcome.A, Outcome.TIE, Outcome.BOTH_BAD]
    assert preferences.label.tolist() == [1.0, 0.5, 0.5]
    assert preferences.prompt[2] == lab_world("money").prompt
    assert preferences.response_b[1] == WORLD.texts[301]
    assert len(set(preferences.prompt_id)) == 2


def test_comparisons_of_a_rater_become_preferences_with_their_texts() -> None:
    drawn = draw_comparisons(WORLD.gold, WORLD.ref_logprobs, 25, rng=np.random.default_rng(0))
    preferences = as_preferences(votes_of("coding", drawn, by="careful"))
    assert preferences.has_texts
    assert set(preferences.annotator) == {"careful"}
    assert preferences.split.count("test") == 5
    read = [features_of_text(str(text), PROMPTS["coding"]) for text in preferences.response_a]
    np.testing.assert_array_equal(read, WORLD.features[drawn.pairs[:, 0]])
    assert ((preferences.outcome == Outcome.A) == (drawn.label == 1)).all()


def test_a_tied_comparison_is_a_tie_in_preferences() -> None:
    tied = votes_of("coding", votes("tie").comparisons(), by="careful")
    assert as_preferences(tied).outcome.tolist() == [Outcome.TIE]


def test_nothing_said_is_no_preference() -> None:
    assert len(gathered([])) == len(no_votes()) == 0
    with pytest.raises(InputError, match="not skipped"):
        as_preferences(votes("skip"))


def test_drawn_pairs_are_those_that_are_compared() -> None:
    pairs = draw_pairs(WORLD.ref_logprobs, 50, rng=np.random.default_rng(1))
    made = draw_comparisons(WORLD.gold, WORLD.ref_logprobs, 50, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(pairs, made.pairs)


def test_pairs_of_fewer_than_two_answers_are_refused() -> None:
    with pytest.raises(InputError, match="draw_pairs"):
        draw_pairs(np.zeros(1), 1, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="draw_pairs"):
        draw_pairs(WORLD.ref_logprobs, 0, rng=np.random.default_rng(0))
