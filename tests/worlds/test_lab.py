"""The lab's world: its answers, its rubric, its reference policy, and its texts."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.worlds.lab import BEST_LENGTH, lab_world, rubric_points, word_counts
from rewardlab.worlds.lab_prompts import PROMPTS
from rewardlab.worlds.lab_texts import features_of_text, n_words

each_prompt = pytest.mark.parametrize("prompt", PROMPTS)


def test_there_are_at_least_eight_prompts_and_only_texts_differ_between_them() -> None:
    worlds = [lab_world(prompt) for prompt in PROMPTS]
    assert len(worlds) >= 8
    assert len({world.prompt for world in worlds}) == len(worlds)
    assert all((world.gold == worlds[0].gold).all() for world in worlds)
    with pytest.raises(InputError, match="expected one of coding"):
        lab_world("poetry")


@each_prompt
def test_576_distinct_texts_hold_their_features(prompt: str) -> None:
    world = lab_world(prompt)
    assert len(set(world.texts)) == len(world) == 576
    read = np.array([features_of_text(text, PROMPTS[prompt]) for text in world.texts])
    np.testing.assert_array_equal(read, world.features)


@each_prompt
def test_texts_are_about_as_long_as_they_should_be(prompt: str) -> None:
    lengths = np.array([n_words(text) for text in lab_world(prompt).texts])
    assert np.abs(lengths - word_counts()).max() <= 15  # a sentence, or all marks of tone at once
    assert abs((lengths - word_counts()).mean()) < 1


@each_prompt
def test_no_sentence_is_said_twice_in_an_answer(prompt: str) -> None:
    for text in lab_world(prompt).texts[::7]:
        sentences = [s for s in text.replace("\n", " ").split(". ") if n_words(s) > 3]
        assert len(set(sentences)) == len(sentences)


def test_text_that_is_no_answer_of_the_lab_is_refused() -> None:
    with pytest.raises(InputError, match="expected an answer of the lab"):
        features_of_text("Who knows.", PROMPTS["coding"])


def test_length_helps_up_to_150_words_and_then_hurts() -> None:
    lengths, points = word_counts(), rubric_points()[:, 1]
    by_length = dict(sorted(zip(lengths.tolist(), points.tolist(), strict=True)))
    values = np.array(list(by_length.values()))
    best = list(by_length).index(BEST_LENGTH)
    assert (np.diff(values[: best + 1]) > 0).all()
    assert (np.diff(values[best:]) < 0).all()


def test_being_correct_is_worth_more_than_all_else_but_length() -> None:
    spans = np.ptp(rubric_points(), axis=0)
    assert spans[0] > np.delete(spans, [0, 1]).sum()


def test_the_reference_mostly_writes_short_answers() -> None:
    assert lab_world().ref_probs @ word_counts() < 150
