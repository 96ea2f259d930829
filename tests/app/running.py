"""A lab in a process of its own, that a test may ask, kill and start again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

_START_S = 60.0
"""Longest that a start may take: the machine may be busy with other tests."""

_SAID = re.compile(r"The lab is at (http://\S+?)/? \(")


class Lab:
    """A running lab.

    Attributes:
        url: Where it is, without a slash at the end.
        folder: Where it keeps its database and uploads.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        """Start a lab on a free port and wait until it answers.

        Args:
            folder: For its database and uploads.
            *options: Further options of ``rewardlab lab``.
        """
        self.folder = folder
        self._options = options
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.url = self._start(port=0)

    def restart(self) -> None:
        """Start it again on the same port with the same folder."""
        self.kill()
        self._start(port=int(self.url.rsplit(":", 1)[1]))

    def kill(self) -> None:
        """End it at once, as a crash or ``kill -9`` does; nothing is flushed or closed."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def interrupt(self) -> None:
        """Press Ctrl+C, and wait until it has ended by itself.

        As a terminal does, this signals the whole group: also the processes that it started.
        """
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGINT)
        self._process.wait(timeout=_START_S)
        self._process = None

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Its JSON answer to a request such as a page of it makes.

        ``body`` goes out as JSON; bytes as they are.
        """
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path,
            data=sent,
            headers={"Origin": self.url, "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=_START_S) as response:
            return json.loads(response.read())

    def said(self) -> str:
        """What it has written to its output since it was started last."""
        return self._log.read_text()

    def _start(self, *, port: int) -> str:
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "rewardlab", "lab", "--no-browser", f"--port={port}"]
        command += [f"--folder={self.folder}", *self._options]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline and self._process.poll() is None:
            found = _SAID.search(self.said())
            if found and _answers(found[1]):
                return found[1]
            time.sleep(0.02)
        self.kill()
        raise AssertionError(f"the lab did not start; it said: {self.said()}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/systems", timeout=10) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False
