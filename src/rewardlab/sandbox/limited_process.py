"""A Python program run apart from this process, with limits on what it may use.

The program runs in a fresh Python without site packages, in an empty temporary folder, without this
process's environment or file handles, under limits of processor time, memory, file size, handles
and processes, and as nobody where this process is root. Arguments go in and results come back as
JSON; results are data of unknown truth: their layout is checked, their content is the caller's to
judge. What the results ought to be stays on this side.

This is a limit, not a jail. The program can reach the network, read what every user may read (the
interpreter's folders even inside a closed home), and write where every user may write, such as
/tmp: many small files can fill a disk. Programs that run at the same time can disturb each other.
Where this process is not root the program runs as the same user, with all of that user's files and
processes in reach, this process's memory among them. Run code of strangers only where none of this
matters.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from rewardlab.errors import InputError, RewardLabError
from rewardlab.sandbox.candidate import NOBODY, READY

_SCRIPT = Path(__file__).with_name("candidate.py")


class Ending(StrEnum):
    """How a call ended."""

    RETURNED = "returned"
    RAISED = "raised"
    TIMEOUT = "timeout"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came of one call.

    Attributes:
        ending: How it ended. A call that was never begun, because the process had ended in an
            earlier one, shares that one's ending.
        value: What was returned, as JSON holds it (a tuple is a list); None if it did not return.
        error: Why it did not, unprintable characters replaced; "" if it did.
    """

    ending: Ending
    value: Any = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What all calls of one process may use together.

    Attributes:
        wall_s: Seconds by the clock.
        cpu_s: Whole seconds of processor time.
        memory_bytes: Address space.
        output_bytes: Size of all results, and of any file that the program writes.
    """

    wall_s: float = 10.0
    cpu_s: int = 5
    memory_bytes: int = 256 * 2**20
    output_bytes: int = 2**20

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name) > 0:
                raise InputError(f"{name}: expected a positive number, got {getattr(self, name)}")

    def as_rlimits(self) -> dict[str, tuple[int, int]]:
        """Name in the ``resource`` module -> soft and hard limit."""
        return {
            "RLIMIT_CPU": (self.cpu_s, self.cpu_s + 1),
            "RLIMIT_AS": (self.memory_bytes, self.memory_bytes),
            "RLIMIT_FSIZE": (self.output_bytes, self.output_bytes),
            "RLIMIT_NOFILE": (32, 32),
            "RLIMIT_CORE": (0, 0),
            "RLIMIT_NPROC": (0, 0),
        }


def call_function(
    source: str,
    function: str,
    calls: Sequence[Sequence[Any]],
    *,
    limits: Limits | None = None,
) -> tuple[CallResult, ...]:
    """Results of calling one function of a program on several arguments, all in one process.

    Args:
        source: The program's text.
        function: Name of the function that it defines.
        calls: Length n; the positional arguments of each call, JSON-ready.
        limits: What the process may use; the defaults if not given.

    Returns:
        Length n, in order.

    Raises:
        InputError: The arguments cannot be written as JSON.
        RewardLabError: The system is not Linux, or the limits could not be put in force; nothing
            of the program has run then.
    """
    if sys.platform != "linux":
        raise RewardLabError(f"running a program needs Linux for its limits, got {sys.platform}")
    limits = limits or Limits()
    job = {
        "source": source,
        "function": function,
        "calls": [list(arguments) for arguments in calls],
        "limits": limits.as_rlimits(),
        "longest": limits.output_bytes // (2 * max(len(calls), 1)),
    }
    try:
        text = json.dumps(job, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"calls: expected arguments that JSON can hold: {error}") from None
    try:
        written, ending, why = _run(text, limits)
    except (OSError, subprocess.SubprocessError) as error:
        raise RewardLabError(f"a limited process could not be set up: {error}") from None
    return _read(written, ending, why, n=len(calls))


def _run(job: str, limits: Limits) -> tuple[bytes, Ending, str]:
    """What the process wrote, and how and why it ended should a result be missing."""
    # Files in place of pipes: a limit on file size bounds them, and nothing can block on them.
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as results,
        tempfile.TemporaryFile() as complaints,
        _folder() as folder,
    ):
        given.write(job.encode())
        given.seek(0)
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SCRIPT)],
            stdin=given,
            stdout=results,
            stderr=complaints,
            cwd=folder,
            env={},
            start_new_session=True,
        )
        ending, why = _wait(process, limits)
        said = _content(complaints, 10_000).decode(errors="replace").strip().splitlines() or [why]
        if said[-1] != READY:
            raise RewardLabError(f"a limited process could not be set up: {said[-1]}")
        return _content(results, limits.output_bytes), ending, why


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """An empty folder, gone afterwards whatever was made of it.

    ``rm`` follows no link and goes to any depth; ``shutil.rmtree`` fails a thousand folders down.
    """
    folder = tempfile.mkdtemp(prefix="rewardlab-")
    try:
        yield folder
    finally:
        # Root needs no rights of its own, and must not follow a link put in the folder's place.
        if os.geteuid() != 0:
            subprocess.run(["chmod", "-R", "u+rwx", folder], check=True)
        subprocess.run(["rm", "-rf", folder], check=True)


def _wait(process: subprocess.Popen[bytes], limits: Limits) -> tuple[Ending, str]:
    try:
        code = process.wait(limits.wall_s)
    except subprocess.TimeoutExpired:
        return Ending.TIMEOUT, f"no result within {limits.wall_s:g} s"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if code == -signal.SIGXCPU:
        return Ending.TIMEOUT, f"no result within {limits.cpu_s} s of processor time"
    return Ending.KILLED, f"the process ended before the call did (exit status {code})"


def _content(file: IO[bytes], most: int) -> bytes:
    file.seek(0)
    return file.read(most)


def _read(written: bytes, ending: Ending, why: str, *, n: int) -> tuple[CallResult, ...]:
    # A last line without its end was cut off; it is no result.
    lines = written.split(b"\n")[:-1]
    if len(lines) > n:
        forged = CallResult(Ending.RAISED, error=f"wrote {len(lines)} results for {n} calls")
        return (forged,) * n
    done = tuple(_result(line) for line in lines)
    return done + (CallResult(ending, error=why),) * (n - len(done))


def _result(line: bytes) -> CallResult:
    try:
        result = json.loads(line, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        result = None
    match result:
        case {"value": value, **rest} if not rest:
            return CallResult(Ending.RETURNED, value=value)
        case {"error": str(error), **rest} if not rest:
            shown = (c if c.isprintable() else "\ufffd" for c in error[:300])
            return CallResult(Ending.RAISED, error="".join(shown))
    return CallResult(Ending.RAISED, error="wrote a result that cannot be read")


def _finite(number: str) -> float:
    """A number as JSON allows it: no NaN, and none like 1e999 that a float cannot hold."""
    if not math.isfinite(value := float(number)):
        raise ValueError(f"expected a finite number, got {number}")
    return value
