"""Duplicates, swapped twins, contradictions, and several raters' votes that are none of these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.types import Outcome, Status
from tests.preferences.doctor.planting import Given, clean_rows, diagnose

NAMES = ("duplicates", "swapped-twins", "contradicting-pairs", "self-contradictions")


def pair(
    outcome: Outcome = Outcome.A,
    *,
    swapped: bool = False,
    annotator: str | None = None,
    id: str | None = None,
) -> Given:
    a, b = ("second", "first") if swapped else ("first", "second")
    return Given(prompt="the prompt", a=a, b=b, outcome=outcome, annotator=annotator, id=id)


def counts(rows: list[Given], *, sides_recorded: bool = True) -> dict[str, int | None]:
    found = diagnose([*clean_rows(5, seed=8), *rows], sides_recorded=sides_recorded)
    return {name: found[name].count for name in NAMES}


def test_clean_rows_hold_no_repeats() -> None:
    found = diagnose(clean_rows(50, seed=4, n_annotators=3))
    assert all(found[name].status is Status.PASS and found[name].count == 0 for name in NAMES)


def test_a_repeated_row_is_a_duplicate_and_named_beside_the_first() -> None:
    found = diagnose([pair(), *clean_rows(20, seed=8), pair()])["duplicates"]
    assert (found.status, found.count, found.total) == (Status.WARN, 1, 22)
    assert found.examples == ("f.jsonl:1 and f.jsonl:22",)


def test_a_swapped_row_that_agrees_is_a_twin_and_no_contradiction() -> None:
    assert counts([pair(), pair(Outcome.B, swapped=True)]) == {
        "duplicates": 0,
        "swapped-twins": 1,
        "contradicting-pairs": 0,
        "self-contradictions": None,
    }


def test_what_passes_is_true_of_an_annotator_who_contradicts_a_swapped_vote() -> None:
    votes = [pair(annotator="u", id="p"), pair(annotator="u", id="p", swapped=True)]
    found = diagnose([*clean_rows(3, seed=8), *votes])
    assert found["swapped-twins"].title == "No vote is repeated with its sides swapped"
    assert found["duplicates"].title == "No vote is repeated"
    unnamed = found["contradicting-pairs"].title
    assert unnamed == "No pair has opposite verdicts without raters named"


@pytest.mark.parametrize("second", [pair(Outcome.B), pair(Outcome.A, swapped=True)])
def test_opposite_verdicts_without_annotators_fail(second: Given) -> None:
    found = diagnose([*clean_rows(3, seed=8), pair(), second])["contradicting-pairs"]
    assert (found.status, found.count, found.details["pairs"]) == (Status.FAIL, 2, 1)
    assert found.examples == ("f.jsonl:4", "f.jsonl:5")
    assert found.details["shown_in_both_orders"] == (2 if second.a == "second" else 0)


def test_a_winner_first_file_with_chosen_and_rejected_mixed_up_contradicts_itself() -> None:
    found = counts([pair(), pair(swapped=True)], sides_recorded=False)
    assert (found["contradicting-pairs"], found["swapped-twins"]) == (2, 0)


def test_votes_of_several_annotators_are_neither_duplicates_nor_contradictions() -> None:
    votes = [
        pair(annotator="u"),
        pair(annotator="v"),
        pair(Outcome.B, annotator="w"),
        pair(Outcome.TIE, annotator="x"),
    ]
    assert counts(votes) == dict.fromkeys(NAMES, 0)


def test_votes_that_share_an_id_are_several_raters_even_unnamed() -> None:
    votes = [pair(id="p1"), pair(id="p1"), pair(Outcome.B, id="p1")]
    found = counts(votes)
    assert (found["duplicates"], found["contradicting-pairs"]) == (0, 0)


def test_the_same_votes_without_id_or_annotator_contradict_and_the_remedy_clears_it() -> None:
    votes = [pair(), pair(), pair(Outcome.B)]
    found = diagnose([*clean_rows(3, seed=8), *votes])["contradicting-pairs"]
    assert (found.status, found.count) == (Status.FAIL, 3)
    assert "annotator=COLUMN" in found.action
    named = [
        pair(Outcome.A, annotator="u"),
        pair(Outcome.A, annotator="v"),
        pair(Outcome.B, annotator="w"),
    ]
    assert counts(named)["contradicting-pairs"] == 0


def test_an_annotator_who_says_the_opposite_of_one_pair_is_a_warning() -> None:
    votes = [pair(annotator="u", id="p"), pair(annotator="u", id="p", swapped=True)]
    found = diagnose([*clean_rows(3, seed=8), *votes])["self-contradictions"]
    assert (found.status, found.count, found.total) == (Status.WARN, 2, 2)
    assert found.examples == ("f.jsonl:4", "f.jsonl:5")
    assert found.details == {"shown_in_both_orders": 2}
    assert counts(votes)["contradicting-pairs"] == 0


def test_an_annotator_who_repeats_a_vote_is_a_duplicate() -> None:
    found = counts([pair(annotator="u", id="p"), pair(annotator="u", id="p")])
    assert (found["duplicates"], found["self-contradictions"]) == (1, 0)


def test_a_tie_beside_a_decision_repeats_but_does_not_contradict() -> None:
    found = diagnose([*clean_rows(3, seed=8), pair(), pair(Outcome.TIE)])
    assert found["duplicates"].count == 1
    assert found["duplicates"].details == {"tie_against_decision": 1}
    assert found["contradicting-pairs"].count == 0


def test_the_same_responses_to_another_prompt_are_another_pair() -> None:
    other = Given(prompt="another prompt", a="first", b="second", outcome=Outcome.B)
    assert counts([pair(), other])["contradicting-pairs"] == 0


def test_identical_sides_are_no_swapped_twins_of_themselves() -> None:
    same = Given(prompt="p", a="same", b="same")
    found = counts([same, same])
    assert (found["duplicates"], found["swapped-twins"]) == (0, 0)


def slow_counts(rows: Sequence[Given]) -> dict[str, int]:
    """The same counts by plain dictionaries, one pair and rater at a time."""
    counts = dict.fromkeys(NAMES, 0)
    groups: dict[tuple[str, frozenset[str], str | None], dict[str, list[Given]]] = {}
    for i, row in enumerate(rows):
        if row.a == row.b:
            continue
        pair_key = (str(row.prompt), frozenset((str(row.a), str(row.b))), row.annotator)
        # Unnamed votes with one id are one unit; a named annotator's votes are each their own.
        unit = f"row {i}" if row.annotator is not None else row.id or f"line {i}"
        groups.setdefault(pair_key, defaultdict(list))[unit].append(row)
    for (_, _, annotator), units in groups.items():
        first_a = next(iter(units.values()))[0].a
        nets = [sum(verdict_for(str(first_a), row) for row in unit) for unit in units.values()]
        if max(nets) > 0 > min(nets):
            name = "contradicting-pairs" if annotator is None else "self-contradictions"
            counts[name] += sum(len(unit) for unit in units.values())
            continue
        for later in list(units.values())[1:]:
            counts["duplicates" if later[0].a == first_a else "swapped-twins"] += 1
    return counts


def verdict_for(text: str, row: Given) -> int:
    """+1 if the row prefers ``text``, -1 if the other, 0 if neither."""
    if row.outcome > Outcome.B:
        return 0
    return 1 if (row.outcome == Outcome.A) == (row.a == text) else -1


ROW = st.builds(
    Given,
    prompt=st.sampled_from(["p", "q"]),
    a=st.sampled_from(["x", "y", "z"]),
    b=st.sampled_from(["x", "y", "z"]),
    outcome=st.sampled_from(list(Outcome)),
    annotator=st.sampled_from([None, "u", "v"]),
    id=st.sampled_from([None, "i", "j"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=25))
def test_the_fast_grouping_agrees_with_plain_dictionaries(rows: list[Given]) -> None:
    found = diagnose(rows)
    expected = slow_counts(rows)
    for name in NAMES:
        assert (found[name].count or 0) == expected[name], name
