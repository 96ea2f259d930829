"""``rewardlab doctor``: what goes where, exit codes, and limits reaching the checks."""

from __future__ import annotations

import gzip
import inspect
import json
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from rewardlab.cli.doctor import doctor
from rewardlab.preferences.doctor import Thresholds
from tests.cli.running import Done, Run, ran


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str) -> Done:
        return ran(["doctor", *arguments], monkeypatch, capsys)

    return call


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def rows(n: int, *, start: int = 0) -> list[dict[str, Any]]:
    """Rows without fault; longer and shorter answers win in turn."""
    made = []
    for i in range(start, start + n):
        texts = [f"the short answer {i}", f"the somewhat longer answer {i}"]
        chosen, rejected = texts if i % 2 else texts[::-1]
        made.append({"prompt": f"question number {i * 7919}", "chosen": chosen})
        made[-1]["rejected"] = rejected
    return made


def test_a_sound_file_exits_0_and_names_its_layout_first(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "ok.jsonl", rows(300))
    done = run("ok.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Read as TRL explicit prompt (prompt, chosen, rejected)")
    assert "Failed" not in done.stdout
    assert "300 votes on 300 pairs, 300 prompts" in done.stdout


def test_a_failed_check_exits_1_and_shows_where_why_and_what_to_do(
    run: Run, tmp_path: Path
) -> None:
    write(tmp_path / "bad.jsonl", [*rows(60), {"prompt": "p", "chosen": "", "rejected": "x"}])
    done = run("bad.jsonl")
    assert done.returncode == 1
    for words in ("Failed (1)", "Empty responses: 1 row", "see bad.jsonl:61", "why ", "do  "):
        assert words in done.stdout
    assert done.stderr == ""


def test_a_boolean_as_a_response_is_a_failed_check_and_no_crash(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "bad.jsonl", [*rows(60), {"prompt": "p", "chosen": True, "rejected": "x"}])
    done = run("bad.jsonl")
    assert done.returncode == 1
    assert "Values of the wrong type, or unknown labels: 1 row" in done.stdout
    assert "chosen is a boolean" in done.stdout
    assert "bad.jsonl:61" in done.stdout


def test_json_alone_is_on_standard_output(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "bad.jsonl", [*rows(60), {"prompt": "p", "chosen": " ", "rejected": "x"}])
    done = run("bad.jsonl", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["failed"] is True
    assert told["n_votes"] == 61
    assert told["report"]["layout"]["name"] == "trl-explicit"
    (finding,) = (f for f in told["findings"] if f["name"] == "whitespace-sides")
    assert (finding["status"], finding["count"], finding["total"]) == ("fail", 1, 61)
    assert finding["examples"] == ["bad.jsonl:61"]
    assert "Read as TRL explicit prompt" in done.stderr


def test_files_are_splits_and_a_leak_between_them_fails(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", rows(300))
    write(tmp_path / "test.jsonl", [*rows(100, start=300), rows(1)[0]])
    done = run("train.jsonl", "test.jsonl")
    assert done.returncode == 1
    assert "Pairs that stand in more than one split: 1 pair" in done.stdout
    assert "train.jsonl:1 and test.jsonl:101" in done.stdout
    write(tmp_path / "test.jsonl", rows(100, start=300))
    assert run("train.jsonl", "test.jsonl", "--near-duplicate", "1").returncode == 0


def test_strict_exits_1_on_warnings(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "few.jsonl", rows(20))
    assert run("few.jsonl").returncode == 0
    assert run("few.jsonl", "--strict").returncode == 1


def test_limits_reach_the_checks(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "few.jsonl", [*rows(20), {"prompt": "p", "chosen": "", "rejected": "x"}])
    assert run("few.jsonl", "--max-share", "empty-sides=0.05").returncode == 0
    strict = run("few.jsonl", "--max-share", "empty-sides=0.05", "--too-few-prompts", "30")
    assert strict.returncode == 1
    assert "21 prompts: too few for an honest interval" in strict.stdout
    cut = run("few.jsonl", "--truncate-chars", "10", "--max-share", "empty-sides=1")
    assert "Pairs made identical by a cut at 10 characters: 20 rows" in cut.stdout


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["absent.jsonl"], "absent.jsonl"),
        (["few.jsonl", "--max-share", "nonsense=0.1"], "nonsense"),
        (["few.jsonl", "--max-share", "duplicates"], "CHECK=SHARE"),
        (["few.jsonl", "--max-share", "duplicates=few"], "duplicates=few"),
        (["few.jsonl", "--level", "95"], "level"),
    ],
)
def test_what_cannot_be_done_exits_2_with_one_line(
    run: Run, tmp_path: Path, arguments: list[str], named: str
) -> None:
    write(tmp_path / "few.jsonl", rows(20))
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert named in done.stderr


def test_the_commands_defaults_are_those_of_the_library() -> None:
    given = {name: p.default for name, p in inspect.signature(doctor).parameters.items()}
    defaults = Thresholds()
    for f in fields(Thresholds):
        if f.name != "max_share":
            assert given[f.name] == getattr(defaults, f.name), f.name


def test_help_shows_an_example(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "rewardlab doctor train.jsonl test.jsonl" in " ".join(done.stdout.split())


def test_the_hh_file_takes_a_couple_of_seconds(run: Run, data_dir: Path) -> None:
    started = time.perf_counter()
    done = run(str(data_dir / "hh_harmless_test_filtered.jsonl.gz"))
    assert done.returncode == 1
    assert time.perf_counter() - started < 10, "about 1 s alone; room for a busy machine"


def test_conversations_that_do_not_begin_alike_are_found(run: Run, tmp_path: Path) -> None:
    made = [
        {"chosen": f"ask {i}\nyes, of course {i}", "rejected": f"ask {i}\nno, never ever {i}"}
        for i in range(60)
    ]
    made.append({"chosen": "one question and its answer", "rejected": "quite another talk"})
    write(tmp_path / "implicit.jsonl", made)
    done = run("implicit.jsonl")
    assert done.stdout.startswith("Read as TRL implicit prompt")
    assert "No prompt that both responses share: 1 row" in done.stdout
    assert "see implicit.jsonl:61" in done.stdout


def test_whole_transcripts_show_the_same_oddities_as_cut_ones(
    run: Run, tmp_path: Path, data_dir: Path
) -> None:
    with gzip.open(data_dir / "hh_harmless_test_filtered.jsonl.gz", "rt", encoding="utf-8") as file:
        cut = [json.loads(line) for line in file]
    whole = [
        {"chosen": row["prompt"] + row["chosen"], "rejected": row["prompt"] + row["rejected"]}
        for row in cut
    ]
    write(tmp_path / "whole.jsonl", whole)
    told = json.loads(run("whole.jsonl", "--json").stdout)
    assert told["report"]["layout"]["name"] == "hh"
    found = {finding["name"]: finding for finding in told["findings"]}
    names = ("whitespace-sides", "unequal-turns", "repeated-roles", "missing-prompts")
    assert [found[name]["count"] for name in names] == [1, 3, 2, 0]
    assert found["inline-role-markers"]["details"]["in_prompt_or_winner"] == 25


def test_what_a_plain_file_lacks_is_told_in_a_few_lines(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "ok.jsonl", rows(300))
    told = run("ok.jsonl").stdout
    group = told[told.index("Cannot say (8)") : told.index("Passed")].strip().splitlines()
    assert len(group) - 1 <= 8, group
