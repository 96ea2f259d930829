"""Starting work on an upload in a process of its own, following it, and stopping it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import rewardlab
from rewardlab.app.config import WITHOUT_LIMIT
from rewardlab.app.uploads.worker import MEMORY_BYTES
from rewardlab.errors import InputError

OnProgress = Callable[[str, float | None], None]
"""Told the step and the share of it that is done; None where no share is known."""


def _ignore(_step: str, _share: float | None) -> None:
    pass


_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""Leaves the other processors to the server; and each thread would reserve memory of its own."""


class WorkStoppedError(Exception):
    """The work was stopped from outside before it was done."""


class UploadWork:
    """One task on one file, to be run once; ``stop`` may be called from any thread.

    Args:
        task: "inspect", "fit", "audit" or "project".
        file: The uploaded file.
        settings: What the task needs besides.
        limit_s: After so many seconds it is given up.
        memory_bytes: What the process may use.
    """

    def __init__(
        self,
        task: str,
        file: Path,
        settings: Mapping[str, Any],
        *,
        limit_s: float,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._file = file
        self._job = {"task": task, "file": str(file.absolute()), "memory_bytes": memory_bytes}
        self._job |= settings
        self._limit_s = limit_s
        self._stopped = self._late = False
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def run(self, on_progress: OnProgress = _ignore) -> dict[str, Any]:
        """What the task found.

        Raises:
            InputError: The file was refused, or the work took too long or too much memory.
            WorkStoppedError: It was stopped.
        """
        with self._lock:
            if self._stopped:
                raise WorkStoppedError
            process = self._process = _start()
        clock = threading.Timer(self._limit_s, self._give_up)
        clock.daemon = True
        clock.start()
        try:
            with process:
                said = self._follow(process, on_progress)
                process.kill()  # it is done, or has nothing more to say
        finally:
            clock.cancel()
        return self._outcome(said, process.returncode)

    def stop(self) -> None:
        """End the work; ``run`` then raises."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _give_up(self) -> None:
        self._late = True
        self.stop()

    def _follow(self, process: subprocess.Popen[str], tell: OnProgress) -> dict[str, Any]:
        """The last line that says an outcome; {} if there is none."""
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it ended at once; its exit code says so
            os.write(process.stdin.fileno(), json.dumps(self._job).encode() + b"\n")
        for line in process.stdout:
            if not line.endswith("\n"):
                break  # it was ended in the middle of it
            said: dict[str, Any] = json.loads(line)
            if "done" in said or "error" in said:
                return said
            if "step" in said:
                tell(said["step"], said["share"])
        process.wait()
        return {}

    def _outcome(self, said: dict[str, Any], code: int | None) -> dict[str, Any]:
        if "done" in said:
            done: dict[str, Any] = said["done"]
            return done
        if "error" in said:
            raise InputError(said["error"])
        if self._late:
            raise InputError(
                f"{self._file.name}: took more than {self._limit_s:g} s and was given up; "
                f"{WITHOUT_LIMIT}"
            )
        if self._stopped:
            raise WorkStoppedError
        raise InputError(
            f"{self._file.name}: reading it ended without an answer (exit code {code}); the file "
            "may be damaged, or need more memory than there is"
        )


def _start() -> subprocess.Popen[str]:
    # -P: nothing in the folder of an upload can be taken for a module.
    package = str(Path(rewardlab.__file__).parent.parent)
    paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {**_ONE_THREAD, **os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    # A session of its own: Ctrl+C reaches the server alone, which ends this process when it stops.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "rewardlab.app.uploads.worker"],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
        encoding="utf-8",
    )
