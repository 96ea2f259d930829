"""Every refusal names what is missing; given that, it is a refusal no longer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewardlab.types import Outcome, Status
from tests.preferences.doctor.planting import Given, clean_rows, diagnose

ROWS = clean_rows(400, seed=21, n_annotators=4)
BARE = [replace(r, annotator=None) for r in ROWS]
NO_TEXTS = [replace(r, a=None, b=None) for r in ROWS]
UNKNOWN_PROMPTS = [replace(r, prompt="", prompt_id=str(i)) for i, r in enumerate(ROWS)]
FEW = BARE[:30]
SPLIT = [replace(r, split="train" if i % 2 else "test") for i, r in enumerate(ROWS)]
SPLIT_NO_PROMPTS = [replace(r, split=s.split) for r, s in zip(UNKNOWN_PROMPTS, SPLIT, strict=True)]
RING = [
    replace(ROWS[0], a=a, b=b, outcome=Outcome.A)
    for a, b in (("first", "second"), ("second", "third"), ("first", "third"))
]
UNDECIDED = [replace(r, outcome=Outcome.TIE) for r in ROWS]
MARGINS = [replace(r, margin=1.0) for r in ROWS]
LETTERS = [replace(r, a=" (A)", b=" (B)", outcome=Outcome(i % 2)) for i, r in enumerate(BARE)]
ONE_PROMPT = [replace(r, prompt_id="p") for r in ROWS]

TEXT_CHECKS = [
    "identical-sides",
    "same-but-spaces",
    "empty-sides",
    "whitespace-sides",
    "missing-prompts",
    "prompt-in-response",
    "extra-turns",
    "inline-role-markers",
    "repeated-roles",
    "unequal-turns",
    "odd-characters",
    "cut-alike-chars",
    "cut-alike-tokens",
    "duplicates",
    "swapped-twins",
    "contradicting-pairs",
    "self-contradictions",
    "length-bias",
    "fixed-answers",
]
REFUSALS: list[tuple[str, list[Given], list[Given], str]] = [
    *((name, NO_TEXTS, ROWS, "--join FILE --on COLUMN") for name in TEXT_CHECKS),
    ("preference-cycles", NO_TEXTS, [*ROWS, *RING], "--join FILE --on COLUMN"),
    ("preference-cycles", ROWS, [*ROWS, *RING], "three responses"),
    ("self-contradictions", BARE, ROWS, "annotator=COLUMN"),
    ("one-sided-annotators", BARE, ROWS, "annotator=COLUMN"),
    ("one-sided-annotators", UNDECIDED, ROWS, "decided votes"),
    ("annotator-votes", BARE, ROWS, "annotator=COLUMN"),
    ("shared-pairs", ROWS, SPLIT, "split=COLUMN"),
    ("shared-prompts", ROWS, SPLIT, "split=COLUMN"),
    ("near-duplicate-prompts", ROWS, SPLIT, "split=COLUMN"),
    ("shared-pairs", [replace(r, a=None) for r in SPLIT], SPLIT, "--join"),
    ("shared-prompts", SPLIT_NO_PROMPTS, SPLIT, "prompt=COLUMN"),
    ("near-duplicate-prompts", SPLIT_NO_PROMPTS, SPLIT, "prompt=COLUMN"),
    ("enough-prompts", UNKNOWN_PROMPTS, ROWS, "prompt=COLUMN"),
    ("repeated-prompts", UNKNOWN_PROMPTS, ROWS, "prompt=COLUMN"),
    ("side-bias", FEW, BARE, "more votes"),
    ("side-bias", UNDECIDED, ROWS, "decided votes"),
    ("side-bias", ONE_PROMPT, ROWS, "at least two prompts"),
    ("fixed-answers", LETTERS[:40], LETTERS, "more votes"),
    ("length-bias", FEW, BARE, "more votes"),
    ("length-bias", ONE_PROMPT, ROWS, "at least two prompts"),
    ("negative-margins", [replace(r, outcome=Outcome.TIE) for r in MARGINS], MARGINS, "decided"),
]


@pytest.mark.parametrize(
    ("name", "without", "given", "remedy"),
    REFUSALS,
    ids=[f"{i}-{case[0]}" for i, case in enumerate(REFUSALS)],
)
def test_a_refusal_clears_once_its_remedy_is_applied(
    name: str, without: list[Given], given: list[Given], remedy: str
) -> None:
    refused = diagnose(without)[name]
    assert refused.status is Status.CANNOT_SAY
    assert remedy in refused.action
    assert refused.count is None or refused.figure is not None
    assert diagnose(given)[name].status is not Status.CANNOT_SAY


@pytest.mark.parametrize("name", ["side-bias", "one-sided-annotators"])
def test_unknown_sides_are_refused_until_the_order_shown_is_given(name: str) -> None:
    refused = diagnose(ROWS, sides_recorded=False)[name]
    assert refused.status is Status.CANNOT_SAY
    assert "order shown" in refused.action
    assert diagnose(ROWS, sides_recorded=True)[name].status is Status.PASS


def test_every_kind_of_refusal_has_its_case_here() -> None:
    cases = {name for name, *_ in REFUSALS}
    refused = {
        finding.name
        for rows in (NO_TEXTS, UNKNOWN_PROMPTS, FEW, ONE_PROMPT, UNDECIDED, LETTERS[:40])
        for sides in (True, False)
        for finding in diagnose(rows, sides_recorded=sides).findings
        if finding.status is Status.CANNOT_SAY
    }
    assert refused <= cases


def test_the_number_of_votes_a_refusal_asks_for_is_enough() -> None:
    few = [replace(r, outcome=Outcome(i % 2)) for i, r in enumerate(clean_rows(60, seed=3))]
    refused = diagnose(few)["side-bias"]
    needed = int(refused.action.split("about ")[1].split()[0].replace(",", ""))
    assert 60 < needed < 600
    many = clean_rows(int(1.1 * needed), seed=4)
    balanced = [replace(r, outcome=Outcome(i % 2)) for i, r in enumerate(many)]
    assert diagnose(balanced)["side-bias"].status is Status.PASS
