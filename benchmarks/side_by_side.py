"""Timing two callables in turns in one run, and printing them side by side.

Absolute times differ from machine to machine; ratios taken in turns hardly do. CPU time is taken,
with one thread each, and the best of several turns is compared: disturbances only ever add time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Times:
    """Best CPU times in seconds.

    Attributes:
        ours: Of our callable.
        peer: Of the other's.
    """

    ours: float
    peer: float


def best_times(ours: Callable[[], Any], peer: Callable[[], Any], *, turns: int = 5) -> Times:
    """The best of ``turns`` times of each, taken in turns."""
    best = [float("inf"), float("inf")]
    for _ in range(turns):
        for i, run in enumerate((ours, peer)):
            start = time.process_time()
            run()
            best[i] = min(best[i], time.process_time() - start)
    return Times(*best)


def print_heading() -> None:
    """The heading of the columns that ``print_line`` fills."""
    print(f"{'name':<68}{'ours':>14}{'peer':>14}{'ratio':>9}")


def print_line(name: str, ours: str, peer: str, ratio: float) -> None:
    """One comparison; a ratio above 1 means that ours is the better."""
    print(f"{name:<68}{ours:>14}{peer:>14}{ratio:>8.2f}x", flush=True)


@dataclass(frozen=True, slots=True)
class Fastest:
    """Best CPU times in seconds, ours and that of the fastest peer.

    Attributes:
        ours: Of our callable.
        peer: Of the fastest other's.
        name: Of the fastest other.
        all: Name -> time of each other.
    """

    ours: float
    peer: float
    name: str
    all: Mapping[str, float]


def fastest_of(
    ours: Callable[[], Any], peers: Mapping[str, Callable[[], Any]], *, turns: int = 5
) -> Fastest:
    """The best of ``turns`` times of ours and of each peer, taken in turns."""
    best = dict.fromkeys(("", *peers), float("inf"))
    for _ in range(turns):
        for name, run in {"": ours, **peers}.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    own = best.pop("")
    name = min(best, key=lambda peer: best[peer])
    return Fastest(own, best[name], name, best)
