"""The main job on the packaged sample data: doctor, fit, curve, audit, compare.

Each step prints the command it runs, so that it can be typed again on other files.
Run with ``make demo``, or ``python examples/demo.py FOLDER``.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

from rewardlab.data import demo_path

FAILED_CHECK = 1
"""The doctor's exit code where a check fails; the sample data has planted faults, so it does."""


def step(title: str, arguments: list[str], *, may_fail_checks: bool = False) -> None:
    """Run one command, its output shown; stop the demo if it goes wrong."""
    print(f"\n== {title}\n$ {shlex.join(['rewardlab', *arguments])}", flush=True)
    code = subprocess.run([sys.executable, "-m", "rewardlab", *arguments], check=False).returncode
    if code != 0 and not (may_fail_checks and code == FAILED_CHECK):
        sys.exit(code)


def main(folder: Path) -> None:
    """Run every step; files go to ``folder``."""
    started = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    votes, samples = (str(demo_path(f"demo_{n}")) for n in ("preferences", "samples"))
    model, report, comparison = (
        str(folder / name) for name in ("model", "report.html", "comparison.html")
    )
    curve = ["--group", "prompt_id", "--proxy", "proxy_reward", "--gold", "gold"]
    step("What is wrong with these votes?", ["doctor", votes], may_fail_checks=True)
    step("What do they pay for?", ["fit", votes, "--out", model])
    step("How far may one optimise against a reward?", ["curve", samples, *curve])
    step(
        "The whole verdict, as one page",
        ["audit", votes, "--model", model, "--samples", samples, *curve, "--out", report],
        may_fail_checks=True,
    )
    step(
        "Is length alone as good?",
        ["compare", model, "features:n_words,log_words", votes, "--out", comparison],
    )
    print(f"\nDone in {time.perf_counter() - started:.0f} s. Open {report} and {comparison}.")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
