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
    assert "A is 5.3 points ahead (95% interval +3.3 to +7.3 points)" in which
    assert "A is 14.0 points ahead on pairs of kind “winner shorter”" in where
    assert "winner longer" not in where and "not corrected" in where
    assert "One unit of A is worth 0.810 logits" in gaps and "B an unknown number" in gaps
    assert "Optimising against A: " in far and "Optimising against B: Still rising" in far


def test_a_lead_of_b_reads_upwards_too() -> None:
    rich = rich_comparison()
    behind = replace(
        rich,
        difference=estimate(-0.09, 0.04),
        buckets=(replace(rich.buckets[0], difference=estimate(-0.1, 0.02)),),
    )
    which, where = comparison_sentences(behind)[:2]
    assert "B is 9.0 points ahead (95% interval +5.0 to +13.0 points)" in which
    assert where.startswith("B is 10.0 points ahead on pairs of kind")
    read = assert_sound(render_comparison(behind))
    assert "9.0 points" in read.text and "−9.0 points" not in read.text


def test_the_axis_and_the_figures_of_the_differences_are_both_in_points() -> None:
    page = render_comparison(rich_comparison())
    drawn = page[page.index('<section id="difference">') :]
    drawn = drawn[: drawn.index("</figure>")]
    assert "+14.0 (" in drawn and "%" not in drawn.split("</desc>")[1].split("<figcaption")[0]


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
