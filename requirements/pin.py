"""Solve requirements/*.txt anew: one fresh environment per stage, versions only.

Each stage lists what it adds to the stages below it, so that a core machine installs no more than
the core needs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PROJECT = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
CHECKERS = ("ruff", "mypy", "import-linter")
DEV = OPTIONAL["dev"]

STAGES = {
    "core": ((), PROJECT["dependencies"], "What the core runs on."),
    "test": (
        ("core",),
        [d for d in DEV if not d.startswith(CHECKERS)],
        "What `make test` adds: test runner, property tests, an independent peer.",
    ),
    "check": (
        ("core", "test"),
        [d for d in DEV if d.startswith(CHECKERS)],
        "What `make check` adds: formatter, linter, types, layers.",
    ),
    "extras": (
        ("core", "test"),
        [d for name, wanted in OPTIONAL.items() if name != "dev" for d in wanted],
        "What `make test-all` adds: every extra of pyproject.toml.",
    ),
}


def solve(requirements: list[str], constraints: Path) -> dict[str, str]:
    """Package name -> "name==version" of everything that these requirements bring."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [str(Path(folder) / "bin" / "python"), "-m", "pip"]
        subprocess.run(
            [*pip, "install", "--quiet", "-c", str(constraints), *requirements], check=True
        )
        frozen = subprocess.run([*pip, "freeze"], check=True, capture_output=True, text=True)
    # A local build tag ("+cpu") names where a wheel came from, not its version.
    lines = [line.split("+")[0] for line in frozen.stdout.splitlines() if "==" in line]
    return {line.split("==")[0].lower(): line for line in lines}


def main() -> None:
    """Write every stage's file."""
    solved: dict[str, dict[str, str]] = {}
    for stage, (below, wanted, what) in STAGES.items():
        fixed = {k: v for name in below for k, v in solved[name].items()}
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
            constraints.write("\n".join(fixed.values()))
            constraints.flush()
            everything = solve([*fixed.values(), *wanted], Path(constraints.name))
        solved[stage] = {k: v for k, v in everything.items() if k not in fixed}
        head = f"# {what}\n# Pinned by version; rewrite with `make pins`.\n"
        include = f"-r {below[-1]}.txt\n" if below else ""
        lines = "\n".join(solved[stage][k] for k in sorted(solved[stage]))
        (FOLDER / f"{stage}.txt").write_text(f"{head}{include}{lines}\n")


if __name__ == "__main__":
    main()
