"""Judgements as arrays: what is refused, and votes of a file turned the same way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rewardlab.audit.judgements import (
    SKIPPED,
    Asked,
    judgements_from_preferences,
    judgements_of,
)
from rewardlab.errors import InputError
from rewardlab.types import LABEL_OF_OUTCOME, Outcome, Preferences


def votes(rows: list[tuple[str, str, str, Outcome, str | None]]) -> Preferences:
    """Votes as (prompt, response a, response b, outcome, annotator)."""
    n = len(rows)
    outcome = np.array([row[3] for row in rows], dtype=np.int8)
    return Preferences(
        prompt=[row[0] for row in rows],
        response_a=[row[1] for row in rows],
        response_b=[row[2] for row in rows],
        outcome=outcome,
        label=LABEL_OF_OUTCOME[outcome],
        margin=np.full(n, np.nan),
        annotator=[row[4] for row in rows],
        id=[str(i) for i in range(n)],
        prompt_id=[row[0] for row in rows],
        split=[None] * n,
        item_a=[None] * n,
        item_b=[None] * n,
        line=np.arange(1, n + 1),
        source=["votes.jsonl"] * n,
        sides_recorded=True,
    )


def test_names_become_codes_as_they_come_up() -> None:
    found = judgements_of(
        pair=["x", "y", "x again"],
        annotator=["ann", None, "ann"],
        outcome=["a", "skip", "b"],
        a_first=[False, True, False],
        asked=["pair", "known", "repeat"],
        of=[None, None, "x"],
        known=[None, "b", None],
    )
    assert found.pair.tolist() == [0, 1, 2]
    assert found.annotator.tolist() == [0, -1, 0]
    assert found.annotators == ("ann",)
    assert found.outcome.tolist() == [Outcome.A, SKIPPED, Outcome.B]
    assert found.asked.tolist() == [Asked.PAIR, Asked.KNOWN, Asked.REPEAT]
    assert found.of.tolist() == [-1, -1, 0]
    assert found.known.tolist() == [-1, Outcome.B, -1]
    assert found.left.tolist() == [False, False, True]
    assert found.judged.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"annotator": ["ann"]}, "annotator: expected length 2, got 1"),
        ({"outcome": ["a", "left"]}, "outcome: expected one of a, b, tie, both_bad, skip"),
        ({"pair": ["x", "x"]}, "got 2 by 'ann' on pair 0"),
        ({"asked": ["pair", "repeat"]}, "Judgements.of: expected a pair for repeats alone"),
        ({"known": ["a", None]}, "Judgements.known: expected one for known pairs alone"),
        ({"duration_s": [1.0, -2.0]}, "duration_s: expected finite seconds"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {
        "pair": ["x", "y"],
        "annotator": ["ann", "ann"],
        "outcome": ["a", "b"],
    }
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        judgements_of(**(right | wrong))


def test_votes_shown_on_other_sides_point_the_same_way() -> None:
    found = judgements_from_preferences(
        votes(
            [
                ("q", "long", "short", Outcome.A, "ann"),
                ("q", "short", "long", Outcome.B, "ben"),
                ("q", "short", "long", Outcome.A, "cem"),
                ("q", "short", "other", Outcome.TIE, "cem"),
            ]
        )
    )
    assert found.pair.tolist() == [0, 0, 0, 1]
    assert found.outcome.tolist() == [Outcome.A, Outcome.A, Outcome.B, Outcome.TIE]
    assert found.a_first.tolist() == [True, False, False, False]
    assert found.left.tolist() == [True, False, True, False]


def test_of_one_persons_votes_on_a_pair_the_last_counts() -> None:
    found = judgements_from_preferences(
        votes(
            [
                ("q", "x", "y", Outcome.A, "ann"),
                ("q", "x", "y", Outcome.B, "ann"),
                ("q", "x", "y", Outcome.A, None),
                ("q", "x", "y", Outcome.A, None),
            ]
        )
    )
    assert found.outcome.tolist() == [Outcome.B, Outcome.A, Outcome.A]
    assert found.annotator.tolist() == [0, -1, -1]
