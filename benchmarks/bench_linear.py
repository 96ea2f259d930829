"""Linear reward, L2 of 1: our fit against scikit-learn's solvers at the same tolerance.

The relative gradient of a fit is the largest entry of its gradient over the largest at weights of
0; it must be at most 1e-6. Each side is timed at the loosest of its settings that gets there: the
peer's solvers that end by the gradient are given that very gradient, the others and ours are tried
at two settings to each power of ten. What was reached is printed.
Features are correlated, as those of texts are (a quarter as many factors carry 64% of their
variance), or independent, which is the easiest case for solvers that know no curvature.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy import special
from sklearn.linear_model import LogisticRegression

from benchmarks.side_by_side import best_times, print_heading, print_line
from rewardlab.rewards.feature_bootstrap import bootstrap_fits
from rewardlab.rewards.inference import infer_weights
from rewardlab.rewards.linear import fit
from rewardlab.types import FloatArray

L2 = 1.0
RELATIVE_GRADIENT = 1e-6
SIZES = ((10_000, 6), (1_000_000, 6), (100_000, 384), (1_000_000, 100))
SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg", "sag", "saga")
END_BY_STEP = ("sag", "saga")
"""Solvers that end by the relative length of a step; the others by the mean loss's gradient."""
TOLERANCES = tuple(float(f"{digit}e-{power}") for power in range(1, 13) for digit in (3, 1))
SMALL = 100_000
"""Entries of the features up to which every solver is tried; beyond, the two that can be first."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """A callable that fits to the tolerance, what it reached, and how it is called."""

    run: Callable[[], object]
    reached: float
    name: str


def simulate(n: int, d: int, *, correlated: bool) -> tuple[FloatArray, FloatArray]:
    """Features of unit variance, shape [n, d], and labels of weights that give typical logits."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d))
    if correlated:
        n_factors = max(d // 4, 1)
        loading = rng.standard_normal((n_factors, d)) / np.sqrt(n_factors)
        x *= 0.6
        for first in range(0, n, 10_000):
            rows = x[first : first + 10_000]
            rows += 0.8 * rng.standard_normal((len(rows), n_factors)) @ loading
    weights = rng.standard_normal(d) / np.sqrt(d)
    return x, (rng.random(n) < special.expit(x @ weights)).astype(float)


def relative_gradient(x: FloatArray, label: FloatArray, weights: FloatArray) -> float:
    """Largest entry of the gradient at the weights over that at 0."""
    gradient = (special.expit(x @ weights) - label) @ x + L2 * weights
    return float(np.max(np.abs(gradient)) / np.max(np.abs((0.5 - label) @ x)))


def tuned_ours(x: FloatArray, label: FloatArray) -> Tuned:
    """Our fit at the loosest power of ten that reaches the tolerance."""
    for tol in TOLERANCES:
        run = partial(fit, x, label, l2=L2, tol=tol)
        found = run()
        reached = relative_gradient(x, label, found.weights)
        if reached <= RELATIVE_GRADIENT:
            return Tuned(run, reached, f"{found.solver}, {found.iterations} steps")
    raise AssertionError("ours does not reach the tolerance")


def tuned_peer(x: FloatArray, label: FloatArray) -> Tuned:
    """The fastest of scikit-learn's solvers, each at its loosest setting that gets there."""
    best, fastest = np.inf, None
    asked = RELATIVE_GRADIENT * float(np.max(np.abs((0.5 - label) @ x))) / len(x)
    for solver in SOLVERS if x.size <= SMALL else SOLVERS[:2]:
        for tol in TOLERANCES if solver in END_BY_STEP else asked / np.array([1, 3, 10, 30]):
            model = LogisticRegression(
                C=1 / L2, fit_intercept=False, solver=solver, tol=tol, max_iter=5000
            )
            taken = _seconds(partial(model.fit, x, label))
            reached = relative_gradient(x, label, model.coef_[0])
            if reached <= RELATIVE_GRADIENT:
                if taken < best:
                    best, fastest = taken, Tuned(partial(model.fit, x, label), reached, solver)
                break
            if taken > 2 * best:
                break
    if fastest is None:
        raise AssertionError("no peer reaches the tolerance")
    return fastest


def print_extra_memory(n: int, d: int) -> None:
    """What each side allocates at its peak, as a share of the features."""
    x, label = simulate(n, d, correlated=True)
    model = LogisticRegression(C=1 / L2, fit_intercept=False, tol=1e-5)
    shares = []
    for run in (partial(fit, x, label, l2=L2), partial(model.fit, x, label)):
        tracemalloc.start()
        run()
        shares.append(tracemalloc.get_traced_memory()[1] / x.nbytes)
        tracemalloc.stop()
    ours, peer = shares
    name = f"extra memory over features, {n:,} x {d} / scikit-learn lbfgs"
    print_line(name, f"{ours:.1%}", f"{peer:.1%}", peer / ours)


def print_bootstrap(d: int, *, correlated: bool) -> None:
    """200 refits to resampled rows against a few of the peer's, scaled up to as many."""
    n, n_refits, n_timed = 100_000, 200, 10
    x, label = simulate(n, d, correlated=correlated)
    cluster = np.arange(n)
    models = [
        LogisticRegression(C=1 / L2, fit_intercept=False, solver=solver, tol=1e-6, max_iter=1000)
        for solver in SOLVERS[:2]
    ]

    def ours() -> None:
        bootstrap_fits(x, label, cluster, n_resamples=n_refits, rng=np.random.default_rng(0), l2=L2)

    def peer(model: LogisticRegression) -> None:
        rng = np.random.default_rng(0)
        drawn = np.bincount(rng.integers(0, n, size=n), minlength=n)
        model.fit(x, label, sample_weight=drawn.astype(float))

    taken = [min(_seconds(partial(peer, m)) for _ in range(n_timed // 2)) for m in models]
    best = int(np.argmin(taken))
    ours_s = min(_seconds(ours) for _ in range(2))
    kind = "correlated" if correlated else "independent"
    print_line(
        f"{n_refits} refits, {n:,} x {d}, {kind} / scikit-learn {SOLVERS[best]}",
        f"{ours_s:.2f} s",
        f"{n_refits * taken[best]:.2f} s",
        n_refits * taken[best] / ours_s,
    )
    sandwich_s = _seconds(partial(infer_weights, x, label, cluster, names=[""] * d))
    print_line(
        "  the sandwich, which is the default / these refits",
        f"{sandwich_s:.3f} s",
        f"{ours_s:.2f} s",
        ours_s / sandwich_s,
    )


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    """Print times, what was reached, memory, and ratios."""
    for (n, d), correlated in product(SIZES, (True, False)):
        x, label = simulate(n, d, correlated=correlated)
        ours, peer = tuned_ours(x, label), tuned_peer(x, label)
        times = best_times(
            ours.run, peer.run, turns=9 if x.size <= SMALL else max(2, 40_000_000 // x.size)
        )
        kind = "correlated" if correlated else "independent"
        print_line(
            f"features {n:,} x {d}, {kind} / scikit-learn {peer.name}",
            f"{1e3 * times.ours:.1f} ms",
            f"{1e3 * times.peer:.1f} ms",
            times.peer / times.ours,
        )
        reached = f"  gradient reached, {ours.name}"
        print_line(
            reached, f"{ours.reached:.1e}", f"{peer.reached:.1e}", peer.reached / ours.reached
        )
    for n, d in ((1_000_000, 6), (1_000_000, 100)):
        print_extra_memory(n, d)
    for d, correlated in product((6, 100), (True, False)):
        print_bootstrap(d, correlated=correlated)


if __name__ == "__main__":
    print_heading()
    main()
