"""Clients of the lab in a process of their own: each asks on its beat, over one connection.

An event is due every 1 / rate seconds whether or not the one before is answered, and its latency
counts from when it was due: a server that falls behind cannot hide it. Labels that wait go out
together, as the page sends them; a latency is that of the one that waited longest.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import numpy as np

from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Comparisons, draw_comparisons, rater_utility

WARM_UP_S = 1.0
MOST_LABELS, MOST_AT_ONCE = 1000, 200


@dataclass(frozen=True, slots=True)
class Latencies:
    """What clients saw.

    Attributes:
        median_ms: From due to answered.
        p95_ms: The same at the 95th percentile.
        per_second: Events answered a second, of all clients together.
        refused: Answers that were not 200.
    """

    median_ms: float
    p95_ms: float
    per_second: float
    refused: int


def put_under_load(
    url: str, kind: str, *, clients: int = 20, rate: float = 40.0, seconds: float = 6.0
) -> Latencies:
    """Run this module in another process against a server.

    Args:
        url: Of the server, without a slash at the end.
        kind: One of ``REQUESTS``.
        clients: At the same time, each over a connection of its own.
        rate: Events a second of each client.
        seconds: How long, after a second to warm up.
    """
    command = [sys.executable, "-m", "benchmarks.load", url, kind, str(clients)]
    command += [str(rate), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Latencies(**json.loads(done.stdout))


def _dragged(client: int, k: int, n: int) -> bytes:
    """A value that nobody asked for before."""
    beta = 0.05 + 3.9 * ((0.618034 * (k + 1) + 0.0131 * client) % 1.0)
    return _get(f"/api/systems/leash/result?beta={beta:.9f}&nonsense_reward=2.8")


def _stopped(client: int, k: int, n: int) -> bytes:
    """One of 21 stops that everybody drags across."""
    stop = (k + client) % 21
    return _get(f"/api/systems/leash/result?beta=0.5&nonsense_reward={2 + stop / 10:.1f}")


def _labelled(client: int, k: int, n: int) -> bytes:
    """The next n labels of a careful visitor, sent together as the page sends what waits."""
    made = _comparisons(client)
    events = []
    for (a, b), label in zip(made.pairs[k : k + n].tolist(), made.label[k : k + n], strict=True):
        event = {"id": str(uuid.uuid4()), "kind": "label", "prompt": "coding"}
        events.append({**event, "a": a, "b": b, "outcome": "a" if label else "b"})
    body = json.dumps({"events": events}).encode()
    head = (
        "POST /api/lab/events HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\n"
        f"X-Visitor: {client + 1:032x}\r\nAccept-Encoding: gzip\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@cache
def _comparisons(client: int) -> Comparisons:
    world = lab_world()
    rng = np.random.default_rng(client)
    return draw_comparisons(
        rater_utility(world, "careful"), world.ref_logprobs, MOST_LABELS, rng=rng
    )


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: HOST\r\nAccept-Encoding: gzip\r\n\r\n".encode()


REQUESTS: dict[str, Callable[[int, int, int], bytes]] = {
    "dragged": _dragged,
    "stopped": _stopped,
    "labelled": _labelled,
}
"""Number of the client, of its event, and of events that wait -> a request; HOST is filled in."""


async def _client(
    host: str, port: int, kind: str, client: int, rate: float, seconds: float
) -> list[tuple[float, bool, int]]:
    reader, writer = await asyncio.open_connection(host, port)
    name = f"{host}:{port}".encode()
    REQUESTS[kind](client, 0, 1)  # What it prepares once is no part of the beat.
    first = time.perf_counter() + client / (20 * rate)
    seen, k, last = [], 0, int((WARM_UP_S + seconds) * rate)
    while k < last and time.perf_counter() < first + 2 * (WARM_UP_S + seconds):
        due = first + k / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        waiting = int((time.perf_counter() - due) * rate) if kind == "labelled" else 0
        n = min(1 + waiting, MOST_AT_ONCE, last - k)
        writer.write(REQUESTS[kind](client, k, n).replace(b"HOST", name))
        fine = await _answered(reader)
        if due > first + WARM_UP_S:
            seen.append((time.perf_counter() - due, fine, n))
        k += n
    writer.close()
    return seen


async def _answered(reader: asyncio.StreamReader) -> bool:
    """Read one answer to its end; True if it is a 200."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length))
    return head.startswith(b"HTTP/1.1 200")


async def _load(url: str, kind: str, clients: int, rate: float, seconds: float) -> Latencies:
    place = urlsplit(url)
    assert place.hostname is not None and place.port is not None
    start = time.perf_counter()
    running = [_client(place.hostname, place.port, kind, i, rate, seconds) for i in range(clients)]
    seen = [one for found in await asyncio.gather(*running) for one in found]
    lasted = time.perf_counter() - start - WARM_UP_S
    taken = 1e3 * np.array([duration for duration, _, _ in seen])
    return Latencies(
        median_ms=float(np.median(taken)),
        p95_ms=float(np.quantile(taken, 0.95)),
        per_second=sum(n for _, _, n in seen) / lasted,
        refused=sum(not fine for _, fine, _ in seen),
    )


def main() -> None:
    """Print what the clients saw as JSON; arguments as ``put_under_load`` gives them."""
    url, kind, clients, rate, seconds = sys.argv[1:]
    seen = asyncio.run(_load(url, kind, int(clients), float(rate), float(seconds)))
    print(json.dumps({name: getattr(seen, name) for name in Latencies.__dataclass_fields__}))


if __name__ == "__main__":
    main()
