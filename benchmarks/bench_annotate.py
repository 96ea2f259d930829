"""Annotation: labels of many people at once, each on disk before it is acknowledged.

The aim is the latency that 95% stay below, from when a label is due to when its acknowledgement is
read. ``REWARDLAB_BENCH_DB`` names another database than a new SQLite file.
"""

from __future__ import annotations

import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine

from benchmarks.annotate_load import Annotator, judge_under_load
from benchmarks.side_by_side import print_heading, print_line
from rewardlab.app.annotate.entering import cookie_name
from rewardlab.app.annotate.store.access import new_link
from rewardlab.app.annotate.store.contents import Content, Pair, Project
from rewardlab.app.annotate.store.projects import create_project
from rewardlab.app.annotate.store.queue import take
from rewardlab.app.annotate.store.writing import lock_project
from rewardlab.app.database import open_database
from tests.app.running import Lab

N_CLIENTS, PER_SECOND, P95_MS = 20, 250, 50
N_PAIRS, N_TAKES, TAKE_MS = 20_000, 50, 50


def main() -> None:
    """Print what was measured beside what is aimed at."""
    with tempfile.TemporaryDirectory() as folder:
        url = os.environ.get("REWARDLAB_BENCH_DB") or f"sqlite:///{folder}/lab.sqlite"
        engine = open_database(url)
        project = f"bench-{time.time_ns()}"
        measure_take(engine, _make(engine, project))
        lab = Lab(Path(folder) / "served", f"--db={url}")
        try:
            measure_labels(lab, engine, project)
        finally:
            lab.kill()
            engine.dispose()


def measure_labels(lab: Lab, engine: Engine, project: str) -> None:
    """Latencies that 20 annotators see who judge faster than anybody reads."""
    people = []
    for i in range(N_CLIENTS):
        token = new_link(engine, project, "annotator", f"ann{i}")
        cookie = f"{cookie_name(project, 'annotator')}={token}"
        people.append(Annotator(project, f"ann{i}", cookie))
    seen = judge_under_load(lab.url, people, lab.folder, rate=PER_SECOND / N_CLIENTS)
    name = f"Annotation: {PER_SECOND} labels a second of {N_CLIENTS}, on disk"
    for part, measured in (("50%", seen.median_ms), ("95%", seen.p95_ms)):
        said = f"{measured:.1f} ms"
        print_line(f"{name}, {part}", said, f"< {P95_MS} ms", P95_MS / measured)
    if seen.refused or seen.per_second < 0.95 * PER_SECOND:
        print(f"  {seen.per_second:.0f} labels a second answered, {seen.refused} refused")


def measure_take(engine: Engine, project: Project) -> None:
    """How long one annotator waits for ten pairs of many, without a network."""
    started = time.perf_counter()
    for i in range(N_TAKES):
        with engine.begin() as connection:
            lock_project(connection, project.project)
            lent = take(connection, project, f"other{i}", 10, now=datetime.now(UTC))
            assert len(lent.pairs) == 10
    measured = 1e3 * (time.perf_counter() - started) / N_TAKES
    name = f"Annotation: ten of {N_PAIRS:,} pairs to judge"
    print_line(name, f"{measured:.1f} ms", f"< {TAKE_MS} ms", TAKE_MS / measured)


def _make(engine: Engine, project: str) -> Project:
    text = "Long enough to be read for a while. " * 40
    pairs = [
        Pair(i, "pair", Content(f"p{i}", f"q{i}", f"prompt {i}", f"{text}{i}", f"{i}{text}"))
        for i in range(N_PAIRS)
    ]
    return create_project(engine, project, pairs, overlap=2)


if __name__ == "__main__":
    print_heading()
    main()
