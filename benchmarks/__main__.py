"""Run every bench_*.py of this folder; each prints lines of name, ours, peer and ratio."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from benchmarks.side_by_side import print_heading


def main() -> None:
    """Run the benchmarks in the order of their names."""
    print_heading()
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        import_module(f"benchmarks.{path.stem}").main()


if __name__ == "__main__":
    main()
