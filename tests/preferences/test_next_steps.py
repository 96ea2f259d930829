"""A file that is refused is refused with what to do next."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.formats import open_preferences
from tests.preferences.preference_files import Rows, opened

RATED: dict[str, Any] = {"prompt": "p", "response": "x", "helpfulness": 3}


def refusal(tmp_path: Path, rows: Rows) -> str:
    with pytest.raises(FormatError) as caught:
        opened(tmp_path, rows)
    return str(caught.value)


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
