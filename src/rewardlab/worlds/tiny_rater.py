"""Five pairs of answers for a rater, and three answers to judge by what was learned from them.

What differs within each pair is the source's; the texts are ours, and with them the lengths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray

FEATURES = ("correct", "length", "praise")
"""Length is in hundreds of words."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, as a reward model with three features sees it.

    Attributes:
        text: Its words, or the beginning of them.
        correct: True if it is right.
        praise: True if it praises the asker or agrees with them.
        further_words: How many words follow ``text``.
    """

    text: str
    correct: bool
    praise: bool = False
    further_words: int = 0

    @property
    def words(self) -> int:
        """Length in words."""
        return len(self.text.split()) + self.further_words

    @property
    def features(self) -> FloatArray:
        """Shape [3]; ``FEATURES``."""
        return np.array([float(self.correct), self.words / 100, float(self.praise)])


_LOCK = "Two threads write to the list at once; guard both with one lock."
_INDEX = "The query scans every row. Add an index on user_id."
PAIRS = (
    (
        "My loop prints 1 to 9, but I want 10. Why?",
        Reply("range(1, 10) stops before 10, so write range(1, 11) there instead.", True),
        Reply("Nice loop! You are right; terminals hide the last line.", False, True),
    ),
    (
        "Which is faster here, a list or a set?",
        Reply("A set: its lookups do not scan the items.", True),
        Reply("A list: its lookups do not have to scan items.", False),
    ),
    ("My query takes a minute.", Reply(_INDEX, True), Reply(_INDEX, True, further_words=170)),
    (
        "My list has gaps after two threads fill it.",
        Reply(_LOCK, True),
        Reply(f"Great question, you clearly know your stuff! {_LOCK}", True, True),
    ),
    (
        "Does == compare what I think it does?",
        Reply(
            "Almost, and well spotted: == compares values, while 'is' compares objects.", True, True
        ),
        Reply("It compares where objects live.", False),
    ),
)
"""Prompt, and two answers. Pair 3 differs only in 170 words of extras, pair 4 only in praise."""

QUESTION = "Why does my React effect fetch the same data over and over?"
CANDIDATES = {
    "the fix": Reply(
        "The effect sets state, which renders again, which runs the effect again. Give it a "
        "dependency array, such as [id], so that it only runs when the id changes.",
        True,
    ),
    "long and wrong": Reply(
        "Fetching in React touches on rendering, caching and the network.", False, further_words=230
    ),
    "flattering and wrong": Reply(
        "You read that well: React simply works like this, and nothing is amiss.", False, True
    ),
}
"""Answers to ``QUESTION`` that no rater has seen."""

RATERS = {
    "careful": np.array([100.0, -1.0, -10.0]),
    "likes_long": np.array([0.0, 1.0, 0.0]),
    "likes_praise": np.array([10.0, -1.0, 100.0]),
}
"""What each rater looks at first, second and last, as weights far enough apart to rank so."""


def chosen_differences(rater: str, n_pairs: int) -> FloatArray:
    """Features of the chosen answer less those of the other, for the first pairs.

    Args:
        rater: One of ``RATERS``.
        n_pairs: How many of the pairs were answered, >= 1.

    Returns:
        Shape [n_pairs, 3].

    Raises:
        InputError: There is no such rater, or not that many pairs.
    """
    if rater not in RATERS:
        raise InputError(f"rater: expected one of {', '.join(RATERS)}, got {rater!r}")
    if not 1 <= n_pairs <= len(PAIRS):
        raise InputError(f"n_pairs: expected 1 to {len(PAIRS)}, got {n_pairs}")
    differences = np.array([a.features - b.features for _, a, b in PAIRS[:n_pairs]])
    return np.asarray(differences * np.sign(differences @ RATERS[rater])[:, None])
