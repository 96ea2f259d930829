"""A file that is refused is refused with what to do next."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.formats import open_preferences
from tests.preferences.preference_files import Rows, opened

RATED: dict[str, Any] = {"prompt": "p", "response": "x", "helpfulness": 3}


def refusal(tmp_path: Path, rows: Rows, **options: Any) -> str:
    with pytest.raises(FormatError) as caught:
        opened(tmp_path, rows, **options)
    return str(caught.value)


def recipe(said: str) -> dict[str, Any]:
    """The options for a crowd table that a refusal gives, as ``opened`` takes them."""
    assert "--format crowd" in said
    columns = dict(re.findall(r"--column (left|right|label)=([^ ;]+)", said))
    return {"format": "crowd", "columns": columns}


def test_ratings_of_several_responses_a_prompt_may_be_samples(tmp_path: Path) -> None:
    alone = refusal(tmp_path, [RATED, {**RATED, "prompt": "q"}])
    assert "--rating NAME, one of: helpfulness" in alone
    assert "rewardlab curve" not in alone
    several = refusal(tmp_path, [RATED, RATED])
    assert "--rating NAME, one of: helpfulness" in several
    assert "if these are samples to choose from, use rewardlab curve" in several


@pytest.mark.parametrize("group", ["prompt_id", "question_id", "prompt"])
def test_samples_without_pairs_are_sent_to_the_curve(tmp_path: Path, group: str) -> None:
    rows: Rows = [{group: f"p{i // 4}", "proxy": i / 2, "gold": None} for i in range(8)]
    assert "these look like samples: use rewardlab curve" in refusal(tmp_path, rows)
    apart = [{**row, group: f"p{i}"} for i, row in enumerate(rows)]
    assert "rewardlab curve" not in refusal(tmp_path, apart)


def test_misspelt_pairs_are_not_taken_for_samples(tmp_path: Path) -> None:
    row = {"prompt_id": "1", "prompt": "p", "choosen": "x", "rejected": "y", "margin": 2}
    assert "rewardlab curve" not in refusal(tmp_path, [row, row])


def test_texts_of_pairs_without_votes_belong_after_join(tmp_path: Path) -> None:
    text = {"pair_id": 0, "prompt_id": 8, "prompt": "p", "response_x": "x", "response_y": "y"}
    said = refusal(tmp_path, [text, {**text, "pair_id": 1, "model_x": 7}])
    assert "it belongs after --join" in said
    assert "rewardlab curve" not in said


def test_the_real_files_of_texts_and_samples_get_their_next_step(data_dir: Path) -> None:
    with pytest.raises(FormatError, match="it belongs after --join"):
        open_preferences(data_dir / "llmfao_pairs_text.jsonl.gz")
    with pytest.raises(FormatError, match="these look like samples: use rewardlab curve"):
        open_preferences(data_dir / "bon16_samples.csv.gz")


def test_single_judgements_and_steps_hold_no_pairs(tmp_path: Path) -> None:
    unpaired = refusal(tmp_path, [{"prompt": "p", "completion": "x", "label": True}])
    assert "these are unpaired" in unpaired
    assert "no pairs in it" in unpaired
    assert "chosen and rejected" in unpaired
    steps = refusal(tmp_path, [{"prompt": "p", "completions": ["x"], "labels": [True]}])
    assert "no pairs in it" in steps
    rankings = refusal(tmp_path, [{"prompt": "p", "responses": ["x", "y"], "ranks": [1, 2]}])
    assert "--from-rankings" in rankings


def test_a_pipe_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")  # opening it would wait for ever
    with pytest.raises(FormatError, match=r"a pipe can be read only once.*save it as a file"):
        open_preferences(tmp_path / "pipe.jsonl")


def test_other_encodings_are_refused_with_the_command_that_converts_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "p", "chosen": "x", "rejected": "y"}\n', encoding="utf-16")
    with pytest.raises(FormatError, match="iconv -f UTF-16 -t UTF-8"):
        open_preferences(path)
    path.write_text('{"prompt": "é", "chosen": "x", "rejected": "y"}\n', encoding="latin-1")
    with pytest.raises(RowError, match=r"line 1: .*iconv -f LATIN1 -t UTF-8"):
        open_preferences(path)
    csv = tmp_path / "rows.csv"
    csv.write_text("prompt,chosen,rejected,é\np,x,y,z\n", encoding="latin-1")
    with pytest.raises(FormatError, match=r"line 1: the header.*iconv -f LATIN1 -t UTF-8"):
        open_preferences(csv)


@pytest.mark.parametrize("as_list", [True, False])
def test_sharegpt_messages_are_refused_with_their_renaming(tmp_path: Path, as_list: bool) -> None:
    def said(who: str, text: str) -> Any:
        message = {"from": who, "value": text}
        return [message] if as_list else message

    row = {"prompt": "p", "chosen": said("gpt", "x"), "rejected": said("gpt", "y")}
    with pytest.raises(RowError, match=r"line 1: .*ShareGPT.*from.*role.*value.*content"):
        opened(tmp_path, [row]).read()
    good = {"prompt": "p", "chosen": "x", "rejected": "y"}
    reader = opened(tmp_path, [good, row], on_bad="count")
    assert len(reader.read()) == 1
    assert [x.reason for x in reader.report.left_out] == ["chosen holds ShareGPT's messages"]


@pytest.mark.parametrize("names", [("model_a", "model_b", "winner"), ("home", "away", "result")])
def test_items_as_winners_are_refused_with_the_recipe_that_reads_them(
    tmp_path: Path, names: tuple[str, str, str]
) -> None:
    rows: Rows = [dict(zip(names, row, strict=True)) for row in ("xyx", "yzz", ("x", "z", "tie"))]
    mapped = dict(zip(("item_a", "model_b", "winner"), names, strict=True))
    with pytest.raises(RowError, match="as the file names the item that won") as caught:
        opened(tmp_path, rows, columns=mapped).read()
    assert "--labels" not in str(caught.value)
    assert opened(tmp_path, rows, **recipe(str(caught.value))).read().outcome.tolist() == [0, 1, 2]
    reader = opened(tmp_path, rows, columns=mapped, on_bad="count")
    assert len(reader.read()) == 1
    assert [x.reason for x in reader.report.left_out] == [f"{names[2]} names an item"]


@pytest.mark.parametrize(("winner", "loser"), [("winner", "loser"), ("winner_name", "loser_name")])
def test_winners_beside_losers_are_refused_with_the_recipe_that_reads_them(
    tmp_path: Path, winner: str, loser: str
) -> None:
    rows: Rows = [{winner: "x", loser: "y"}, {winner: "z", loser: "y"}]
    said = refusal(tmp_path, rows)
    assert "where each row names the winner and the loser" in said
    assert "has its columns, but not its values" not in said
    assert opened(tmp_path, rows, **recipe(said)).read().outcome.tolist() == [0, 0]


@pytest.mark.parametrize("needs", ["votes", "items"])
def test_who_needs_items_is_told_of_layouts_that_name_items(tmp_path: Path, needs: str) -> None:
    rows: Rows = [{"home": "x", "away": "y", "result": "a"}]
    said = refusal(tmp_path, rows, needs=needs)
    assert "nearest: arena misses winner, either model_a and model_b, or response_a" in said
    assert "such as --column item_a=LEFT --column item_b=RIGHT --column winner=WON" in said
    assert "chosen" not in said
    assert "such as --column chosen=better" in refusal(tmp_path, rows)
    misspelt: Rows = [{"prompt": "p", "choosen": "x", "rejected": "y"}]
    assert "chosen (did you mean 'choosen'?)" in refusal(tmp_path, misspelt, needs=needs)


def test_a_column_that_is_named_brings_its_layout_forward(tmp_path: Path) -> None:
    rows: Rows = [{"home": "x", "away": "y", "result": "a"}]
    said = refusal(tmp_path, rows, columns={"model_a": "home"}, needs="items")
    assert "nearest: arena misses winner, either model_b, or" in said
    assert "--column item_a=" in said


def test_places_are_sent_to_rankings_with_a_row_a_place(tmp_path: Path) -> None:
    rows: Rows = [{"race": 1, "driver": name, "Place": i} for i, name in enumerate("xyz", 1)]
    options = "--ranking COLUMN --place Place --item COLUMN"
    assert options in refusal(tmp_path, rows, needs="items")
    assert options not in refusal(tmp_path, rows)


def test_what_was_asked_for_is_named_with_its_option(tmp_path: Path) -> None:
    rows: Rows = [{"model_a": "x", "model_b": "y", "winner": "model_a"}]
    ranked = refusal(tmp_path, rows, from_rankings=True)
    assert "these are preferences, where rankings were asked for (--rankings, --from" in ranked
    assert "where ratings were asked for (--rating)" in refusal(tmp_path, rows, rating="score")
    whole: Rows = [{"prompt": "p", "responses": ["x", "y"], "ranks": [1, 2]}]
    assert "or fit them whole with --rankings" in refusal(tmp_path, whole, needs="items")
