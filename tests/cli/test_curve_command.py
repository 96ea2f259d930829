"""``rewardlab curve``: what goes where, exit codes, choosing labels and coming back with them."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.types import ScoredSamples
from tests.audit.curve_worlds import World, monotone_samples
from tests.cli.running import Done, Run, ran

COLUMNS = ("--group", "prompt", "--proxy", "reward", "--gold", "gold")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str) -> Done:
        return ran(["curve", *arguments], monkeypatch, capsys)

    return call


def rows(samples: ScoredSamples) -> list[dict[str, Any]]:
    return [
        {
            "prompt": samples.prompt_id[i],
            "note": f"row {i}",
            "reward": float(samples.proxy["proxy"][i]),
            "loss": -float(samples.proxy["proxy"][i]),
            "gold": float(samples.gold[i]),
        }
        for i in range(len(samples))
    ]


def write(path: Path, data: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in data), encoding="utf-8")


@pytest.fixture
def peaked(tmp_path: Path) -> Path:
    """400 prompts of 8 samples whose gold peaks near n = 2."""
    path = tmp_path / "peaked.jsonl"
    write(path, rows(World(pull=(2.0,), cost=0.5).draw(400, 8, np.random.default_rng(0))))
    return path


def test_table_laws_verdict_and_advice_are_printed(run: Run, peaked: Path) -> None:
    done = run(peaked.name, *COLUMNS)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Read 3,200 samples of 400 prompts." in done.words
    assert "reward: 400 prompts, 8 samples each" in done.words
    assert "Peak of gold as measured: n = " in done.words
    assert "Law d (a - b d): a = " in done.words
    assert "Law d (a - b log d): a = " in done.words
    assert "laws fitted to KL from 0.193 to 1.2 nats" in done.words
    assert "Worth looking at (1)" in done.words
    assert "Peaked at n = 2." in done.words
    assert "Stop near n = 2." in done.words


def test_json_alone_goes_to_standard_output(run: Run, peaked: Path) -> None:
    done = run(peaked.name, *COLUMNS, "--json")
    plain = json.loads(done.stdout)
    assert "Read 3,200 samples" in done.stderr
    (one,) = plain["curves"]
    assert one["verdict"]["call"] == "peaked"
    assert one["path"]["strength"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len(one["laws"]) == 2
    assert one["settings"]["seed"] == 0
    assert plain["findings"][0]["status"] == "warn"


def test_a_proxy_that_never_helped_exits_with_1(run: Run, tmp_path: Path) -> None:
    samples = monotone_samples("decreasing", 300, 8, np.random.default_rng(1), effect=1.0)
    write(tmp_path / "falling.jsonl", rows(samples))
    done = run("falling.jsonl", *COLUMNS)
    assert done.returncode == 1
    assert "Never helped" in done.words


def test_a_minimised_proxy_is_the_same_one_turned_round(run: Run, peaked: Path) -> None:
    usual = json.loads(run(peaked.name, *COLUMNS, "--json").stdout)["curves"][0]
    options = ("--group", "prompt", "--minimise", "loss", "--gold", "gold", "--json")
    turned = json.loads(run(peaked.name, *options).stdout)["curves"][0]
    assert turned["proxy_name"] == "-loss"
    assert turned["gold"]["mean"] == usual["gold"]["mean"]


def test_several_proxies_stand_side_by_side(run: Run, peaked: Path) -> None:
    done = run(peaked.name, *COLUMNS, "--minimise", "reward")
    assert "Gold side by side" in done.stdout
    assert "reward minus -reward at n = 8:" in done.words
    assert "found on the same prompts" in done.words


def test_options_reach_the_curve(run: Run, peaked: Path) -> None:
    options = ("--n-max", "4", "--level", "0.9", "--resamples", "150", "--seed", "3")
    more = ("--ties", "first", "--smallest-gain", "0.5", "--short-prompts", "drop", "--json")
    settings = json.loads(run(peaked.name, *COLUMNS, *options, *more).stdout)["curves"][0][
        "settings"
    ]
    assert settings["n_max"] == 4
    assert settings["level"] == 0.9
    assert settings["n_resamples"] == 150
    assert settings["seed"] == 3
    assert settings["ties"] == "first"
    assert settings["smallest_gain"] == 0.5
    assert settings["short_prompts"] == "drop"


def test_missing_gold_is_refused_and_restricting_says_what_is_left_out(
    run: Run, tmp_path: Path
) -> None:
    data = rows(World(cost=0.5).draw(50, 6, np.random.default_rng(2)))
    for row in data[5::6]:
        row["gold"] = None
    write(tmp_path / "holes.jsonl", data)
    refused = run("holes.jsonl", *COLUMNS)
    assert refused.returncode == 2
    assert "50 of 300 rows have no gold" in refused.stderr
    assert "--missing-gold restrict" in refused.stderr
    done = run("holes.jsonl", *COLUMNS, "--missing-gold", "restrict")
    assert done.returncode == 0
    assert "left out 50" in done.words
    assert "50 prompts, 5 samples each" in done.words


def test_n_above_the_samples_is_refused(run: Run, peaked: Path) -> None:
    done = run(peaked.name, *COLUMNS, "--n-max", "9")
    assert done.returncode == 2
    assert "400 of 400 prompts have fewer than 9 samples" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--gold", "gold"), "expected --proxy COLUMN"),
        (("--proxy", "reward"), "'rewardlab curve --choose K' names the samples to label first"),
        (("--proxy", "reward", "--gold", "gold", "--out", "x.jsonl"), "give --choose K too"),
        (("--proxy", "reward", "--proxy", "loss", "--choose", "9"), "expected one proxy"),
        (
            ("--proxy", "reward", "--probability", "p", "--choose", "9"),
            "name their column with --gold",
        ),
        (
            (*COLUMNS[2:], "--probability", "gold", "--missing-gold", "restrict"),
            "rows without gold are needed too",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    run: Run, peaked: Path, options: tuple[str, ...], said: str
) -> None:
    done = run(peaked.name, "--group", "prompt", *options)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".jsonl.gz"])
def test_choosing_labelling_and_coming_back_gives_a_verdict(
    run: Run, tmp_path: Path, peaked: Path, suffix: str
) -> None:
    gold = {row["note"]: row["gold"] for row in map(json.loads, peaked.read_text().splitlines())}
    pool = [{k: v for k, v in row.items() if k != "gold"} for row in read(peaked)]
    write(tmp_path / "pool.jsonl", pool)
    out = tmp_path / f"ask{suffix}"
    options = ("--group", "prompt", "--proxy", "reward", "--choose", "800", "--out", out.name)
    done = run("pool.jsonl", *options)
    assert done.returncode == 0
    assert "800 of them, in 400 prompts, have ask = 1" in done.words
    assert f"curve {out.name} --group prompt --proxy reward --gold gold" in done.words
    asked = read(out)
    assert len(asked) == 3200
    assert [row["note"] for row in asked] == [row["note"] for row in pool]
    assert sum(int(row["ask"]) for row in asked) == 800
    for row in asked:
        assert row["gold"] in (None, "")
        if int(row["ask"]):
            row["gold"] = gold[row["note"]]
    write(tmp_path / "labelled.jsonl", [{**row, "reward": float(row["reward"])} for row in asked])
    back = run("labelled.jsonl", *COLUMNS, "--probability", "probability")
    assert back.returncode in (0, 1)
    assert "Gold is known for 800 of 3,200 samples" in back.words
    assert "reward: 400 prompts, 8 samples each" in back.words


def test_choosing_again_keeps_the_labels_and_gives_what_the_remedy_asks_for(
    run: Run, tmp_path: Path
) -> None:
    samples = monotone_samples("independent", 400, 16, np.random.default_rng(5), effect=0.0)
    data = rows(samples)
    gold = {row["note"]: row["gold"] for row in data}
    write(tmp_path / "pool.jsonl", [{k: v for k, v in row.items() if k != "gold"} for row in data])

    def label(path: Path) -> int:
        asked = read(path)
        for row in asked:
            row["gold"] = gold[row["note"]] if row["ask"] else row["gold"]
        write(path, asked)
        return sum(row["gold"] is not None for row in asked)

    columns = ("--group", "prompt", "--proxy", "reward")
    run("pool.jsonl", *columns, "--choose", "400", "--out", "ask.jsonl")
    assert label(tmp_path / "ask.jsonl") == 400
    back = (*columns, "--gold", "gold", "--probability", "probability")
    refused = run("ask.jsonl", *back)
    assert "Cannot say" in refused.words
    remedy = re.search(r"choose them with --choose (\d+)\)", refused.words)
    assert remedy is not None
    done = run("ask.jsonl", *back, "--choose", remedy[1], "--out", "more.jsonl")
    assert done.returncode == 0
    assert "curve more.jsonl --group prompt --proxy reward --gold gold --probability" in done.words
    first = [row["gold"] for row in read(tmp_path / "ask.jsonl")]
    kept = read(tmp_path / "more.jsonl")
    assert [row["gold"] for row in kept] == first
    assert all(row["probability"] == 1.0 for row in kept if row["gold"] is not None)
    assert label(tmp_path / "more.jsonl") == 400 + int(remedy[1])
    settled = run("more.jsonl", *back)
    assert settled.returncode == 1
    assert "Never helped" in settled.words


def test_gold_that_does_not_vary_is_said_once(run: Run, tmp_path: Path) -> None:
    data = rows(World().draw(50, 8, np.random.default_rng(6)))
    write(tmp_path / "same.jsonl", [{**row, "gold": 0.1} for row in data])
    done = run("same.jsonl", *COLUMNS)
    assert done.returncode == 0
    assert done.words.count("same gold") == 1
    assert "Peak of gold" not in done.words
    assert "Law d" not in done.words


def test_choosing_does_not_overwrite_columns_or_the_pool(run: Run, peaked: Path) -> None:
    options = ("--group", "prompt", "--proxy", "reward", "--choose", "50")
    taken = run(peaked.name, *options)
    assert taken.returncode == 2
    assert "there is a column 'gold' already" in taken.stderr
    itself = run(peaked.name, *options, "--gold", "judged", "--out", peaked.name)
    assert itself.returncode == 2
    assert "another file than the samples" in itself.stderr
    assert len(read(peaked)) == 3200
    named = run(peaked.name, *options, "--gold", "judged")
    assert named.returncode == 0
    assert "to peaked-to-label.jsonl" in named.words
    assert "judged" in read(peaked.parent / "peaked-to-label.jsonl")[0]


def test_prompts_too_short_for_the_choice_are_left_out_aloud(run: Run, tmp_path: Path) -> None:
    data = rows(World(cost=0.5).draw(20, 6, np.random.default_rng(3)))[:-3]
    write(tmp_path / "uneven.jsonl", data)
    options = ("--group", "prompt", "--proxy", "reward", "--choose", "30", "--gold", "judged")
    done = run("uneven.jsonl", *options, "--n-max", "6", "--short-prompts", "drop")
    assert done.returncode == 0
    assert "Left out 1 prompt (3 rows) with fewer than 6 samples" in done.words
    assert len(read(tmp_path / "uneven-to-label.jsonl")) == 114


def test_names_that_look_like_markup_are_printed_as_they_are(run: Run, tmp_path: Path) -> None:
    data = rows(World(cost=0.5).draw(50, 4, np.random.default_rng(4)))
    write(tmp_path / "odd.jsonl", [{**row, "[bold]r[/bold]": row["reward"]} for row in data])
    options = ("--group", "prompt", "--proxy", "[bold]r[/bold]", "--gold", "gold")
    done = run("odd.jsonl", *options, "--minimise", "loss")
    assert done.returncode in (0, 1)
    assert "[bold]r[/bold]: 50 prompts" in done.words
    assert "[bold]r[/bold] minus -loss at n = 4" in done.words


def read(path: Path) -> list[dict[str, Any]]:
    """Rows of a JSONL or CSV file that a command wrote."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
