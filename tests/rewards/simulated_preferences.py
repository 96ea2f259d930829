"""Preferences between made-up answers whose rater pays for known features."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import special

from rewardlab.rewards.text_features import NAMES, compute
from rewardlab.types import LABEL_OF_OUTCOME, FloatArray, Outcome, Preferences, Text

SENTENCE = (
    "the a of water stone light river house garden paper table morning winter small green quiet "
    "moves turns holds opens falls near under over into with because often today tomorrow people "
    "answer reason system number method result question"
)
WORDS = SENTENCE.split()
STYLES: Mapping[str, tuple[str, float]] = {
    "hedges": ("perhaps", 0.4),
    "confidence": ("certainly", 0.4),
    "apology": ("Sorry,", 0.3),
    "warmth": ("glad", 0.4),
    "first_person": ("I", 0.6),
    "second_person": ("you", 0.6),
    "exclamations": ("wow!", 0.4),
    "numbers": ("42", 0.5),
}
"""Feature -> a word that raises it by one, and the mean number of such words."""


def answer(rng: np.random.Generator) -> str:
    """A made-up answer with a Poisson number of each style word."""
    words = list(rng.choice(WORDS, size=int(rng.integers(10, 60))))
    for word, rate in STYLES.values():
        words += [word] * int(rng.poisson(rate))
    rng.shuffle(words)
    text = ""
    for i, word in enumerate(words):
        text += str(word) + (". " if i % 9 == 8 else " ")
    return text + "end."


def preferences(
    a: list[Text | None],
    b: list[Text | None],
    outcome: FloatArray,
    *,
    prompt: list[Text] | None = None,
    prompt_id: list[str] | None = None,
    margin: FloatArray | None = None,
) -> Preferences:
    """Preferences in memory with plain defaults for the other fields."""
    n = len(a)
    codes = np.asarray(outcome, dtype=np.int8)
    ids = [str(i) for i in range(n)]
    return Preferences(
        prompt=prompt or ["Why?"] * n,
        response_a=a,
        response_b=b,
        outcome=codes,
        label=LABEL_OF_OUTCOME[codes],
        margin=np.full(n, np.nan) if margin is None else margin,
        annotator=[None] * n,
        id=ids,
        prompt_id=prompt_id or ids,
        split=[None] * n,
        item_a=[None] * n,
        item_b=[None] * n,
        line=np.arange(1, n + 1),
        source=["pairs.jsonl"] * n,
        sides_recorded=True,
    )


def simulate(
    n: int,
    weights: Mapping[str, float],
    rng: np.random.Generator,
    *,
    n_prompts: int | None = None,
    tie_share: float = 0.0,
) -> Preferences:
    """Preferences of a rater who pays ``weights``, in logits per unit of each feature."""
    a: list[Text | None] = [answer(rng) for _ in range(n)]
    b: list[Text | None] = [answer(rng) for _ in range(n)]
    gap = compute([""] * n, a) - compute([""] * n, b)
    delta = sum((w * gap[:, NAMES.index(name)] for name, w in weights.items()), np.zeros(n))
    outcome = np.where(rng.random(n) < special.expit(delta), Outcome.A, Outcome.B)
    outcome = np.where(rng.random(n) < tie_share, Outcome.TIE, outcome)
    prompts = rng.integers(0, n_prompts or 10 * n, n)
    return preferences(a, b, outcome, prompt_id=[f"p{k}" for k in prompts])
