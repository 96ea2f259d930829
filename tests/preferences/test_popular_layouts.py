"""The layouts of PKU-SafeRLHF, HelpSteer's preferences and SHP are read as they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import RowError
from rewardlab.preferences.formats import read_preferences
from rewardlab.preferences.writing import write_preferences
from tests.preferences.preference_files import Rows, differences, opened

SAFE: dict[str, Any] = {
    "prompt": "p",
    "response_0": "x",
    "response_1": "y",
    "response_0_source": "m",
    "response_1_source": "n",
    "safer_response_id": 1,
}
SHP: dict[str, Any] = {"history": "p", "human_ref_A": "x", "human_ref_B": "y", "score_ratio": 2.5}
MESSAGES = [{"role": "user", "content": "Hi?"}]
HELPSTEER: dict[str, Any] = {"context": MESSAGES, "response1": "x", "response2": "y"}


def test_the_better_response_of_pku_is_an_index(tmp_path: Path) -> None:
    reader = opened(tmp_path, [{**SAFE, "better_response_id": i} for i in (0, 1, 0)])
    assert reader.layout.name == "pku"
    p = reader.read()
    assert p.outcome.tolist() == [0, 1, 0]
    assert (p.response_a[0], p.item_a[0], p.item_b[0], p.sides_recorded) == ("x", "m", "n", True)
    assert p.extra["safer_response_id"] == [1, 1, 1]
    for wrong in (2, None, True, "a"):
        with pytest.raises(RowError, match=r"line 1: column 'better_response_id'"):
            opened(tmp_path, [{**SAFE, "better_response_id": wrong}]).read()


def test_helpsteer_preferences_have_a_sign_and_a_strength(tmp_path: Path) -> None:
    reader = opened(tmp_path, [{**HELPSTEER, "overall_preference": x} for x in (-3, 0, 2, -1)])
    assert reader.layout.name == "helpsteer"
    p = reader.read()
    assert p.outcome.tolist() == [0, 2, 1, 0]
    assert p.margin.tolist() == [3.0, 0.0, 2.0, 1.0]
    assert p.prompt[0] == MESSAGES
    for wrong in (4, -3.5, None, "left"):
        with pytest.raises(RowError, match=r"line 1: column 'overall_preference'"):
            opened(tmp_path, [{**HELPSTEER, "overall_preference": wrong}]).read()
    older: Rows = [{"prompt": "p", "response_1": "x", "response_2": "y", "preference_strength": -2}]
    assert opened(tmp_path, older).read().outcome.tolist() == [0]


def test_shp_labels_say_whether_a_is_better_and_no_sides_were_shown(tmp_path: Path) -> None:
    reader = opened(tmp_path, [{**SHP, "labels": x} for x in (1, 0, 1)])
    assert (reader.layout.name, reader.layout.sides_recorded) == ("shp", False)
    assert "winner's" not in reader.layout.sentence
    p = reader.read()
    assert p.outcome.tolist() == [0, 1, 0]
    assert p.extra == {"score_ratio": [2.5] * 3}
    assert len(set(p.prompt_id)) == 1
    assert np.isnan(p.margin).all()
    with pytest.raises(RowError, match=r"line 1: column 'labels'"):
        opened(tmp_path, [{**SHP, "labels": 2}]).read()


@pytest.mark.parametrize("layout", ["trl", "native"])
@pytest.mark.parametrize(
    "rows",
    [
        [{**SAFE, "better_response_id": i} for i in (0, 1)],
        [{**HELPSTEER, "overall_preference": x} for x in (-3, 2)],
        [{**SHP, "labels": x} for x in (1, 0)],
    ],
    ids=["pku", "helpsteer", "shp"],
)
def test_they_are_converted_and_read_back_unchanged(
    tmp_path: Path, rows: Rows, layout: Any
) -> None:
    before = opened(tmp_path, rows).read()
    write_preferences(lambda: [before], tmp_path / "out.jsonl", layout=layout)
    assert differences(before, read_preferences(tmp_path / "out.jsonl")) == []
