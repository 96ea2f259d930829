"""Exact best-of-n curves: against the sort alone, which nothing can avoid, and against Monte Carlo.

The sort is a floor and not a rival: a ratio of .5x means that all curves together cost as much
again as sorting. The Monte Carlo peer shuffles each prompt's samples and takes running bests; it
gives every n too, but with noise that falls only with the root of the number of shuffles.
"""

from __future__ import annotations

import numpy as np

from benchmarks.side_by_side import best_times, print_heading, print_line
from rewardlab.policies.best_of_n import expected_best, sort_by_proxy
from rewardlab.types import FloatArray

N_PROMPTS, N_SAMPLES = 1000, 4096
N_SHUFFLES = 2


def shuffled(proxy: FloatArray, gold: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Shape [P, m]; mean gold of the best of the first n over shuffles of a prompt's samples."""
    total = np.zeros(proxy.shape)
    for _ in range(N_SHUFFLES):
        order = rng.permuted(np.tile(np.arange(proxy.shape[1]), (len(proxy), 1)), axis=1)
        drawn = np.take_along_axis(proxy, order, axis=1)
        is_best = drawn == np.maximum.accumulate(drawn, axis=1)
        place = np.maximum.accumulate(np.where(is_best, np.arange(proxy.shape[1]), 0), axis=1)
        total += np.take_along_axis(gold, np.take_along_axis(order, place, axis=1), axis=1)
    return np.asarray(total / N_SHUFFLES)


def main() -> None:
    """Print seconds and ratios."""
    rng = np.random.default_rng(0)
    proxy = rng.standard_normal((N_PROMPTS, N_SAMPLES))
    gold = proxy + rng.standard_normal(proxy.shape)
    every_n = np.arange(1, N_SAMPLES + 1)

    def gold_curves() -> FloatArray:
        return expected_best(sort_by_proxy(proxy, gold)[1], every_n)

    def both_curves() -> FloatArray:
        ordered, values = sort_by_proxy(proxy, gold)
        return expected_best(ordered, every_n) + expected_best(values, every_n)

    size = f"{N_SAMPLES:,} x {N_PROMPTS:,}"
    for name, ours in (("gold", gold_curves), ("proxy and gold", both_curves)):
        times = best_times(ours, lambda: sort_by_proxy(proxy, gold))
        print_line(
            f"curves of {name}, {size}: sort alone",
            f"{times.ours:.3f} s",
            f"{times.peer:.3f} s",
            times.peer / times.ours,
        )
    times = best_times(gold_curves, lambda: shuffled(proxy, gold, rng), turns=2)
    print_line(
        f"curves of gold, {size}: {N_SHUFFLES} shuffles",
        f"{times.ours:.3f} s",
        f"{times.peer:.3f} s",
        times.peer / times.ours,
    )


if __name__ == "__main__":
    print_heading()
    main()
