"""What the last action is said to have changed."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.experiments.lab_history import (
    Cleared,
    Event,
    Undone,
    by_hand,
    by_rater,
    replayed,
)
from rewardlab.experiments.lab_learning import learned_from
from rewardlab.systems.lab_changes import accuracy_text, change_sentence, weight_text
from rewardlab.systems.lab_features import FEATURES, LABELS, rubric_rows
from rewardlab.worlds.lab import FEATURE_NAMES, lab_world, rubric_points
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons
from rewardlab.worlds.lab_votes import Said

WORLD = lab_world()


def label(said: Said = "a") -> Event:
    """A pair judged by hand."""
    return by_hand("coding", 0, 575, said)


def batch(n: int) -> Event:
    """A batch of the careful rater."""
    made = draw_comparisons(WORLD.gold, WORLD.ref_logprobs, n, rng=np.random.default_rng(0))
    return by_rater("coding", made, by="careful rater")


def told(*events: Event) -> str:
    """What is said after some events."""
    history = replayed(events)
    before, now = (
        learned_from(votes.comparisons()) for votes in (history.votes_before(), history.votes())
    )
    return change_sentence(history, before, now)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([], "Judge a pair"),
        ([label("a")], "You preferred A. The largest weights are on"),
        ([label("a"), label("b")], "You preferred B. The weight of"),
        ([label("a"), label("tie")], "half a win for each. The weight of"),
        ([label("a"), label("both_bad")], "nothing is fitted"),
        ([label("a"), label("skip")], "nothing is learned from this pair"),
        ([label("a")] * 5, "held back to test the reward, and this was one"),
        ([label("a")] * 5 + [label("skip")], "Skipped"),
        ([batch(30)], "The careful rater labelled 30 pairs."),
        ([batch(30), Cleared()], "Undo brings them back"),
        ([batch(30), Undone()], "The last action is taken back. There is no reward now."),
        ([Undone()], "nothing to take back"),
    ],
)
def test_every_action_has_its_words(events: list[Event], said: str) -> None:
    assert said in told(*events)


def test_accuracy_comes_with_its_count_and_an_interval_where_there_is_one() -> None:
    assert accuracy_text(None).startswith("Nothing is held back yet")
    learned = learned_from(batch_comparisons(100))
    assert learned is not None
    assert f"{learned.held.accuracy.value:.0%} (" in accuracy_text(learned)
    assert "of 20 pairs held back." in accuracy_text(learned)


def test_ties_that_are_held_back_are_said_to_be_left_out() -> None:
    made = batch_comparisons(10)
    label = made.label.copy()
    label[4] = 0.5
    assert "of 1 pair held back; 1 tie left out" in accuracy_text(
        learned_from(Comparisons(made.pairs, label))
    )
    label[9] = 0.5
    assert accuracy_text(learned_from(Comparisons(made.pairs, label))).startswith("Only ties")


def batch_comparisons(n: int) -> Comparisons:
    """Comparisons of the careful rater."""
    return draw_comparisons(WORLD.gold, WORLD.ref_logprobs, n, rng=np.random.default_rng(0))


def test_a_weight_without_interval_says_why() -> None:
    assert weight_text(1.234, np.nan, np.nan) == "+1.23; too few labels for an interval"
    assert weight_text(-1.0, -2.0, 0.001) == "−1.00 (−2.00 to 0.00)"


def test_the_rubric_in_words_adds_up_to_the_gold() -> None:
    rows = rubric_rows()
    assert tuple(feature.name for feature in FEATURES) == FEATURE_NAMES
    best = sum(max(level.points for level in rows[name]) for name in FEATURE_NAMES)
    assert best == pytest.approx(WORLD.gold.max())
    assert [level.points for level in rows["correct"]] == [0.0, 4.0]
    np.testing.assert_allclose(
        sorted({round(x, 9) for x in rubric_points()[:, 1].tolist()}),
        sorted({round(level.points, 9) for level in rows["length"]}),
    )
    assert LABELS[0] == "correct"
