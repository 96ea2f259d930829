"""``rewardlab fit``: wiring, words and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rewardlab.cli.main import app
from rewardlab.errors import InputError, SeparationError
from rewardlab.preferences.writing import write_preferences
from rewardlab.rewards.saving import load
from tests.rewards.simulated_preferences import preferences, simulate


def run(*arguments: str | Path) -> str:
    """Output of the command; exceptions pass through, as ``cli.main.run`` turns them to words."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    data = simulate(500, {"hedges": -0.8}, np.random.default_rng(0), tie_share=0.1)
    write_preferences(lambda: [data], path, layout="native")
    return path


def test_the_terminal_says_what_was_read_fitted_and_left_out(pairs: Path, tmp_path: Path) -> None:
    out = run("fit", pairs, "--out", tmp_path / "model")
    words = " ".join(out.split())
    assert words.startswith("Read as ")
    assert "500 comparisons" in words
    assert "ties as half wins" in words
    assert "Held-out accuracy" in words
    assert "chosen on held-out prompts" in words
    assert "headings: never differs between the two responses" in words
    assert "Paid for or against (*, any by mistake in at most 5% of files): hedges" in words
    assert "cluster jackknife (CR3)" in words
    assert load(tmp_path / "model").names


def test_features_ties_and_penalty_are_passed_on(pairs: Path, tmp_path: Path) -> None:
    arguments = ["--features", "hedges, log_words", "--ties", "leave-out", "--l2", "3"]
    words = " ".join(run("fit", pairs, "--out", tmp_path, *arguments).split())
    assert "Fitted 2 features" in words
    assert "ties left out" in words
    assert "L2 penalty 3, as given" in words
    assert load(tmp_path).names == ("hedges", "log_words")


def test_json_on_standard_output_is_the_saved_file(pairs: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["fit", str(pairs), "--out", str(tmp_path), "--json"])
    assert json.loads(result.stdout) == json.loads(
        (tmp_path / "reward.json").read_text(encoding="utf-8")
    )
    assert "Read as" in result.stderr


def test_the_seed_repeats_a_fit(pairs: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        run("fit", pairs, "--out", tmp_path / name, "--seed", "7")
    one, two = ((tmp_path / n / "reward.json").read_text(encoding="utf-8") for n in ("one", "two"))
    assert one == two
    assert json.loads(one)["settings"]["seed"] == 7


def test_few_prompts_are_warned_of_and_too_few_refused(tmp_path: Path) -> None:
    data = simulate(200, {}, np.random.default_rng(0), n_prompts=6)
    write_preferences(lambda: [data], tmp_path / "few.jsonl", layout="native")
    few = " ".join(run("fit", tmp_path / "few.jsonl", "--out", tmp_path / "m").split())
    assert "No intervals: 6 clusters cannot bear" in few
    assert "collect more prompts, or name fewer features" in few
    one = run("fit", tmp_path / "few.jsonl", "--out", tmp_path / "m", "--features", "hedges,warmth")
    assert "Warning: 6 prompts" in " ".join(one.split())


def test_separable_data_and_unknown_features_are_errors(tmp_path: Path, pairs: Path) -> None:
    rng = np.random.default_rng(0)
    a, b = ["Sorry. " * 2 + "x y"] * 30, ["x y " * int(rng.integers(1, 3)) for _ in range(30)]
    data = preferences(list(a), list(b), np.zeros(30))
    write_preferences(lambda: [data], tmp_path / "all.jsonl", layout="native")
    with pytest.raises(SeparationError, match="separable: "):
        run("fit", tmp_path / "all.jsonl", "--out", tmp_path / "m", "--features", "apology")
    with pytest.raises(InputError, match="got beauty"):
        run("fit", pairs, "--out", tmp_path / "m", "--features", "beauty")
    assert not (tmp_path / "m").exists()


def test_help_shows_examples() -> None:
    assert "Example: rewardlab fit pairs.jsonl --out model" in run("fit", "--help")
