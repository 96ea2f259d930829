"""The lab: a whole run, and a refit, against scikit-learn and textbook loops."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special
from sklearn.linear_model import LogisticRegression

from benchmarks.side_by_side import best_times, print_heading, print_line
from rewardlab.experiments.lab_reward import L2, fit_reward
from rewardlab.experiments.lab_runs import N_STEPS, STEP_SIZE, lab_run
from rewardlab.policies.best_of_n import log_spaced_n
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import draw_comparisons, rater_utility

N_LABELS = 100


def main() -> None:
    """Print the times and their ratios."""
    world = lab_world()
    utility = rater_utility(world, "hurried")
    times = best_times(
        lambda: lab_run(world, utility, rng=np.random.default_rng(0)),
        lambda: textbook_run(world, utility, np.random.default_rng(0)),
        turns=7,
    )
    print_line(
        f"Lab run: {N_LABELS} labels, {N_STEPS} steps, 67 n / textbook loops",
        f"{1e3 * times.ours:.1f} ms",
        f"{1e3 * times.peer:.1f} ms",
        times.peer / times.ours,
    )
    made = draw_comparisons(utility, world.ref_logprobs, 1000, rng=np.random.default_rng(0))
    used = ~made.held_out
    model = LogisticRegression(C=1 / L2, fit_intercept=False, tol=1e-8, max_iter=1000)
    peer = partial(model.fit, made.differences(world)[used], made.label[used])
    times = best_times(partial(fit_reward, world, made), peer, turns=15)
    print_line(
        "Lab refit of 1,000 labels / scikit-learn lbfgs",
        f"{1e3 * times.ours:.2f} ms",
        f"{1e3 * times.peer:.2f} ms",
        times.peer / times.ours,
    )


def textbook_run(
    world: AnswerSet, utility: FloatArray, rng: np.random.Generator
) -> tuple[list[list[float]], list[float]]:
    """What is recorded along RL, and best-of-n's true quality, as a book would write them."""
    differences, label = [], []
    for _ in range(N_LABELS):
        a, b = rng.choice(len(world), size=2, replace=False, p=world.ref_probs)
        differences.append(world.features[a] - world.features[b])
        label.append(float(rng.random() < special.expit(utility[a] - utility[b])))
    used = np.arange(N_LABELS) % 5 != 4
    model = LogisticRegression(C=1 / L2, fit_intercept=False, tol=1e-8)
    model.fit(np.array(differences)[used], np.array(label)[used])
    reward = world.features @ model.coef_[0]
    return _steps(world, reward), _best_of_n(world, reward)


def _steps(world: AnswerSet, reward: FloatArray) -> list[list[float]]:
    logits, reference = world.ref_logprobs.copy(), world.ref_logprobs
    recorded = []
    for _ in range(N_STEPS + 1):
        probs = special.softmax(logits)
        row = [float(probs @ world.features[:, j]) for j in range(6)]
        row.append(float(np.sum(special.rel_entr(probs, np.exp(reference)))))
        row.append(float(np.sum(special.entr(probs))))
        row.append(float(probs @ reward))
        row.append(float(probs @ world.gold))
        recorded.append(row)
        logits += STEP_SIZE * (reward - float(probs @ reward))
    return recorded


def _best_of_n(world: AnswerSet, reward: FloatArray) -> list[float]:
    order = np.argsort(reward)
    upto = np.concatenate([[0.0], np.cumsum(world.ref_probs[order])])
    gold = []
    for n in log_spaced_n(4096, per_octave=5):
        probs = np.diff(upto**n)
        gold.append(float(probs @ world.gold[order]))
    return gold


if __name__ == "__main__":
    print_heading()
    main()
