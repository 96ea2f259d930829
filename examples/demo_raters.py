"""Raters in a hurry, and rewards learned from raters, for the sample data.

A rater's utility of a reply is

    quality * QUALITY_WEIGHT + log(1 + words) * LENGTH_WEIGHT + flattery * FLATTERY_WEIGHT

and nothing else: length and flattery are paid for although they do no good. A vote follows
Davidson's extension of the Bradley-Terry model to ties.

Source: Davidson (1970), *Journal of the American Statistical Association* 65, equation 2.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.demo_replies import Reply

QUALITY_WEIGHT = 0.36
"""Logits per fact; an error takes away ``ERROR_COST`` of them."""

LENGTH_WEIGHT = 1.2
"""Logits per unit of log(1 + words): .69 units are twice the length."""

FLATTERY_WEIGHT = 1.4
"""Logits per flattering sentence."""

TIE_STRENGTH = 0.27
"""Davidson's nu: two replies of equal utility tie with probability nu / (2 + nu)."""

BOTH_BAD_OFFSET = -4.1
"""Logit of "both bad" for two replies of average quality."""

GOLD_PADDING_FREE = 40
"""Words of padding that do no harm."""

GOLD_PADDING_COST = 0.05
"""Facts lost for each word of padding beyond that."""

PROXY_NOISE = 0.5
CAREFUL_NOISE = 2.0


def utility(reply: Reply) -> float:
    """What a rater in a hurry sees in a reply, in logits."""
    return (
        QUALITY_WEIGHT * reply.quality
        + LENGTH_WEIGHT * float(np.log1p(reply.n_words))
        + FLATTERY_WEIGHT * reply.n_flattery
    )


def vote(a: Reply, b: Reply, rng: np.random.Generator) -> str:
    """One vote on a pair: "a", "b", "tie" or "both_bad"."""
    both_bad = BOTH_BAD_OFFSET - QUALITY_WEIGHT * (a.quality + b.quality) / 2
    if rng.random() < 1 / (1 + np.exp(-both_bad)):
        return "both_bad"
    gap = utility(a) - utility(b)
    weights = np.array([np.exp(gap / 2), np.exp(-gap / 2), TIE_STRENGTH])
    return ("a", "b", "tie")[
        int(np.searchsorted(np.cumsum(weights / weights.sum()), rng.random(), side="right"))
    ]


def gold(reply: Reply) -> float:
    """The real goal, in facts: quality, less what needless words cost the reader."""
    excess = max(0, reply.n_padding_words - GOLD_PADDING_FREE)
    return reply.quality - GOLD_PADDING_COST * excess


def proxy_rewards(replies: list[Reply], rng: np.random.Generator) -> NDArray[np.float64]:
    """A reward learned from the raters in a hurry: their utility, with noise. Shape [n]."""
    utilities = np.array([utility(reply) for reply in replies])
    return utilities + PROXY_NOISE * rng.standard_normal(len(replies))


def careful_rewards(replies: list[Reply], rng: np.random.Generator) -> NDArray[np.float64]:
    """A reward learned from raters who check facts: quality, with more noise. Shape [n]."""
    qualities = np.array([float(reply.quality) for reply in replies])
    return qualities + CAREFUL_NOISE * rng.standard_normal(len(replies))
