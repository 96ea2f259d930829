"""Sentences stay true and grammatical where the usual course of things does not hold."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from rewardlab.errors import InputError
from rewardlab.systems.catalogue import find_system
from rewardlab.systems.controls import Value


@pytest.mark.parametrize(
    ("name", "settings", "said", "not_said"),
    [
        ("losses", {"label": 0.5, "gap": 3.0}, "gap 3 together with 0.197", "-0."),
        ("ratings-or-comparisons", {"dissenters": 5}, "1 of 6 raters prefers A", "prefer A"),
        ("tiny-rater", {"rater": "likes_praise", "answered": 1}, "+0.0 for each", "-0.0"),
        ("leash", {"beta": 0.1}, "than the best fix, which is written 0.9%", "e+"),
        ("leash", {"beta": 0.05}, "317,361 times", "e+"),
        ("answer-world", {"best_length": 30}, "length only hurts", "helps"),
        ("answer-world", {"best_length": 450}, "helps up to 450 words", "then hurts"),
        ("label-and-fit", {"thumbs_weight": 1.0}, "punishes correctness", "correct,"),
        ("raters", {"refreshes": 0, "n_seeds": 3}, "one round of 25 labels", "fresh answers end"),
        ("raters", {"thumbs_weight": 1.0, "n_seeds": 3}, "by thumbs-up alone", "careful"),
        ("label-and-fit", {"thumbs_weight": 0.5}, "rater with 50% thumbs-up the", "alone"),
        ("natural-gradient", {"steps": 1}, "after 1 step the", "1 steps"),
        ("dpo", {"steps": 1}, "After 1 step on", "1 steps"),
        ("guided-experiments", {"n_steps": 10, "n_seeds": 3}, "still rising", "ends at"),
        ("guided-experiments", {"experiment": "2", "beta": 0.05}, "keep nothing of", "-3"),
    ],
)
def test_sentences_at_the_ends_of_their_controls(
    name: str, settings: Mapping[str, Value], said: str, not_said: str
) -> None:
    sentence = find_system(name).evaluate(settings).sentence
    assert said in sentence
    assert not_said not in sentence


def test_no_beta_makes_a_nonsense_without_a_lead_as_likely_as_the_best_fix() -> None:
    assert math.isnan(
        find_system("leash").evaluate({"nonsense_reward": 2.0}).value("crossover_beta")
    )


@pytest.mark.parametrize("name", ["words", "best_length"])
def test_lengths_between_those_that_exist_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}: expected one of 30, 90"):
        find_system("answer-world").evaluate({name: 240})
