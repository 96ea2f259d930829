"""``rewardlab score``: wiring and words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rewardlab.cli.main import app
from rewardlab.errors import FormatError, InputError, ModelError, RowError
from rewardlab.rewards.feature_fit import fit_text_feature_reward
from rewardlab.rewards.saving import load, save
from tests.rewards.simulated_preferences import simulate


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    data = simulate(200, {"hedges": -0.8}, np.random.default_rng(0))
    save(fit_text_feature_reward(data, rng=np.random.default_rng(0)), folder)
    return folder


def test_preferences_get_a_reward_for_each_side(model: Path, tmp_path: Path) -> None:
    row = {"prompt": "p", "chosen": "Yes, you can.", "rejected": "Perhaps.", "kept": 1}
    (tmp_path / "in.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    out = run("score", model, tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    written = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    chosen, rejected = load(model)(["p", "p"], ["Yes, you can.", "Perhaps."])
    assert written == {**row, "reward_chosen": chosen, "reward_rejected": rejected}
    assert "Wrote 1 rows" in out
    assert "None of 1 rows is on a prompt that the reward was fitted on." in out


def test_samples_get_one_reward_from_named_columns(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("p,text\nWhy?,Perhaps.\n", encoding="utf-8")
    columns = ["--column", "prompt=p", "--column", "response=text", "--name", "proxy"]
    out = run("score", model, tmp_path / "in.csv", "--out", tmp_path / "out.csv", *columns)
    header, line = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert header == "p,text,proxy"
    assert float(line.split(",")[2]) == load(model)(["Why?"], ["Perhaps."])[0]
    assert "Scored as samples" in out


def test_a_missing_model_or_a_strange_file_is_an_error(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"x": 1}\n', encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be read"):
        run("score", tmp_path / "none", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    with pytest.raises(FormatError):
        run("score", model, tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")


def test_rows_on_trained_prompts_are_said_not_to_be_held_out(tmp_path: Path) -> None:
    data = simulate(200, {"hedges": -0.8}, np.random.default_rng(0))
    save(fit_text_feature_reward(data, rng=np.random.default_rng(0)), tmp_path)
    rows = [{"prompt": p, "response": "a"} for p in (data.prompt[0], "never seen")]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command: list[str | Path] = ["score", tmp_path, path, "--out", tmp_path / "out.jsonl"]
    assert "1 of 2 rows are on prompts that the reward was fitted on" in run(*command)
    (tmp_path / "trained_prompts.txt").unlink()
    assert "no score here counts as held out" in run(*command)


def test_an_input_is_not_replaced_and_a_missing_response_is_null_on_request(
    model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"prompt": "p", "response": null}\n', encoding="utf-8")
    with pytest.raises(InputError, match="would replace an input"):
        run("score", model, path, "--out", path)
    with pytest.raises(RowError, match="line 1: column 'response'"):
        run("score", model, path, "--out", tmp_path / "out.jsonl")
    out = run("score", model, path, "--out", tmp_path / "out.jsonl", "--skip-bad")
    assert "1 rows have no reward (null)" in out


def test_help_shows_examples() -> None:
    assert "Example: rewardlab score model pairs.jsonl --out scored.jsonl" in run("score", "--help")
