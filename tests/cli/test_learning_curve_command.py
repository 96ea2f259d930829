"""``rewardlab fit --learning-curve``: wiring, words and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.preferences.writing import write_preferences
from tests.cli.test_fit_command import run
from tests.rewards.simulated_preferences import simulate

FEW = ["--features", "hedges,log_words", "--learning-curve"]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    data = simulate(240, {"hedges": -1.6}, np.random.default_rng(0))
    write_preferences(lambda: [data], path, layout="native")
    return path


def test_the_curve_is_told_drawn_and_in_the_json(pairs: Path, tmp_path: Path) -> None:
    plot = tmp_path / "curve.svg"
    out = run("fit", pairs, "--out", tmp_path / "model", *FEW, "--plot", plot)
    words = " ".join(out.split())
    assert "240 (all)" in words
    assert "960 (all x 4)" in words
    assert "Twice as many would gain" in words
    assert f"Written: {plot}" in out
    assert "<title>Learning curve</title>" in plot.read_text(encoding="utf-8")
    told = json.loads(
        run("fit", pairs, "--out", tmp_path / "model", *FEW, "--json").split("\n", 1)[1]
    )
    assert told["learning_curve"]["n_all"] == 240
    assert told["learning_curve"]["forecasts"][0]["multiple"] == 2


def test_what_cannot_be_had_is_refused_before_anything_is_saved(
    pairs: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="expected --learning-curve beside it"):
        run("fit", pairs, "--out", tmp_path, "--plot", tmp_path / "curve.svg")
    with pytest.raises(InputError, match=r"ends in \.svg"):
        run("fit", pairs, "--out", tmp_path, *FEW, "--plot", tmp_path / "curve.png")
    assert not list(tmp_path.iterdir())


def test_a_fit_is_kept_where_only_its_curve_lacks_prompts(tmp_path: Path) -> None:
    few, model, plot = tmp_path / "few.jsonl", tmp_path / "model", tmp_path / "curve.svg"
    data = simulate(20, {"hedges": -0.8}, np.random.default_rng(1))
    write_preferences(lambda: [data], few, layout="native")
    out = run("fit", few, "--out", model, *FEW, "--plot", plot)
    words = " ".join(out.split())
    assert "Cannot say how many more comparisons would help, because a learning curve of " in words
    assert ". Add comparisons on more prompts, or name fewer features." in words
    assert f"Not written, as there is no curve: {plot}" in out
    assert not plot.exists()
    assert (model / "reward.json").exists()
    told = json.loads(run("fit", few, "--out", model, *FEW, "--json").split("\n", 1)[1])
    assert "needs about 40 prompts" in told["learning_curve"]["refused"]
