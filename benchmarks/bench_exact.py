"""The exact laboratory's two hot loops, each against the plain textbook way.

A natural-gradient step is timed against the same step by solving with the whole Fisher matrix, and
against its formula written with scipy's logsumexp. Best-of-n on a million answers is timed against
F^n - F_below^n from cumulative sums, sorted once too, which loses its digits where F is near 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from benchmarks.side_by_side import best_times, print_heading, print_line
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.policies.natural_gradient import natural_gradient_step
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet, normalised

N_ANSWERS, N_STEPS = 576, 200
N_MANY = 1_000_000
N_OF_BEST = np.unique(np.rint(np.geomspace(1, 1e6, 33)).astype(np.int64))
BETA, STEP_SIZE = 0.5, 0.1


def fisher_step(logprobs: FloatArray, ref: FloatArray, reward: FloatArray) -> FloatArray:
    """The textbook: the gradient of J, the Fisher matrix, and a least-squares solution."""
    probs = np.exp(logprobs)
    f = reward - BETA * (logprobs - ref)
    gradient = probs * (f - probs @ f)
    fisher = np.diag(probs) - np.outer(probs, probs)
    return normalised(logprobs + STEP_SIZE * np.linalg.lstsq(fisher, gradient, rcond=None)[0])


def formula_step(logprobs: FloatArray, ref: FloatArray, reward: FloatArray) -> FloatArray:
    """The formula as it is usually written, normalised by scipy."""
    f = reward - BETA * (logprobs - ref)
    logits = logprobs + STEP_SIZE * (f - np.exp(logprobs) @ f)
    return np.asarray(logits - logsumexp(logits))


def our_step(logprobs: FloatArray, ref: FloatArray, reward: FloatArray) -> FloatArray:
    """Ours."""
    return natural_gradient_step(logprobs, ref, reward, beta=BETA, step_size=STEP_SIZE)


def steps_by(
    step: Callable[[FloatArray, FloatArray, FloatArray], FloatArray], n_steps: int = N_STEPS
) -> Callable[[], FloatArray]:
    """A callable that takes ``n_steps`` steps from the reference."""
    rng = np.random.default_rng(0)
    ref, reward = normalised(rng.standard_normal(N_ANSWERS)), rng.standard_normal(N_ANSWERS)

    def run() -> FloatArray:
        logprobs = ref
        for _ in range(n_steps):
            logprobs = step(logprobs, ref, reward)
        return logprobs

    return run


def main() -> None:
    """Print times and ratios."""
    times = best_times(steps_by(our_step), steps_by(formula_step))
    _print_step("logsumexp", times.ours, times.peer / N_STEPS)
    times = best_times(steps_by(our_step), steps_by(fisher_step, 2), turns=2)
    _print_step("Fisher matrix", times.ours, times.peer / 2)

    rng = np.random.default_rng(0)
    ref, reward = normalised(rng.standard_normal(N_MANY)), rng.standard_normal(N_MANY)

    world = AnswerSet("", [""] * N_MANY, np.zeros((N_MANY, 0)), (), ref, reward)

    def by_powers() -> list[tuple[float, float]]:
        order = np.argsort(reward)
        ranked, probs = reward[order], np.exp(ref[order])
        upto = np.cumsum(probs)
        found = []
        for n in N_OF_BEST:
            best = np.diff(upto**n, prepend=0.0)
            kept = best > 0
            kl = float(best[kept] @ np.log(best[kept] / probs[kept]))
            found.append((kl, float(best @ ranked)))
        return found

    times = best_times(lambda: best_of_n(world, reward, n=N_OF_BEST), by_powers, turns=2)
    print_line(
        f"best-of-n, {N_MANY:,} answers, {len(N_OF_BEST)} n: powers",
        f"{times.ours:.3f} s",
        f"{times.peer:.3f} s",
        times.peer / times.ours,
    )


def _print_step(peer: str, ours_s: float, peer_s: float) -> None:
    each = ours_s / N_STEPS
    print_line(
        f"natural-gradient step, {N_ANSWERS} answers: {peer}",
        f"{1e6 * each:.1f} us",
        f"{1e6 * peer_s:.1f} us",
        peer_s / each,
    )


if __name__ == "__main__":
    print_heading()
    main()
