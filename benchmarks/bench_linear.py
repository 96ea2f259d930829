"""Linear reward: our Newton fit against scikit-learn's solvers, both to a tolerance of 1e-8."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special
from sklearn.linear_model import LogisticRegression

from benchmarks.side_by_side import best_times, print_heading, print_line
from rewardlab.rewards.linear import fit

SIZES = ((10_000, 25), (100_000, 25))


def main() -> None:
    """Print the times and their ratios."""
    for n, d in SIZES:
        rng = np.random.default_rng(0)
        x = rng.normal(size=(n, d))
        label = (rng.random(n) < special.expit(x @ (0.3 * rng.normal(size=d)))).astype(float)
        for solver in ("lbfgs", "newton-cholesky"):
            model = LogisticRegression(
                C=1.0, fit_intercept=False, solver=solver, tol=1e-8, max_iter=1000
            )
            times = best_times(
                partial(fit, x, label, l2=1.0), partial(model.fit, x, label), turns=7
            )
            print_line(
                f"Bradley-Terry on {n:,} x {d} / scikit-learn {solver}",
                f"{1e3 * times.ours:.1f} ms",
                f"{1e3 * times.peer:.1f} ms",
                times.peer / times.ours,
            )


if __name__ == "__main__":
    print_heading()
    main()
