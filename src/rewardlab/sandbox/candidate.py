"""What runs inside a limited process: takes one job, limits itself, calls the candidate's function.

``limited_process`` starts this file as a script; it imports nothing of rewardlab. The job comes as
JSON on standard input. A word on standard error says that every limit is in force; the candidate
gets neither handle nor name of it. Results go to standard output, a line of JSON for each call.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

READY = "limits in force"
NOBODY = 65534
"""User and group that hold nothing; processes started by root become it."""


class _Reporting:
    """Turns whatever the candidate raises, exits included, into the text of a failed call."""

    error = ""

    def __enter__(self) -> _Reporting:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if kind is not None:
            self.error = kind.__name__
            with contextlib.suppress(BaseException):  # putting it into words may raise, too
                self.error = f"{kind.__name__}: {error}"[:300]
        return True


def _become_nobody() -> None:
    """Give up root. The standard library may lie in root's home: keep its folders by handle."""
    folders = [folder for folder in sys.path if Path(folder).is_dir()]
    handles = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in folders]
    sys.path[:] = [f"/proc/self/fd/{handle}" for handle in handles]
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def _limit(limits: dict[str, list[int]]) -> None:
    if os.geteuid() == 0:
        _become_nobody()
    for name, (soft, hard) in limits.items():
        resource.setrlimit(getattr(resource, name), (soft, hard))


def _call(function: Any, arguments: list[Any], longest: int) -> dict[str, Any]:
    with _Reporting() as reporting:
        value = function(*arguments)
        if len(json.dumps(value, allow_nan=False)) <= longest:
            return {"value": value}
        reporting.error = f"ValueError: the result is longer than {longest} characters"
    return {"error": reporting.error}


def _load(source: str, name: str) -> tuple[Any, str]:
    """The candidate's function, or why there is none."""
    with _Reporting() as reporting:
        namespace: dict[str, Any] = {"__name__": "candidate"}
        exec(compile(source, "candidate", "exec"), namespace)
        return namespace[name], ""
    return None, reporting.error


def main() -> None:
    """Do the job on standard input."""
    job = json.load(sys.stdin)
    # What the candidate prints goes nowhere; results have a handle of their own.
    results = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    _limit(job["limits"])
    os.write(2, READY.encode())
    os.dup2(nowhere, 2)
    function, error = _load(job["source"], job["function"])
    for arguments in job["calls"]:
        result = {"error": error} if error else _call(function, arguments, job["longest"])
        os.write(results, json.dumps(result).encode() + b"\n")


if __name__ == "__main__":
    main()
