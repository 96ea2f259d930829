"""From a CSV of a million battles to a printed leaderboard, whole processes with their start-up.

1,000 items by name, 15% ties. The peer is what a user of evalica would write: pandas.read_csv,
evalica.bradley_terry with ties as half wins, the scores printed in order; it has no intervals.
CPU time of the child process, one thread, best of turns taken in turns. Python keeps its bytecode
in a folder that all of them share, as it would beside installed packages: the first turn fills it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.side_by_side import print_line

N_BATTLES, N_ITEMS, TURNS = 1_000_000, 1_000, 4
EVALICA = """
import sys
import evalica
import pandas as pd
from evalica import Winner
rows = pd.read_csv(sys.argv[1])
meaning = {"model_a": Winner.X, "model_b": Winner.Y, "tie": Winner.Draw}
winners = rows["winner"].map(meaning)
found = evalica.bradley_terry(
    rows["model_a"], rows["model_b"], winners, win_weight=1.0, tie_weight=0.5
)
print(found.scores.sort_values(ascending=False).to_string())
"""
OURS = "from rewardlab.cli.main import run; run()"


def main() -> None:
    """Print ours without intervals, and with sandwich intervals and ranges of ranks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "battles.csv"
        write_battles(path)
        size = f"rank {N_BATTLES:,} battles"
        commands = {
            "no intervals": (OURS, "rank", str(path), "--interval", "none"),
            "sandwich and rank ranges": (OURS, "rank", str(path)),
            "evalica": (EVALICA, str(path)),
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(TURNS):
            for name, words in commands.items():
                best[name] = min(best[name], cpu_seconds(words, Path(folder) / "bytecode"))
    peer = best.pop("evalica")
    for name, ours in best.items():
        print_line(f"{size}: {name} / evalica", f"{ours:.2f} s", f"{peer:.2f} s", peer / ours)


def write_battles(path: Path) -> None:
    """Battles of random pairs, won by Bradley-Terry."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 1, N_ITEMS)
    i = rng.integers(0, N_ITEMS, N_BATTLES)
    j = (i + rng.integers(1, N_ITEMS, N_BATTLES)) % N_ITEMS
    won = rng.random(N_BATTLES) < 1 / (1 + np.exp(strength[j] - strength[i]))
    said = np.where(won, "model_a", "model_b")
    said[rng.random(N_BATTLES) < 0.15] = "tie"
    names = np.array([f"model-{k:04d}-instruct" for k in range(N_ITEMS)])
    rows = zip(names[i].tolist(), names[j].tolist(), said.tolist(), strict=True)
    with path.open("w") as file:
        file.write("model_a,model_b,winner\n")
        file.writelines(f"{a},{b},{w}\n" for a, b, w in rows)


def cpu_seconds(words: Sequence[str], bytecode: Path) -> float:
    """CPU time, user's and system's, of a Python process that runs the first word.

    Args:
        words: What it runs, and its arguments.
        bytecode: Where it keeps compiled modules.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", *words], check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
