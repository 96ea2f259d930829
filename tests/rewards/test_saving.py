"""A saved reward: everything in it, read back exactly, damage and strangers refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import ModelError
from rewardlab.rewards.feature_fit import TextFeatureFit, fit_text_feature_reward
from rewardlab.rewards.saving import FILE_NAME, load, save
from rewardlab.rewards.training_prompts import FILE_NAME as PROMPTS_FILE_NAME
from rewardlab.rewards.training_prompts import load_training_prompts
from tests.rewards.simulated_preferences import simulate

FEATURES = ["log_words", "hedges", "warmth"]


@pytest.fixture(scope="module")
def fitted() -> TextFeatureFit:
    data = simulate(200, {"hedges": -0.5}, np.random.default_rng(0))
    return fit_text_feature_reward(data, rng=np.random.default_rng(3), features=FEATURES)


@pytest.fixture
def folder(fitted: TextFeatureFit, tmp_path: Path) -> Path:
    save(fitted, tmp_path / "new" / "model")
    return tmp_path / "new" / "model"


def record(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    return content


def test_a_saved_reward_scores_as_the_fitted_one(fitted: TextFeatureFit, folder: Path) -> None:
    prompts, responses = ["Why?", "I think so?"], ["Perhaps. Glad to help!", ""]
    np.testing.assert_array_equal(
        load(folder)(prompts, responses), fitted.reward(prompts, responses)
    )


def test_the_file_holds_what_a_reader_needs(fitted: TextFeatureFit, folder: Path) -> None:
    content = record(folder)
    assert [feature["name"] for feature in content["features"]] == FEATURES
    first = content["features"][0]
    assert first["weight_per_unit"] == pytest.approx(first["weight_per_sd"] / first["sd"])
    assert first["without_penalty"]["low"] < first["without_penalty"]["high"]
    assert content["prediction"]["l2"] == fitted.prediction.l2
    assert content["settings"] == {"ties": "half", "margin_in_loss": False, "seed": 3}
    assert content["data"]["comparisons"] == 200
    assert content["held_out"]["accuracy"]["low"] < content["held_out"]["accuracy"]["value"]


def test_refused_intervals_are_saved_with_their_reason(tmp_path: Path) -> None:
    data = simulate(200, {}, np.random.default_rng(0), n_prompts=4)
    fit = fit_text_feature_reward(data, rng=np.random.default_rng(3), features=FEATURES)
    save(fit, tmp_path)
    assert "collect more prompts" in record(tmp_path)["intervals"]["refused"]
    assert record(tmp_path)["features"][0]["without_penalty"] is None
    assert load(tmp_path).names == tuple(FEATURES)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["kind"], "other", "no reward of text features"),
        (["version"], 99, "version: expected 1, got 99; fit the reward again"),
        (["version"], True, "version: expected 1, got True"),
        (["features_version"], 0, "features_version: expected"),
        (["features"], [], "features: expected a list that is not empty"),
        (["features", 0, "name"], "beauty", "'beauty' is no known feature"),
        (["features", 0, "name"], "hedges", "given twice"),
        (["features", 1, "sd"], 0, "sd: expected a number > 0"),
        (["features", 1, "mean"], "x", "mean: expected a number, got 'x'"),
        (["features", 1, "mean"], True, "mean: expected a number, got True"),
        (["features", 2, "weight_per_sd"], None, "weight_per_sd: expected a number"),
    ],
)
def test_a_changed_file_is_refused_with_the_place(
    folder: Path, path: list[Any], value: object, message: str
) -> None:
    content = record(folder)
    inner: Any = content
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    (folder / FILE_NAME).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        load(folder)


def test_a_missing_value_is_named(folder: Path) -> None:
    content = record(folder)
    del content["features"][1]["sd"]
    (folder / FILE_NAME).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelError, match=r"features\[1\]: expected a value named 'sd'"):
        load(folder)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '{"kind": NaN}', "[" * 100_000])
def test_damaged_json_is_refused(folder: Path, text: str) -> None:
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=FILE_NAME):
        load(folder)


def test_bytes_that_are_no_text_and_missing_folders_are_refused(
    folder: Path, fitted: TextFeatureFit
) -> None:
    (folder / FILE_NAME).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match="no valid JSON"):
        load(folder)
    with pytest.raises(ModelError, match="cannot be read"):
        load(folder / "nowhere")
    with pytest.raises(ModelError, match="cannot be written"):
        save(fitted, folder / FILE_NAME / "below-a-file")


def test_half_a_folder_is_refused_with_what_to_copy(folder: Path) -> None:
    for name, read in ((FILE_NAME, load), (PROMPTS_FILE_NAME, load_training_prompts)):
        (folder / name).unlink()
        with pytest.raises(ModelError, match=rf"{name}: cannot be read: .*; copy the whole folder"):
            read(folder)


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=60, deadline=None)
@given(choice=st.data(), junk=JUNK)
def test_a_file_with_any_value_changed_loads_or_is_refused(
    choice: st.DataObject,
    junk: Any,
    fitted: TextFeatureFit,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("model")
    save(fitted, folder)
    content = record(folder)
    inner: Any = content
    key = choice.draw(st.sampled_from(sorted(inner)))
    while isinstance(inner[key], dict | list) and inner[key] and choice.draw(st.booleans()):
        inner = inner[key]
        keys: list[Any] = sorted(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = choice.draw(st.sampled_from(keys))
    inner[key] = junk
    (folder / FILE_NAME).write_text(json.dumps(content), encoding="utf-8")
    try:
        rewards = load(folder)(["Why?"], ["Perhaps."])
    except ModelError:
        return
    assert rewards.shape == (1,)
