"""The audit's page: whole, sound, closed to the outside, whatever the audit holds."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rewardlab.audit.curve_findings import curve_findings
from rewardlab.audit.result import AuditResult
from rewardlab.report.page import render
from rewardlab.types import Finding, Status
from tests.report.fake_audit import (
    HOSTILE,
    LONG,
    bare_audit,
    curve,
    hostile_audit,
    rich_audit,
)
from tests.report.page_reading import assert_sound

AUDITS = {"rich": rich_audit, "bare": bare_audit, "hostile": hostile_audit}


def with_curves() -> AuditResult:
    """The rich audit with two proxies' curves and their findings."""
    rich = rich_audit()
    curves = (curve("length"), curve("clarity", gold_bend=-0.01))
    found = tuple(f for c in curves for f in curve_findings(c))
    kept = tuple(f for f in rich.findings if f.name != "optimisation-curve")
    return replace(rich, curves=curves, findings=(*kept, *found))


@pytest.mark.parametrize("name", AUDITS)
def test_the_page_is_well_formed_and_loads_nothing(name: str) -> None:
    assert_sound(render(AUDITS[name]()))


def test_a_page_with_curves_is_sound_and_shows_their_verdicts() -> None:
    result = with_curves()
    read = assert_sound(render(result))
    for one in result.curves:
        assert one.verdict.sentence in read.text
        assert f"Picking by {one.proxy_name}" in read.text
    assert "d (a - b log d)" in read.text


def test_every_finding_is_shown_with_its_title_meaning_and_action() -> None:
    result = with_curves()
    read = assert_sound(render(result))
    for finding in (*result.doctor, *result.findings):
        for text in (finding.title, finding.meaning, finding.action):
            assert " ".join(text.split()) in read.text or text == "Nothing."


def test_every_status_is_a_word_beside_its_mark() -> None:
    page = render(rich_audit())
    for word, tone in (
        ("Fail", "fail"),
        ("Warn", "warn"),
        ("Pass", "pass"),
        ("Cannot say", "unsaid"),
    ):
        assert re.search(rf'<span class="status is-{tone}"><svg.*?</svg>{word}</span>', page, re.S)


def test_the_tally_counts_every_finding_once() -> None:
    result = rich_audit()
    read = assert_sound(render(result))
    statuses = [f.status for f in (*result.doctor, *result.findings)]
    for status in Status:
        assert f"{statuses.count(status)} {status.value}" in read.text


def test_what_failed_comes_before_what_warns_in_what_to_do_first() -> None:
    page = render(rich_audit())
    first = page[page.index('id="first"') : page.index('aria-label="Contents"')]
    urgent = first[: first.index("<details")]
    assert urgent.index("Relabel both") < urgent.index("Compare every reward")
    assert "Record the side" not in urgent and "Record the side" in first


def test_what_to_do_names_its_subject_before_the_instruction() -> None:
    page = render(rich_audit())
    first = page[page.index('id="first"') : page.index('aria-label="Contents"')]
    at = first.index("34 pairs appear twice with opposite labels")
    assert at < first.index("Relabel both by a third person")
    assert re.search(r'<p class="what"><a href="#finding-\d+">34 pairs appear twice', first)


def test_warnings_of_the_reward_come_before_those_of_the_data_and_these_by_share() -> None:
    def warns(name: str, count: int | None = None) -> Finding:
        return Finding(name, Status.WARN, f"{name} warns", "m", f"do {name}", None, count, 100)

    broken = replace(warns("broken"), status=Status.FAIL)
    data = (warns("small", 1), warns("large", 70), warns("middle", 5), broken)
    reward = tuple(
        warns(name)
        for name in ("new", "calibration", "length-alone", "ceiling", "optimisation-curve")
    )
    page = render(replace(rich_audit(), doctor=data, findings=reward))
    first = page[page.index('id="first"') : page.index('aria-label="Contents"')]
    order = ["broken", "optimisation-curve", "ceiling", "length-alone", "calibration", "new"]
    at = [first.index(f"do {name}") for name in (*order, "large", "middle", "small")]
    assert at == sorted(at)
    assert at[7] < first.index("1 less urgent</summary>") < at[8], "eight are shown, one is folded"


def test_sections_stand_in_the_order_of_their_links() -> None:
    page = render(rich_audit())
    nav = page[page.index('aria-label="Contents"') : page.index("</nav>")]
    linked = re.findall(r'href="#([a-z]+)"', nav)
    sections = re.findall(r'<section id="([a-z]+)"', page)
    assert linked == [name for name in sections if name != "first"]
    assert linked[0] == "accuracy" and linked.index("curve") < linked.index("data")


def test_the_ceiling_is_drawn_beside_the_accuracy_on_its_own_votes() -> None:
    rich = rich_audit()
    assert rich.ceiling is not None
    part = replace(rich.ceiling, accuracy=replace(rich.ceiling.accuracy, value=0.777))
    page = render(replace(rich, ceiling=part))
    section = page[page.index('<section id="ceiling">') : page.index('<section id="calibration">')]
    assert "this reward 77.7%" in section and "picking the longer" not in section
    assert "On the 620 of 2,290 decided votes whose pair two people voted on." in section
    whole = replace(part, n_votes=part.n_decided)
    page = render(replace(rich, ceiling=whole))
    section = page[page.index('<section id="ceiling">') : page.index('<section id="calibration">')]
    assert "picking the longer" in section and "whose pair" not in section


def test_a_card_shows_what_to_do_and_folds_why() -> None:
    page = render(rich_audit())
    card = page[page.index('<article class="finding is-fail"') :]
    card = card[: card.index("</article>")]
    shown, folded = card.split("<details", 1)
    assert "Relabel both" in shown and "hh_harmless_test.jsonl:118" in shown
    assert "One of the two is wrong" in folded


def test_texts_without_anything_to_see_are_told_apart() -> None:
    read = assert_sound(render(rich_audit()))
    assert "(empty)" in read.text and "(white space only)" in read.text


def test_scores_of_several_fits_are_said_to_stand_on_nearly_one_scale() -> None:
    words = "These scores come from several fits"
    assert words not in render(rich_audit())
    assert words in render(replace(rich_audit(), fitted_here=True))


def test_a_finding_that_cannot_say_is_marked_apart_from_one_that_passed() -> None:
    page = render(rich_audit())
    assert '<article class="finding is-unsaid"' in page
    assert "<b>What is missing:</b> Record the side shown first" in page
    assert "1 check cannot say</span>" in page and "3 checks passed</span>" in page


def test_hostile_texts_are_shown_as_text() -> None:
    page = render(hostile_audit())
    read = assert_sound(page)
    assert '<script>alert("x")</script><img src=http://evil.example/x.png' in read.text
    assert "{{ 7 * 7 }}" in read.text and "&lt;b&gt;" in read.text
    for code in ("0000", "001B", "202E", "200B", "D800", "FFFE", "2028"):
        assert f"⟨U+{code}⟩" in read.text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)
    assert page.count("</style>") == 1 and page.count("<style>") == 1


def test_long_texts_are_shortened_with_the_whole_at_hand() -> None:
    page = render(rich_audit())
    assert f"Whole text, {len(LONG):,} characters" in page
    left_out = len(LONG) - 20_000
    assert f"{left_out:,} more characters are in the file" in page


def test_a_normal_report_is_under_a_megabyte() -> None:
    assert len(render(with_curves()).encode()) < 1_000_000


def test_what_was_not_measured_is_said_and_not_drawn() -> None:
    read = assert_sound(render(bare_audit()))
    assert "the calibration could not be measured" in read.text
    assert "No weights could be fitted" in read.text
    assert "no samples were given" in read.text
    assert "nan" not in re.findall(r"[a-z]+", read.text)


def test_what_was_left_out_is_counted_and_nothing_left_out_is_said() -> None:
    assert "42 rows were left out" in render(rich_audit())
    assert "Every row was used: 3 read, none left out." in render(bare_audit())


def test_settings_version_and_command_are_shown() -> None:
    read = assert_sound(render(rich_audit()))
    assert "rewardlab audit hh_harmless_test.jsonl.gz --out report.html" in read.text
    assert "seed 0" in read.text and "model not set" in read.text and "grouped yes" in read.text


def test_a_finding_no_section_expects_gets_its_own() -> None:
    strange = Finding("strange", Status.WARN, "Something new", "It matters.", "Look at it.")
    read = assert_sound(render(replace(bare_audit(), findings=(strange,))))
    assert "Other findings" in read.text and "Something new" in read.text


def test_a_remedy_that_several_findings_share_is_listed_once() -> None:
    rich = rich_audit()
    lacking = [f for f in rich.doctor if f.status is Status.CANNOT_SAY]
    twice = replace(lacking[0], name="other", title="Another check lacks it too")
    page = render(replace(rich, doctor=(*rich.doctor, twice)))
    first = page[page.index('id="first"') : page.index('aria-label="Contents"')]
    assert first.count(lacking[0].action) == 1
    assert lacking[0].title in first and twice.title in first


def test_folders_are_left_out_of_names_unless_two_files_share_one() -> None:
    rich = rich_audit()
    one = replace(rich, data=replace(rich.data, files=("some/where/hh.jsonl",)))
    found = replace(rich.doctor[2], examples=("some/where/hh.jsonl:7",))
    read = assert_sound(render(replace(one, doctor=(found,))))
    assert "Reward audit hh.jsonl" in read.text and "For example: hh.jsonl:7" in read.text
    two = replace(one, data=replace(rich.data, files=("some/where/hh.jsonl", "else/hh.jsonl")))
    assert "For example: some/where/hh.jsonl:7" in render(replace(two, doctor=(found,))).replace(
        '<code dir="auto">', ""
    )


def test_options_in_actions_do_not_break_over_lines() -> None:
    page = render(rich_audit())
    assert '(<code class="option">--samples FILE</code>)' in page


def test_the_same_audit_gives_the_same_page() -> None:
    assert render(rich_audit()) == render(rich_audit())


def test_hostile_text_is_never_markup_safe_by_itself() -> None:
    assert HOSTILE not in render(hostile_audit())
