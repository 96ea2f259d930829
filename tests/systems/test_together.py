"""Tests that what is kept of one result never shows in another: in any order, and side by side."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from rewardlab.app.wire import json_bytes
from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.controls import Choice, Control, Slider, Value
from rewardlab.systems.declaration import System
from rewardlab.systems.words import shown

Job = tuple[System, dict[str, Value], int]


def _other(control: Control) -> Value:
    match control:
        case Choice():
            return next(option for option in control.options if option != control.default)
        case Slider():
            low, high = control.checked(control.low), control.checked(control.high)
            return low if low != control.default else high
    return not control.default


def _jobs() -> list[Job]:
    """Each system at its defaults, with one control moved, and with another seed."""
    found: list[Job] = []
    for system in all_systems():
        found.append((system, {}, 0))
        found.extend((system, {c.name: _other(c)}, 0) for c in system.controls[:1])
        found.extend([(system, {}, 1)] if system.draws else [])
    return found


def _result(job: Job) -> bytes:
    system, changes, seed = job
    return json_bytes(shown(system.evaluate(changes, seed=seed)))


def test_eight_threads_find_what_one_finds_in_another_order() -> None:
    jobs = _jobs()
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(_result, jobs))
    order = random.Random(0).sample(range(len(jobs)), len(jobs))
    differ = [jobs[i][0].name for i in order if _result(jobs[i]) != together[i]]
    assert differ == []
