"""Made-up comparisons with everything that a page must survive."""

from __future__ import annotations

from dataclasses import replace

from rewardlab.audit.compare import ComparisonResult, Disagreement, PairedBucket
from rewardlab.audit.result import DataFacts
from rewardlab.types import Figure, Finding, Status
from tests.report.fake_audit import (
    ADVICE,
    CHAT,
    HOSTILE,
    LONG,
    NAN,
    calibration,
    curve,
    estimate,
    rich_audit,
)


def rich_comparison() -> ComparisonResult:
    """A is better overall and where the winner is shorter; curves for both."""
    return ComparisonResult(
        data=rich_audit().data,
        name_a="A: 33 text features, fitted here on 5 prompt-grouped folds",
        name_b="B: 2 text features (n_words, log_words), fitted here on 5 prompt-grouped folds",
        accuracy_a=estimate(0.634, 0.021, 2290),
        accuracy_b=estimate(0.581, 0.021, 2290),
        difference=estimate(0.053, 0.02, 2290),
        buckets=(
            PairedBucket("length", "winner longer", 1204, 0.70, 0.71, estimate(-0.01, 0.02, 1204)),
            PairedBucket("length", "winner shorter", 785, 0.56, 0.42, estimate(0.14, 0.04, 785)),
            PairedBucket("difficulty", "votes split evenly", 12, 0.5, 0.5, None),
        ),
        calibration_a=calibration(),
        calibration_b=None,
        n_disagreements=611,
        disagreements=(
            Disagreement("hh.jsonl:12", CHAT, ADVICE, "I'm sorry, I can't.", "A", 4.2),
            Disagreement("hh.jsonl:77", HOSTILE, HOSTILE, LONG, "B", 3.9),
        ),
        curves_a=(curve("features"),),
        curves_b=(curve("length", gold_bend=-0.01),),
        findings=(
            Finding(
                "better-reward",
                Status.PASS,
                "A is better: A agrees with 63.4% of votes, B with 58.1%",
                "The difference is +5.3%, 95% interval +3.3% to +7.3%, paired by vote.",
                "Use A on data like these; read where the other one is right.",
                Figure(0.053, 0.033, 0.073, "share of votes"),
                611,
            ),
        ),
        settings={"a": "features:all", "b": "features:n_words,log_words", "seed": 0},
        version="0.1.0",
    )


def bare_comparison() -> ComparisonResult:
    """A comparison on one prompt in which hardly anything could be measured."""
    nothing = estimate(0.0, NAN, 1, 1)
    return replace(
        rich_comparison(),
        data=DataFacts((), "Read as crowd tables.", 1, 1, 1, 1, 0, ()),
        accuracy_a=nothing,
        accuracy_b=nothing,
        difference=nothing,
        buckets=(),
        calibration_a=None,
        n_disagreements=0,
        disagreements=(),
        curves_a=(),
        curves_b=(),
        findings=(),
        settings={},
        version="",
    )


def hostile_comparison() -> ComparisonResult:
    """A comparison whose every string is hostile."""
    rich = rich_comparison()
    evil = Finding(HOSTILE, Status.FAIL, HOSTILE, HOSTILE, HOSTILE, examples=(HOSTILE,))
    return replace(
        rich,
        data=DataFacts((HOSTILE,), HOSTILE, 1, 1, 1, 1, 0, (HOSTILE,)),
        name_a=HOSTILE,
        name_b=HOSTILE,
        buckets=(PairedBucket(HOSTILE, HOSTILE, 3, NAN, float("inf"), estimate(NAN, NAN)),),
        curves_a=(curve(HOSTILE),),
        findings=(evil, *rich.findings),
        settings={HOSTILE: HOSTILE},
        version=HOSTILE,
    )
