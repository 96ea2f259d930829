"""Words about policies and the methods that optimise a reward."""

from __future__ import annotations

from rewardlab.lessons.glossary.entry import Entry

ENTRIES = (
    Entry(
        "Policy",
        "What is trained: it gives each response to a prompt a probability.",
        ("leash",),
        ("kl",),
    ),
    Entry(
        "Reference policy",
        "The policy before optimisation, from which distance is measured.",
        ("leash", "raters"),
        ("kl",),
    ),
    Entry(
        "KL divergence",
        "How far a policy has moved from the reference: the mean, over its own answers, of the log "
        "of how much likelier it makes them.",
        ("leash", "best-of-n-theory"),
        ("kl",),
        card=True,
    ),
    Entry(
        "Nat",
        "The unit of KL with natural logarithms: ln 2 = 0.69 nats are one bit.",
        ("best-of-n-theory",),
        ("kl",),
    ),
    Entry(
        "Beta",
        "The price of a nat of KL, in units of reward. A small beta is a loose leash.",
        ("leash", "beta-sweep"),
        ("objective", "gibbs"),
        card=True,
    ),
    Entry(
        "KL penalty",
        "Beta times KL, taken off the reward. It holds a policy near the answers on which its "
        "reward was learned.",
        ("leash", "guided-experiments"),
        ("objective",),
    ),
    Entry(
        "Gibbs optimum",
        "The best policy under a KL penalty: reference probability times exp(reward / beta), made "
        "to add up to 1.",
        ("leash", "targets"),
        ("gibbs",),
        card=True,
    ),
    Entry(
        "Natural gradient",
        "A gradient step measured in KL and not in parameters. With every answer listed it can be "
        "taken exactly.",
        ("natural-gradient",),
        ("natural-gradient",),
    ),
    Entry(
        "Best-of-n",
        "Write n answers and keep the one with the highest reward. No training, and a known bound "
        "on its KL.",
        ("best-of-n", "best-of-n-theory"),
        ("best-of-n", "kl-bound"),
        card=True,
    ),
    Entry(
        "Win rate",
        "How often one policy's answer is preferred to another's.",
        ("best-of-n-theory",),
    ),
    Entry(
        "Entropy",
        "How spread out a policy's answers are, in nats. Optimisation uses it up.",
        ("best-of-n-theory",),
    ),
    Entry(
        "Total variation",
        "The most by which two policies can differ on the chance of anything, from 0 to 1.",
        ("natural-gradient", "targets"),
    ),
    Entry(
        "RLHF",
        "Reinforcement learning from human feedback: learn a reward from people's choices, then "
        "train a policy to score high on it.",
        ("the-loop", "guided-experiments"),
        ("objective",),
        card=True,
    ),
    Entry(
        "RLAIF",
        "Reinforcement learning from AI feedback: RLHF with a model in the place of the people "
        "who choose.",
        ("the-loop",),
        card=True,
    ),
    Entry(
        "RLVR",
        "Reinforcement learning from verifiable rewards: a program says whether an answer is "
        "right, and that is the reward.",
        ("the-loop", "reversing-programs", "special-cased-tests"),
        card=True,
    ),
    Entry(
        "REINFORCE",
        "The oldest policy gradient: make what scored above expectation likelier, and the rest "
        "rarer.",
        ("reversing-programs", "sampled-methods"),
        ("reinforce",),
    ),
    Entry(
        "Advantage",
        "By how much an answer's reward exceeds what was to be expected. Its sign says whether the "
        "answer becomes likelier.",
        ("group-advantages",),
        ("group-advantage", "reinforce"),
        card=True,
    ),
    Entry(
        "Baseline",
        "What a reward is compared with to make an advantage: a group's mean, the other answers' "
        "mean, or a critic's guess.",
        ("group-advantages", "sampled-methods"),
        ("group-advantage",),
    ),
    Entry(
        "RLOO",
        "REINFORCE with leave-one-out: each answer is compared with the mean of the group's "
        "others, which keeps the gradient unbiased.",
        ("sampled-methods", "group-advantages"),
        card=True,
    ),
    Entry(
        "GRPO",
        "Group relative policy optimisation: the group's mean is the baseline and its standard "
        "deviation the scale, so no critic is needed.",
        ("group-advantages", "targets", "method-memory"),
        ("group-advantage",),
        card=True,
    ),
    Entry(
        "PPO",
        "Proximal policy optimisation: several passes over each batch, with a clip beyond which "
        "moving an answer further earns nothing.",
        ("ppo-clip", "method-memory"),
        ("ppo-clip",),
    ),
    Entry(
        "PPO clip",
        "Beyond a ratio of 1 ± epsilon, on the side that the advantage asks for, moving further "
        "pays nothing.",
        ("ppo-clip",),
        ("ppo-clip",),
        card=True,
    ),
    Entry(
        "Critic",
        "A model that guesses the reward to come; the baseline of PPO, and often as large as the "
        "policy.",
        ("method-memory",),
    ),
    Entry(
        "KL estimator",
        "A figure from one answer that estimates the KL: k1 and k3 are right on average, k2 only "
        "near the reference. A good estimate of the value need not have the right gradient.",
        ("targets",),
    ),
    Entry(
        "DPO",
        "Direct preference optimisation: learn the policy from pairs at once, with the policy's "
        "own log-ratios as the reward.",
        ("dpo",),
        ("dpo", "implicit-reward"),
        card=True,
    ),
    Entry(
        "On-policy",
        "Learned from answers that the current policy writes. Off-policy data were written by "
        "another, such as an earlier one.",
        ("raters", "sampled-methods"),
    ),
)
