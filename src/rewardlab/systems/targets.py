"""T1, targets: methods that are said to do the same converge to different policies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.plots.series import Tone
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.distributions import kl_nats
from rewardlab.policies.policy_gradient import GroupMethod, grpo, reinforce, rloo
from rewardlab.policies.targets import large_group_target, target
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import row_table
from rewardlab.worlds.leash import NAMES, NONSENSE, leash_reward, leash_world

_NONSENSE = NAMES.index(NONSENSE)
_IN_REWARD = "KL in the reward"
_IN_LOSS = "KL in the loss"
_DIVIDED = "KL in the loss, reward divided by its spread"
_COLLAPSED = 0.02
"""The optimum at so small a beta has nearly all on the highest reward."""
_RLOO, _GROUP_MEAN, _GRPO = rloo(0.5), reinforce(0.5), grpo(0.5)
_METHODS: tuple[tuple[str, str, str, GroupMethod], ...] = (
    ("in_reward", _IN_REWARD, "nothing divided (REINFORCE, RLOO)", _RLOO),
    (
        "in_reward_divided",
        _IN_REWARD,
        "reward and charge divided",
        replace(_GRPO, kl="in_reward"),
    ),
    ("k2", _IN_LOSS, "k2, leave one out", replace(_RLOO, kl="k2")),
    ("k2_group_mean", _IN_LOSS, "k2, group mean", replace(_GROUP_MEAN, kl="k2")),
    ("k3", _IN_LOSS, "k3, leave one out", replace(_RLOO, kl="k3")),
    ("k3_group_mean", _IN_LOSS, "k3, group mean", replace(_GROUP_MEAN, kl="k3")),
    ("k1", _IN_LOSS, "k1", replace(_RLOO, kl="k1")),
    ("divided_k2", _DIVIDED, "k2", replace(_GRPO, kl="k2")),
    ("divided_k3", _DIVIDED, "k3, as GRPO was published", _GRPO),
    ("divided_k1", _DIVIDED, "k1", replace(_GRPO, kl="k1")),
)
"""Name of its quantity, heading, label, and method but for beta and group size."""


def run(beta: float = 0.5, group_size: int = 8, nonsense_reward: float = 2.8) -> Result:
    """What each method converges to on the leash's five answers.

    Args:
        beta: Price of a nat of KL.
        group_size: Answers drawn for a prompt at a time.
        nonsense_reward: What the reward model gives to the nonsense; the best fix gets 2.
    """
    world, reward = leash_world(), leash_reward(nonsense_reward)
    ref = world.ref_logprobs
    ends = [
        (name, group, label, target(ref, reward, replace(m, beta=beta, group_size=group_size)))
        for name, group, label, m in _METHODS
    ]
    for name, label, start in (
        ("divided_large", "k2, very large groups", ref),
        ("divided_collapsed", "the same from a collapsed start", gibbs(ref, reward, _COLLAPSED)),
    ):
        ends.append((name, _DIVIDED, label, large_group_target(ref, reward, beta, start=start)))
    quantities, bars, rows = [], [], []
    for name, group, label, logprobs in ends:
        policy = np.exp(logprobs)
        nonsense = float(policy[_NONSENSE])
        quantities.append(Quantity(name, f"nonsense: {group}, {label}", nonsense, "share"))
        tone: Tone = "gold" if group == _IN_REWARD else "proxy"
        bars.append(Bar(label, nonsense, tone=tone, group=group))
        scores = policy @ reward, policy @ world.gold
        rows.append((f"{group}: {label}", nonsense, kl_nats(logprobs, ref), *scores))
    shares = {q.name: q.value for q in quantities}
    return Result(
        sentence=_sentence(beta, group_size, shares),
        quantities=tuple(quantities),
        chart=BarChart(tuple(bars), "probability of nonsense at the end of training", percent=True),
        table=row_table(("method", "nonsense", "KL (nats)", "reward", "true quality"), rows),
    )


def _sentence(beta: float, group_size: int, shares: dict[str, float]) -> str:
    return (
        f"At the same beta of {beta:.3g} and {group_size} answers a group, the nonsense tends to "
        f"{shares['in_reward']:.1%} with the KL in the reward, as the objective asks, "
        f"{shares['k3']:.1%} with k3 in the loss, {shares['divided_k3']:.1%} with k3 and divided "
        f"rewards, and {shares['k1']:.1%} with k1 in the loss."
    )


def _moved_into_the_loss() -> Answer:
    result = run()
    before, after = result.value("in_reward"), result.value("k3")
    choice = 1 if after > before + 0.05 else (2 if after < before - 0.05 else 0)
    return Answer(
        choice,
        f"{before:.0%} before, {after:.0%} after. The gradient of k3 is that of the KL the other "
        "way round, from the reference to the policy, which charges little for an answer that "
        "the reference hardly ever writes.",
    )


def _larger_groups() -> Answer:
    small, large = run(beta=0.4), run(beta=0.4, group_size=24)
    change = large.value("divided_k2") - small.value("divided_k2")
    choice = 0 if change < -0.05 else (2 if change > 0.05 else 1)
    return Answer(
        choice,
        f"From {small.value('divided_k2'):.0%} to {large.value('divided_k2'):.1%}. As the policy "
        "narrows, the spread of rewards shrinks and the division enlarges what is left of them; "
        "one odd answer among G is worth up to sqrt(G - 1).",
    )


SYSTEM = System(
    row="T1",
    name="targets",
    title="What each method converges to",
    sentence="Where the KL is charged, and what is divided, decides which policy training ends at.",
    paragraph=(
        "A model picks one of five answers; the reward model prefers one of them, flattering "
        "nonsense. All methods here draw groups of answers, compare their rewards and pay beta "
        "for drifting from the start. Yet they end at different policies, computed here exactly. "
        "Charged in each answer's reward (REINFORCE, RLOO), the KL does what the objective says. "
        "In the loss (GRPO) it works through the gradient of an estimate: k2's is right, k3's "
        "belongs to the KL the other way round, k1's is zero on average. Dividing only the rewards "
        "by the group's spread changes what beta means as training goes on. k1 is log(policy / "
        "reference) of a sample, k2 half its square, k3 a version of k1 that is never negative. A "
        "run gets to its end no faster than it writes the rare answer: with k1 a long one may "
        "still sit on the best of the common answers."
    ),
    controls=(
        Slider("beta", "beta, the price of a nat of KL", 0.5, 0.05, 4.0, log=True),
        Slider("group_size", "answers drawn in a group", 8, 2, 24, whole=True),
        Slider("nonsense_reward", "reward of the nonsense", 2.8, 1.0, 4.0, step=0.1),
    ),
    run=run,
    questions=(
        Question(
            "At beta 0.5 the KL moves from the reward into the loss, as k3. The nonsense then "
            "ends:",
            ("As likely as before", "Much likelier", "Much rarer"),
            _moved_into_the_loss,
        ),
        Question(
            "Rewards are divided by the group's spread, with k2 in the loss, at beta 0.4. Groups "
            "grow from 8 to 24 answers. The nonsense becomes:",
            ("Rarer", "Neither", "Likelier"),
            _larger_groups,
        ),
    ),
    sources=(
        "Shao et al. (2024), arXiv:2402.03300",
        "Tang and Munos (2025), arXiv:2506.09477",
        "Vojnovic and Yun (2025), arXiv:2502.18548",
    ),
)
