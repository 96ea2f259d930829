"""``rewardlab agreement``: what is printed, what goes into JSON, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from tests.cli.running import Done, Run, ran


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str) -> Done:
        return ran(["agreement", *arguments], monkeypatch, capsys)

    return call


def write(path: Path, *, n_pairs: int, votes: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    lines = ["prompt_id,model_a,model_b,winner,annotator"]
    for i, q in enumerate(special.expit(2 * rng.standard_normal(n_pairs))):
        for k in range(votes):
            said = "tie" if rng.random() < 0.1 else "model_a" if rng.random() < q else "model_b"
            lines.append(f"{i % 60},x{i},y{i},{said},w{k}")
    path.write_text("\n".join(lines) + "\n")


def test_all_that_was_measured_is_printed(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "votes.csv", n_pairs=150, votes=5)
    done = run("votes.csv")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "750 votes by 5 annotators on 150 pairs of 60 prompts" in done.words
    for part in (
        "ties set aside",
        "a tie is an answer",
        "a tie agrees half",
        "A perfect reward matches a single vote",
        "pairs with four or more votes narrow it",
        "that of three (with",
        "beta",
        "logit-normal",
        "Cohen's kappa",
        "Votes left out: none.",
    ):
        assert part in done.words, part


def test_json_holds_the_same(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "votes.csv", n_pairs=100, votes=3)
    done = run("votes.csv", "--json", "--accuracy", "0.7", "--n", "400", "--ties", "half")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [choice["ties"] for choice in told["choices"]] == ["aside", "answer", "half"]
    assert told["ceiling"]["ties"] == "half"
    assert set(told["ceiling"]["majorities"]) == {"3", "5"}
    assert told["verdict"]["name"] == "ceiling"
    assert told["read"][0].startswith("Read as arena battles")


def test_an_accuracy_above_the_ceiling_exits_1_and_another_0(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "votes.csv", n_pairs=150, votes=5)
    leaking = run("votes.csv", "--accuracy", "0.93", "--n", "2000")
    assert leaking.returncode == 1
    assert "93% where at best" in leaking.words
    assert "Look for a leak" in leaking.words
    assert run("votes.csv", "--accuracy", "0.70").returncode == 0


def test_one_prompt_gives_no_interval_in_words(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "votes.csv", n_pairs=60, votes=2)
    (tmp_path / "one.csv").write_text(
        "".join(
            line if line.startswith("prompt_id") else f"0,{line.split(',', 1)[1]}"
            for line in (tmp_path / "votes.csv").read_text().splitlines(keepends=True)
        )
    )
    done = run("one.csv")
    assert done.returncode == 0, done.stderr
    assert "(no interval)" in done.words and "()" not in done.words


def test_votes_that_no_independent_people_would_split_have_no_range_of_majorities(
    run: Run, tmp_path: Path
) -> None:
    rows = [
        f"p{pair},good,other,model_{'ab'[vote % 2]},w{vote}"
        for pair in range(5000)
        for vote in range(4)
    ]
    head = "prompt,response_a,response_b,winner,judge"
    (tmp_path / "even.csv").write_text("\n".join([head, *rows]))
    done = run("even.csv")
    assert done.returncode == 0, done.stderr
    assert "That is what agreement alone allows: these votes cannot narrow it." in done.words
    assert "majority of votes cannot be said, because votes on a pair are more evenly" in done.words


def test_with_too_few_second_votes_the_ceiling_cannot_be_said(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "votes.csv", n_pairs=30, votes=1)
    done = run("votes.csv", "--accuracy", "0.7")
    assert done.returncode == 0
    assert "Cannot be said: fewer than 20 pairs have two such votes" in done.words
    assert "Whether 70% is much cannot be said" in done.words


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--accuracy", "69"], "expected a share from 0 to 1"),
        (["--n", "10"], "--n goes with --accuracy"),
        (["--accuracy", "0.6", "--n", "1"], "at least 2 votes"),
        (["--level", "1.5"], "--level: expected a number between 0 and 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    run: Run, tmp_path: Path, options: list[str], told: str
) -> None:
    write(tmp_path / "votes.csv", n_pairs=3, votes=2)
    done = run("votes.csv", *options)
    assert done.returncode == 2
    assert told in done.stderr
