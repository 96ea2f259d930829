"""Every command in README and docs runs, and prints what the page says it prints.

In a fenced block, ``$ rewardlab ...`` is a command followed by its output, and a bare
``rewardlab ...`` a command alone. Lines of shown output must appear in the real one, in order; a
line of ``...`` stands for lines left out. Commands of one page share a folder, in which the
packaged sample data and, where they are found, the real files lie under the names used in docs.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from rewardlab.data import demo_path
from tests.cli.running import ran

ROOT = Path(__file__).resolve().parent.parent
SYSTEM_PAGES = sorted((ROOT / "docs" / "systems").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LONG_PAGES = ("real-runs.md",)
COMMAND_PAGES = [
    pytest.param(page, id=page.name, marks=[pytest.mark.slow] if page.name in LONG_PAGES else [])
    for page in PAGES
]
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELISION = re.compile(r"^\.\.\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Documented:
    """A command of a page, and the lines that the page shows below it."""

    command: str
    shown: tuple[str, ...]


def documented(page: Path) -> list[Documented]:
    """The commands of a page, in order."""
    found: list[Documented] = []
    for block in FENCE.findall(page.read_text(encoding="utf-8")):
        lines = block.replace("\\\n", " ").splitlines()
        for i, line in enumerate(lines):
            if line.startswith("$ rewardlab "):
                rest = lines[i + 1 :]
                end = next((k for k, x in enumerate(rest) if x.startswith("$ ")), len(rest))
                found.append(Documented(line[2:], tuple(rest[:end])))
            elif line.startswith("rewardlab "):
                found.append(Documented(line.split("  #")[0], ()))
    # Synopses, such as "rewardlab fit FILE --out DIR", have words in capitals for the reader's own.
    return [d for d in found if not re.search(r"\b(FILE|DIR|NAME|SAMPLES|COL|COLUMN)\b", d.command)]


def prepare(folder: Path) -> None:
    """Lay out the files that pages name: sample data by plain names, real data as they are."""
    votes = gzip.decompress(demo_path("demo_preferences").read_bytes()).decode().splitlines()
    (folder / "votes.jsonl").write_text("\n".join(votes) + "\n")
    rows = [json.loads(line) for line in votes]
    prompts = sorted({row["prompt_id"] for row in rows})
    train = set(prompts[: len(prompts) * 3 // 4])
    for name, wanted in (("train", True), ("test", False)):
        lines = [
            v for v, row in zip(votes, rows, strict=True) if (row["prompt_id"] in train) == wanted
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "battles.csv").write_text(battles(np.random.default_rng(0)))
    samples = demo_path("demo_samples")
    (folder / "samples.jsonl").write_bytes(gzip.decompress(samples.read_bytes()))
    data = Path(os.environ.get("REWARDLAB_DATA", ROOT.parent / "shared" / "data"))
    if data.is_dir():
        for file in data.iterdir():
            shutil.copyfile(file, folder / file.name)


def battles(rng: np.random.Generator) -> str:
    """A table of votes on four models, one of them better."""
    rows = ["model_a,model_b,winner"]
    for _ in range(200):
        a, b = rng.permutation(4)[:2]
        odds = np.array([2.0 if a == 0 else 1.0, 2.0 if b == 0 else 1.0, 0.5])
        winner = rng.choice(["model_a", "model_b", "tie"], p=odds / odds.sum())
        rows.append(f"model {a},model {b},{winner}")
    return "\n".join(rows) + "\n"


def real_files_missing(command: str, folder: Path) -> list[str]:
    """Names of real data files in the command that are not here."""
    named = [word for word in shlex.split(command) if word.endswith((".jsonl.gz", ".csv.gz"))]
    return [n for n in named if not (folder / n).exists() and "=" not in n and "/" not in n]


def squeezed(text: str) -> str:
    """The text with every stretch of blanks as one, so that wrapping does not matter."""
    return " ".join(text.split())


def require_shown(item: Documented, printed: str) -> None:
    """Every part that the page shows of a command's output is in it, in order."""
    text, at = squeezed(printed), 0
    for part in ELISION.split("\n".join(item.shown)):
        expected = squeezed(part)
        found = text.find(expected, at)
        assert found >= 0, f"{item.command}\nshown, not printed:\n{part}\nprinted:\n{printed}"
        at = found + len(expected)


def run_here(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Exit code and output of a command, run in this process: a new one would load all anew."""
    monkeypatch.setenv("COLUMNS", "100")
    done = ran(shlex.split(command)[1:], monkeypatch, capsys)
    return done.returncode, f"{done.stdout} {done.stderr}"


@pytest.mark.parametrize("page", COMMAND_PAGES)
def test_every_documented_command_runs_and_prints_what_is_shown(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    skipped: list[str] = []
    for item in documented(page):
        missing = real_files_missing(item.command, tmp_path)
        written_here = [m for m in missing if f"--out {m}" in item.command]
        if missing and not written_here:
            skipped.append(item.command)
            continue
        code, printed = run_here(item.command, monkeypatch, capsys)
        assert code in (0, 1), f"{item.command}\n{printed}"
        require_shown(item, printed)
    if skipped:
        assert "REWARDLAB_DATA" not in os.environ, f"real data are named but lack: {skipped}"
        pytest.skip(f"real data not found for: {'; '.join(skipped)}")


PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_documented_python_block_runs(page: Path, tmp_path: Path) -> None:
    prepare(tmp_path)
    for block in PYTHON_BLOCK.findall(page.read_text(encoding="utf-8")):
        done = subprocess.run(
            [sys.executable, "-c", block],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        assert done.returncode == 0, f"{block}\n{done.stderr}"


@pytest.mark.parametrize("page", SYSTEM_PAGES, ids=lambda page: page.name)
def test_commands_and_python_of_the_systems_pages_run_in_this_process(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for item in documented(page):
        code, printed = run_here(item.command, monkeypatch, capsys)
        assert code == 0
        require_shown(item, printed)
    text = page.read_text(encoding="utf-8")
    for block in PYTHON_BLOCK.findall(text):
        exec(compile(block, str(page), "exec"), {})
        assert squeezed(capsys.readouterr().out) in squeezed(text)
