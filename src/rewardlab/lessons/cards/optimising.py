"""Cards on optimising a reward and on the methods that do it."""

from __future__ import annotations

import numpy as np

from rewardlab.lessons.cards.card import Card
from rewardlab.lessons.figures import (
    best_normal,
    best_of_two_outcomes,
    bound_of,
    distance_after_step,
    dpo_terms,
    leash_odds,
    leash_point,
    n_for,
    rare_win_rate,
    two_answer_kl,
)
from rewardlab.lessons.formulas.methods import implied, signal_at, surrogate_at, two_of_four
from rewardlab.policies.advantages import group_advantages, signal_probability
from rewardlab.policies.best_of_n import kl_bound, n_of_kl
from rewardlab.policies.closed_form import closed_form, gibbs
from rewardlab.policies.direct import dpo, implied_reward
from rewardlab.policies.distributions import entropy_nats, kl_nats
from rewardlab.policies.exact_best_of_n import Levels
from rewardlab.policies.group_rounds import after_round
from rewardlab.policies.kl_estimators import estimate
from rewardlab.policies.memory import ARCHITECTURES, METHODS, bytes_per_parameter, kept_gb
from rewardlab.policies.natural_gradient import natural_gradient_step
from rewardlab.policies.ppo import surrogate
from rewardlab.worlds.answer_set import normalised
from rewardlab.worlds.gaussian_grid import gaussian_grid, grid_reward
from rewardlab.worlds.reversing import SHARES


def _times(gap: float, beta: float) -> tuple[float, ...]:
    logprobs = gibbs(np.zeros(2), np.array([gap, 0.0]), beta)
    return (float(np.exp(logprobs[0] - logprobs[1])),)


def _grid(beta: float) -> tuple[float, ...]:
    world = gaussian_grid()
    path = closed_form(world, grid_reward(world.features), betas=[beta]).path
    return float(path.kl_nats[0]), float(path.proxy_reward[0]), float(path.gold_reward[0])


def _entropy(n: float) -> tuple[float, ...]:
    return (entropy_nats(normalised(np.zeros(int(n)))),)


def _estimates(times: float) -> tuple[float, ...]:
    ratio = np.log(np.array([times]))
    first, second, third = (estimate(ratio, name) for name in ("k1", "k2", "k3"))
    return float(first[0]), float(second[0]), float(third[0])


def _left_out(right: float, size: float) -> tuple[float, ...]:
    rewards = (np.arange(int(size)) < right).astype(np.float64)
    loo = group_advantages(rewards, baseline="leave_one_out")
    return float(loo[0]), float(group_advantages(rewards)[0])


def _all_equal(size: float) -> tuple[float, ...]:
    return (float(np.abs(group_advantages(np.ones(int(size)), divide_by_sd=True)).max()),)


def _round(*attempts: int) -> tuple[float, ...]:
    start = normalised(np.log(np.array(SHARES[:3])))
    passed = np.array([1.0, 0.0, 0.0])
    after = after_round(start, np.array(attempts), passed, step_size=2 / 3)
    return tuple(float(share) for share in np.exp(after))


def _memory() -> tuple[float, ...]:
    llama = next(one for one in ARCHITECTURES if one.name == "Llama-2-7B")
    ppo, grpo = (
        sum(kept_gb(llama, kept, "mixed") for kept in METHODS[method]) for method in ("PPO", "GRPO")
    )
    return ppo, grpo, 1 - grpo / ppo


def _bytes() -> tuple[float, ...]:
    return tuple(float(bytes_per_parameter("mixed", trained=trained)) for trained in (True, False))


OPTIMISING = (
    Card(
        "kl-bound-card",
        "Best of {0:g}: what is the bound on its KL?",
        "{0:.3f} nats: log n − (n − 1)/n.",
        kl_bound,
        lambda n: bound_of(int(n)),
        ((16.0,), (4.0,), (64.0,), (1.0,)),
    ),
    Card(
        "n-of-kl",
        "Best-of-n is to use {0:g} nats, going by the bound. About which n?",
        "{0:.1f}.",
        n_of_kl,
        n_for,
        ((2.0,), (3.0,), (5.0,)),
    ),
    Card(
        "two-outcomes",
        "Two answers, equally likely. What is the KL of the best of {0:g}?",
        "{1:.3f} nats; it never passes ln 2. The better one is picked {0:.3%} of the time.",
        Levels.kl_nats,
        lambda n: best_of_two_outcomes(int(n)),
        ((2.0,), (4.0,), (16.0,)),
    ),
    Card(
        "win-rate",
        "No answer is likely. How often does the best of {0:g} beat one more sample?",
        "{0:.1%}: n / (n + 1), the most there is.",
        Levels.win_rate,
        lambda n: rare_win_rate(int(n)),
        ((4.0,), (16.0,)),
    ),
    Card(
        "best-normal",
        "Scores are standard normal. What does the best of {0:g} score on average?",
        "{0:.2f}. It grows like the root of 2 log n: ever more samples for ever less.",
        best_normal,
        lambda n: best_normal(int(n)),
        ((4.0,), (16.0,), (1024.0,)),
    ),
    Card(
        "times-likelier",
        "β is {1:g}. A reward higher by {0:g} makes an answer how many times likelier?",
        "{0:,.1f} times: exp(gap / β).",
        gibbs,
        _times,
        ((1.0, 1.0), (1.0, 0.5), (0.3, 0.1)),
    ),
    Card(
        "leash-card",
        "The leash, β = {0:g}. Nonsense or the best fix: which is likelier, by how much?",
        "The nonsense, by {0:.1f} to 1.",
        gibbs,
        leash_odds,
        ((0.1,), (0.2,)),
    ),
    Card(
        "leash-tight",
        "The leash, β = {0:g}. How many times likelier is the best fix than the nonsense?",
        "{1:.1f} times.",
        gibbs,
        leash_odds,
        ((1.0,), (0.5,)),
    ),
    Card(
        "leash-quality",
        "The leash at β = {0:g}. How good are the answers, by the expert's score?",
        "{3:.2f}, at a KL of {2:.2f} nats.",
        closed_form,
        leash_point,
        ((0.5,), (0.1,)),
    ),
    Card(
        "grid-kl",
        "Reward is length + substance, both standard normal (on a grid from −6 to 6); true quality "
        "takes off length² − 1. KL, reward and quality at β = {0:g}?",
        "{0:.3f} nats and {1:+.3f}; true quality is at {2:+.3f}.",
        closed_form,
        _grid,
        ((1.0,), (2.0,), (0.3,)),
    ),
    Card(
        "kl-card",
        "Two answers go from {1:.0%} to {0:.0%} for the first. What is the KL?",
        "{0:.4f} nats.",
        kl_nats,
        two_answer_kl,
        ((0.6, 0.5), (0.9, 0.5)),
    ),
    Card(
        "entropy-card",
        "{0:g} answers, all equally likely. What is the entropy?",
        "{0:.3f} nats, the logarithm of how many there are.",
        entropy_nats,
        _entropy,
        ((2.0,), (600.0,)),
    ),
    Card(
        "one-step",
        "β = {0:g}. One exact natural-gradient step of size {1:g}: how far off is the optimum?",
        "{0:.3f} in total variation. Size × β = 1 arrives at once.",
        natural_gradient_step,
        distance_after_step,
        ((0.5, 2.0), (0.5, 1.0)),
    ),
)

METHODS_OF_TRAINING = (
    Card(
        "dpo-loss",
        "DPO: β = {0:g}, log-ratios {1:+g} (chosen) and {2:+g} (rejected). What is the loss?",
        "{2:.4f}: a margin of {0:.2f}, a chance of {1:.4f}.",
        dpo,
        dpo_terms,
        ((0.1, 2.0, -1.0), (0.5, -1.0, -3.0)),
    ),
    Card(
        "dpo-start",
        "DPO before its first step: which loss, whatever β?",
        "{2:.4f}, that is ln 2: the policy is the reference, and every margin is 0.",
        dpo,
        lambda: dpo_terms(0.1, 0.0, 0.0),
    ),
    Card(
        "implied-card",
        "β = {0:g}. An answer has become {1:g} times likelier. Which reward does that imply?",
        "{0:+.3f}, up to a constant for the prompt.",
        implied_reward,
        implied,
        ((0.1, 10.0), (0.5, 2.0)),
    ),
    Card(
        "grpo-advantages",
        "GRPO: two of four answers are right. Which advantages?",
        "{0:+.0f} for the right ones, {1:+.0f} for the wrong ones.",
        group_advantages,
        two_of_four,
    ),
    Card(
        "grpo-equal",
        "GRPO: all {0:g} answers of a group are right. How large are the advantages?",
        "{0:.0f}. A group without differences teaches nothing.",
        group_advantages,
        _all_equal,
        ((4.0,), (8.0,)),
    ),
    Card(
        "rloo",
        "RLOO: {0:g} of {1:g} answers is right. Which advantage does it get?",
        "{0:+.2f}. Against the group's own mean it would be {1:+.2f}.",
        group_advantages,
        _left_out,
        ((1.0, 4.0), (1.0, 8.0)),
    ),
    Card(
        "signal",
        "Right {0:.0%} of the time, groups of {1:g}. How many groups teach anything?",
        "{0:.2%}: 1 − pᴳ − (1 − p)ᴳ.",
        signal_probability,
        lambda rate, size: signal_at(rate, int(size)),
        ((0.02, 8.0), (0.5, 8.0), (0.98, 4.0)),
    ),
    Card(
        "clip-up",
        "PPO, clip {2:g}: ratio {0:g}, advantage {1:+g}. What does the surrogate count?",
        "{0:+.2f}.",
        surrogate,
        surrogate_at,
        ((1.5, 1.0, 0.2), (1.5, -1.0, 0.2), (0.5, -1.0, 0.2)),
    ),
    Card(
        "round-one",
        "Programs A, B, C at {0:.0%}, {1:.0%}, {2:.0%}. A round writes A, B, C; A passes. Shares?",
        "{0:.0%}, {1:.0%} and {2:.0%}.",
        after_round,
        lambda *_: _round(0, 1, 2),
        (SHARES[:3],),
    ),
    Card(
        "round-same",
        "Programs A, B, C at {0:.0%}, {1:.0%}, {2:.0%}. A round writes B, B, B; all fail. B now?",
        "{1:.0%}, as before: three equal rewards have no advantage.",
        after_round,
        lambda *_: _round(1, 1, 1),
        (SHARES[:3],),
    ),
    Card(
        "kl-estimates",
        "An answer is {0:g} times as likely as under the reference. What do k1, k2, k3 say?",
        "{0:.3f}, {1:.3f} and {2:.3f} nats.",
        estimate,
        _estimates,
        ((2.0,), (0.5,)),
    ),
    Card(
        "memory",
        "Llama 2 with 7 billion parameters, mixed precision. What does dropping the critic save?",
        "{2:.0%}: PPO keeps {0:.0f} GB, GRPO {1:.0f}.",
        kept_gb,
        _memory,
    ),
    Card(
        "bytes",
        "Mixed precision with Adam. How many bytes for a parameter that is trained?",
        "{0:.0f}; {1:.0f} for one that is not.",
        bytes_per_parameter,
        _bytes,
    ),
)
