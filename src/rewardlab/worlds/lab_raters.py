"""Raters of the lab's answers, and the comparisons that they make.

What each rater likes is the source's; by how many points is ours, so that the hurried one's bias
shows in a hundred labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.types import BoolArray, FloatArray, IntArray
from rewardlab.worlds.answer_set import AnswerSet

Rater = Literal["careful", "hurried"]

_HURRIED = {"length": 6.0, "confidence": 2.0, "flattery": 2.0}
"""Points that a hurried rater adds to the rubric for the full extent of a feature."""
_THUMBS_UP = {"flattery": 4.0, "warmth": 2.0, "confidence": 1.5}
"""What earns a thumbs-up from a user: being pleased, whether or not the answer is right."""

HELD_BACK = 5
"""Every fifth comparison is held back from the fit to test it."""


def rater_utility(world: AnswerSet, rater: Rater, *, thumbs_weight: float = 0.0) -> FloatArray:
    """What each answer is worth to a rater, in logits at a noise of 1; shape [n].

    Args:
        world: The lab's world.
        rater: "careful" goes by the rubric; "hurried" also likes length, a confident tone and
            compliments.
        thumbs_weight: w in [0, 1]; (1 - w) x rater + w x thumbs-up signal.

    Raises:
        InputError: There is no such rater, or the weight is outside its range.
    """
    if rater not in ("careful", "hurried"):
        raise InputError(f"rater: expected careful or hurried, got {rater!r}")
    if not 0 <= thumbs_weight <= 1:
        raise InputError(f"thumbs_weight: expected a share in [0, 1], got {thumbs_weight:g}")
    own = world.gold + (_points(world, _HURRIED) if rater == "hurried" else 0.0)
    return np.asarray((1 - thumbs_weight) * own + thumbs_weight * _points(world, _THUMBS_UP))


def _points(world: AnswerSet, per_feature: dict[str, float]) -> FloatArray:
    columns = [points * world.feature(name) for name, points in per_feature.items()]
    return np.asarray(np.sum(columns, axis=0))


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Pairs of different answers, and which of them a rater preferred.

    Attributes:
        pairs: Shape [n, 2], int64; positions of answers a and b.
        label: Shape [n]; 1 where a was preferred, 0 where b was, 1/2 for a tie, which counts
            as half a win for each.
    """

    pairs: IntArray
    label: FloatArray

    def __len__(self) -> int:
        return len(self.label)

    @property
    def held_out(self) -> BoolArray:
        """Shape [n]; True for every fifth comparison, floor(n / 5) in all."""
        return np.asarray(np.arange(len(self)) % HELD_BACK == HELD_BACK - 1)

    def differences(self, world: AnswerSet) -> FloatArray:
        """Shape [n, d]; features of a less features of b."""
        return np.asarray(world.features[self.pairs[:, 0]] - world.features[self.pairs[:, 1]])


def joined(parts: Sequence[Comparisons]) -> Comparisons:
    """The comparisons of all parts, in order.

    Args:
        parts: At least one.
    """
    return Comparisons(
        np.concatenate([part.pairs for part in parts]),
        np.concatenate([part.label for part in parts]),
    )


def draw_comparisons(
    utility: FloatArray,
    logprobs: FloatArray,
    n: int,
    *,
    rng: np.random.Generator,
    noise: float = 1.0,
) -> Comparisons:
    """Labelled pairs of different answers of a policy: P(a preferred) = sigma((u_a - u_b) / noise).

    Args:
        utility: Shape [m]; the rater's.
        logprobs: Shape [m], finite, m >= 2; the policy that wrote the answers.
        n: How many, >= 1.
        rng: Source of randomness.
        noise: Scale of the Bradley-Terry noise, > 0.

    Raises:
        InputError: ``n`` or ``noise`` is outside its range, utilities or log-probabilities are not
            finite numbers of one shape, or there is no second answer to compare with.

    Source: Bradley and Terry (1952); see ``draw_pairs`` for the draws.
    """
    if n < 1 or not noise > 0:
        raise InputError(f"draw_comparisons: expected n >= 1 and noise > 0, got {n} and {noise:g}")
    if utility.shape != logprobs.shape or len(logprobs) < 2:
        raise InputError(
            f"draw_comparisons: expected utility and logprobs of one shape [m], m >= 2, got "
            f"{utility.shape} and {logprobs.shape}"
        )
    if not (np.isfinite(utility).all() and np.isfinite(logprobs).all()):
        raise InputError("draw_comparisons: expected finite utilities and log-probabilities")
    pairs = draw_pairs(logprobs, n, rng=rng)
    ahead = special.expit((utility[pairs[:, 0]] - utility[pairs[:, 1]]) / noise)
    return Comparisons(pairs, (rng.random(n) < ahead).astype(np.float64))


def draw_pairs(logprobs: FloatArray, n: int, *, rng: np.random.Generator) -> IntArray:
    """Pairs of different answers of a policy, in random order; shape [n, 2].

    The two are drawn without replacement, as the largest two of log p + Gumbel noise: this stays
    exact for a policy that gives nearly everything to one answer.

    Args:
        logprobs: Shape [m], finite, m >= 2; the policy that wrote the answers.
        n: How many, >= 1.
        rng: Source of randomness.

    Raises:
        InputError: ``n`` is below 1, a log-probability is not finite, or there is no second answer.

    Source: Kool et al. (2019), arXiv:1903.06059.
    """
    if n < 1 or len(logprobs) < 2 or not np.isfinite(logprobs).all():
        raise InputError(
            "draw_pairs: expected n >= 1 and finite log-probabilities of at least 2 answers, got "
            f"{n} and shape {logprobs.shape}"
        )
    keys = logprobs + _gumbel((n, len(logprobs)), rng)
    rows = np.arange(n)
    first = np.argmax(keys, axis=1)
    keys[rows, first] = -np.inf
    pairs = np.column_stack([first, np.argmax(keys, axis=1)])
    swapped = rng.random(n) < 0.5  # else a would be the likelier answer more often than not
    pairs[swapped] = pairs[swapped, ::-1]
    return pairs


def _gumbel(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Standard Gumbel noise from the uniforms of ``rng.gumbel``, but twice as fast."""
    noise = rng.random(shape)
    np.subtract(1.0, noise, out=noise)
    with np.errstate(divide="ignore"):  # A uniform of 0 is the largest noise there is.
        np.log(-np.log(noise, out=noise), out=noise)
    return np.negative(noise, out=noise)
