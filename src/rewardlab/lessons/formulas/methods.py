"""Formulas of the methods that train a policy: REINFORCE, GRPO, PPO, DPO."""

from __future__ import annotations

import numpy as np

from rewardlab.lessons.computed import Computed
from rewardlab.lessons.figures import dpo_terms
from rewardlab.lessons.formula import Formula, Term
from rewardlab.lessons.mathml import bracket, call, frac, paren, row, sub, sup, term
from rewardlab.policies.advantages import group_advantages, signal_probability
from rewardlab.policies.direct import dpo, implied_reward
from rewardlab.policies.group_rounds import after_round
from rewardlab.policies.ppo import surrogate
from rewardlab.worlds.answer_set import normalised
from rewardlab.worlds.reversing import SHARES

_ADVANTAGE = term("advantage", "A")
_BETA = term("beta", "β")
_G = term("group", "G")


def _round_values() -> tuple[float, ...]:
    start = normalised(np.log(np.array(SHARES[:3])))
    passed = np.array([1.0, 0.0, 0.0])
    after = after_round(start, np.array([0, 1, 2]), passed, step_size=2 / 3)
    return *SHARES[:3], *(float(share) for share in np.exp(after))


def two_of_four() -> tuple[float, ...]:
    """Advantages of a right and a wrong answer where two of four are right, divided by the sd."""
    found = group_advantages(np.array([1.0, 1.0, 0.0, 0.0]), divide_by_sd=True)
    return float(found[0]), float(found[-1])


def surrogate_at(ratio: float, advantage: float, clip: float) -> tuple[float, ...]:
    """PPO's surrogate of one answer."""
    return (float(surrogate(np.array([ratio]), np.array([advantage]), clip)[0]),)


def signal_at(rate: float, group_size: int) -> tuple[float, ...]:
    """How often a group has a right and a wrong answer."""
    return (float(signal_probability(np.array([rate]), group_size)[0]),)


def implied(beta: float, times: float) -> tuple[float, ...]:
    """Reward that DPO implies for an answer that has become so many times likelier."""
    return (float(implied_reward(np.log(np.array([times])), np.zeros(1), beta)[0]),)


DPO = Formula(
    name="dpo",
    title="DPO's loss",
    math=row(
        term("loss", "L"), "=", "−", call("log", call("σ", row(
            _BETA, paren(term("hw", sub("h", "w")), "−", term("hl", sub("h", "l")))))),
    ),
    reading="L equals minus log sigma of beta times h w minus h l",
    terms=(
        Term(term("loss", "L"), "The loss of a pair: Bradley-Terry, without a reward model."),
        Term(_BETA, "The price of a nat of KL; the policy is its own reward model at this price."),
        Term(
            term("hw", sub("h", "w")),
            "Log of how many times likelier the chosen answer is than under the reference.",
        ),
        Term(term("hl", sub("h", "l")), "The same of the rejected answer."),
    ),
    worked=Computed(
        "β = 0.1 and log-ratios of +2 and −1: a margin of {0:.1f}, a chance of {1:.1%}, a loss of "
        "{2:.4f}.",
        dpo,
        lambda: dpo_terms(0.1, 2.0, -1.0),
    ),
    source="Rafailov et al. (2023), arXiv:2305.18290",
)  # fmt: skip

IMPLICIT_REWARD = Formula(
    name="implicit-reward",
    title="The reward a policy implies",
    math=row(
        term("r", "r"), "=", _BETA, call("log", frac(term("policy", "π"),
                                                   term("ref", sub("π", "ref")))),
        "+", term("c", _BETA, call("log", "Z")),
    ),
    reading="r equals beta log pi over pi ref, plus beta log Z",
    terms=(
        Term(term("r", "r"), "The reward for which this policy is the best one."),
        Term(_BETA, "The price of a nat of KL."),
        Term(term("policy", "π"), "The policy's probability of the answer."),
        Term(term("ref", sub("π", "ref")), "The reference's."),
        Term(
            term("c", _BETA, call("log", "Z")),
            "The same for all answers to a prompt: it cancels in every comparison.",
        ),
    ),
    worked=Computed(
        "At β = 0.1 an answer made ten times likelier is credited with {0:+.3f}.",
        implied_reward,
        lambda: implied(0.1, 10.0),
    ),
    source="Rafailov et al. (2023), arXiv:2305.18290",
)  # fmt: skip

REINFORCE = Formula(
    name="reinforce",
    title="REINFORCE",
    math=row(
        "∇", term("j", "J"), "=", term("mean", sub("E", "π")),
        bracket(_ADVANTAGE, "∇", call("log", call("π", "y"))),
    ),
    reading="the gradient of J equals the mean under pi of A times the gradient of log pi of y",
    terms=(
        Term(term("j", "J"), "What is maximised."),
        Term(term("mean", sub("E", "π")), "Over answers that the policy itself writes."),
        Term(_ADVANTAGE, "Advantage: the answer's reward less what was to be expected."),
    ),
    worked=Computed(
        "Programs A, B and C start at {0:.0%}, {1:.0%} and {2:.0%}. A round writes each once and "
        "only A passes: now {3:.0%}, {4:.0%} and {5:.0%}.",
        after_round,
        _round_values,
    ),
    source="Williams (1992), Machine Learning 8",
)  # fmt: skip

GROUP_ADVANTAGE = Formula(
    name="group-advantage",
    title="GRPO's advantage",
    math=row(
        sub("A", "i"), "=",
        frac(row(term("ri", sub("r", "i")), "−", term("mean", "m")), term("sd", "s")),
    ),
    reading="A i equals r i minus m, over s",
    terms=(
        Term(term("ri", sub("r", "i")), "Reward of answer i of a group to one prompt."),
        Term(term("mean", "m"), "Mean reward of the group: the baseline."),
        Term(
            term("sd", "s"),
            "Standard deviation of the group. If all rewards are equal the advantages are 0.",
        ),
    ),
    worked=Computed(
        "Two of four answers are right: {0:+.0f} for these, {1:+.0f} for the others.",
        group_advantages,
        two_of_four,
    ),
    source="Shao et al. (2024), arXiv:2402.03300",
)  # fmt: skip

_RATE = term("rate", "p")
SIGNAL = Formula(
    name="signal-probability",
    title="When a group teaches",
    math=row("1", "−", sup(_RATE, _G), "−", sup(paren("1", "−", _RATE), _G)),
    reading="one minus p to the G minus one minus p to the G",
    terms=(
        Term(_RATE, "Chance that one answer is right."),
        Term(_G, "Answers in a group. It teaches if some are right and some are wrong."),
    ),
    worked=Computed(
        "Right 2% of the time, in groups of 8: {0:.2%} of groups teach anything.",
        signal_probability,
        lambda: signal_at(0.02, 8),
    ),
    source="Shao et al. (2024), arXiv:2402.03300, for the advantages that it follows from",
)

_RATIO = term("ratio", "ρ")
PPO_CLIP = Formula(
    name="ppo-clip",
    title="PPO's clip",
    math=row(
        "min", "(", _RATIO, _ADVANTAGE, ",",
        call("clip", _RATIO, ",", "1", "−", term("eps", "ε"), ",", "1", "+", term("eps", "ε")),
        _ADVANTAGE, ")",
    ),
    reading="the smaller of rho A and rho clipped to between one minus epsilon and one plus "
    "epsilon, times A",
    terms=(
        Term(_RATIO, "How many times likelier the answer is than when it was drawn."),
        Term(_ADVANTAGE, "Its advantage."),
        Term(term("eps", "ε"), "How far a ratio may go before moving further pays nothing."),
    ),
    worked=Computed(
        "ε = 0.2, ratio 1.5: an advantage of +1 counts {0:.1f}, one of −1 counts {1:.1f}.",
        surrogate,
        lambda: (*surrogate_at(1.5, 1.0, 0.2), *surrogate_at(1.5, -1.0, 0.2)),
    ),
    source="Schulman et al. (2017), arXiv:1707.06347",
)  # fmt: skip

FORMULAS = (DPO, IMPLICIT_REWARD, REINFORCE, GROUP_ADVANTAGE, SIGNAL, PPO_CLIP)
