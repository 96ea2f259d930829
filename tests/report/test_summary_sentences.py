"""The verdict in sentences."""

from __future__ import annotations

from dataclasses import replace

from rewardlab.report.summary import by_urgency, summary_sentences
from rewardlab.types import Finding, Status
from tests.report.fake_audit import (
    NAN,
    bare_audit,
    curve,
    doctor_findings,
    estimate,
    payments,
    rich_audit,
)


def test_the_verdict_is_three_to_five_sentences_on_five_matters() -> None:
    accuracy, ceiling, paid, data, optimising = summary_sentences(rich_audit())
    assert accuracy.startswith("The reward agrees with people on 63.4% of 2,290 decided votes")
    assert "picking the longer response 57.3%" in accuracy
    assert "even a perfect reward would stop at 74% to 81% on such pairs, where" in ceiling
    assert "where this one reaches 63.4%: a better reward can still" in ceiling
    assert "pay for log length (+0.41), refusal (+0.33) and list items (+0.14)" in paid
    assert "mark down apology (−0.27) and hedges (−0.12)" in paid
    assert "Picking the longer response reaches 58.1%." in paid
    assert data.startswith("1 of 6 checks of the data failed and 1 warn; the worst: “34 pairs")
    assert "no samples were given" in optimising


def test_an_accuracy_that_is_not_told_from_a_coin_is_not_praised() -> None:
    rich = rich_audit()
    weak = replace(rich.accuracy, overall=estimate(0.52, 0.05))
    assert "do not tell apart from a coin" in summary_sentences(replace(rich, accuracy=weak))[0]
    wrong = replace(rich.accuracy, overall=estimate(0.4, 0.05))
    assert "prefers what people reject" in summary_sentences(replace(rich, accuracy=wrong))[0]
    unknown = replace(rich.accuracy, overall=estimate(0.9, NAN))
    assert "do not tell apart from a coin" in summary_sentences(replace(rich, accuracy=unknown))[0]


def test_what_was_not_measured_is_said_to_be_unknown() -> None:
    sentences = summary_sentences(bare_audit())
    assert sum("cannot be said" in s for s in sentences) == 3
    assert "nan" not in " ".join(sentences)
    assert "The data were not checked." in sentences


def test_features_that_are_not_told_from_zero_are_not_named() -> None:
    rich = rich_audit()
    nothing = payments()
    nothing = replace(nothing, rows=tuple(replace(r, named=False) for r in nothing.rows))
    paid = summary_sentences(replace(rich, raters_pay=nothing))[2]
    assert "clearly pay for none of 21 text features" in paid


def test_what_the_reward_overpays_for_is_named() -> None:
    paid = summary_sentences(replace(rich_audit(), overpaid=payments("reward beyond votes")))[2]
    assert "Beside the votes, the reward overpays for log length (+0.41)" in paid
    assert "and underpays for apology (−0.27)" in paid


def test_logits_are_explained_once_and_only_where_some_are_named() -> None:
    paid = summary_sentences(replace(rich_audit(), overpaid=payments("reward beyond votes")))[2]
    assert paid.count("logits") == 1 and paid.count("held fixed") == 1
    nothing = payments()
    nothing = replace(nothing, rows=tuple(replace(r, named=False) for r in nothing.rows))
    assert "logits" not in summary_sentences(replace(rich_audit(), raters_pay=nothing))[2]


def test_sound_data_are_called_so_with_what_could_not_be_checked() -> None:
    sound = tuple(f for f in doctor_findings() if f.status in (Status.PASS, Status.CANNOT_SAY))
    data = summary_sentences(replace(rich_audit(), doctor=sound))[3]
    assert data == (
        "The checks of the data found nothing wrong (3 passed). 1 of 4 checks cannot say."
    )


def test_each_curve_speaks_for_its_proxy() -> None:
    both = (curve("length"), curve("clarity", gold_bend=-0.01))
    said = summary_sentences(replace(rich_audit(), curves=both))[4]
    assert said.startswith("Picking the best of n by length: peaked at n = 5")
    assert "Picking the best of n by clarity: still rising at n = 16" in said


def test_fail_comes_before_warn_before_cannot_say_before_pass() -> None:
    def finding(name: str, status: Status) -> Finding:
        return Finding(name, status, "t", "m", "a")

    mixed = [finding(str(k), s) for k, s in enumerate((*reversed(Status), *Status))]
    ordered = [f.status for f in by_urgency(mixed)]
    assert ordered == sorted(
        ordered, key=[Status.FAIL, Status.WARN, Status.CANNOT_SAY, Status.PASS].index
    )
