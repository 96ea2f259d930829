"""Each convention is recognised by its columns and values, and read as it means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.formats import ReadOptions, open_preferences
from rewardlab.types import Preferences
from tests.preferences.preference_files import Rows, opened, write_jsonl

USER = {"role": "user", "content": "Hi?"}
GOOD = {"role": "assistant", "content": "Good."}
BAD = {"role": "assistant", "content": "Bad."}


def read(tmp_path: Path, rows: Rows, name: str, *, sides: bool, **options: Any) -> Preferences:
    """The rows read, once the file is seen to be recognised as ``name``."""
    reader = opened(tmp_path, rows, **options)
    assert (reader.layout.name, reader.layout.sides_recorded) == (name, sides)
    preferences = reader.read()
    assert preferences.sides_recorded is sides
    return preferences


def codes(preferences: Preferences) -> list[int]:
    return [int(code) for code in preferences.outcome]


# --- winner first ------------------------------------------------------------------------------


def test_trl_explicit_strings_keep_margin_ids_and_extra_columns(tmp_path: Path) -> None:
    rows: Rows = [
        {"prompt": "p", "chosen": "g", "rejected": " ", "margin": 2, "prompt_id": 7, "note": [1]},
        {"prompt": "p", "chosen": "g", "rejected": "", "margin": None, "prompt_id": 8},
    ]
    p = read(tmp_path, rows, "trl-explicit", sides=False)
    assert (p.prompt, p.response_a, p.response_b) == (["p", "p"], ["g", "g"], [" ", ""])
    assert codes(p) == [0, 0]
    assert p.label.tolist() == [1.0, 1.0]
    assert p.margin[0] == 2.0
    assert np.isnan(p.margin[1])
    assert (p.id, p.prompt_id, p.extra) == (["1", "2"], ["7", "8"], {"note": [[1], None]})


def test_prompt_ids_are_digests_where_there_is_no_column_for_them(tmp_path: Path) -> None:
    rows: Rows = [{"prompt": x, "chosen": "g", "rejected": "b"} for x in ("p", "q", "p")]
    ids = read(tmp_path, rows, "trl-explicit", sides=False).prompt_id
    assert ids[0] == ids[2] != ids[1]
    assert len(ids[0]) == 24


def test_trl_message_lists_are_kept_exactly(tmp_path: Path) -> None:
    odd = {"role": "assistant", "content": None, "tool_calls": [{"x": 1}]}
    rows: Rows = [{"prompt": [USER], "chosen": [GOOD], "rejected": [odd]}]
    p = read(tmp_path, rows, "trl-explicit", sides=False)
    assert (p.prompt, p.response_a, p.response_b) == ([[USER]], [[GOOD]], [[odd]])


def test_a_prompt_text_with_whole_conversations_gives_the_shared_messages(tmp_path: Path) -> None:
    rows: Rows = [
        {"prompt": "Hi?", "chosen": [USER, GOOD], "rejected": [USER, BAD]},
        {"prompt": "other", "chosen": [USER, GOOD], "rejected": [USER, BAD]},
        {"prompt": "Hi?", "chosen": [GOOD], "rejected": [BAD]},
    ]
    p = read(tmp_path, rows, "trl-explicit", sides=False)
    assert p.prompt == [[USER], [USER], "Hi?"]
    assert p.response_a == [[GOOD]] * 3
    assert p.extra == {"prompt": [None, "other", None]}


def test_implicit_conversations_part_at_their_first_difference(tmp_path: Path) -> None:
    rows: Rows = [
        {"chosen": [USER, GOOD, USER, GOOD], "rejected": [USER, GOOD, USER, BAD]},
        {"chosen": [USER, GOOD], "rejected": [USER, GOOD]},
    ]
    p = read(tmp_path, rows, "trl-implicit", sides=False)
    assert p.prompt == [[USER, GOOD, USER], [USER]]
    assert p.response_b == [[BAD], [GOOD]]


def test_implicit_texts_part_at_a_line_break_or_a_blank_and_lose_nothing(tmp_path: Path) -> None:
    pairs = [
        ("Q: sky?\nIt is blue.", "Q: sky?\nIt is black."),
        ("The sky is blue.", "The sky is black."),
        ("abc", "abd"),
        ("same text", "same text"),
        ("one", "one two"),
    ]
    rows: Rows = [{"chosen": chosen, "rejected": rejected} for chosen, rejected in pairs]
    p = read(tmp_path, rows, "trl-implicit", sides=False)
    assert p.prompt == ["Q: sky?\n", "The sky is", "", "same", ""]
    joined = zip(p.prompt, p.response_a, p.response_b, strict=True)
    assert [(str(x) + str(a), str(x) + str(b)) for x, a, b in joined] == pairs


def test_hh_transcripts_are_cut_at_the_last_shared_assistant_marker(tmp_path: Path) -> None:
    start = "\n\nHuman: Hi\n\nAssistant: Hello\n\nHuman: Why?\n\nAssistant:"
    longer = " So.\n\nHuman: Oh\n\nAssistant: Yes"
    rows: Rows = [
        {"chosen": start + " So.", "rejected": start + " Sad."},
        {"chosen": start + longer, "rejected": start + " Sad."},
        {"chosen": "no turns", "rejected": "here"},
    ]
    p = read(tmp_path, rows, "hh", sides=False)
    assert p.prompt == [start, start, ""]
    assert p.response_a == [" So.", longer, "no turns"]


def test_a_chosen_side_column_records_the_sides(tmp_path: Path) -> None:
    rows: Rows = [
        {"prompt": "p", "chosen": "g", "rejected": "b", "chosen_side": "b", "chosen_model": "m"},
        {"prompt": "p", "chosen": "g", "rejected": "b", "chosen_side": "a", "chosen_model": "m"},
    ]
    p = read(tmp_path, rows, "trl-explicit", sides=True)
    assert (codes(p), p.response_a, p.item_b) == ([1, 0], ["b", "g"], ["m", None])


def test_annotators_of_one_pair_share_its_id_and_its_sides(tmp_path: Path) -> None:
    pair: dict[str, Any] = {"prompt": "p", "chosen": "x", "rejected": "y"}
    swapped: dict[str, Any] = {"prompt": "p", "chosen": "y", "rejected": "x"}
    rows: Rows = [
        {**pair, "annotator": "w1"},
        {**swapped, "annotator": "w2"},
        {**pair, "annotator": 3},
        {"prompt": "q", "chosen": "x", "rejected": "y", "annotator": None},
    ]
    p = read(tmp_path, rows, "trl-explicit", sides=False)
    assert p.id[0] == p.id[1] == p.id[2] != p.id[3]
    assert p.response_a == ["x"] * 4
    assert codes(p) == [0, 1, 0, 0]
    assert p.annotator == ["w1", "w2", "3", None]


# --- sides recorded ----------------------------------------------------------------------------

WORDS = ["model_a", "model_b", "tie", "both_bad", "tie (bothbad)"]


def test_arena_battles_without_texts_name_their_models(tmp_path: Path) -> None:
    rows: Rows = [{"model_a": "x", "model_b": "y", "winner": w, "question_id": 5} for w in WORDS]
    p = read(tmp_path, rows, "arena", sides=True)
    assert codes(p) == [0, 1, 2, 3, 3]
    assert p.label.tolist() == [1.0, 0.0, 0.5, 0.5, 0.5]
    assert (p.item_a[0], p.response_a[0], p.prompt_id[0]) == ("x", None, "5")
    assert not p.has_texts


def test_without_a_prompt_every_pair_is_its_own_prompt(tmp_path: Path) -> None:
    rows: Rows = [{"model_a": "x", "model_b": "y", "winner": "tie"}] * 3
    assert read(tmp_path, rows, "arena", sides=True).prompt_id == ["1", "2", "3"]


def test_arena_conversations_are_parted_from_their_shared_turns(tmp_path: Path) -> None:
    rows: Rows = [
        {
            "model_a": "x",
            "model_b": "y",
            "winner": "model_b",
            "judge": "arena_user_1",
            "conversation_a": [USER, GOOD, USER, BAD],
            "conversation_b": [USER, BAD, USER, GOOD],
            "turn": 2,
        }
    ]
    p = read(tmp_path, rows, "arena", sides=True)
    assert p.prompt == [[USER]]
    assert p.response_b == [[BAD, USER, GOOD]]
    assert (p.annotator, p.extra) == (["arena_user_1"], {"turn": [2]})


def test_arena_responses_are_read_as_texts(tmp_path: Path) -> None:
    rows: Rows = [{"prompt": "p", "response_a": "x", "response_b": "", "winner": "tie"}]
    p = read(tmp_path, rows, "arena", sides=True)
    assert (p.prompt, p.response_a, p.response_b) == (["p"], ["x"], [""])


def test_one_hot_verdicts_with_json_lists_become_texts_or_turns(tmp_path: Path) -> None:
    def row(prompts: list[str], a: list[Any], b: list[Any], won: int) -> dict[str, Any]:
        flags = dict.fromkeys(["winner_model_a", "winner_model_b", "winner_tie"], 0)
        flags[list(flags)[won]] = 1
        texts = {"prompt": prompts, "response_a": a, "response_b": b}
        packed = {name: json.dumps(value) for name, value in texts.items()}
        return {"id": 30192, "model_a": "x", "model_b": "y", **packed, **flags}

    rows: Rows = [
        row(["p"], ["x"], ["y"], 1),
        row(["p", "q"], ["x", None], ["y", "z"], 2),
    ]
    p = read(tmp_path, rows, "arena-one-hot", sides=True)
    assert (p.prompt[0], p.response_a[0], codes(p)) == ("p", "x", [1, 2])
    assert p.prompt[1] == [{"role": "user", "content": "p"}]
    assert p.response_a[1] == [
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None},
    ]
    rows[0]["winner_tie"] = 1
    with pytest.raises(RowError, match=r"line 1.*exactly one 1"):
        opened(tmp_path, rows).read()


def test_crowd_labels_name_the_winning_item_or_a_side(tmp_path: Path) -> None:
    labels = ["cat", "dog", "left", "right", "tie", "both_bad"]
    rows: Rows = [
        {"worker": f"w{i}", "left": "cat", "right": "dog", "label": x} for i, x in enumerate(labels)
    ]
    p = read(tmp_path, rows, "crowd", sides=True)
    assert codes(p) == [0, 1, 0, 1, 2, 3]
    assert (p.item_a[0], p.item_b[0], p.annotator[1]) == ("cat", "dog", "w1")
    assert len(set(p.id)) == 1
    with pytest.raises(
        RowError, match=r"column 'label': got 'left ', expected one of 'cat', 'dog'"
    ):
        opened(tmp_path, [{**rows[0], "label": "left "}]).read()
    with pytest.raises(RowError, match=r"another item than left"):
        opened(tmp_path, [{**rows[0], "right": "cat"}]).read()


def test_alpaca_preferences_are_hard_soft_or_ties(tmp_path: Path) -> None:
    values = [1, 2, 1.5, 0, 1.25, 1.75, 2.0]
    rows: Rows = [
        {"instruction": "p", "input": "", "output_1": "x", "output_2": "y", "preference": value}
        for value in values
    ]
    rows[0] |= {"input": "context", "generator_1": "m", "annotator": "gpt"}
    p = read(tmp_path, rows, "alpaca", sides=True)
    assert codes(p) == [0, 1, 2, 2, 0, 1, 1]
    assert p.label.tolist() == [1.0, 0.0, 0.5, 0.5, 0.75, 0.25, 0.0]
    assert (p.prompt[0], p.prompt[1], p.item_a[0]) == ("p\n\ncontext", "p", "m")
    assert p.extra["input"][0] == "context"


@pytest.mark.parametrize("value", [3, 0.5, -1, None, True, "one", float("nan")])
def test_other_alpaca_preferences_are_refused(tmp_path: Path, value: Any) -> None:
    rows: Rows = [{"instruction": "p", "output_1": "x", "output_2": "y", "preference": value}]
    with pytest.raises(RowError, match=r"line 1: column 'preference'"):
        opened(tmp_path, rows).read()


def test_a_list_of_votes_gives_one_row_a_vote_with_a_shared_id(tmp_path: Path) -> None:
    ballots = [{"annotator": "w1", "label": "a", "seconds": 3}, {"worker": 2, "vote": "tie"}, "b"]
    rows: Rows = [
        {"prompt": "p", "response_a": "x", "response_b": "y", "votes": ballots, "note": "n"},
        {"prompt": "q", "response_a": "x", "response_b": "y", "votes": []},
        {"prompt": "q", "response_a": "x", "response_b": "y", "votes": ["response_b"]},
    ]
    reader = opened(tmp_path, rows)
    p = reader.read()
    assert (codes(p), p.annotator) == ([0, 2, 1, 1], ["w1", "2", None, None])
    assert (p.id, p.line.tolist()) == (["1", "1", "1", "3"], [1, 1, 1, 3])
    assert p.extra == {"note": ["n", "n", "n", None], "votes": [{"seconds": 3}, None, None, None]}
    assert (reader.report.n_rows, reader.report.n_delivered, reader.report.n_votes) == (3, 2, 4)
    assert [(x.reason, x.count) for x in reader.report.left_out] == [("no votes on the pair", 1)]


@pytest.mark.parametrize("ballot", [{"annotator": "w"}, "Model_A", None, 3, {"label": None}, ["a"]])
def test_a_vote_that_names_no_side_is_refused(tmp_path: Path, ballot: Any) -> None:
    rows: Rows = [{"prompt": "p", "response_a": "x", "response_b": "y", "votes": ["a", ballot]}]
    with pytest.raises(RowError, match=r"line 1: column 'votes'"):
        opened(tmp_path, rows).read()


def test_native_rows_hold_every_field(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "prompt": "p",
        "response_a": "x",
        "response_b": "y",
        "outcome": "b",
        "label": 0.25,
    }
    row["sides_recorded"] = False
    rows: Rows = [
        {**row, "item_a": "m"},
        {**row, "response_a": None, "item_a": "m"},
    ]
    p = read(tmp_path, rows, "native", sides=False)
    assert (codes(p), p.label.tolist(), p.response_a) == ([1, 1], [0.25, 0.25], ["x", None])
    with pytest.raises(RowError, match=r"response_a"):
        opened(tmp_path, [{**row, "response_a": None}]).read()
    with pytest.raises(RowError, match=r"line 2: column 'sides_recorded'.*as in the file's first"):
        opened(tmp_path, [row, {**row, "sides_recorded": True}]).read()


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize("value", [True, 3, None, {"x": 1}, [1], [{"role": "user"}], [["x"]]])
@pytest.mark.parametrize("column", ["prompt", "chosen", "rejected"])
def test_a_text_of_a_wrong_type_is_named(tmp_path: Path, column: str, value: Any) -> None:
    good: dict[str, Any] = {"prompt": "p", "chosen": "x", "rejected": "y"}
    with pytest.raises(RowError, match=r"line 2: column.*expected text or a list") as caught:
        opened(tmp_path, [good, {**good, column: value}]).read()
    assert caught.value.column == column


def test_a_key_that_one_row_lacks_is_named(tmp_path: Path) -> None:
    rows: Rows = [
        {"prompt": "p", "chosen": "x", "rejected": "y"},
        {"prompt": "p", "chosen": "x"},
    ]
    with pytest.raises(RowError, match=r"line 2: column 'rejected': got nothing .no such key."):
        opened(tmp_path, rows).read()


@pytest.mark.parametrize("word", ["Model_A", "model_a ", "", None, 1, "a wins", ["model_a"]])
def test_an_unknown_winner_is_never_turned_into_anything(tmp_path: Path, word: Any) -> None:
    rows: Rows = [{"model_a": "x", "model_b": "y", "winner": word}]
    with pytest.raises(RowError, match=r"line 1: column 'winner'.*expected one of a, model_a"):
        opened(tmp_path, rows).read()


def test_texts_and_messages_are_not_compared(tmp_path: Path) -> None:
    rows: Rows = [{"prompt": "p", "chosen": "x", "rejected": [BAD]}]
    with pytest.raises(RowError, match=r"column 'rejected'.*text, as in 'chosen'"):
        opened(tmp_path, rows).read()


def test_bad_rows_are_left_out_and_counted_by_reason_on_request(tmp_path: Path) -> None:
    good: dict[str, Any] = {"prompt": "p", "chosen": "x", "rejected": "y"}
    rows: Rows = [
        good,
        {**good, "chosen": True},
        {**good, "chosen": False},
        {**good, "rejected": None},
    ]
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    with path.open("a") as file:
        file.write('{"prompt": \n\n')
    reader = open_preferences(path, ReadOptions(on_bad="count"))
    assert len(reader.read()) == 1
    counted = {x.reason: (x.count, x.examples) for x in reader.report.left_out}
    assert counted == {
        "chosen is a boolean": (2, (f"{path}:2", f"{path}:3")),
        "rejected is null": (1, (f"{path}:4",)),
        "not valid JSON": (1, (f"{path}:5",)),
    }
    assert reader.report.n_rows == 5
    assert any("1 blank line" in sentence for sentence in reader.report.sentences)


def test_a_file_of_bad_rows_alone_is_refused_even_when_they_are_counted(tmp_path: Path) -> None:
    rows: Rows = [{"prompt": "p", "chosen": True, "rejected": "y"}] * 3
    with pytest.raises(FormatError, match=r"all 3 rows were left out: 3: chosen is a boolean"):
        opened(tmp_path, rows, on_bad="count").read()


def test_verl_prompts_are_refused_with_what_to_do(tmp_path: Path) -> None:
    rows: Rows = [
        {
            "data_source": "gsm8k",
            "prompt": [USER],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": "4"},
            "extra_info": {},
        }
    ]
    with pytest.raises(FormatError, match=r"no responses to compare; sample responses"):
        opened(tmp_path, rows)
