"""What becomes of output that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
PROGRAM = [sys.executable, "-m", "rewardlab", "--version"]


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line_and_exit_code_2(unbuffered: str) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            PROGRAM,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    said = "rewardlab: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_a_pipe_that_nobody_reads_ends_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(PROGRAM, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.stderr == ""
