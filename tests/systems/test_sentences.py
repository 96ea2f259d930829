"""Sentences and answers stay true and grammatical at the ends of every control, and by chance."""

from __future__ import annotations

import math

import pytest

from rewardlab.errors import InputError
from rewardlab.systems.catalogue import find_system
from rewardlab.systems.controls import Value

SAID: list[tuple[str, dict[str, Value], str]] = [
    ("pluralism", {"first_share": 0.5, "compromise_first": 0.0}, "average utility agrees"),
    ("pluralism", {"compromise_first": 0.5, "sharpness": 4.0}, "average utility prefers B"),
    ("strategic-votes", {"plan": "bury"}, "If 60% of A's supporters rank B last, the pooled"),
    ("ppo-clip", {"n_passes": 1, "n_minibatches": 4}, "with 1 pass over each batch it acts on"),
    ("process-rewards", {"rollouts": 1}, "in 0 of 1 try,"),
    ("length-geometry", {"beta": 0.2, "length_weight": 2.0}, "answers are 1,024 times as long"),
    ("goodhart", {"members": 1, "pressure": 0.5}, "averaging models changes nothing clearly"),
    ("goodhart", {"kind": "regressional"}, "rises all the way"),
    ("group-advantages", {"n_right": 64}, "With 8 of 8 right, all are equal"),
    ("hackable-feature", {"a": 0.0}, "gold rises to 2.55 without turning down"),
]

SAID_AND_NOT: list[tuple[str, dict[str, Value], str, str]] = [
    ("losses", {"label": 0.5, "gap": 3.0}, "gap 3 together with 0.197", "−0."),
    ("ratings-or-comparisons", {"dissenters": 5}, "1 of 6 raters prefers A", "prefer A"),
    ("tiny-rater", {"rater": "likes_praise", "answered": 1}, "+0.0 for each", "−0.0"),
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
    ("goodhart", {"kind": "adversarial"}, "falls from", "rises all the way"),
    ("guided-experiments", {"n_steps": 10, "n_seeds": 3}, "still rising", "ends at"),
    ("guided-experiments", {"experiment": "2", "beta": 0.05}, "keep nothing of", "-3"),
]


@pytest.mark.parametrize(
    ("name", "settings", "said", "not_said"),
    [*((*case, None) for case in SAID), *SAID_AND_NOT],
)
def test_the_sentence_says_what_came_out(
    name: str, settings: dict[str, Value], said: str, not_said: str | None
) -> None:
    sentence = find_system(name).evaluate(settings).sentence
    assert said in sentence
    assert not_said is None or not_said not in sentence


def test_a_fall_that_may_be_chance_is_called_so() -> None:
    sentence = find_system("hackable-feature").evaluate(seed=2).sentence
    assert "gold peaks at 0.79 for n = 51 and ends at 0.37, which may be" in sentence


def test_a_wrong_step_reaches_the_answer_mostly_by_a_second_slip() -> None:
    because = find_system("process-rewards").questions[0].answer().because
    assert "12.5%; 8.0% if it never fixed the error" in because


def test_no_beta_makes_a_nonsense_without_a_lead_as_likely_as_the_best_fix() -> None:
    result = find_system("leash").evaluate({"nonsense_reward": 2.0})
    assert math.isnan(result.value("crossover_beta"))


@pytest.mark.parametrize("name", ["words", "best_length"])
def test_lengths_between_those_that_exist_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}: expected one of 30, 90"):
        find_system("answer-world").evaluate({name: 240})
