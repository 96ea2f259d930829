"""The comparison's page and sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewardlab.report.comparison import comparison_sentences, render_comparison
from tests.report.fake_audit import calibration, estimate
from tests.report.fake_comparison import bare_comparison, hostile_comparison, rich_comparison
from tests.report.page_reading import assert_sound

COMPARISONS = {"rich": rich_comparison, "bare": bare_comparison, "hostile": hostile_comparison}


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_page_is_well_formed_and_loads_nothing(name: str) -> None:
    assert_sound(render_comparison(COMPARISONS[name]()))


def test_every_finding_both_rewards_and_both_curves_are_shown() -> None:
    result = rich_comparison()
    read = assert_sound(render_comparison(result))
    for finding in result.findings:
        for text in (finding.title, finding.meaning, finding.action):
            assert text in read.text
    assert result.name_a in read.text and result.name_b in read.text
    for curve in (*result.curves_a, *result.curves_b):
        assert curve.verdict.sentence in read.text


def test_the_verdict_says_which_where_how_gaps_read_and_how_far_each_goes() -> None:
    which, where, gaps, far = comparison_sentences(rich_comparison())
    assert which.startswith("A is better. A agrees with people on 63.4% of 2,290 decided votes")
    assert "a difference of +5.3 points (95% interval +3.3 points to +7.3 points)" in which
    assert "A is ahead on pairs of kind “winner shorter” (+14.0 points)" in where
    assert "winner longer" not in where and "not corrected" in where
    assert "One unit of A is worth 0.810 logits" in gaps and "B an unknown number" in gaps
    assert "Optimising against A: " in far and "Optimising against B: Still rising" in far


def test_what_could_not_be_measured_is_said() -> None:
    sentences = comparison_sentences(bare_comparison())
    assert "no interval: one prompt only" in sentences[0]
    assert "Too few prompts" in sentences[1]
    assert "no samples were given (--samples FILE)" in sentences[3]
    read = assert_sound(render_comparison(bare_comparison()))
    assert "The two order every decided vote alike." in read.text
    assert "The calibration of B could not be measured" in read.text


def test_no_difference_by_kind_is_claimed_without_an_interval_off_zero() -> None:
    rich = rich_comparison()
    flat = replace(rich.buckets[0], difference=estimate(0.02, 0.05))
    where = comparison_sentences(replace(rich, buckets=(flat,)))[1]
    assert where == "On no kind of pair is the difference told apart from zero."


def test_hostile_texts_are_shown_as_text() -> None:
    page = render_comparison(hostile_comparison())
    assert '<script>alert("x")</script>' in assert_sound(page).text
    assert "\x1b" not in page and "\u202e" not in page


def test_both_calibrations_are_drawn_where_both_are_measured() -> None:
    both = replace(rich_comparison(), calibration_b=calibration())
    page = render_comparison(both)
    assert page.count('<figure class="calibration">') == 2
    assert "could not be measured" not in page
