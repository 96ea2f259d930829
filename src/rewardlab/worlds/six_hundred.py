"""Sets of 600 answers with two traits; padding is punished only beyond a length."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.gaussian_grid import LENGTH, PROMPT, SUBSTANCE, TraitTexts

N_ANSWERS = 600
N_SETS = 500
CHOSEN_SET = 422
"""Of the 500 sets, the one whose peak and return are nearest to n = 49 and n = 590.

Nearest by |log(peak / 49)| + |log(return / 590)|. It is chosen by search, and is not typical: in
most sets the answer with the highest reward is a good one, so that best-of-n never returns to the
base average.
"""

PADDING_FROM = 1.75
PADDING_PRICE = 6.0


def traits_of_set(set_number: int) -> FloatArray:
    """Length and substance of a set's answers, drawn from a standard normal, of shape [600, 2].

    Args:
        set_number: Which set, which is also the seed, >= 0.

    Raises:
        InputError: The number is negative.
    """
    if set_number < 0:
        raise InputError(f"set_number: expected at least 0, got {set_number}")
    return np.random.default_rng(set_number).standard_normal((N_ANSWERS, 2))


@lru_cache(maxsize=1)
def traits_of_all_sets() -> FloatArray:
    """Those of sets 0 to 499, of shape [500, 600, 2]; read-only, since they are kept."""
    traits = np.stack([traits_of_set(number) for number in range(N_SETS)])
    traits.setflags(write=False)
    return traits


def six_hundred(set_number: int = CHOSEN_SET) -> AnswerSet:
    """One set; the base model writes each of its answers with probability 1/600.

    Args:
        set_number: Which set, >= 0.
    """
    traits = traits_of_set(set_number)
    return AnswerSet(
        prompt=PROMPT,
        texts=TraitTexts(traits),
        features=traits,
        feature_names=(LENGTH, SUBSTANCE),
        ref_logprobs=np.full(N_ANSWERS, -np.log(N_ANSWERS)),
        gold=padded_reward(traits, learned=1.0),
    )


def padded_reward(traits: FloatArray, learned: float = 0.0) -> FloatArray:
    """Length + substance - learned x 6 max(0, length - 1.75)^2.

    Args:
        traits: Shape [..., 2]; length and substance, in standard units.
        learned: Share of the penalty: 0 for "longer is better", 1 for the true goal.

    Returns:
        Shape [...].
    """
    length, substance = traits[..., 0], traits[..., 1]
    padding = np.maximum(length - PADDING_FROM, 0.0) ** 2
    return np.asarray(length + substance - learned * PADDING_PRICE * padding)
