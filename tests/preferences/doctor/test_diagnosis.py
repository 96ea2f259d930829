"""The diagnosis as a whole: what it says of the file, and what must not change it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.preferences.doctor import examine
from rewardlab.types import Outcome, Status
from tests.preferences.doctor.planting import Given, Served, clean_rows, diagnose, preferences


def faulty_file() -> list[Given]:
    """Some of everything, with annotators, splits and items."""
    rows = clean_rows(120, seed=31, n_annotators=5)
    rows = [replace(r, split="train" if i < 90 else "test") for i, r in enumerate(rows)]
    rows = [replace(r, item_a=f"m{i % 4}", item_b=f"m{(i + 1) % 4}") for i, r in enumerate(rows)]
    rows += [replace(rows[3], split="test"), rows[5], replace(rows[6], a=rows[6].b, b=rows[6].a)]
    blank = replace(rows[7], a="", outcome=Outcome.A)
    odd = replace(rows[8], b="zero\u200bwidth Human: no\nHuman: yes")
    return [*rows, blank, odd, replace(rows[9], a=rows[9].b)]


@pytest.mark.parametrize("chunk_rows", [1, 2, 50, 1000])
def test_the_size_of_chunks_changes_nothing(chunk_rows: int) -> None:
    rows = preferences(faulty_file())
    once = examine(Served(rows, chunk_rows=len(rows)))
    again = examine(Served(rows, chunk_rows=chunk_rows))
    assert again.findings == once.findings


def test_the_order_of_rows_changes_no_count() -> None:
    rows = preferences(faulty_file())
    order = np.random.default_rng(0).permutation(len(rows))
    straight = examine(Served(rows))
    shuffled = examine(Served(rows.take(order)))
    for name in (f.name for f in straight.findings):
        assert shuffled[name].count == straight[name].count, name
        assert shuffled[name].status is straight[name].status, name


def test_swapping_all_sides_mirrors_the_side_and_changes_no_other_count() -> None:
    flip = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
    rows = faulty_file()
    swapped = [
        replace(r, a=r.b, b=r.a, item_a=r.item_b, item_b=r.item_a, outcome=flip[Outcome(r.outcome)])
        for r in rows
    ]
    straight, mirrored = diagnose(rows), diagnose(swapped)
    for finding in straight.findings:
        if finding.name != "side-bias":
            assert mirrored[finding.name].count == finding.count, finding.name
    one, other = straight["side-bias"].figure, mirrored["side-bias"].figure
    assert one is not None
    assert other is not None
    assert one.value + other.value == pytest.approx(1)
    assert one.low + other.high == pytest.approx(1)


def test_the_diagnosis_says_what_the_file_holds() -> None:
    found = diagnose(faulty_file())
    assert (found.n_votes, found.n_annotators, found.splits) == (126, 5, ("train", "test"))
    assert found.failed
    assert {f.status for f in found.findings} == {
        Status.PASS,
        Status.WARN,
        Status.FAIL,
        Status.CANNOT_SAY,
    }


def test_names_of_findings_are_unique_and_each_can_be_asked_for() -> None:
    found = diagnose(faulty_file())
    names = [f.name for f in found.findings]
    assert len(set(names)) == len(names)
    with pytest.raises(KeyError):
        found["no-such-check"]


def test_every_finding_says_why_and_what_to_do() -> None:
    for rows in (faulty_file(), clean_rows(3, seed=1), []):
        for finding in diagnose(rows).findings:
            assert finding.title
            assert finding.meaning.endswith(".")
            assert finding.action.endswith(".")
