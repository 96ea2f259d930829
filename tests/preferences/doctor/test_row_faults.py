"""Each fault of a single row: planted, found with its exact count and lines, absent when clean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rewardlab.preferences.doctor import examine
from rewardlab.preferences.doctor.turns import markers
from rewardlab.preferences.formats import LeftOut, ReadOptions, open_preferences
from rewardlab.types import Outcome, Status, Text
from tests.preferences.doctor.planting import Given, clean_rows, diagnose

ROW_FAULTS = [
    "wrong-types",
    "unusable-rows",
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
]


def planted(*rows: Given) -> list[Given]:
    """Ten clean rows (lines 1 to 10), then the given ones from line 11 on."""
    return [*clean_rows(10, seed=3), *rows]


@pytest.mark.parametrize("name", ROW_FAULTS)
def test_clean_rows_pass_with_a_count_of_zero(name: str) -> None:
    finding = diagnose(clean_rows(30, seed=2))[name]
    assert (finding.status, finding.count, finding.total) == (Status.PASS, 0, 30)
    assert finding.examples == ()


def test_identical_sides_fail_where_one_of_them_won() -> None:
    rows = planted(Given(a="same", b="same"), Given(a="same", b="same", outcome=Outcome.TIE))
    finding = diagnose(rows)["identical-sides"]
    assert (finding.status, finding.count, finding.total) == (Status.FAIL, 2, 12)
    assert finding.examples == ("f.jsonl:11", "f.jsonl:12")
    assert finding.details == {"decided": 1, "undecided": 1}


def test_identical_sides_called_a_tie_are_only_a_warning() -> None:
    finding = diagnose(planted(Given(a="same", b="same", outcome=Outcome.TIE)))["identical-sides"]
    assert finding.status is Status.WARN


def test_message_lists_that_differ_in_role_alone_are_not_identical() -> None:
    a: Text = [{"role": "assistant", "content": "same"}]
    b: Text = [{"role": "tool", "content": "same"}]
    assert diagnose(planted(Given(a=a, b=b)))["identical-sides"].count == 0
    assert diagnose(planted(Given(a=a, b=a)))["identical-sides"].count == 1


def test_sides_that_differ_in_white_space_alone_are_found() -> None:
    finding = diagnose(planted(Given(a="one two", b=" one\n two ")))["same-but-spaces"]
    assert (finding.status, finding.count) == (Status.WARN, 1)
    assert finding.examples == ("f.jsonl:11",)


def test_blank_sides_are_told_apart_and_fail_only_where_they_win() -> None:
    rows = planted(
        Given(a="", outcome=Outcome.B),
        Given(b="", outcome=Outcome.TIE),
        Given(a=" \n", outcome=Outcome.A),
        Given(b="\t", outcome=Outcome.BOTH_BAD),
    )
    found = diagnose(rows)
    empty, space = found["empty-sides"], found["whitespace-sides"]
    assert (empty.status, empty.count) == (Status.WARN, 2)
    assert empty.examples == ("f.jsonl:11", "f.jsonl:12")
    assert (empty.details["blank_lost"], empty.details["blank_tied"]) == (1, 1)
    assert (space.status, space.count) == (Status.FAIL, 2)
    assert space.examples == ("f.jsonl:13", "f.jsonl:14")
    assert (space.details["blank_won"], space.details["both_bad"]) == (1, 1)


def test_votes_on_one_blank_pair_are_counted_as_votes_and_as_one_pair() -> None:
    rows = planted(*(Given(a="", outcome=Outcome.B, id="p", annotator=w) for w in "uvw"))
    finding = diagnose(rows)["empty-sides"]
    assert (finding.count, finding.details["pairs"]) == (3, 1)


def test_a_tolerated_share_turns_a_failure_into_a_pass_that_still_tells_the_count() -> None:
    rows = planted(Given(a="", outcome=Outcome.A))
    finding = diagnose(rows, max_share={"empty-sides": 0.1})["empty-sides"]
    assert (finding.status, finding.count) == (Status.PASS, 1)
    assert "1 row" in finding.title
    assert diagnose(rows, max_share={"empty-sides": 0.09})["empty-sides"].status is Status.FAIL


def test_rows_that_could_not_be_read_fail_with_their_reasons() -> None:
    lost = (
        LeftOut("response_a is a boolean", 2, ("f.jsonl:41", "f.jsonl:43"), "unreadable"),
        LeftOut("no text joined", 1, ("f.jsonl:44",), "unusable"),
        LeftOut("kind is not 'crowd'", 5, ("f.jsonl:45",), "filtered"),
    )
    found = diagnose(clean_rows(8, seed=1), left_out=lost)
    finding = found["wrong-types"]
    assert (finding.status, finding.count, finding.total) == (Status.FAIL, 2, 11)
    assert finding.examples == ("f.jsonl:41", "f.jsonl:43")
    assert finding.details == {"reasons": {"response_a is a boolean": 2}}
    unusable = found["unusable-rows"]
    assert (unusable.status, unusable.count, unusable.total) == (Status.WARN, 1, 11)
    assert unusable.examples == ("f.jsonl:44",)


def test_without_a_single_readable_row_nothing_passes() -> None:
    lost = (LeftOut("winner is blank", 3, ("f.jsonl:1",), "unreadable"),)
    found = diagnose([], left_out=lost)
    failed = [f.name for f in found.findings if f.status is Status.FAIL]
    assert failed == ["wrong-types", "rows"]
    assert len(found.findings) == 3


def test_a_missing_prompt_is_found() -> None:
    finding = diagnose(planted(Given(prompt=" \n", prompt_id="x")))["missing-prompts"]
    assert (finding.status, finding.count) == (Status.WARN, 1)
    assert finding.examples == ("f.jsonl:11",)


def test_a_prompt_repeated_in_both_responses_fails_and_in_one_warns() -> None:
    prompt = "What is the capital of France?"
    both = Given(prompt=prompt, a=prompt + " Paris.", b=" " + prompt + " Rome.")
    one = Given(prompt=prompt, a=prompt + " Paris.", b="Rome.")
    finding = diagnose(planted(both, one))["prompt-in-response"]
    assert (finding.status, finding.count, finding.details["both_sides"]) == (Status.FAIL, 2, 1)
    assert diagnose(planted(one))["prompt-in-response"].status is Status.WARN


@pytest.mark.parametrize(
    ("text", "turns", "inline"),
    [
        ("Sure.\n\nHuman: and then?", 1, 0),
        ("Sure.\nUser: and then?\nAssistant: this.", 2, 0),
        (" Human: I mean it", 0, 1),
        ("So it is.  Human: and then?", 0, 1),
        ("Fine <|im_start|>user", 0, 1),
        ("Done.</s>", 0, 1),
        ("[INST] go [/INST]", 0, 2),
        ("text\n### Response:\nmore", 1, 0),
        ("text\n**User:** more", 1, 0),
        ("class User:\n    name: str", 0, 0),
        ("Your Virtual Assistant: here to help", 0, 0),
        ("The human condition: a study of humans and assistants", 0, 0),
        ("<b>bold</b> and <s>struck</s> text with a[0] and x < y", 0, 0),
    ],
)
def test_markers_that_start_a_line_are_turns_and_others_are_inline(
    text: str, turns: int, inline: int
) -> None:
    found = markers(text)
    assert (found.turns, found.inline) == (turns, inline)


def test_turns_and_markers_are_found_in_their_places() -> None:
    transcript = "Human: hi\n\nAssistant: hello\n\nHuman: go on\n\nAssistant:"
    rows = planted(
        Given(prompt=transcript, a=" yes\n\nHuman: really?", b=" no"),
        Given(prompt=transcript, a=" Human: what?", b=" no"),
        Given(prompt="Human: hi\n\nAssistant: Human: hi?\n\nHuman: bye\n\nAssistant:"),
        Given(prompt="Human: hi\n\nHuman: are you there?\n\nAssistant:"),
    )
    found = diagnose(rows)
    assert found["extra-turns"].examples == ("f.jsonl:11",)
    assert found["unequal-turns"].examples == ("f.jsonl:11",)
    assert found["inline-role-markers"].examples == ("f.jsonl:12", "f.jsonl:13")
    parts = found["inline-role-markers"].details
    assert (parts["in_prompt"], parts["in_response"]) == (1, 1)
    assert found["repeated-roles"].examples == ("f.jsonl:14",)
    names = ("extra-turns", "unequal-turns", "inline-role-markers", "repeated-roles")
    assert all(found[name].status is Status.WARN for name in names)


def test_turns_of_message_lists_are_read_from_their_roles() -> None:
    def message(role: str) -> dict[str, str]:
        return {"role": role, "content": "text of " + role}

    twice: Text = [message("user"), message("user")]
    tools: Text = [message("user"), message("assistant"), message("tool"), message("tool")]
    goes_on: Text = [message("assistant"), message("user"), message("assistant")]
    agent: Text = [message("assistant"), message("tool"), message("assistant")]
    rows = planted(
        Given(prompt=twice),
        Given(prompt=tools),
        Given(a=goes_on, b=[message("assistant")]),
        Given(a=agent, b=[message("assistant")]),
    )
    found = diagnose(rows)
    assert found["repeated-roles"].examples == ("f.jsonl:11",)
    assert found["extra-turns"].examples == ("f.jsonl:13",)
    assert found["unequal-turns"].examples == ("f.jsonl:13",)


def test_two_whole_conversations_side_by_side_are_sound() -> None:
    def talk(*contents: str) -> Text:
        roles = ("assistant", "user")
        return [{"role": roles[i % 2], "content": c} for i, c in enumerate(contents)]

    rows = planted(
        Given(a=talk("hello", "User: and then?", "this"), b=talk("hi", "User: and then?", "that")),
        Given(a=talk("hello", "go on", "this\nHuman: more"), b=talk("hi", "go on", "that")),
        Given(a=talk("hello", "go on"), b=talk("hi", "go on", "that")),
    )
    found = diagnose(rows)
    assert found["extra-turns"].examples == ("f.jsonl:12", "f.jsonl:13")
    assert found["unequal-turns"].count == 0 and found["inline-role-markers"].count == 0


def test_an_arena_file_of_two_turns_each_holds_no_extra_turns(tmp_path: Path) -> None:
    prompts = [["Name a fruit.", "And another?"]] * 3
    answers = [["Apple.", "Pear."], ["Fig.", "Plum."], ["Lime.", "Kiwi.\n\nHuman: stop"]]
    rows = [
        {
            "id": i,
            "prompt": json.dumps(prompts[i]),
            "response_a": json.dumps(answers[i]),
            "response_b": json.dumps(["Quince.", f"Date {i}."]),
            "winner_model_a": 1,
            "winner_model_b": 0,
            "winner_tie": 0,
        }
        for i in range(3)
    ]
    file = tmp_path / "arena.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = examine(open_preferences(file, ReadOptions()))
    assert found["extra-turns"].examples == (f"{file}:3",)
    assert found["unequal-turns"].status is Status.PASS


def test_what_becomes_of_unreadable_rows_is_told_command_by_command() -> None:
    lost = (LeftOut("response_a is a boolean", 1, ("f.jsonl:9",), "unreadable"),)
    action = diagnose(clean_rows(8, seed=1), left_out=lost)["wrong-types"].action
    assert "Doctor and audit leave them out and count them" in action
    assert "all other commands refuse them unless told to do the same (--skip-bad)" in action


def test_invisible_and_broken_characters_are_found_and_counted_by_kind() -> None:
    rows = planted(
        Given(a="bell \x07"),
        Given(b="zero\u200bwidth"),
        Given(prompt="left\u202eright"),
        Given(a="broken \ufffd"),
        Given(a="lone \ud800"),
        Given(b="joiner\u200dbetween letters"),
    )
    finding = diagnose(rows, examples=10)["odd-characters"]
    assert (finding.status, finding.count) == (Status.WARN, 6)
    assert finding.examples == tuple(f"f.jsonl:{i}" for i in range(11, 17))
    kinds = ("control", "zero_width", "direction_override", "broken")
    assert [finding.details[k] for k in kinds] == [1, 2, 1, 2]


def test_emoji_tabs_and_no_break_spaces_are_counted_without_a_warning() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    rows = planted(Given(a=f"a\tb\r\nc {family}"), Given(b="10\u00a0km, déjà vu, 日本"))
    finding = diagnose(rows)["odd-characters"]
    assert (finding.status, finding.count) == (Status.PASS, 0)
    assert finding.details["outside_basic_plane"] == 1
    assert finding.details["no_break_space"] == 1


def test_a_cut_in_characters_that_hides_the_difference_is_found() -> None:
    same = "x" * 40
    rows = [
        Given(prompt="p" * 20, a=same + "A", b=same + "B"),
        Given(prompt="p" * 60, a="A", b="B"),
        Given(prompt="p" * 20, a="A" + same, b="B" + same),
    ]
    finding = diagnose(rows, truncate_chars=60)["cut-alike-chars"]
    assert finding.examples == ("f.jsonl:1", "f.jsonl:2")
    assert (finding.status, finding.count) == (Status.WARN, 2)
    assert finding.details["prompt_fills_the_limit"] == 1
    assert finding.details["response_alone_alike"] == 0
    assert finding.details["rows_cut_at_all"] == 3
    assert diagnose(rows, truncate_chars=61)["cut-alike-chars"].count == 0
    alone = diagnose(rows, truncate_chars=40)["cut-alike-chars"]
    assert alone.details["response_alone_alike"] == 1


def test_a_cut_in_tokens_that_hides_the_difference_is_found() -> None:
    rows = [Given(prompt="one two", a="three  four five", b="three four\nsix")]
    finding = diagnose(rows, truncate_tokens=4)["cut-alike-tokens"]
    assert (finding.status, finding.examples) == (Status.WARN, ("f.jsonl:1",))
    assert diagnose(rows, truncate_tokens=5)["cut-alike-tokens"].count == 0


def test_a_cut_is_not_blamed_for_sides_that_were_identical_before() -> None:
    rows = [Given(prompt="p" * 20, a="same " * 20, b="same " * 20)]
    found = diagnose(rows, truncate_chars=30, truncate_tokens=5)
    assert (found["cut-alike-chars"].count, found["cut-alike-tokens"].count) == (0, 0)


def test_negative_margins_of_winners_fail() -> None:
    rows = planted(Given(margin=2.0), Given(margin=-1.5), Given(margin=-3, outcome=Outcome.TIE))
    finding = diagnose(rows)["negative-margins"]
    assert (finding.status, finding.count, finding.total) == (Status.FAIL, 1, 2)
    assert finding.examples == ("f.jsonl:12",)
    assert diagnose(planted(Given(margin=2.0)))["negative-margins"].status is Status.PASS
