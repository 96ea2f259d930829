"""Figures of annotators by hand, and findings: who stands out is named, honest people are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rewardlab.audit.annotator_findings import _fewer_by_chance
from rewardlab.audit.annotators import measure_annotators
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


def test_the_exact_test_of_repeats_is_the_hypergeometric_tail() -> None:
    hit, n = np.array([3, 0, 20]), np.array([10, 5, 30])
    expected = stats.hypergeom.cdf(hit, 100, 60, n)
    np.testing.assert_allclose(_fewer_by_chance(hit, n, 60, 100), expected, rtol=1e-10)


def test_rates_outside_their_range_are_refused() -> None:
    nothing = judgements_of(pair=[], annotator=[], outcome=[])
    with pytest.raises(InputError, match="false_alarms: expected a number between 0 and 1"):
        measure_annotators(nothing, false_alarms=0)


def false_alarms(n_runs: int, *, n_people: int, n_pairs: int) -> float:
    """Share of runs in which any honest annotator is named by anything."""
    runs = (
        annotation(
            np.random.default_rng([9, seed]),
            n_people=n_people,
            n_pairs=n_pairs,
            n_known=20,
            n_repeats=15,
        )
        for seed in range(n_runs)
    )
    reports = (measure_annotators(judgements) for judgements in runs)
    return sum(any(person.flags for person in x.annotators) for x in reports) / n_runs


def test_honest_people_are_seldom_named() -> None:
    assert false_alarms(20, n_people=6, n_pairs=60) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("n_people", "n_pairs"), [(3, 100), (6, 60), (12, 400)])
def test_the_chance_of_any_false_alarm_is_kept(n_people: int, n_pairs: int) -> None:
    # 400 runs at 5% would have a standard error of 1.1 points.
    assert false_alarms(400, n_people=n_people, n_pairs=n_pairs) <= 0.05
