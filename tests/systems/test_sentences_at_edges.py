"""Sentences and answers stay true where controls or chance reach the other case."""

from __future__ import annotations

import pytest

from rewardlab.systems.catalogue import find_system
from rewardlab.systems.controls import Value

CASES: list[tuple[str, dict[str, Value], int, str]] = [
    ("hackable-feature", {}, 2, "gold peaks at 0.79 for n = 51 and ends at 0.37, which may be"),
    ("hackable-feature", {"a": 0.0}, 0, "gold rises to 2.55 without turning down"),
    ("pluralism", {"first_share": 0.5, "compromise_first": 0.0}, 0, "average utility agrees"),
    ("pluralism", {"compromise_first": 0.5, "sharpness": 4.0}, 0, "average utility prefers B"),
    ("strategic-votes", {"plan": "bury"}, 0, "If 60% of A's supporters rank B last, the pooled"),
    ("ppo-clip", {"n_passes": 1, "n_minibatches": 4}, 0, "with 1 pass over each batch it acts on"),
    ("process-rewards", {"rollouts": 1}, 0, "in 0 of 1 try,"),
    ("length-geometry", {"beta": 0.2, "length_weight": 2.0}, 0, "answers are 1,024 times as long"),
    ("goodhart", {"members": 1, "pressure": 0.5}, 0, "averaging models changes nothing clearly"),
    ("group-advantages", {"n_right": 64}, 0, "With 8 of 8 right, all are equal"),
]


@pytest.mark.parametrize(("name", "settings", "seed", "said"), CASES)
def test_the_sentence_says_what_came_out(
    name: str, settings: dict[str, Value], seed: int, said: str
) -> None:
    assert said in find_system(name).evaluate(settings, seed=seed).sentence


def test_a_wrong_step_reaches_the_answer_mostly_by_a_second_slip() -> None:
    because = find_system("process-rewards").questions[0].answer().because
    assert "12.5%; 8.0% if it never fixed the error" in because
