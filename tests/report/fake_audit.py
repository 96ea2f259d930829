"""A made-up audit with everything that a page must survive, built by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rewardlab.audit.accuracy import Accuracy, Bucket
from rewardlab.audit.calibration import Calibration, CalibrationBin
from rewardlab.audit.ceiling import Ceiling
from rewardlab.audit.curve_result import CurveResult
from rewardlab.audit.curves import curve as fit_curve
from rewardlab.audit.payments import LengthAlone, Payment, Payments
from rewardlab.audit.reading import Reading, TextToRead, VoteToRead
from rewardlab.audit.result import AuditResult, DataFacts
from rewardlab.stats.intervals import Estimate
from rewardlab.types import Figure, Finding, ScoredSamples, Status

NAN = float("nan")

HOSTILE = (
    '<script>alert("x")</script><img src=http://evil.example/x.png onerror=alert(1)>'
    "</style></title></svg><!-- {{ 7 * 7 }} {% raw %} ]]> &lt;b&gt; https://evil.example/\n"
    "\x00\x1b[31mred\x1b[0m \u202egnp.exe\u202c zero\u200bwidth \ud800 \ufffe \u2028end"
)

LONG = "The kettle boils, and then it boils again, which is what kettles do. " * 400

CHAT = (
    "\n\nHuman: What is a good way to learn to cook?\n\nAssistant: Start with eggs: they are cheap "
    "and teach heat control.\n\nHuman: Ok, and after eggs? I have about half an hour on week "
    "nights.\n\nAssistant:"
)
ADVICE = (
    "After eggs, learn one pan sauce and one tray bake.\n\n1. **Pan sauce**: brown a chicken "
    "thigh, take it out, soften a shallot in the fat, add stock and a spoon of mustard, and boil "
    "it down by half.\n2. **Tray bake**: any root vegetable, oil, salt, 220 °C, 25 minutes.\n\n"
    "Both fit in half an hour and forgive mistakes."
)


def estimate(value: float, half: float, n: int = 2312, n_clusters: int = 2000) -> Estimate:
    """An estimate with a symmetric interval; a NaN half width is "no interval"."""
    low, high = value - half, value + half
    method = f"Wilson on {n} effective rows in {n_clusters} clusters"
    return Estimate(value, half / 1.96, low, high, n, n_clusters, 0.95, method)


def doctor_findings() -> tuple[Finding, ...]:
    """One of each status, with counts, examples and details."""
    return (
        Finding(
            "identical-sides",
            Status.PASS,
            "No pair has the same response on both sides",
            "Such pairs teach nothing and cap the accuracy.",
            "Nothing.",
            count=0,
            total=2312,
        ),
        Finding(
            "length-imbalance",
            Status.WARN,
            "The longer response wins 57.3% of decided votes",
            "A reward can reach this by counting words, and will then pay for words.",
            "Compare every reward with the longer response, and control for length.",
            figure=Figure(0.573, 0.552, 0.594, "share", method="Wilson, clustered by prompt"),
            count=1325,
            total=2312,
            details={"shorter_share": 0.427, "by_split": {"test": 2312}, "threshold": 0.55},
        ),
        Finding(
            "contradicting-twins",
            Status.FAIL,
            "34 pairs appear twice with opposite labels",
            "One of the two is wrong, or the label is a coin.",
            "Relabel both by a third person, or remove both.",
            count=34,
            total=2312,
            examples=("hh_harmless_test.jsonl:118", "hh_harmless_test.jsonl:901", "x" * 400),
        ),
        Finding(
            "side-bias",
            Status.CANNOT_SAY,
            "Side bias cannot be told: the file lists winners first",
            "Which response was shown first is not recorded.",
            "Record the side shown first (columns response_a, response_b and a label).",
        ),
        Finding(
            "cut-alike-chars",
            Status.PASS,
            "Cut at 2,048 characters, no pair becomes identical",
            "A model that truncates would see the same text twice.",
            "Nothing.",
            count=0,
            total=2312,
        ),
        Finding(
            "empty-sides",
            Status.PASS,
            "No response is empty",
            "An empty side makes the vote a vote on emptiness.",
            "Nothing.",
            count=0,
            total=2312,
        ),
    )


def reward_findings() -> tuple[Finding, ...]:
    """Findings about the reward, named as the audit names them."""
    return (
        Finding(
            "held-out-accuracy",
            Status.PASS,
            "The reward agrees with 63.4% of 2,290 decided votes (held out by grouped folds)",
            "95% interval 61.3% to 65.4% over 2,000 prompts. Picking the longer response reaches "
            "57.3%.",
            "Read it beside the ceiling: it is not out of 100%.",
            estimate(0.634, 0.021).figure("share"),
            details={"longest_accuracy": 0.573, "n_undecided": 22, "n_reward_ties": 3},
        ),
        Finding(
            "ceiling",
            Status.WARN,
            "63% where at best 74% to 81% is possible",
            "Two voters agree on 69.0% of 310 pairs with repeated votes; ties (1% of votes) are "
            "set aside. With sampling error the ceiling lies in 71% to 84%.",
            "There is room: a better reward can still gain accuracy on these votes before "
            "disagreement stops it.",
            Figure(0.775, 0.71, 0.84, "share", method="bounds given agreement"),
            310,
        ),
        Finding(
            "calibration",
            Status.WARN,
            "One unit of reward is worth 0.81 logits of preference",
            "95% interval 0.70 to 0.92; confidence and accuracy lie 2.4% apart on average over 10 "
            "bins.",
            "The reward is overconfident: multiply it by 0.81.",
            Figure(0.81, 0.70, 0.92, "logits per unit of reward", method="cluster-robust"),
        ),
        Finding(
            "unlikely-labels",
            Status.PASS,
            "21 votes have less than 10% from the calibrated reward; 19 are expected by chance",
            "A confident reward that is honest is still wrong sometimes.",
            "Nothing; the confident errors are still worth reading.",
            count=21,
            details={"expected": 18.7},
        ),
        Finding(
            "votes-pay-for",
            Status.WARN,
            "The votes pay for log_words (+0.41), refusal (+0.33) and apology (-0.27)",
            "In logits of preference per standard deviation of the feature, the others held.",
            "A policy trained on these votes will supply more of it, wanted or not.",
            Figure(0.41, 0.33, 0.49, "logits of preference, log_words"),
        ),
        Finding(
            "length-alone",
            Status.PASS,
            "Picking the longer response reaches 58.1%, the reward 63.4%",
            "The reward gains +5.3% over it (95% interval +3.3% to +7.3%).",
            "The reward knows more than length.",
            Figure(0.053, 0.033, 0.073, "share of votes"),
        ),
        Finding(
            "optimisation-curve",
            Status.CANNOT_SAY,
            "How far one may optimise against this reward is unknown",
            "Accuracy on pairs does not tell when more optimisation stops helping.",
            "Give samples, several a prompt, with their reward and gold (--samples FILE).",
        ),
        Finding(
            "made-up-finding",
            Status.CANNOT_SAY,
            "A finding that no section expects is still shown",
            "Nothing that was found may be lost.",
            "Give more data.",
            Figure(NAN, NAN, NAN, "nats"),
        ),
    )


def accuracy() -> Accuracy:
    """Accuracy with a bucket that is too small."""
    return Accuracy(
        overall=estimate(0.634, 0.021, 2290),
        n_undecided=22,
        n_reward_ties=3,
        buckets=(
            Bucket("length", "winner longer", 1204, estimate(0.701, 0.026, 1204)),
            Bucket("length", "within 10% of each other", 301, estimate(0.568, 0.057, 301)),
            Bucket("length", "winner shorter", 785, estimate(0.556, 0.035, 785)),
            Bucket("difficulty", "votes split evenly", 12, None),
            Bucket("difficulty", "all votes agree", 640, estimate(0.742, 0.034, 640)),
        ),
        longest=estimate(0.573, 0.021, 2290),
        difficulty_note="by how far the voters on a pair agree (ties set aside)",
    )


def ceiling() -> Ceiling:
    """A measured ceiling."""
    return Ceiling(
        estimate(0.69, 0.04, 620, 300),
        0.74,
        0.81,
        0.71,
        0.84,
        estimate(0.634, 0.03, 620, 300),
        310,
        620,
        2290,
        0.01,
    )


def calibration() -> Calibration:
    """Ten bins of an overconfident reward, the last without an interval."""
    bins = [
        CalibrationBin(0.51 + 0.04 * k, estimate(0.51 + 0.033 * k, 0.03, 229, 220))
        for k in range(9)
    ]
    bins.append(CalibrationBin(0.93, estimate(0.79, NAN, 30, 1)))
    slope = Figure(0.81, 0.70, 0.92, "logits per unit of reward", method="cluster-robust")
    return Calibration(slope, 0.024, tuple(bins), 2312)


def payments(of: str = "votes", unit: str = "logits of preference") -> Payments:
    """Weights of many features: some named, one with no interval."""
    heavy = [("log_words", 0.41), ("refusal", 0.33), ("list_items", 0.14), ("hedges", -0.12)]
    heavy += [("apology", -0.27), ("second_person", -0.09)]
    light = [(f"feature_{k}", 0.05 - 0.01 * k) for k in range(14)]
    rows = [
        Payment(name, w, w - 0.08, w + 0.08, 0.0004 if abs(w) > 0.1 else 0.7, abs(w) > 0.1)
        for name, w in heavy + light
    ]
    rows.append(Payment("links", 0.02, NAN, NAN, NAN, False))
    return Payments(
        of, unit, tuple(rows), "unpenalised fit, bias-corrected cluster-robust intervals",
        ("code_blocks (the same in all responses)",), "", 2000,
    )  # fmt: skip


def reading() -> Reading:
    """Ordinary, hostile, empty and very long texts."""
    votes = (
        VoteToRead("hh.jsonl:12", CHAT, ADVICE, "I'm sorry, I can't help with that.", 0.041, "n"),
        VoteToRead("hh.jsonl:77", HOSTILE, HOSTILE, LONG, 0.0004, HOSTILE),
        VoteToRead("hh.jsonl:80", "", "", "   ", 0.3, "n"),
    )
    top = (
        TextToRead("hh.jsonl:5", CHAT, ADVICE, 2.41),
        TextToRead("hh.jsonl:6", LONG, LONG, 1.0e12),
    )
    bottom = (
        TextToRead("hh.jsonl:9", CHAT, "No.", -3.2),
        TextToRead("hh.jsonl:10", "مرحبا، كيف حالك؟", "أنا بخير، شكرا لك.", -2.9),
    )
    return Reading(votes, (), 21, 18.7, estimate(0.001, 0.002, 2290, 1200), 0.06, top, bottom)


def rich_audit() -> AuditResult:
    """An audit in which everything was measured, but no samples were given."""
    return AuditResult(
        data=DataFacts(
            ("hh_harmless_test.jsonl.gz",),
            "Read as TRL preferences with an implicit prompt (columns chosen, rejected); the "
            "winner is listed first, so sides are not recorded.",
            2354,
            2312,
            2308,
            2000,
            0,
            ("42 rows were left out: both sides are the same text.",),
        ),
        reward="A reward from 33 text features, fitted here and scored on 5 prompt-grouped folds.",
        doctor=doctor_findings(),
        findings=reward_findings(),
        accuracy=accuracy(),
        ceiling=ceiling(),
        calibration=calibration(),
        raters_pay=payments(),
        fitted_here=False,
        reward_pays=payments("the reward", "standard deviations of the reward gap"),
        overpaid=None,
        length_alone=LengthAlone(
            "Picking the longer response",
            estimate(0.581, 0.021, 2290),
            estimate(0.053, 0.02, 2290),
            0.38,
        ),
        reading=reading(),
        curves=(),
        settings={
            "command": "rewardlab audit hh_harmless_test.jsonl.gz --out report.html",
            "seed": 0,
            "folds": 5,
            "features": ["n_words", "log_words"],
            "model": None,
            "l2": 0.00316,
            "grouped": True,
        },
        version="0.1.0",
    )


def curve(name: str = "length", gold_bend: float = 0.1, n_samples: int = 16) -> CurveResult:
    """A curve from simulated samples: gold follows the proxy and then turns."""
    rng = np.random.default_rng(7)
    proxy = rng.normal(size=(200, n_samples))
    gold = 0.2 * proxy - gold_bend * proxy**2 + 0.1 * rng.normal(size=proxy.shape)
    prompts = [str(p) for p in range(200) for _ in range(n_samples)]
    samples = ScoredSamples(
        prompts,
        [str(k % n_samples) for k in range(proxy.size)],
        {name: proxy.ravel()},
        gold.ravel(),
        np.ones(proxy.size),
        np.arange(1, proxy.size + 1),
        "samples.csv",
    )
    return fit_curve(samples, name, n_resamples=200, rng=rng)


def bare_audit() -> AuditResult:
    """An audit in which little could be measured."""
    nothing = estimate(1.0, NAN, 3, 1)
    return replace(
        rich_audit(),
        data=DataFacts(("a.csv", "b.csv"), "Read as crowd tables.", 3, 3, 3, 1, 2, ()),
        doctor=(),
        findings=(),
        accuracy=Accuracy(nothing, 0, 0, (), nothing, "cannot say: add a margin column"),
        ceiling=None,
        calibration=None,
        raters_pay=None,
        fitted_here=False,
        reward_pays=None,
        length_alone=LengthAlone("", nothing, nothing, NAN),
        reading=Reading((), (), 0, 0.0, None, NAN, (), ()),
        settings={},
        version="",
    )


def hostile_audit() -> AuditResult:
    """An audit whose every string is hostile."""
    rich = rich_audit()
    evil = Finding(
        HOSTILE, Status.FAIL, HOSTILE, HOSTILE, HOSTILE,
        Figure(float("inf"), -float("inf"), float("inf"), HOSTILE, method=HOSTILE),
        3, 0, (HOSTILE, LONG), {HOSTILE: {HOSTILE: [HOSTILE, None, 1e300]}, "n": NAN},
    )  # fmt: skip
    bad = Payment(HOSTILE, float("inf"), -float("inf"), float("inf"), 0.0, True)
    return replace(
        rich,
        data=DataFacts((HOSTILE,), HOSTILE, 0, 0, 0, 0, 0, (HOSTILE,)),
        reward=HOSTILE,
        doctor=(evil, *rich.doctor),
        findings=(evil, *rich.findings),
        accuracy=replace(
            rich.accuracy,
            buckets=(Bucket(HOSTILE, HOSTILE, 5, estimate(NAN, NAN)),),
            difficulty_note=HOSTILE,
        ),
        raters_pay=Payments(HOSTILE, HOSTILE, (bad,), HOSTILE, (HOSTILE,), HOSTILE, 0),
        fitted_here=False,
        reward_pays=Payments("", "", (replace(bad, weight=NAN), bad), HOSTILE, (), HOSTILE, 0),
        overpaid=Payments(HOSTILE, HOSTILE, (), HOSTILE, (), HOSTILE, 0),
        settings={"command": HOSTILE, HOSTILE: HOSTILE},
        version=HOSTILE,
    )
