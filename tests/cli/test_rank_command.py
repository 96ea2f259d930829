"""``rewardlab rank``: what is printed, what is refused, and options reaching the library."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Done, Run, ran

ITEMS = ("ant", "bee", "cat", "dog")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: str) -> Done:
        return ran(["rank", *arguments], monkeypatch, capsys)

    return call


def write_battles(path: Path, n: int = 400, *, more: str = "") -> None:
    """Battles in which earlier names win more often; 40 prompts, 10 annotators."""
    rng = np.random.default_rng(5)
    lines = ["model_a,model_b,winner,prompt_id,annotator,len_a,len_b"]
    for k in range(n):
        i, j = rng.choice(4, 2, replace=False)
        u = rng.random()
        said = "tie" if u < 0.2 else "model_a" if u < 0.2 + 0.8 / (1 + np.exp(i - j)) else "model_b"
        lines.append(f"{ITEMS[i]},{ITEMS[j]},{said},p{k % 40},w{k % 10},{k % 7},{k % 5}")
    path.write_text("\n".join(lines) + "\n" + more)


def rows_of(done: Done) -> list[list[str]]:
    """The words of the lines that begin with a rank."""
    words = [line.split() for line in done.stdout.splitlines()]
    return [w for w in words if len(w) > 4 and w[0].isdigit() and w[2].isalpha()]


def test_a_leaderboard_says_what_was_read_and_what_it_means(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv", more="ant,ant,tie,p0,w0,1,1\n,bee,tie,p0,w0,1,1\n")
    done = run("b.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Read as arena battles (winner)")
    assert "Left out 1: both sides are the same item (first at b.csv:402)" in done.stdout
    assert [row[2] for row in rows_of(done)] == list(ITEMS)
    assert "40 clusters" in done.words
    assert "clustered by prompt" in done.words


def test_options_reach_the_library_and_are_said(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv")
    done = run(
        *("b.csv", "--ties", "davidson", "--position", "--covariate", "length=len_a,len_b"),
        *("--cluster", "annotator", "--scale", "elo", "--anchor", "cat=1200", "--top", "3"),
    )
    assert done.returncode == 0, done.stderr
    rows = rows_of(done)
    assert [row[2] for row in rows] == ["ant", "bee", "cat"]
    assert float(rows[2][3]) == 1200
    assert "... and 1 item more" in done.stdout
    for words in ("Davidson", "10 clusters", "clustered by annotator", "without"):
        assert words in done.words
    effects = [line.split()[0] for line in done.stdout.splitlines() if line.endswith("logits")]
    assert effects == ["position", "length", "ties"]


def test_without_intervals_there_are_none(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv")
    done = run("b.csv", "--interval", "none")
    assert done.returncode == 0, done.stderr
    assert "interval" not in done.stdout
    clustered = run("b.csv", "--interval", "none", "--cluster", "annotator")
    assert clustered.returncode == 2
    assert "--cluster annotator: for intervals, and --interval none asks" in clustered.stderr
    assert [line.split()[1] for line in done.stdout.splitlines()[3:7]] == list(ITEMS)


def test_an_item_that_never_loses_is_named_with_the_remedy(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv", more="elk,ant,model_a,p1,w1,1,1\n")
    done = run("b.csv")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "elk never lost" in done.stderr
    assert "--prior" in done.stderr
    done = run("b.csv", "--prior", "ridge:0.1", "--interval", "hessian")
    assert done.returncode == 0, done.stderr
    assert "Warning" in done.stdout
    assert "elk" in done.stdout


def test_no_prior_is_advised_against_an_effect_that_explains_every_vote(
    run: Run, tmp_path: Path
) -> None:
    rows = ("ant,bee\n", "bee,cat\n", "cat,ant\n", "bee,ant\n", "ant,cat\n")
    (tmp_path / "w.csv").write_text("winner,loser\n" + "".join(rows))
    named = ("left=winner", "right=loser", "label=winner")
    columns = [part for column in named for part in ("--column", column)]
    done = run("w.csv", "--format", "crowd", *columns, "--position", "--prior", "ridge:0.1")
    assert done.returncode == 2
    assert "position explains every vote" in done.stderr
    assert "Leave out position" in done.stderr
    assert "--prior" not in done.stderr


def test_names_that_look_alike_are_said_to_be_different_items(run: Run, tmp_path: Path) -> None:
    write_battles(
        tmp_path / "b.csv", more="ant ,bee,model_a,p1,w1,1,1\nbee,ant ,model_a,p2,w1,1,1\n"
    )
    done = run("b.csv", "--interval", "none")
    assert done.returncode == 0, done.stderr
    assert "'ant' and 'ant '" in done.words
    found = json.loads(run("b.csv", "--interval", "none", "--json").stdout)
    assert any("'ant' and 'ant '" in sentence for sentence in found["read"])


def test_groups_that_never_met_have_a_table_each(run: Run, tmp_path: Path) -> None:
    apart = "".join(f"{a},{b},model_a,p1,w1,1,1\n" for a, b in (("x", "y"), ("y", "x")) * 9)
    write_battles(tmp_path / "b.csv", more=apart)
    done = run("b.csv", "--cluster", "none")
    assert done.returncode == 0, done.stderr
    assert "Group 1 of 2: 4 items" in done.stdout
    assert "Group 2 of 2: 2 items" in done.stdout
    assert "never compared" in done.words


def test_items_with_few_votes_are_left_out_and_named(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv", more="elk,ant,model_a,p1,w1,1,1\n")
    done = run("b.csv", "--min-votes", "5")
    assert done.returncode == 0, done.stderr
    assert [row[2] for row in rows_of(done)] == list(ITEMS)
    assert "Left out 1 item with fewer than 5 votes: elk (1)." in done.words


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--prior", "flat"), "expected ridge:X or gamma:X"),
        (("--prior", "ridge:-1"), "--prior ridge:-1: l2: expected a finite number > 0"),
        (("--anchor", "ant"), "expected NAME=VALUE"),
        (("--anchor", "ants=3"), "did you mean 'ant'?"),
        (("--covariate", "length=len_a"), "expected NAME=COLUMN_A,COLUMN_B"),
        (("--covariate", "length"), "--covariate length: expected NAME=COLUMN_A,COLUMN_B"),
        (("--covariate", "x=len_a,len_b", "--covariate", "x=len_b,len_a"), "given twice"),
        (("--elo-k", "4"), "--elo-k goes with --elo-orders"),
        (("--covariate", "length=len_a,len_c"), "did you mean"),
        (("--min-votes", "1000"), "the most that can be asked for is"),
        (("--top", "0"), "expected at least 1"),
        (("--link", "probit", "--scale", "elo"), "logistic link"),
        (("--cluster", "prompt", "--interval", "hessian"), "votes as independent"),
        (("--cluster", "prompt", "--annotators"), "take votes as independent"),
        (("--annotators", "--covariate", "length=len_a,len_b"), "holds nothing alike"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    write_battles(tmp_path / "b.csv")
    done = run("b.csv", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_the_order_of_votes_does_to_elo_is_told(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv")
    done = run("b.csv", "--elo-orders", "5")
    assert done.returncode == 0, done.stderr
    assert "Elo with K = 32 moves a rating by" in done.words
    assert "over 5 orders" in done.words
    found = json.loads(run("b.csv", "--elo-orders", "5", "--elo-k", "4", "--json").stdout)
    assert found["elo_orders"]["k"] == 4
    assert [item["item"] for item in found["elo_orders"]["items"]] == list(ITEMS)
    assert run("b.csv", "--elo-orders", "1").returncode == 2
    assert run("b.csv", "--elo-orders", "5", "--elo-k", "0").returncode == 2


def test_a_column_that_is_missing_is_asked_for_by_its_option(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("model_a,model_b,winner\nant,bee,model_a\nbee,ant,model_a\n")
    assert "--column annotator=COLUMN" in run("b.csv", "--annotators").stderr
    assert "--column prompt_id=COLUMN" in run("b.csv", "--cluster", "prompt").stderr
    (tmp_path / "t.csv").write_text("prompt,chosen,rejected\nQ?,yes,no\n")
    assert "--column item_a=COLUMN" in run("t.csv").stderr


def test_a_seed_below_zero_is_refused(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv")
    done = run("b.csv", "--seed", "-1")
    assert done.returncode == 2
    assert "--seed" in done.stderr


def test_an_unknown_winner_names_its_line(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv", more="ant,bee,Model_A,p1,w1,1,1\n")
    done = run("b.csv")
    assert done.returncode == 2
    assert "b.csv, line 402: column 'winner': got 'Model_A'" in done.stderr


@pytest.mark.parametrize("width", [80, 100])
def test_no_line_is_wider_than_the_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    write_battles(tmp_path / "b.csv")
    text = (tmp_path / "b.csv").read_text().replace("cat", "a-very-long-name-" * 5 + "文字")
    (tmp_path / "b.csv").write_text(text)
    monkeypatch.setenv("COLUMNS", str(width))
    done = run("b.csv", "--covariate", "length=len_a,len_b")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()[1:]
    assert max(map(len, lines)) <= width
    assert any("…" in line for line in lines)


def test_json_holds_what_the_table_shows(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv")
    done = run("b.csv", "--covariate", "length=len_a,len_b", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [row["item"] for row in found["tables"][0]] == list(ITEMS)
    assert {"strength_without_covariates", "rank_low", "low"} <= found["tables"][0][0].keys()
    assert [effect["name"] for effect in found["effects"]] == ["length"]
    assert found["effects"][0]["std_error"] > 0
    assert found["options"]["interval"] == "sandwich"
    assert found["cluster"] == "prompt"


def test_a_plot_is_written_whole_and_never_over_an_input(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv")
    done = run("b.csv", "--plot", "board.svg", "--scale", "elo")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Written: board.svg\n")
    drawn = (tmp_path / "board.svg").read_text()
    assert "<svg" in drawn
    assert "1. ant" in drawn
    assert run("b.csv", "--plot", "board.png").returncode == 2


def test_style_is_held_alike_where_there_are_texts(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    lines = ["model_a,model_b,winner,response_a,response_b,prompt_id"]
    for k in range(300):
        i, j = rng.choice(4, 2, replace=False)
        words = rng.integers(1, 30, 2)
        d = (j - i) / 2 + np.log(words[0] / words[1])
        said = "model_a" if rng.random() < 1 / (1 + np.exp(-d)) else "model_b"
        a, b = ("word " * n for n in words)
        lines.append(f"{ITEMS[i]},{ITEMS[j]},{said},{a},{b},p{k % 50}")
    (tmp_path / "b.csv").write_text("\n".join(lines) + "\n")
    done = run("b.csv", "--style")
    assert done.returncode == 0, done.stderr
    effect = next(line for line in done.stdout.splitlines() if line.startswith("n_words"))
    assert float(effect.split()[1]) > 0.5
    assert "without" in done.stdout
    assert "no two responses differ: headings, list_items, emphasis" in done.words


def test_style_without_texts_says_how_to_join_them(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv")
    done = run("b.csv", "--style")
    assert done.returncode == 2
    assert "--join FILE --on COLUMN" in done.stderr


def test_annotators_have_flip_rates(run: Run, tmp_path: Path) -> None:
    write_battles(tmp_path / "b.csv", 800)
    done = run("b.csv", "--annotators", "--top", "3")
    assert done.returncode == 0, done.stderr
    assert "Crowd-BT, ties left out" in done.stdout
    assert "flips" in done.stdout
    assert "The crowd flips" in done.stdout
    assert run("b.csv", "--annotators", "--position").returncode == 2
    found = json.loads(run("b.csv", "--annotators", "--json").stdout)
    assert len(found["annotators"]) == 10


LONG = "race,place,driver\n" + "".join(
    f"{race},{place},{driver}\n"
    for race, order in enumerate(("abcd", "bacd", "abdc", "dacb", "cbad"))
    for place, driver in enumerate(order, 1)
)


def test_rankings_are_fitted_whole(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(LONG)
    columns = ("--ranking", "race", "--place", "place", "--item", "driver")
    done = run("r.csv", *columns)
    assert done.returncode == 0, done.stderr
    assert "Plackett-Luce: 5 rankings, 4 items" in done.stdout
    assert "5 rankings. Each holds by itself" in done.words
    lines = [
        {"prompt": f"q{k}", "responses": list("wxyz"), "ranks": ranks, "models": list("abcd")}
        for k, ranks in enumerate(([1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3], [2, 4, 3, 1]))
    ]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("r.jsonl", "--rankings", "--prior", "ridge:0.5")
    assert done.returncode == 0, done.stderr
    assert "Plackett-Luce, ridge prior of 0.5: 4 rankings, 4 items" in done.stdout
    assert run("r.csv", *columns, "--position").returncode == 2
    assert "--both-bad" in run("r.csv", *columns, "--both-bad", "leave-out").stderr
    assert run("r.csv", *columns, "--interval", "bootstrap").returncode == 2
    assert run("r.csv", *columns[:4]).returncode == 2
    assert run("r.csv", *columns, "--rankings").returncode == 2
    assert run("r.csv", *columns, "--where", "race=1").returncode == 2
    with (tmp_path / "r.csv").open("a") as file:
        file.write("6,DNS,a\n6,1,b\n6,2,c\n")
    assert run("r.csv", *columns).returncode == 2
    done = run("r.csv", *columns, "--skip-bad")
    assert "Left out 1: place is text (first at r.csv:" in done.words
    assert "Left out whole with them: 1 ranking. " in done.words
    assert "Plackett-Luce: 5 rankings, 4 items" in done.stdout
