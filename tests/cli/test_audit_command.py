"""``rewardlab audit`` and ``rewardlab compare``: wiring, files written, exit codes, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rewardlab.cli.main import app
from rewardlab.data import demo_path
from rewardlab.errors import InputError

VOTES = demo_path("demo_preferences")
SAMPLES = ["--samples", str(demo_path("demo_samples")), "--gold", "gold", "--proxy", "proxy_reward"]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_the_audit_writes_one_page_and_the_same_as_json(tmp_path: Path) -> None:
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    result = run("audit", VOTES, *SAMPLES, "--out", page, "--json", data)
    assert result.exit_code == 1  # the packaged votes hold two identical pairs
    assert result.output.startswith("Read as rewardlab's own layout")
    assert f"Written: {page}" in " ".join(result.output.split())
    record = json.loads(data.read_text())
    assert record["accuracy"]["overall"]["n"] == 1148
    assert record["curves"][0]["proxy_name"] == "proxy_reward"
    assert "flattery" in page.read_text()


def test_a_failed_check_exits_1_and_sound_votes_exit_0(tmp_path: Path) -> None:
    clean = tmp_path / "clean.jsonl"
    lines = [
        json.dumps(
            {"prompt": f"q{i}", "chosen": f"word {'more ' * (i % 7)}{i}", "rejected": f"no {i}"}
        )
        for i in range(120)
    ]
    clean.write_text("\n".join(lines) + "\n")
    assert run("audit", clean, "--features", "log_words").exit_code == 0
    assert run("audit", VOTES).exit_code == 1


def test_samples_without_their_columns_are_refused() -> None:
    with pytest.raises(InputError, match="--proxy COLUMN"):
        run("audit", VOTES, "--samples", demo_path("demo_samples"), "--gold", "gold")
    with pytest.raises(InputError, match="--gold COLUMN"):
        run("audit", VOTES, "--samples", demo_path("demo_samples"), "--proxy", "proxy_reward")
    with pytest.raises(InputError, match=r"--gold, --n-max: .*--samples FILE"):
        run("audit", VOTES, "--gold", "gold", "--n-max", "4")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved reward."""
    folder = tmp_path_factory.mktemp("saved") / "wordy"
    assert run("fit", VOTES, "--features", "n_words,flattery", "--out", folder).exit_code == 0
    return folder


TEXTS = ["--samples", str(demo_path("demo_samples")), "--gold", "gold"]


def test_a_saved_model_scores_the_samples_where_no_column_is_named(
    model: Path, tmp_path: Path
) -> None:
    data, scored = tmp_path / "a.json", tmp_path / "scored.jsonl"
    result = run("audit", VOTES, "--model", model, *TEXTS, "--json", data)
    assert "The samples' rewards are those of wordy." in result.output
    (itself,) = json.loads(data.read_text())["curves"]
    assert itself["proxy_name"] == "wordy"
    run("score", model, demo_path("demo_samples"), "--out", scored, "--name", "wordy")
    columns = ["--samples", str(scored), "--gold", "gold", "--proxy", "wordy"]
    run("audit", VOTES, "--model", model, *columns, "--json", data)
    (recorded,) = json.loads(data.read_text())["curves"]
    assert recorded["gold"] == itself["gold"]


def test_samples_that_no_model_can_score_are_refused_with_the_remedy(
    model: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"prompt_id": "a", "gold": 1}\n')
    samples = ["--samples", str(bare), "--gold", "gold"]
    with pytest.raises(InputError, match=r"no columns prompt and response.*--proxy COLUMN"):
        run("audit", VOTES, "--model", model, *samples)
    with pytest.raises(InputError, match=r"expected --proxy COLUMN .*saved by 'rewardlab fit'"):
        run("audit", VOTES, *samples)


def test_options_of_the_curve_reach_the_audit(tmp_path: Path) -> None:
    data = tmp_path / "a.json"
    samples = [*TEXTS, "--minimise", "proxy_reward", "--n-max", "6", "--ties", "first"]
    more = ["--short-prompts", "drop", "--smallest-gain", "0.2", "--resamples", "150"]
    run("audit", VOTES, *samples, *more, "--json", data)
    (made,) = json.loads(data.read_text())["curves"]
    assert made["proxy_name"] == "-proxy_reward"
    settings = made["settings"]
    assert (settings["n_max"], settings["ties"], settings["smallest_gain"]) == (6, "first", 0.2)
    assert (settings["short_prompts"], settings["n_resamples"]) == ("drop", 150)


def test_a_refusal_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rewardlab", "audit", str(tmp_path / "missing.jsonl")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "missing.jsonl" in done.stderr


def test_a_page_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        run("audit", VOTES, "--out", tmp_path / "no" / "report.html")


def test_the_first_result_comes_at_once() -> None:
    """A first line within ten seconds, from the start of the process; it takes about one."""
    started = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "rewardlab", "audit", str(VOTES)],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        waited = time.monotonic() - started
        process.stdout.read()
    assert lines[2].startswith("Data: ")
    assert waited < 10


def test_compare_names_the_better_reward_and_writes_its_page(tmp_path: Path) -> None:
    page, data = tmp_path / "c.html", tmp_path / "c.json"
    result = run(
        "compare", "features:all", "features:flattery", VOTES, "--out", page, "--json", data
    )
    assert result.exit_code == 0
    assert "A is better" in result.output
    assert "A is better" in page.read_text()
    assert json.loads(data.read_text())["n_disagreements"] > 0


def test_compare_with_samples_shows_both_curves(tmp_path: Path) -> None:
    data = tmp_path / "c.json"
    two = [*SAMPLES, "--proxy", "careful_reward"]
    result = run("compare", "features:all", "features:n_words", VOTES, *two, "--json", data)
    record = json.loads(data.read_text())
    assert record["curves_a"][0]["proxy_name"] == "proxy_reward"
    assert record["curves_b"][0]["proxy_name"] == "careful_reward"
    at_end, at_peaks = record["curve_differences"]
    assert (at_end["n_a"], at_end["n_b"], at_end["at_peaks"]) == (16, 16, False)
    ends = [record[f"curves_{side}"][0]["gold"]["mean"][-1] for side in "ab"]
    assert at_end["difference"]["value"] == pytest.approx(ends[0] - ends[1])
    assert at_peaks["at_peaks"]
    said = " ".join(result.output.split())
    assert "Gold of what A picks minus gold of what B picks at n = 16: -3.5795 (" in said
    with pytest.raises(InputError, match="--proxy twice"):
        run("compare", "features:all", "features:n_words", VOTES, *SAMPLES)


def test_help_is_quick_and_shows_an_example() -> None:
    for command in ("doctor", "convert", "agreement", "fit", "score", "curve", "audit", "compare"):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert f"Example: rewardlab {command}" in result.output
    code = (
        "import sys; from rewardlab.cli import main; "
        "heavy = {'numpy', 'scipy', 'pyarrow', 'jinja2'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_input_is_replaced_by_an_output(tmp_path: Path) -> None:
    votes = tmp_path / "votes.jsonl.gz"
    votes.write_bytes(VOTES.read_bytes())
    model = tmp_path / "model"
    run("fit", votes, "--out", model)
    before = votes.read_bytes(), (model / "reward.json").read_bytes()
    refused: tuple[list[str | Path], ...] = (
        ["audit", votes, "--json", votes],
        ["audit", votes, "--model", model, "--json", model / "reward.json"],
        ["compare", model, "features:n_words", votes, "--out", votes],
    )
    for arguments in refused:
        with pytest.raises(InputError, match="would replace an input"):
            run(*arguments)
    with pytest.raises(InputError, match="two outputs"):
        run("audit", votes, "--out", tmp_path / "one", "--json", tmp_path / "one")
    assert (votes.read_bytes(), (model / "reward.json").read_bytes()) == before
