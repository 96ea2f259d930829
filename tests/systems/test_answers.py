"""The right choice of every question: an answer is computed, and could be computed wrong."""

from __future__ import annotations

import pytest

from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.declaration import System

RIGHT = {
    "the-loop": ("Much less often", "Below the start, and then above it"),
    "tiny-rater": ("A positive one", "About as sure"),
    "six-responses": ("Less than 70%", "It shrinks well below the true one"),
    "losses": ("Much less", "It grows"),
    "ratings-or-comparisons": ("Never", "B"),
    "ties": ("Smaller", "It depends on how ties arise"),
    "rankings": ("Fewer, but more than 5",),
    "elo": ("Less dependent on order, but further from the truth",),
    "ceiling": ("It cannot be said",),
    "answer-world": ("It falls below a wrong answer of 150 words",),
    "raters": ("Below the careful rater's model, above the start",),
    "label-and-fit": ("It moves further away",),
    "leash": ("It collapses",),
    "natural-gradient": ("It swings ever further away",),
    "best-of-n": ("It falls below that of one answer",),
    "best-of-n-theory": ("To ln 2 = 0.69 nats",),
    "beta-sweep": ("It falls below its start", "Above its start"),
    "dpo": ("They become rarer, the rejected ones more so",),
    "group-advantages": ("About 15%", "Nothing"),
    "ppo-clip": ("Never", "Yes"),
    "reversing-programs": ("It stays where it is", "Much less"),
    "sampled-methods": ("Clearly lower",),
    "targets": ("Much likelier", "Likelier"),
    "method-memory": ("More than 35%",),
    "guided-experiments": (
        "It peaks early and ends below the start",
        "It falls, though less than RL under the hurried rater",
    ),
    "six-hundred-answers": ("Not at all", "In less than half"),
    "hackable-feature": ("It rises more slowly", "It falls further"),
    "scaling-laws": ("It comes later", "16 times"),
    "length-geometry": ("More than 60%", "It ends higher"),
    "sycophancy": ("Above 90%",),
    "goodhart": ("Regressional",),
    "conservative-rewards": ("It makes next to no difference", "None of them"),
    "boat-race": ("More than 16", "More than 5, but 50 are enough"),
    "special-cased-tests": ("They differ by more than half",),
    "exploitable-verifier": ("It is almost never right", "Several times as much"),
    "rubric": ("No, it only slows the drift",),
    "process-rewards": ("More often than not", "The short one", "The ten it scores highest"),
    "pluralism": ("B, the compromise", "A and C, but not B"),
    "strategic-votes": ("Yes", "A"),
}


@pytest.mark.parametrize("system", all_systems(), ids=lambda system: system.name)
def test_every_computed_answer_is_the_right_one(system: System) -> None:
    chosen = tuple(q.choices[q.answer().choice] for q in system.questions)
    assert chosen == RIGHT[system.name]
