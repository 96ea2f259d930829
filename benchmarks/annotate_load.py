"""Annotators in a process of their own: each judges on a beat, and fetches pairs as pages do.

A post is due every 1 / rate seconds whether or not the one before is answered, and its latency
counts from when it was due: a server that falls behind cannot hide it. Each label is a post of its
own, and one in 25 posts takes the label before back. Where fewer than five pairs are left, a client
asks for more, over the same connection.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import time
import uuid
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from benchmarks.load import WARM_UP_S, Latencies

POSTS_PER_UNDO = 25
PAIRS_AT_ONCE, FEWEST_PAIRS = 10, 5
WHEN = "2026-11-30T12:00:00Z"


@dataclass(frozen=True, slots=True)
class Annotator:
    """Who judges.

    Attributes:
        project: Where.
        name: Under which name.
        cookie: What lets them in.
    """

    project: str
    name: str
    cookie: str


def judge_under_load(
    url: str, annotators: list[Annotator], folder: Path, *, rate: float, seconds: float = 6.0
) -> Latencies:
    """Run this module in another process against a server.

    Args:
        url: Of the server, without a slash at the end.
        annotators: One for each client.
        folder: For a file that says who they are.
        rate: Posts a second of each client.
        seconds: How long, after a second to warm up.
    """
    people = folder / "annotators.json"
    people.write_text(json.dumps([asdict(one) for one in annotators]))
    command = [sys.executable, "-m", "benchmarks.annotate_load", url, str(people)]
    command += [str(rate), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Latencies(**json.loads(done.stdout))


class _Page:
    """One annotator's page over one connection."""

    def __init__(self, annotator: Annotator, place: str) -> None:
        self._annotator = annotator
        self._place = place
        self._held: deque[int] = deque()
        self._last: dict[str, Any] = {}

    async def open(self) -> None:
        """Connect, and fetch the first pairs."""
        host, port = self._place.rsplit(":", 1)
        self._reader, self._writer = await asyncio.open_connection(host, int(port))
        await self.fetch()

    async def fetch(self) -> None:
        """Have ten pairs, if fewer than five are left."""
        if len(self._held) >= FEWEST_PAIRS:
            return
        _, said = await self._post("next", {"n": PAIRS_AT_ONCE, "have": list(self._held)})
        self._held += [pair["pair"] for pair in json.loads(said)["pairs"]]

    async def judge(self, k: int) -> bool:
        """Send post number ``k``; True if its event is acknowledged."""
        event: dict[str, Any] = {"id": str(uuid.uuid4()), "judged_at": WHEN}
        if k % POSTS_PER_UNDO == POSTS_PER_UNDO - 1:
            event |= {"kind": "undo", "pair": self._last["pair"], "undone": self._last["id"]}
            self._held.appendleft(self._last["pair"])
        else:
            event |= {"kind": "label", "pair": self._held.popleft(), "outcome": "left"}
            event |= {"strength": 2, "duration_s": 1.25}
        self._last = event
        status, said = await self._post("labels", {"events": [event]})
        return status == 200 and event["id"] in json.loads(said)["acknowledged"]

    async def _post(self, what: str, body: dict[str, Any]) -> tuple[int, bytes]:
        sent = json.dumps({"annotator": self._annotator.name, **body}).encode()
        head = (
            f"POST /api/annotate/{self._annotator.project}/{what} HTTP/1.1\r\n"
            f"Host: {self._place}\r\nOrigin: http://{self._place}\r\n"
            f"Cookie: {self._annotator.cookie}\r\nAccept-Encoding: gzip\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        self._writer.write(head.encode() + sent)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = answer.partition(b"content-length:")[2].partition(b"\r\n")[0]
        said = await self._reader.readexactly(int(length))
        zipped = b"content-encoding: gzip" in answer
        return int(answer.split()[1]), gzip.decompress(said) if zipped else said


async def _client(
    page: _Page, start: float, rate: float, seconds: float
) -> list[tuple[float, bool]]:
    seen = []
    for k in range(int((WARM_UP_S + seconds) * rate)):
        due = start + k / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        fine = await page.judge(k)
        if due >= start + WARM_UP_S:
            seen.append((time.perf_counter() - due, fine))
        await page.fetch()
    return seen


async def _load(url: str, people: list[Annotator], rate: float, seconds: float) -> Latencies:
    pages = [_Page(one, urlsplit(url).netloc) for one in people]
    for page in pages:
        await page.open()
    start = time.perf_counter()
    running = [
        _client(page, start + i / (len(pages) * rate), rate, seconds)
        for i, page in enumerate(pages)
    ]
    seen = [one for found in await asyncio.gather(*running) for one in found]
    lasted = time.perf_counter() - start - WARM_UP_S
    taken = 1e3 * np.array([duration for duration, _ in seen])
    return Latencies(
        median_ms=float(np.median(taken)),
        p95_ms=float(np.quantile(taken, 0.95)),
        per_second=len(seen) / lasted,
        refused=sum(not fine for _, fine in seen),
    )


def main() -> None:
    """Print what the clients saw as JSON; arguments as ``judge_under_load`` gives them."""
    url, file, rate, seconds = sys.argv[1:]
    people = [Annotator(**one) for one in json.loads(Path(file).read_text())]
    print(json.dumps(asdict(asyncio.run(_load(url, people, float(rate), float(seconds))))))


if __name__ == "__main__":
    main()
