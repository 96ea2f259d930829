"""How often the audit names a bias that is there, and one that is not.

Raters see a quality that no feature measures, and pay for none, one, two or three of twelve
features, each with the same strength. The audit's own test (``votes_pay_for``) names features at
a family-wise level of 5%. Printed for each size and strength: the share of planted features named
(power), and the share of runs in which any other feature is named (false alarms).

Run: ``python examples/planted_biases.py [RUNS]``
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from rewardlab.audit.payments import votes_pay_for
from rewardlab.audit.scored import ScoredVotes

N_FEATURES = 12
VOTES_A_PROMPT = 2
SIZES = (150, 300, 600)
STRENGTHS = (0.15, 0.3, 0.6)


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """What many runs of one kind show.

    Attributes:
        n_prompts: Prompts in each run; two votes each.
        strength: Logits per standard deviation of a planted feature.
        n_planted: How many of twelve features are paid for.
        power: Share of planted features named, in [0, 1]; NaN where none is planted.
        false_alarms: Share of runs that name any other feature, in [0, 1].
        n_runs: Runs.
    """

    n_prompts: int
    strength: float
    n_planted: int
    power: float
    false_alarms: float
    n_runs: int


def simulate(
    n_prompts: int, strength: float, n_planted: int, rng: np.random.Generator
) -> tuple[ScoredVotes, frozenset[str]]:
    """Votes of one run, and the names of the features that its raters pay for."""
    n = n_prompts * VOTES_A_PROMPT
    prompt = np.repeat(np.arange(n_prompts), VOTES_A_PROMPT)
    # Features share a common part, as length and its kin do, and a part of the prompt's.
    common = rng.normal(size=(n, 1))
    style = rng.normal(size=(n_prompts, N_FEATURES))[prompt]
    gap = 0.6 * common + 0.4 * style + rng.normal(size=(n, N_FEATURES))
    gap /= gap.std(axis=0)
    planted = rng.choice(N_FEATURES, size=n_planted, replace=False)
    weights = np.zeros(N_FEATURES)
    weights[planted] = strength * rng.choice([-1.0, 1.0], size=n_planted)
    quality = rng.normal(size=n) + 0.5 * rng.normal(size=n_prompts)[prompt]
    label = (rng.random(n) < expit(gap @ weights + quality)).astype(np.float64)
    label[rng.random(n) < 0.1] = 0.5
    names = tuple(f"feature {j}" for j in range(N_FEATURES))
    each = np.arange(n)
    votes = ScoredVotes(
        reward_a=quality,
        reward_b=np.zeros(n),
        label=label,
        margin=np.full(n, np.nan),
        prompt=prompt,
        pair=each,
        annotator=np.full(n, -1),
        n_words_a=np.ones(n),
        n_words_b=np.ones(n),
        feature_gap=gap,
        feature_names=names,
        feature_scale=np.ones(N_FEATURES),
        swapped=np.zeros(n, dtype=bool),
        row=each,
        source=["simulated"] * n,
        line=each + 1,
    )
    return votes, frozenset(names[j] for j in planted)


def measure(
    n_prompts: int, strength: float, n_planted: int, *, n_runs: int, seed: int
) -> ErrorRates:
    """Power and false alarms over ``n_runs`` independent runs."""
    rng = np.random.default_rng([seed, n_prompts, round(100 * strength), n_planted])
    found = alarms = 0
    for _ in range(n_runs):
        votes, planted = simulate(n_prompts, strength, n_planted, rng)
        named = {row.feature for row in votes_pay_for(votes).named}
        found += len(named & planted)
        alarms += bool(named - planted)
    power = found / (n_planted * n_runs) if n_planted else float("nan")
    return ErrorRates(n_prompts, strength, n_planted, power, alarms / n_runs, n_runs)


def main(n_runs: int) -> None:
    """Print the table."""
    print(f"{'prompts':>8} {'votes':>6} {'strength':>9} {'planted':>8} {'power':>7} {'alarms':>7}")
    for n_prompts in SIZES:
        for strength, n_planted in [(0.0, 0), *((s, k) for s in STRENGTHS for k in (1, 3))]:
            r = measure(n_prompts, strength, n_planted, n_runs=n_runs, seed=0)
            power = "" if n_planted == 0 else f"{r.power:.0%}"
            print(
                f"{n_prompts:>8} {n_prompts * VOTES_A_PROMPT:>6} {strength:>9.2f} {n_planted:>8} "
                f"{power:>7} {r.false_alarms:>7.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
