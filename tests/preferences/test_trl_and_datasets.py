"""Files of HF datasets are read, and files written for TRL are what TRL and datasets expect."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.preferences.formats import open_preferences, read_preferences
from rewardlab.preferences.prompt_cuts import shared_messages
from rewardlab.preferences.writing import write_preferences
from tests.preferences.preference_files import differences, write_jsonl

pytestmark = pytest.mark.extras

MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": st.sampled_from("xyz")}
    ),
    min_size=1,
    max_size=5,
)
PAIRS: list[dict[str, Any]] = [
    {"prompt": f"p{i}", "chosen": "good", "rejected": "bad", "margin": i / 4, "tags": ["x"] * i}
    for i in range(5)
]


def _datasets() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("datasets", reason="needs the extra lm (datasets)")


def _data_utils() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("trl.data_utils", reason="needs the extra lm (trl)")


@settings(max_examples=200, deadline=None)
@given(prefix=MESSAGES, chosen=MESSAGES, rejected=MESSAGES)
def test_our_prompts_are_trls_on_message_lists(
    prefix: list[dict[str, Any]], chosen: list[dict[str, Any]], rejected: list[dict[str, Any]]
) -> None:
    pair = {"chosen": prefix + chosen, "rejected": prefix + rejected}
    theirs = _data_utils().extract_prompt(pair)
    assert theirs["prompt"] == pair["chosen"][: shared_messages(pair["chosen"], pair["rejected"])]


def test_a_dataset_really_saved_by_datasets_is_read(tmp_path: Path) -> None:
    datasets = _datasets()
    datasets.Dataset.from_list(PAIRS).save_to_disk(str(tmp_path / "saved"), num_shards=2)
    preferences = read_preferences(tmp_path / "saved")
    expected = read_preferences(write_jsonl(tmp_path / "pairs.jsonl", PAIRS))
    assert differences(preferences, expected) == []
    assert preferences.line.tolist() == [1, 2, 3, 4, 5]


def test_the_splits_of_a_dataset_dict_are_kept(tmp_path: Path) -> None:
    datasets = _datasets()
    whole = datasets.Dataset.from_list(PAIRS)
    parts = datasets.DatasetDict({"train": whole.select(range(3)), "test": whole.select([4])})
    parts.flatten_indices().save_to_disk(str(tmp_path / "saved"))
    preferences = read_preferences(tmp_path / "saved")
    assert preferences.split == ["train"] * 3 + ["test"]
    assert preferences.prompt == ["p0", "p1", "p2", "p4"]


def test_rows_picked_by_an_index_are_saved_in_their_order(tmp_path: Path) -> None:
    datasets = _datasets()
    picked = datasets.Dataset.from_list(PAIRS).select([3, 0, 2])
    picked.save_to_disk(str(tmp_path / "saved"))
    assert read_preferences(tmp_path / "saved").prompt == ["p3", "p0", "p2"]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_what_is_written_for_trl_loads_in_datasets(tmp_path: Path, kind: str) -> None:
    datasets, data_utils = _datasets(), _data_utils()
    conversations = [
        {
            "chosen": [{"role": "user", "content": x}, {"role": "assistant", "content": "good"}],
            "rejected": [{"role": "user", "content": x}, {"role": "assistant", "content": "bad"}],
        }
        for x in "pq"
    ]
    reader = open_preferences(write_jsonl(tmp_path / "in.jsonl", conversations))
    out = tmp_path / f"out.{kind}"
    write_preferences(reader.chunks, out)
    loader = {"jsonl": "json", "parquet": "parquet"}[kind]
    cache = str(tmp_path / "cache")
    loaded = datasets.load_dataset(loader, data_files=str(out), split="train", cache_dir=cache)
    assert loaded[0]["prompt"] == [{"role": "user", "content": "p"}]
    assert loaded[1]["rejected"] == [{"role": "assistant", "content": "bad"}]
    assert data_utils.is_conversational(loaded[0])
    assert data_utils.maybe_extract_prompt(loaded[0]) == loaded[0]
