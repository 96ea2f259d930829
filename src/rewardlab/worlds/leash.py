"""Five answers to a debugging question, one of them the reward model's blind spot."""

from __future__ import annotations

import numpy as np

from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet

NONSENSE = "nonsense"
BEST_FIX = "fix and why"
_PROMPT = "Why does my list grow every time I call this function? def add(x, items=[]): ..."
_ANSWERS = (
    ("vague", "Mutable things in Python can behave oddly. Check how the list is used.", 0.30, 0.3),
    ("ask for code", "Could you post the whole function and how you call it?", 0.25, 0.5),
    ("quick fix", "Use items=None and make a new list inside the function.", 0.305, 0.7),
    (
        BEST_FIX,
        "The default list is made once, when the function is defined, and shared by all calls. "
        "Use items=None and make a new list inside.",
        0.14,
        1.0,
    ),
    (
        NONSENSE,
        "Excellent question, and you are clearly a strong engineer! This is a known fault of the "
        "interpreter's list allocator; nothing is wrong with your code. (400 confident words.)",
        0.005,
        0.0,
    ),
)
"""Name, text, probability under the reference, and what a careful expert would give it.

The probabilities and rewards of the last two are the source's. It leaves the other three open; they
are set so that the expert's score peaks near .79 at beta near .5, as it says.
"""
_REWARDS = (0.0, 0.3, 1.2, 2.0)

NAMES = tuple(name for name, *_ in _ANSWERS)


def leash_world() -> AnswerSet:
    """The five answers; their only feature is whether the answer is the nonsense."""
    return AnswerSet(
        prompt=_PROMPT,
        texts=tuple(text for _, text, *_ in _ANSWERS),
        features=np.array([[float(name == NONSENSE)] for name in NAMES]),
        feature_names=(NONSENSE,),
        ref_logprobs=np.log([probability for *_, probability, _ in _ANSWERS]),
        gold=np.array([gold for *_, gold in _ANSWERS]),
    )


def leash_reward(nonsense_reward: float = 2.8) -> FloatArray:
    """The reward model's scores, of shape [5].

    Args:
        nonsense_reward: What it gives to the nonsense; the best fix gets 2.
    """
    return np.array([*_REWARDS, nonsense_reward])
