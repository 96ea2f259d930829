"""Figures of annotators by hand, and findings: who stands out is named, honest people are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rewardlab.audit.annotators import measure_annotators, standing_out
from rewardlab.audit.ceiling import ceiling_range
from rewardlab.audit.judgements import judgements_of
from rewardlab.errors import InputError
from rewardlab.types import Status
from tests.audit.annotation_worlds import Habits, annotation

NAMES = (
    "goes-by-the-side",
    "never-decides",
    "much-faster",
    "misses-known-pairs",
    "wrong-on-known-pairs",
    "contradicts-themself",
)


def test_each_figure_is_what_one_counts_by_hand() -> None:
    report = measure_annotators(
        judgements_of(
            pair=["p", "p", "p", "q", "q", "g", "r", "q"],
            annotator=["ann", "ben", "cem", "ann", "ben", "ann", "ann", None],
            outcome=["a", "a", "b", "tie", "b", "b", "b", "a"],
            a_first=[True, False, True, True, True, True, True, True],
            duration_s=[1, 2, 3, 4, 5, 6, 7, 8],
            asked=["pair", "pair", "pair", "pair", "pair", "known", "repeat", "pair"],
            of=[None, None, None, None, None, None, "p", None],
            known=[None, None, None, None, None, "b", None, None],
        )
    )
    ann = report.annotators[0]
    assert (ann.annotator, ann.n, ann.n_pairs, ann.n_tie, ann.n_skip) == ("ann", 4, 2, 1, 0)
    # Of ann's two, p is shared with a (ben) and b (cem), and q with b (ben).
    assert ann.agreement is not None
    assert ann.agreement.value == pytest.approx((1 / 2 + 0) / 2)
    assert ann.agreement_decided is not None
    assert ann.agreement_decided.value == pytest.approx(1 / 2)
    assert ann.left is not None
    assert ann.left.value == pytest.approx(1 / 3)
    assert ann.left.n == 3
    assert ann.known is not None
    assert ann.known.value == 1
    assert ann.repeats is not None
    assert ann.repeats.value == 0
    assert ann.seconds is not None
    assert (ann.seconds.median, ann.seconds.n) == (4.5 + 0.5, 4)
    assert report.n_unnamed == 1
    assert report.overall.n == 7
    assert report.overall.agreement is not None
    assert report.overall.agreement.value == pytest.approx((0.5 + 0.5 + 0 + 0 + 0) / 5)
    assert report.ceiling is not None
    assert report.overall.agreement_decided is not None
    assert report.ceiling == ceiling_range(report.overall.agreement_decided)


def test_skipped_pairs_count_in_nothing_but_skips() -> None:
    found = measure_annotators(
        judgements_of(pair=["p", "p"], annotator=["ann", "ben"], outcome=["a", "skip"])
    )
    ben = found.annotators[1]
    assert ben.n_skip == 1
    assert ben.agreement is None
    assert ben.seconds is None
    assert found.alpha is None
    assert found.ceiling is None


def test_where_nothing_is_recorded_each_finding_says_what_is_missing() -> None:
    found = measure_annotators(judgements_of(pair=["p"], annotator=["ann"], outcome=["a"]))
    by_name = {finding.name: finding for finding in found.findings}
    assert tuple(by_name) == NAMES
    cannot = [name for name in NAMES if by_name[name].status is Status.CANNOT_SAY]
    assert cannot == [name for name in NAMES if name != "never-decides"]
    assert "known answer" in by_name["misses-known-pairs"].action


def test_no_judgement_at_all_is_no_error() -> None:
    found = measure_annotators(judgements_of(pair=[], annotator=[], outcome=[]))
    assert found.annotators == ()
    assert {finding.status for finding in found.findings} == {Status.CANNOT_SAY}


@pytest.mark.parametrize(
    ("habits", "name", "status"),
    [
        (Habits(left=0.95), "goes-by-the-side", Status.WARN),
        (Habits(undecided=0.97), "never-decides", Status.WARN),
        (Habits(seconds=2.0), "much-faster", Status.WARN),
        (Habits(flip=0.5), "misses-known-pairs", Status.WARN),
        (Habits(flip=0.95), "wrong-on-known-pairs", Status.FAIL),
    ],
)
def test_who_does_so_is_named_and_nobody_else(habits: Habits, name: str, status: Status) -> None:
    judgements = annotation(np.random.default_rng(3), n_pairs=160, n_known=40, odd={2: habits})
    report = measure_annotators(judgements)
    finding = next(finding for finding in report.findings if finding.name == name)
    assert finding.status is status
    assert finding.details["annotators"] == ["person 2"]
    assert [x.annotator for x in report.annotators if name in x.flags] == ["person 2"]
    assert tuple(check.finding for check in standing_out(judgements)) == report.findings


def test_who_guesses_is_seen_on_repeats_where_others_repeat_themselves() -> None:
    n = 60
    said = np.random.default_rng(0).integers(0, 2, n)
    again = [True] * n, [True] * n, list(said == 1)
    columns = [
        (f"{kind}{i}", name, "a" if kind == "p" or again[k][i] else "b", kind, i)
        for k, name in enumerate(("ann", "ben", "cem"))
        for kind in "pr"
        for i in range(n)
    ]
    report = measure_annotators(
        judgements_of(
            pair=[row[0] for row in columns],
            annotator=[row[1] for row in columns],
            outcome=[row[2] for row in columns],
            asked=["pair" if row[3] == "p" else "repeat" for row in columns],
            of=[None if row[3] == "p" else f"p{row[4]}" for row in columns],
        )
    )
    assert report.findings[-1].details["annotators"] == ["cem"]


def repeats_of(turned: list[bool], apart: list[bool], *, tie: bool = False) -> list[str]:
    """Who is said to contradict themself where ann alone repeats each pair."""
    n = len(turned)
    again = ["tie" if tie and t else "b" if t else "a" for t in turned]
    report = measure_annotators(
        judgements_of(
            pair=[*range(n)] * 3 + [f"again {i}" for i in range(n)],
            annotator=["ann"] * n + ["ben"] * n + ["cem"] * n + ["ann"] * n,
            outcome=["a"] * (2 * n) + ["b" if x else "a" for x in apart] + again,
            asked=["pair"] * (3 * n) + ["repeat"] * n,
            of=[None] * (3 * n) + [*range(n)],
        )
    )
    return list(report.findings[-1].details["annotators"])


def test_turning_round_counts_where_two_others_agree_on_the_same_pair() -> None:
    # 20 of 40 turned round, by a sign test: p is 1e-6 where the others agree on all of them, 1
    # where they differ as often.
    half = [True, False] * 20
    assert repeats_of(half, [False] * 40) == ["ann"]
    assert repeats_of(half, [True, False] * 20) == []
    assert repeats_of(half, [False, True] * 20) == []
    assert repeats_of(half, [False] * 40, tie=True) == []


def test_of_repeats_without_two_others_nothing_is_said() -> None:
    report = measure_annotators(
        judgements_of(
            pair=["p", "p", "r"],
            annotator=["ann", "ben", "ann"],
            outcome=["a", "a", "b"],
            asked=["pair", "pair", "repeat"],
            of=[None, None, "p"],
        )
    )
    assert report.annotators[0].repeats is not None
    assert report.annotators[0].repeats.value == 0
    assert report.findings[-1].status is Status.CANNOT_SAY
    assert "three people" in report.findings[-1].action


def test_who_is_undecided_like_the_others_is_not_named_though_they_judged_little() -> None:
    # 300 of ann's 500 are ties, and neither of the other two.
    n = 500
    report = measure_annotators(
        judgements_of(
            pair=[*range(n), 0, 1],
            annotator=["ann"] * n + ["ben"] * 2,
            outcome=["tie"] * 300 + ["a"] * 200 + ["b"] * 2,
        )
    )
    assert report.annotators[0].flags == ()


def test_rates_outside_their_range_are_refused() -> None:
    nothing = judgements_of(pair=[], annotator=[], outcome=[])
    with pytest.raises(InputError, match="false_alarms: expected a number between 0 and 1"):
        measure_annotators(nothing, false_alarms=0)


WORLDS: dict[str, dict[str, Any]] = {
    "3 people": {"n_people": 3, "n_pairs": 100},
    "6 people": {"n_people": 6, "n_pairs": 60},
    "12 people": {"n_people": 12, "n_pairs": 400},
    "few labels": {"n_pairs": 12, "n_known": 3, "n_repeats": 2},
    "close pairs": {"n_pairs": 100, "scale": 0.3},
    "clear pairs": {"n_pairs": 100, "scale": 6.0},
    "close pairs first, people in turn": {
        "n_pairs": 400,
        "scale": 2.5,
        "n_repeats": 40,
        "in_turn": True,
    },
    "all tie often": {"n_pairs": 100, "odd": dict.fromkeys(range(6), Habits(undecided=0.6))},
    "all lean left": {"n_pairs": 400, "odd": dict.fromkeys(range(6), Habits(left=0.15))},
}


def share_named(n_runs: int, world: dict[str, Any]) -> float:
    """Share of runs in which any honest annotator is named by anything."""
    n_named = 0
    for seed in range(n_runs):
        given = {"n_known": 20, "n_repeats": 15, **world}
        found = standing_out(annotation(np.random.default_rng([9, seed]), **given))
        n_named += any(check.flagged for check in found)
    return n_named / n_runs


def test_honest_people_are_seldom_named() -> None:
    assert share_named(20, WORLDS["6 people"]) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_the_chance_of_any_false_alarm_is_kept(world: dict[str, Any]) -> None:
    # 400 runs at 5% would have a standard error of 1.1 points.
    assert share_named(400, world) <= 0.05
