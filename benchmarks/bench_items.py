"""Strengths of items from integer arrays, ties included, against the fastest other library.

The first line of each size says by how much a derivative of the loss still differs from zero, a
vote of the item, for all of them. At ten million battles each runs in a process of its own, for its
memory, and a peer once; choix, which needs four gigabytes and two minutes there, does not run. The
last lines compare 200 bootstrap refits: ours makes all of them, a peer a tenth, counted ten times.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from benchmarks.item_peers import (
    evalica_fit,
    evalica_winners,
    peers,
    sklearn_on_counts,
)
from benchmarks.side_by_side import best_times, fastest_of, print_heading, print_line
from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.bootstrap import bootstrap_strengths
from rewardlab.rewards.items.fit import fit_items
from rewardlab.rewards.items.pair_counts import PairCounts, count_pairs
from rewardlab.rewards.items.pair_passes import expected_wins
from rewardlab.types import FloatArray

SIZES = ((100, 100_000, 7), (1_000, 1_000_000, 5))
LARGE = (10_000, 10_000_000)
N_RESAMPLES = 200
PEER_SHARE = 10


def drawn(m: int, n: int) -> Battles:
    """n battles of m items by Bradley-Terry, a tenth of them ties."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=m)
    a = rng.integers(m, size=n, dtype=np.int32)
    b = (a + rng.integers(1, m, size=n, dtype=np.int32)) % m
    lost = rng.random(n) > special.expit(truth[a] - truth[b])
    outcome = np.where(rng.random(n) < 0.1, 2, lost).astype(np.int8)
    return Battles(tuple(map(str, range(m))), a, b, outcome)


def fitted(battles: Battles, *, engine: Any = "compiled") -> FloatArray:
    """Ours, with the checks that making ``Battles`` costs."""
    again = Battles(battles.names, battles.a, battles.b, battles.outcome)
    return fit_items(again, engine=engine).strength


def gradient_norm(pairs: PairCounts, strength: FloatArray) -> float:
    """``ItemFit.gradient_norm`` of anybody's strengths."""
    expected = expected_wins(pairs, np.exp(strength - strength.mean()), compiled=True)
    return float(np.max(np.abs(expected - pairs.wins) / pairs.n_votes))


def main() -> None:
    """Print the times and their ratios."""
    for m, n, turns in SIZES:
        _small(m, n, turns)
    _large()
    _bootstrap()


def _small(m: int, n: int, turns: int) -> None:
    """Every peer in turns with ours; then numpy's engine with the fastest of them."""
    battles = drawn(m, n)
    others = peers(battles, evalica_winners(battles))
    _print_reached(battles, others)
    size = f"{m:,} items, {n:,} battles"
    found = fastest_of(partial(fitted, battles), others, turns=turns)
    for name, seconds in sorted(found.all.items(), key=lambda peer: peer[1]):
        _print_times(f"{size}, compiled / {name}", found.ours, seconds)
    again = best_times(partial(fitted, battles, engine="numpy"), others[found.name], turns=turns)
    _print_times(f"{size}, numpy / {found.name}", again.ours, again.peer)


def _print_times(name: str, ours: float, peer: float) -> None:
    print_line(name, f"{1e3 * ours:.1f} ms", f"{1e3 * peer:.1f} ms", peer / ours)


def _print_reached(battles: Battles, others: Mapping[str, Callable[[], FloatArray]]) -> None:
    """Largest gradients a vote; this also loads what is compiled."""
    pairs = count_pairs(battles, "half", compiled=True)
    told = [f"ours {gradient_norm(pairs, fitted(battles)):.0e}"]
    told += [f"{name} {gradient_norm(pairs, fit()):.0e}" for name, fit in others.items()]
    print("gradient a vote: " + ", ".join(told))


def _large() -> None:
    """Ten million battles: time and memory of each in a process of its own."""
    m, n = LARGE
    battles = drawn(m, n)
    others = peers(battles, evalica_winners(battles))
    pairs = count_pairs(battles, "half", compiled=True)
    fitted(battles)
    ours = min(
        (_apart(partial(fitted, battles), pairs) for _ in range(3)), key=lambda cost: cost[0]
    )
    told = [f"ours {ours[2]:.0e}"]
    costs = {}
    for name, fit in others.items():
        if name != "choix":
            costs[name] = _apart(fit, pairs)
            told.append(f"{name} {costs[name][2]:.0e} ({costs[name][0]:.1f} s)")
    print("gradient a vote: " + ", ".join(told))
    fastest = min(costs, key=lambda name: costs[name][0])
    seconds, megabytes, _ = costs[fastest]
    _print_times(f"{m:,} items, {n:,} battles, compiled / {fastest}", ours[0], seconds)
    print_line(
        f"extra memory of these / {fastest}",
        f"{ours[1]:.0f} MB",
        f"{megabytes:.0f} MB",
        megabytes / ours[1],
    )


def _apart(fit: Callable[[], FloatArray], pairs: PairCounts) -> tuple[float, float, float]:
    """CPU seconds, extra megabytes and gradient a vote of a fit in a fork of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).malloc_trim(
            0
        )  # else what the parent has freed would be used again unseen
        Path("/proc/self/clear_refs").write_text("5")  # begins a new peak
        before, start = _peak_mb(), time.process_time()
        strength = fit()
        seconds = time.process_time() - start
        extra = _peak_mb() - before
        os.write(writing, f"{seconds} {extra} {gradient_norm(pairs, strength)}".encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        seconds, extra, norm = map(float, answer.read().split())
    return seconds, extra, norm


def _peak_mb() -> float:
    """Peak of resident memory since it was last begun anew; Linux only."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _bootstrap() -> None:
    """Refits to resamples of the votes."""
    m, n, _ = SIZES[0]
    battles = drawn(m, n)
    once = fit_items(battles)
    seeds = range(N_RESAMPLES // PEER_SHARE)

    def of_evalica() -> None:
        for seed in seeds:
            again = _resample(battles, seed)
            evalica_fit(again, evalica_winners(again))

    found = fastest_of(
        lambda: bootstrap_strengths(
            battles, once, n_resamples=N_RESAMPLES, rng=np.random.default_rng(0)
        ),
        {
            "scikit-learn on counts": lambda: [
                sklearn_on_counts(_resample(battles, seed)) for seed in seeds
            ],
            "evalica": of_evalica,
        },
        turns=3,
    )
    for name, seconds in found.all.items():
        _print_times(
            f"{N_RESAMPLES} bootstrap refits, {m:,} items, {n:,} battles / {name}",
            found.ours,
            PEER_SHARE * seconds,
        )


def _resample(battles: Battles, seed: int) -> Battles:
    rows = np.random.default_rng(seed).integers(len(battles), size=len(battles))
    return Battles(battles.names, battles.a[rows], battles.b[rows], battles.outcome[rows])


if __name__ == "__main__":
    print_heading()
    main()
