"""Four programs that are asked to reverse a string, and six unit tests, really run."""

from __future__ import annotations

from functools import cache

import numpy as np

from rewardlab.errors import InputError, RewardLabError
from rewardlab.sandbox.limited_process import Ending, call_function
from rewardlab.types import BoolArray
from rewardlab.worlds.answer_set import AnswerSet

PROMPT = "Write a function reverse(s) that reverses a string."
_PROGRAMS = {
    "A": "def reverse(s):\n    return s[::-1]\n",
    "B": 'def reverse(s):\n    return "".join(sorted(s, reverse=True))\n',
    "C": (
        "def reverse(s):\n"
        '    out = ""\n'
        "    for i in range(len(s) - 1):\n"
        "        out = s[i] + out\n"
        "    return out\n"
    ),
    "D": (
        "def reverse(s):\n"
        '    if s == "abc":\n'
        '        return "cba"\n'
        '    if s == "hello":\n'
        '        return "olleh"\n'
        "    return s\n"
    ),
}
"""A slices backwards; B sorts; C's loop stops one character short; D knows two of the tests."""
_TESTS = {
    "abc": "cba",
    "hello": "olleh",
    "": "",
    "x": "x",
    "level up": "pu level",
    "naïve": "evïan",
}
"""Input -> what it must give. The first two are shown in the prompt; B passes the first of them."""

N_TESTS = len(_TESTS)
N_VISIBLE = 2
NAMES = tuple(_PROGRAMS)
SHARES = (0.20, 0.50, 0.30)
"""Of A, B and C at the start."""


def reversing_world(shares: tuple[float, ...] = SHARES) -> AnswerSet:
    """The first programs, one for each start share; gold is 1 where all six tests pass.

    Args:
        shares: Length 3 or 4, > 0, of total 1; with 4 the special-casing program D is there too.

    Raises:
        InputError: The shares are no such numbers.
        RewardLabError: A program could not be run.
    """
    n = len(shares)
    if n not in (3, 4) or not min(shares) > 0:
        raise InputError(f"shares: expected 3 or 4 numbers above 0, got {shares}")
    passed = passed_tests()[:n]
    return AnswerSet(
        prompt=PROMPT,
        texts=tuple(_PROGRAMS.values())[:n],
        features=passed.mean(axis=1, keepdims=True),
        feature_names=("tests_passed",),
        ref_logprobs=np.log(shares),
        gold=passed.all(axis=1).astype(float),
    )


@cache
def passed_tests() -> BoolArray:
    """Shape [4, 6]; which tests each program passes, from running it once in this process's life.

    Raises:
        RewardLabError: A program could not be run, so that nothing is known of it.
    """
    rows = []
    for name, source in _PROGRAMS.items():
        results = call_function(source, "reverse", [[text] for text in _TESTS])
        for result in results:
            if result.ending is not Ending.RETURNED:
                raise RewardLabError(f"program {name}: {result.ending}: {result.error}")
        rows.append([r.value == right for r, right in zip(results, _TESTS.values(), strict=True)])
    passed = np.array(rows)
    passed.setflags(write=False)
    return passed
