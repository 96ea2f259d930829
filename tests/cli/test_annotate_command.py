"""``rewardlab annotate``: projects, links and their order from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.app import database
from rewardlab.app.annotate.admin.sentences import ceiling_sentence, progress_sentence
from rewardlab.app.annotate.admin.summary import asked_pairs, summarised
from rewardlab.app.annotate.store.access import who_has
from rewardlab.app.annotate.store.projects import find_project, pairs_of
from rewardlab.app.config import AppConfig
from rewardlab.app.database import open_database
from rewardlab.audit.queue_order import expected_disagreement
from rewardlab.data import demo_path
from rewardlab.preferences.formats import read_preferences
from rewardlab.rewards.feature_fit import fit_text_feature_reward
from rewardlab.rewards.saving import load, save
from tests.app.annotate.people import Bench
from tests.app.annotate.people import pairs as plain_pairs
from tests.cli.running import Done, Run, ran


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command with a database in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Done:
        return ran(["annotate", *arguments, "--folder", "lab"], monkeypatch, capsys)

    return call


def write(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def pairs(n: int) -> list[dict[str, Any]]:
    return [{"prompt": f"q{i}", "response_a": f"x{i}", "response_b": f"y{i}"} for i in range(n)]


@pytest.fixture
def made(run: Run) -> Done:
    """A project of 40 pairs with known ones and repeats."""
    write("pairs.jsonl", [*pairs(40), {"prompt": "q", "response_a": "", "response_b": "y"}])
    known = [{**row, "outcome": "tie"} for row in pairs(3)]
    write("known.jsonl", [*known, {**known[0], "outcome": "a"}])
    Path("guide.md").write_text("# Be *kind*\n")
    return run("new", "demo", "pairs.jsonl", "--overlap", "2", "--repeat", "0.1", "--known",
               "known.jsonl", "--guidelines", "guide.md", "--lease", "5")  # fmt: skip


def test_a_new_project_says_what_was_read_and_how_much_there_is_to_do(made: Done) -> None:
    assert made.returncode == 0, made.stderr
    assert "Read as pairs without votes" in made.stdout
    assert "Left out 1: a response is blank (first at pairs.jsonl:41)." in made.stdout
    assert "Left out 1: no answer, or as many votes for another." in made.stdout
    assert (
        "40 pairs, each for 2 people: 80 judgements wanted; 4 of them once more to whoever judged "
        "them; 2 with a known answer beside them." in made.stdout
    )
    assert "rewardlab annotate invite demo --annotator NAME_OF_A_PERSON --folder lab" in made.stdout
    engine = open_database(AppConfig(folder=Path("lab")).url)
    project = find_project(engine, "demo")
    assert project is not None
    assert (project.overlap, project.lease_s, project.known_every) == (2, 300, 15)
    assert project.guidelines == "# Be *kind*\n"
    stored = pairs_of(engine, "demo")
    assert [x.pair for x in stored] == list(range(46))
    repeats = [x for x in stored if x.kind == "repeat"]
    assert all(x.of is not None and stored[x.of].content == x.content for x in repeats)
    assert [x.known for x in stored if x.kind == "known"] == ["tie", "tie"]
    assert sorted(x.place for x in stored if x.kind == "pair") == list(range(40))
    engine.dispose()


def test_links_open_the_project_until_they_are_revoked(run: Run, made: Done) -> None:
    first = run("invite", "demo", "--annotator", "ada")
    address = r"http://127\.0\.0\.1:8421/annotate/demo#([0-9a-f]{12})\.([\w-]{43})\n"
    found = re.fullmatch(address, first.stdout)
    assert found
    assert "while 'rewardlab lab --folder lab' runs" in first.stderr
    assert "rewardlab lab --folder lab --host" in first.stderr
    again = run("invite", "demo", "--annotator", "ada", "--address", "https://lab.example/")
    assert again.stdout.startswith("https://lab.example/annotate/demo#")
    assert "ada has 1 other link that still opens the project" in again.stderr
    assert again.stderr.endswith(f"rewardlab annotate revoke demo {found[1]} --folder lab\n")
    admin = run("invite", "demo", "--admin").stdout
    assert admin.startswith("http://127.0.0.1:8421/annotate/demo/admin#")
    engine = open_database(AppConfig(folder=Path("lab")).url)
    token = f"{found[1]}.{found[2]}"
    assert who_has(engine, "demo", token) is not None
    assert run("revoke", "demo", found[1]).returncode == 0
    assert who_has(engine, "demo", token) is None
    engine.dispose()
    listed = run("links", "demo").stdout
    assert found[2] not in listed
    assert len(re.findall("annotator ada, made .*, open\n", listed)) == 1
    assert len(re.findall("annotator ada, made .*, revoked ", listed)) == 1
    assert len(re.findall("admin, made .*, open\n", listed)) == 1


def test_list_status_and_guidelines(run: Run, made: Done) -> None:
    assert run("list").stdout.startswith("demo  0 of 80 judgements, made 20")
    assert "demo: 0 of 80 judgements are made" in run("status", "demo").stdout
    Path("new.md").write_text("Anew")
    assert run("guidelines", "demo", "new.md").stdout == "demo has new guidelines, 4 characters.\n"


def test_status_says_of_a_project_what_its_admin_reads(run: Run) -> None:
    run("list")
    engine = open_database(AppConfig(folder=Path("lab")).url)
    bench = Bench(engine, plain_pairs(6), overlap=2)
    for who, skipped in (("ann", 0), ("ben", 5)):
        numbers = bench.numbers(who, 6)
        said = ["skip" if pair == skipped else "left" for pair in numbers]
        bench.send(who, *map(bench.label, numbers, said))
    summary = summarised(engine, bench.project, bench.now, asked=asked_pairs(engine, "demo"))
    engine.dispose()
    told = run("status", "demo").stdout
    assert f"demo: {progress_sentence(summary.counts)}\n" in told
    assert "To export: 10 judgements; left out: 2 skipped.\n" in told
    assert f"\n{ceiling_sentence(summary)}\n" in told
    assert "cannot be said yet: 8 votes prefer a side" in told
    assert "  ann  6 judgements, agrees " in told


def test_undecided_asks_first_what_a_saved_reward_cannot_tell(run: Run) -> None:
    votes = read_preferences(demo_path("demo_preferences"))
    fit = fit_text_feature_reward(votes, rng=np.random.default_rng(0), l2=1.0)
    save(fit, Path("reward"))
    file = str(demo_path("demo_preferences"))
    assert run("new", "demo", file).returncode == 0
    ordered = run("order", "demo", "undecided", "--model", "reward")
    assert ordered.returncode == 0, ordered.stderr
    engine = open_database(AppConfig(folder=Path("lab")).url)
    stored = sorted(pairs_of(engine, "demo"), key=lambda x: (x.place, x.pair))
    about = find_project(engine, "demo")
    engine.dispose()
    asked = [x.content for x in stored if x.kind == "pair"]
    reward, prompts = load(Path("reward")), [x.prompt for x in asked]
    a, b = (
        reward(prompts, [x.response_a for x in asked]),
        reward(prompts, [x.response_b for x in asked]),
    )
    apart = expected_disagreement(1 / (1 + np.exp(-(a - b)))[None])
    assert np.all(np.diff(apart) <= 1e-12)  # rounding
    assert about is not None
    assert about.about["order"] == "undecided"


def test_curve_asks_first_what_was_likeliest_to_be_asked_for(run: Run) -> None:
    rows = [
        {"prompt": f"q{i}", "response": f"{i}-{j}", "ask": 1 - j, "probability": (i + 1) / 10}
        for i in range(9)
        for j in range(2)
    ]
    write("chosen.jsonl", rows)
    made = run("new", "curve-1", "chosen.jsonl", "--order", "curve", "--repeat", "0")
    assert "Let all of them be judged" in made.stdout
    engine = open_database(AppConfig(folder=Path("lab")).url)
    stored = sorted(pairs_of(engine, "curve-1"), key=lambda x: x.place)
    engine.dispose()
    assert [x.content.prompt for x in stored] == [f"q{i}" for i in range(8, -1, -1)]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["new", "demo", "pairs.jsonl"], "there is a project 'demo' already"),
        (["new", "No Name", "pairs.jsonl"], "expected a name of small letters"),
        (["new", "other", "pairs.jsonl", "--order", "best"], "expected one of random, undecided"),
        (["new", "other", "pairs.jsonl", "--order", "curve"], "choose them with rewardlab curve"),
        (["new", "other", "pairs.jsonl", "--order", "undecided"], "a saved reward with --model"),
        (["new", "other", "pairs.jsonl", "--repeat", "2"], "expected a share from 0 to 0.5"),
        (["new", "other", "pairs.jsonl", "--known", "pairs.jsonl"], "pairs with an answer"),
        (["new", "other", "pairs.jsonl", "--seed", "-1"], "seed: expected 0 to 2,147,483,647"),
        (["order", "demo", "random", "--seed", "-1"], "seed: expected 0 to 2,147,483,647"),
        (["order", "demo", "undecided"], "got 0, of 0. Label more pairs, or give a saved reward."),
        (["order", "demo", "random", "--model", "lab"], "no such file"),
        (["invite", "demo"], "expected either --annotator ID or --admin"),
        (["invite", "demo", "--admin", "--annotator", "ada"], "expected either"),
        (["invite", "demo", "--admin", "--address", "lab"], "--address: expected an address"),
        (["invite", "none", "--admin"], "there is no project 'none'"),
        (["revoke", "demo", "abc"], "no link 'abc'; 'rewardlab annotate links demo' shows them"),
        (["guidelines", "demo", "missing.md"], "missing.md: there is no such file"),
        (
            ["new", "other", "pairs.jsonl", "--lease", "nan"],
            "--lease: expected 0.1 minutes or",
        ),
        (["new", "other", "pairs.jsonl", "--lease", "0"], "--lease: expected 0.1 minutes or"),
        (["new", "other", "pairs.jsonl", "--lease", "1e99"], "--lease: expected 0.1 minutes or"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    run: Run, made: Done, arguments: list[str], why: str
) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_database_that_others_hold_is_said_in_a_line(
    run: Run, made: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_WAIT_MS", 50)
    engine = open_database(AppConfig(folder=Path("lab")).url)
    with engine.connect() as others:
        others.exec_driver_sql("BEGIN IMMEDIATE")
        done = run("invite", "demo", "--admin")
    engine.dispose()
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be used: database is locked" in done.stderr
