"""Findings about the file as a whole: biases, annotators, cycles, counts of prompts."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.preferences.doctor.annotators import lopsided_p
from rewardlab.types import Outcome, Status
from tests.preferences.doctor.planting import Given, clean_rows, diagnose

A, B, TIE = Outcome.A, Outcome.B, Outcome.TIE


def with_outcomes(outcomes: list[Outcome]) -> list[Given]:
    rows = clean_rows(len(outcomes), seed=11)
    return [replace(r, outcome=o) for r, o in zip(rows, outcomes, strict=True)]


def test_a_lean_to_one_side_is_found_with_its_share_and_interval() -> None:
    finding = diagnose(with_outcomes([A] * 280 + [B] * 120 + [TIE] * 50))["side-bias"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 280, 400)
    assert finding.figure is not None
    assert finding.figure.value == pytest.approx(0.7)
    assert finding.figure.low > 0.5
    assert finding.figure.level == 0.99


def test_titles_beside_a_figure_leave_the_interval_to_it() -> None:
    for rows in (
        with_outcomes([A] * 280 + [B] * 120),
        with_outcomes([A, B] * 150),
        letters(70, 30),
    ):
        for finding in diagnose(rows).findings:
            if finding.figure is not None:
                assert "interval" not in finding.title and "%" in finding.title + "%"


def test_how_far_an_interval_must_narrow_is_said_in_points() -> None:
    action = diagnose(with_outcomes([A, B] * 30))["side-bias"].action
    assert "narrow the interval to 10 points to either side (now 16)" in action


def test_side_bias_cannot_be_said_where_sides_are_unknown() -> None:
    rows = with_outcomes([A] * 100)
    finding = diagnose(rows, sides_recorded=False)["side-bias"]
    assert finding.status is Status.CANNOT_SAY
    assert finding.figure is None
    assert diagnose(rows)["side-bias"].status is Status.WARN


def test_a_wide_interval_cannot_clear_a_file_of_bias_and_more_votes_can() -> None:
    finding = diagnose(with_outcomes([A, B] * 30))["side-bias"]
    assert finding.status is Status.CANNOT_SAY
    assert "more votes" in finding.action
    assert diagnose(with_outcomes([A, B] * 150))["side-bias"].status is Status.PASS


def test_a_small_lean_is_no_warning_however_many_votes_there_are() -> None:
    rows = with_outcomes([A] * 2050 + [B] * 1950)
    assert diagnose(rows, level=0.6)["side-bias"].status is Status.PASS
    assert diagnose(rows, level=0.6, side_margin=0.001)["side-bias"].status is Status.WARN


def test_votes_on_few_prompts_widen_the_interval_of_a_side() -> None:
    rows = with_outcomes([A] * 90 + [B] * 60)
    alone = diagnose(rows)["side-bias"].figure
    together = [replace(r, prompt_id=f"p{i // 15}") for i, r in enumerate(rows)]
    clustered = diagnose(together)["side-bias"].figure
    assert alone is not None
    assert clustered is not None
    assert clustered.high - clustered.low > 2 * (alone.high - alone.low)


def lengths(n_longer: int, n_shorter: int, n_equal: int) -> list[Given]:
    texts = [("long answer", "short")] * n_longer + [("short", "long answer")] * n_shorter
    texts += [("equal", "alike")] * n_equal
    return [
        replace(r, a=a, b=b, outcome=A)
        for r, (a, b) in zip(clean_rows(len(texts), seed=1), texts, strict=True)
    ]


def test_length_bias_counts_longer_shorter_and_equal_winners() -> None:
    found = diagnose(lengths(300, 100, 20), sides_recorded=False)
    finding = found["length-bias"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 300, 400)
    assert finding.details["equally_long"] == 20
    assert finding.figure is not None
    assert finding.figure.value == pytest.approx(0.75)
    assert found.lengths is not None
    assert (found.lengths.n_longer_won, found.lengths.n_shorter_won) == (300, 100)


def test_a_bias_to_shorter_answers_is_found_too() -> None:
    assert diagnose(lengths(100, 300, 0))["length-bias"].status is Status.WARN


def test_balanced_lengths_pass_and_few_cannot_say() -> None:
    assert diagnose(lengths(200, 200, 0))["length-bias"].status is Status.PASS
    assert diagnose(lengths(10, 10, 0))["length-bias"].status is Status.CANNOT_SAY


def test_a_length_bias_among_few_unequal_pairs_is_no_warning_for_the_file() -> None:
    finding = diagnose(lengths(30, 2, 400))["length-bias"]
    assert (finding.status, finding.count, finding.total) == (Status.PASS, 30, 32)
    assert "equally long: 400" in finding.title


def letters(n_a_right: int, n_b_right: int) -> list[Given]:
    rows = clean_rows(n_a_right + n_b_right, seed=14)
    right = ["(A)"] * n_a_right + ["(B)"] * n_b_right
    wrong = ["(B)"] * n_a_right + ["(A)"] * n_b_right
    return [replace(r, a=a, b=b, outcome=A) for r, a, b in zip(rows, right, wrong, strict=True)]


def test_an_answer_that_is_right_too_often_is_named() -> None:
    finding = diagnose(letters(70, 30), sides_recorded=False)["fixed-answers"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 70, 100)
    assert finding.title.startswith("'(A)' beats '(B)' in 70.0% of 100 votes")


def test_balanced_answers_pass_and_free_answers_have_no_favourite() -> None:
    assert diagnose(letters(150, 150), sides_recorded=False)["fixed-answers"].count == 150
    assert diagnose(letters(150, 150))["fixed-answers"].status is Status.PASS
    assert diagnose(clean_rows(100, seed=1))["fixed-answers"].status is Status.PASS


def test_many_votes_on_one_pair_are_not_answers_that_return() -> None:
    votes = [replace(r, prompt="one", prompt_id="one") for r in letters(40, 10)]
    rows = [*clean_rows(60, seed=2), *votes]
    assert diagnose(rows)["fixed-answers"].figure is None


def test_annotators_who_always_say_the_same_are_named() -> None:
    honest = clean_rows(400, seed=9, n_annotators=8)
    left = [replace(r, annotator="lefty", outcome=A) for r in clean_rows(30, seed=10)]
    ties = [replace(r, annotator="shrugger", outcome=TIE) for r in clean_rows(12, seed=12)]
    finding = diagnose([*honest, *left, *ties])["one-sided-annotators"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 42, 442)
    assert finding.details["annotators"] == ["lefty", "shrugger"]
    assert finding.examples == (
        "lefty: a 30, b 0, undecided 0",
        "shrugger: a 0, b 0, undecided 12",
    )


def test_a_few_votes_for_one_side_prove_nothing() -> None:
    honest = clean_rows(400, seed=9, n_annotators=8)
    left = [replace(r, annotator="new", outcome=A) for r in clean_rows(6, seed=10)]
    assert diagnose([*honest, *left])["one-sided-annotators"].status is Status.PASS


def test_a_bias_of_everybody_is_not_laid_at_one_annotators_door() -> None:
    rng = np.random.default_rng(2)
    rows = [
        replace(r, outcome=A if rng.random() < 0.8 else B)
        for r in clean_rows(600, seed=9, n_annotators=20)
    ]
    found = diagnose(rows)
    assert found["side-bias"].status is Status.WARN
    assert found["one-sided-annotators"].status is Status.PASS


def test_lopsided_p_equals_the_binomial_by_hand() -> None:
    # Ten of ten at one half: 2 / 2^10. Three of four: 2 * (4 + 1) / 16. No votes: not a number.
    p = lopsided_p(np.array([10, 0, 3, 0]), np.array([10, 10, 4, 0]), 0.5)
    assert p[:3] == pytest.approx([2 / 1024, 2 / 1024, 10 / 16])
    assert np.isnan(p[3])


def test_annotators_with_few_votes_are_counted_and_warned_about_in_number() -> None:
    rows = clean_rows(40, seed=9)
    crowd = [replace(r, annotator=f"w{i // 2}") for i, r in enumerate(rows)]
    finding = diagnose(crowd)["annotator-votes"]
    assert (finding.status, finding.count) == (Status.WARN, 40)
    few = [replace(r, annotator=f"w{i // 20}") for i, r in enumerate(rows)]
    assert diagnose(few)["annotator-votes"].status is Status.PASS


def ring(n: int, *, prompt: str, cyclic: bool) -> list[Given]:
    """Every two of n responses compared; the last beats the first if cyclic, else loses."""
    rows = []
    for i, j in combinations(range(n), 2):
        flipped = cyclic and (i, j) == (0, n - 1)
        a, b = f"response {i}", f"response {j}"
        rows.append(Given(prompt=prompt, a=a, b=b, outcome=B if flipped else A))
    return rows


def test_a_cycle_within_a_prompt_is_found_with_its_rows() -> None:
    straight = [row for p in range(5) for row in ring(4, prompt=f"p{p}", cyclic=False)]
    finding = diagnose([*straight, *ring(3, prompt="odd", cyclic=True)])["preference-cycles"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 3, 33)
    assert finding.examples == ("f.jsonl:31", "f.jsonl:32", "f.jsonl:33")
    expected = {"prompts": 1, "votes": 3, "triples": 21, "cyclic_triples": 1}
    assert {k: finding.details[k] for k in expected} == expected


def test_orders_without_a_cycle_pass() -> None:
    finding = diagnose(ring(5, prompt="p", cyclic=False))["preference-cycles"]
    assert (finding.status, finding.count, finding.total) == (Status.PASS, 0, 10)


def test_a_majority_against_one_vote_makes_no_cycle() -> None:
    votes = ring(3, prompt="p", cyclic=False)
    stray = replace(votes[1], outcome=B, annotator="stray")
    more = [replace(votes[1], annotator=w) for w in "uv"]
    found = diagnose([*(replace(v, annotator="t") for v in votes), *more, stray])
    assert found["preference-cycles"].count == 0


def test_cycles_cannot_show_without_a_ring_of_comparisons_and_a_ring_clears_that() -> None:
    finding = diagnose(clean_rows(50, seed=1))["preference-cycles"]
    assert finding.status is Status.CANNOT_SAY
    assert "three responses" in finding.action
    rows = [*clean_rows(50, seed=1), *ring(3, prompt="p", cyclic=False)]
    assert diagnose(rows)["preference-cycles"].status is Status.PASS


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from(list(Outcome))),
        min_size=1,
        max_size=30,
    )
)
def test_pairs_on_a_cycle_agree_with_plain_reachability(
    votes: list[tuple[int, int, Outcome]],
) -> None:
    net: dict[tuple[int, int], int] = {}
    for i, j, outcome in votes:
        if i == j or outcome > B:
            continue
        winner, loser = (i, j) if outcome == A else (j, i)
        net[winner, loser] = net.get((winner, loser), 0) + 1
    edges = {(i, j) for (i, j), n in net.items() if n > net.get((j, i), 0)}

    def reaches(start: int, goal: int) -> bool:
        seen, ahead = {start}, [start]
        while ahead:
            here = ahead.pop()
            fresh = {k for i, k in edges if i == here} - seen
            seen |= fresh
            ahead += fresh
        return goal in seen

    rows = [Given(a=f"r{i}", b=f"r{j}", outcome=outcome) for i, j, outcome in votes]
    finding = diagnose(rows)["preference-cycles"]
    if finding.status is not Status.CANNOT_SAY:
        assert finding.count == sum(reaches(loser, winner) for winner, loser in edges)
    else:
        assert not any(reaches(loser, winner) for winner, loser in edges)


def test_items_never_compared_are_a_warning() -> None:
    def game(item_a: str, item_b: str) -> Given:
        return Given(item_a=item_a, item_b=item_b, a=item_a, b=item_b, prompt=item_a + item_b)

    linked = [game("x", "y"), game("y", "z")]
    assert diagnose(linked)["item-links"].status is Status.PASS
    finding = diagnose([*linked, game("u", "v")])["item-links"]
    assert finding.status is Status.WARN
    assert (finding.details["items"], finding.details["groups"]) == (5, 2)
    both_ways = [*linked, game("z", "x")]
    assert diagnose(both_ways)["item-links"].details["strongly_connected"] is True


def test_files_without_items_say_nothing_of_items() -> None:
    assert "item-links" not in [f.name for f in diagnose(clean_rows(5, seed=1)).findings]


@pytest.mark.parametrize(("n", "status"), [(9, "fail"), (10, "warn"), (39, "warn"), (40, "pass")])
def test_the_number_of_prompts_decides_whether_intervals_are_honest(n: int, status: str) -> None:
    finding = diagnose(clean_rows(n, seed=1))["enough-prompts"]
    assert finding.status == Status(status)
    assert finding.title.startswith(f"{n} prompts")


def test_repeated_prompts_are_information() -> None:
    rows = clean_rows(50, seed=1)
    again = replace(rows[0], a="yet another", b="and another")
    finding = diagnose([*rows, again])["repeated-prompts"]
    assert (finding.status, finding.count, finding.total) == (Status.PASS, 1, 50)
    assert finding.examples == ("f.jsonl:1",)
    votes = [*rows, replace(rows[0], id="1", annotator="v")]
    assert diagnose(votes)["repeated-prompts"].count == 0


def test_verdicts_are_counted_with_ties_and_both_bad_apart() -> None:
    outcomes = [A] * 5 + [B] * 4 + [TIE] * 3 + [Outcome.BOTH_BAD] * 2
    finding = diagnose(with_outcomes(outcomes))["verdicts"]
    assert finding.status is Status.PASS
    assert finding.details == {"a": 5, "b": 4, "tie": 3, "both_bad": 2}


def test_a_file_without_a_decided_vote_fails() -> None:
    assert diagnose(with_outcomes([TIE] * 12))["verdicts"].status is Status.FAIL


def test_a_label_that_never_varies_fails_where_sides_were_recorded() -> None:
    assert diagnose(with_outcomes([A] * 30))["verdicts"].status is Status.FAIL
    assert diagnose(with_outcomes([A] * 19))["verdicts"].status is Status.PASS
    winner_first = diagnose(with_outcomes([A] * 30), sides_recorded=False)
    assert winner_first["verdicts"].status is Status.PASS
