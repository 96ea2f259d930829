"""Work on an uploaded file in a process of its own: reading it, fitting a reward, a whole audit.

A file from outside may be damaged or made to do harm. Here it can use no more memory than the
process may have, it cannot hold up the server, and it can be stopped at any moment. One line of
JSON on standard input says what to do; lines of JSON on standard output say how far it is and what
came of it. When standard input closes, the server is gone, and this process ends too.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from rewardlab.app.config import WITHOUT_LIMIT
from rewardlab.errors import InputError, RewardLabError
from rewardlab.plots.text import visible

if TYPE_CHECKING:
    from rewardlab.preferences.tallies import LeftOut

MEMORY_BYTES = 6 * 1024**3
"""Address space of the process; much of it is only reserved by the numerical libraries."""

WITHOUT_TEXTS = (
    "the file says which response won, but not what the responses are; rewards and audits need "
    "their texts. Put them in first: rewardlab convert VOTES.csv --join TEXTS.jsonl --on COLUMN "
    "--to native --out PAIRS.jsonl"
)
"""Why votes that only name their responses are refused."""

_SMALLEST_STEP = 0.01


class Telling:
    """Writes what is going on, a line of JSON each."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, **said: Any) -> None:
        """One line."""
        self._out.write(json.dumps(said, ensure_ascii=True) + "\n")
        self._out.flush()

    def found(self, sentence: str) -> None:
        """What a step found, in a sentence."""
        self.write(found=sentence)

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        """A pass over the file; yields what takes the share done."""
        told = -1.0
        self.write(step=what, share=0.0)

        def tell(share: float) -> None:
            nonlocal told
            if share - told >= _SMALLEST_STEP:
                told = share
                self.write(step=what, share=share)

        yield tell


def inspect(file: Path, job: dict[str, Any], telling: Telling) -> dict[str, Any]:
    """How the file was read, after one whole pass within the limits."""
    from rewardlab.app.uploads.limits import require_few, require_small
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.preferences.options import ReadOptions

    require_small(file, unpacked_bytes=job["unpacked_bytes"], rows=job["rows"])
    reader = open_preferences(file, ReadOptions(on_bad="count"))
    n_votes = 0
    with telling.progress("Reading the file") as on_progress:
        for chunk in reader.some_chunks(on_progress=on_progress):
            if not chunk.has_texts:
                raise InputError(WITHOUT_TEXTS)
            n_votes += len(chunk)
            require_few(n_votes, "votes", job["rows"])
    report = reader.report
    require_few(report.n_rows, "rows", job["rows"])
    return {
        "sentence": visible(f"Read as {reader.layout.sentence}."),
        "n_rows": report.n_rows,
        "n_votes": report.n_votes,
        "left_out": [visible(_left_out(x)) for x in report.left_out],
    }


def _left_out(left: LeftOut) -> str:
    rows = "1 row" if left.count == 1 else f"{left.count:,} rows"
    return f"{rows} left out: {left.reason}."


def fit(file: Path, job: dict[str, Any], telling: Telling) -> dict[str, Any]:
    """The file's text-feature reward as the browser shows it."""
    import numpy as np

    from rewardlab.app.uploads.fit import fitted_words
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.preferences.options import ReadOptions
    from rewardlab.rewards.feature_fit import fit_text_feature_reward

    reader = open_preferences(file, ReadOptions(on_bad="count"))
    with telling.progress("Reading features") as on_progress:
        fitted = fit_text_feature_reward(
            reader, rng=np.random.default_rng(job["seed"]), on_progress=on_progress
        )
    return fitted_words(fitted)


def audit(file: Path, job: dict[str, Any], telling: Telling) -> dict[str, Any]:
    """The whole audit: the page, the same as JSON, and how many checks ended how."""
    from rewardlab.app.reports.contents import contents_of
    from rewardlab.audit.running import audit as run_audit
    from rewardlab.preferences.formats import open_preferences
    from rewardlab.preferences.options import ReadOptions

    progress: Callable[[str], AbstractContextManager[Callable[[float], None]]] = telling.progress
    result = run_audit(
        open_preferences(file, ReadOptions(on_bad="count")),
        seed=job["seed"],
        settings={"command": f"rewardlab audit {file}"},
        tell=telling.found,
        progress=progress,
    )
    with telling.progress("Writing the page"):
        contents = contents_of(result)
    return {"html": contents.html, "json": contents.json, "counts": contents.counts}


def project(file: Path, job: dict[str, Any], telling: Telling) -> dict[str, Any]:
    """Make a project to annotate of the file; how it was read, and how many pairs it has."""
    from rewardlab.app.annotate.making.new_project import Plan, make_project, plan_project
    from rewardlab.app.database import open_database
    from rewardlab.app.uploads.limits import require_few, require_small

    known = Path(job["known"]) if job["known"] else None
    for each in filter(None, (file, known)):
        require_small(each, unpacked_bytes=job["unpacked_bytes"], rows=job["rows"])
    plan = Plan(**job["plan"])
    with telling.progress("Reading the file"):
        planned = plan_project(file, plan, known=known)
    require_few(planned.read.n_rows, "rows", job["rows"])
    with telling.progress("Making the project"):
        make_project(open_database(job["url"]), job["name"], planned, plan)
    return {"sentences": [visible(said) for said in planned.sentences(plan.overlap)]}


TASKS: dict[str, Callable[[Path, dict[str, Any], Telling], dict[str, Any]]] = {
    "inspect": inspect,
    "fit": fit,
    "audit": audit,
    "project": project,
}


def main() -> None:
    """Do the job on standard input."""
    job: dict[str, Any] = json.loads(sys.stdin.readline())
    telling = Telling(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # whatever else is printed is no part of the answer
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    _limit(job["memory_bytes"])
    file = Path(job["file"])
    os.chdir(file.parent)  # so that reports name the file and not its folder
    try:
        done = TASKS[job["task"]](Path(file.name), job, telling)
    except RewardLabError as error:
        telling.write(error=visible(" ".join(str(error).split())))
    except MemoryError:
        most = f"{job['memory_bytes'] / 1024**3:.0f} GiB"
        telling.write(
            error=f"{file.name}: needs more than {most} of memory to read; {WITHOUT_LIMIT}"
        )
    else:
        telling.write(done=done)
    os._exit(0)  # the watching thread still waits for the server


def _end_with_the_server() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def _limit(memory_bytes: int) -> None:
    """Bound the memory, and let the server go first; where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    if hasattr(os, "nice"):
        os.nice(5)


if __name__ == "__main__":
    main()
