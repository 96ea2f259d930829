"""Goodhart's four kinds, a small world each, in which only one mechanism is at work.

In each world reward models are linear in the features and fitted to ratings of answers, gold plus
noise. What goes wrong differs: in the *regressional* world only the noise; in the *extremal* one
length stops helping where no usual answer lies; in the *causal* one length comes from content, and
padding makes length without content; in the *adversarial* one a few answers are built to fool.

Source: Manheim and Garrabrant (2018), arXiv:1803.04585, for the kinds; the worlds are our own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet, normalised

KINDS = ("regressional", "extremal", "causal", "adversarial")

_FREE = 1e-3
"""Precision of a weight that hardly has a prior."""


@dataclass(frozen=True, slots=True)
class GoodhartWorld:
    """One kind of Goodhart's law.

    Attributes:
        answers: The answers; the features are what a reward model sees.
        precision: Shape [d]; how strongly each weight of a reward model is held to its prior.
        fooled: Shape [d]; the weight that a fooled reward model gives to a trick before it is
            rated, 0 for features that are no tricks.
    """

    answers: AnswerSet
    precision: FloatArray
    fooled: FloatArray


def goodhart_world(kind: str) -> GoodhartWorld:
    """The world of one kind.

    Raises:
        InputError: There is no such kind.
    """
    worlds = dict(zip(KINDS, (_regressional, _extremal, _causal, _adversarial), strict=True))
    if kind not in worlds:
        raise InputError(f"kind: expected one of {', '.join(KINDS)}, got {kind!r}")
    return worlds[kind]()


def _regressional() -> GoodhartWorld:
    """Gold is linear in 16 qualities that every reward model sees: only noise makes it err."""
    n, d = 256, 16
    drawn = np.random.default_rng(1).normal(size=(n, d))
    features = drawn / np.sqrt(np.square(drawn).mean(axis=0))
    return _world(
        prompt="Explain how vaccines work.",
        texts=[f"answer {k + 1}, good and bad in sixteen ways" for k in range(n)],
        columns={f"quality {j + 1}": features[:, j] for j in range(d)},
        ref_logits=np.zeros(n),
        gold=features.sum(axis=1) / np.sqrt(d),
        precision=np.full(d, _FREE),
    )


def _extremal() -> GoodhartWorld:
    """Longer is better by as much as it is longer, up to two standard deviations."""
    length = np.linspace(-4.0, 5.0, 91)
    return _world(
        prompt="How do I prune a rose?",
        texts=[f"an answer {x:+.1f} standard deviations from the usual length" for x in length],
        columns={"constant": np.ones(91), "length": length, "length squared": length**2},
        ref_logits=-np.square(length) / 2,
        gold=length - 1.5 * np.maximum(length - 2, 0) ** 2,
        precision=np.full(3, _FREE),
    )


def _causal() -> GoodhartWorld:
    """Content makes an answer good and long; padding, rare at first, only makes it long.

    Length is read off exactly and content only faintly (at a fifth of its scale), so that a fit
    held to small weights credits length with what content does.
    """
    content, padding = (
        part.ravel() for part in np.meshgrid(np.linspace(-4, 4, 41), np.arange(5.0), indexing="ij")
    )
    return _world(
        prompt="What caused the fall of Rome?",
        texts=[
            f"content {c:+.1f}, padded by {p:.0f}" for c, p in zip(content, padding, strict=True)
        ],
        columns={
            "constant": np.ones(len(content)),
            "length": content + padding,
            "content": 0.2 * content,
        },
        ref_logits=-np.square(content) / 2 - np.where(padding > 0, 4.5 + 0.5 * padding, 0.0),
        gold=content - 0.75 * padding,
        precision=np.array([_FREE, 2.0, 2.0]),
    )


def _adversarial() -> GoodhartWorld:
    """Sixty-one honest answers and eight tricks, each written once in 50,000 answers."""
    quality, n_tricks, rare = np.linspace(-4.0, 4.0, 61), 8, 2e-5
    trick = np.vstack([np.zeros((61, n_tricks)), np.eye(n_tricks)])
    honest = normalised(-np.square(quality) / 2) + np.log1p(-n_tricks * rare)
    tricks = {f"trick {k + 1}": trick[:, k] for k in range(n_tricks)}
    return _world(
        prompt="Is this proof correct?",
        texts=[*(f"an honest answer of quality {q:+.1f}" for q in quality), *tricks],
        columns={
            "constant": np.ones(61 + n_tricks),
            "quality": np.concatenate([quality, np.zeros(n_tricks)]),
            **tricks,
        },
        ref_logits=np.concatenate([honest, np.full(n_tricks, np.log(rare))]),
        gold=np.concatenate([quality, np.full(n_tricks, -2.0)]),
        precision=np.array([_FREE, _FREE, *[1.0] * n_tricks]),
        fooled=np.array([0.0, 0.0, *[5.0] * n_tricks]),
    )


def _world(
    *, prompt: str, texts: list[str], columns: dict[str, FloatArray], ref_logits: FloatArray,
    gold: FloatArray, precision: FloatArray, fooled: FloatArray | None = None,
) -> GoodhartWorld:  # fmt: skip
    answers = AnswerSet(
        prompt=prompt,
        texts=tuple(texts),
        features=np.column_stack(list(columns.values())),
        feature_names=tuple(columns),
        ref_logprobs=normalised(ref_logits),
        gold=gold,
    )
    return GoodhartWorld(answers, precision, np.zeros(len(columns)) if fooled is None else fooled)
