"""A million pairs pass through the reader and the writer in bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

N = 1_000_000
LIMIT_BYTES = 2 * 2**30
LIMIT_SECONDS = 120.0  # stated for reading; about 14 s were measured on one core

PROGRAM = """
import json, resource, sys, time
from pathlib import Path
from rewardlab.preferences.formats import open_preferences
from rewardlab.preferences.writing import write_preferences

source, out = Path(sys.argv[1]), Path(sys.argv[2])
reader = open_preferences(source)
passes = []

def chunks():
    started, n = time.perf_counter(), 0
    for chunk in reader.chunks():
        n += len(chunk)
        yield chunk
    passes.append((n, time.perf_counter() - started))

written = write_preferences(chunks, out, layout="native")
n, read_s = passes[0]  # with what the writer makes of each chunk
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"n": n, "read_s": read_s, "written": written.n_written, "peak": peak}))
"""


@pytest.mark.slow
def test_a_million_pairs_stream_within_two_gigabytes(tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    with source.open("w") as file:
        row = {"prompt": "question %d", "chosen": "word " * 40, "rejected": "other %d " * 20}
        line = json.dumps(row) + "\n"
        file.writelines(line.replace("%d", str(i)) for i in range(N))
    command = [sys.executable, "-c", PROGRAM, str(source), str(tmp_path / "out.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert (figures["n"], figures["written"]) == (N, N)
    assert figures["peak"] < LIMIT_BYTES
    assert figures["read_s"] < LIMIT_SECONDS
