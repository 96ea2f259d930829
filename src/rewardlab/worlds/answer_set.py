"""All answers that a policy can give to one prompt, with what is true of each."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, RewardFn, Text

_NORMALISED = 1e-9


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """Every answer to one prompt: a policy is a distribution over its n answers.

    Attributes:
        prompt: What was asked.
        texts: Length n; each answer as text.
        features: Shape [n, d]; what a linear reward may see of each answer.
        feature_names: Length d; also the names of the columns that a ``RewardFn`` is given.
        ref_logprobs: Shape [n], in nats; log-probabilities under the reference policy, which gives
            every answer some probability.
        gold: Shape [n]; the real goal; higher is better.
    """

    prompt: Text
    texts: Sequence[str]
    features: FloatArray
    feature_names: tuple[str, ...]
    ref_logprobs: FloatArray
    gold: FloatArray

    def __post_init__(self) -> None:
        n, d = len(self.texts), len(self.feature_names)
        expected = {"features": (n, d), "ref_logprobs": (n,), "gold": (n,)}
        for name, shape in expected.items():
            value = getattr(self, name)
            if not isinstance(value, np.ndarray):
                raise InputError(f"AnswerSet.{name}: expected a numpy array, got {type(value)}")
            if value.shape != shape:
                raise InputError(f"AnswerSet.{name}: expected shape {shape}, got {value.shape}")
            if not np.isfinite(value).all():
                raise InputError(f"AnswerSet.{name}: expected finite numbers")
        names = ["prompts", "responses", *self.feature_names]
        if len(set(names)) < len(names):
            raise InputError(
                "AnswerSet.feature_names: expected different names, none of them prompts or "
                f"responses, got {', '.join(self.feature_names)}"
            )
        if not n:
            raise InputError("AnswerSet: expected at least one answer, got none")
        total = float(np.exp(self.ref_logprobs).sum())
        if abs(total - 1) > _NORMALISED:
            raise InputError(
                f"AnswerSet.ref_logprobs: expected probabilities that sum to 1, got {total:.12g} "
                "(normalised(...) makes any logits so)"
            )

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def ref_probs(self) -> FloatArray:
        """Shape [n]; the reference policy."""
        return np.exp(self.ref_logprobs)

    def feature(self, name: str) -> FloatArray:
        """Shape [n]; one feature by its name.

        Raises:
            InputError: There is no such feature.
        """
        if name not in self.feature_names:
            known = ", ".join(self.feature_names)
            raise InputError(f"feature: expected one of {known}, got {name!r}")
        return self.features[:, self.feature_names.index(name)]

    def rewards(self, reward: RewardFn | FloatArray) -> FloatArray:
        """Shape [n]; each answer's reward, from a callable or as given.

        A callable gets the features as columns, each by its name.

        Raises:
            InputError: The shape is not [n], or an answer has no finite reward: a policy over all
                answers needs one for each.
        """
        if callable(reward):
            self._check_callable(reward)
            columns = {
                name: self.features[:, j].tolist() for j, name in enumerate(self.feature_names)
            }
            given = reward([self.prompt] * len(self), self.texts, **columns)
        else:
            given = reward
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"reward: expected numbers, got {type(given)} of others") from None
        if values.shape != (len(self),):
            raise InputError(f"reward: expected shape ({len(self)},), got {values.shape}")
        missing = ~np.isfinite(values)
        if missing.any():
            first = self.texts[int(np.argmax(missing))]
            raise InputError(
                f"reward: expected a finite number for every answer, but {int(missing.sum())} of "
                f"{len(self)} have none, the first of them {first[:60]!r}"
            )
        return values

    def _check_callable(self, reward: RewardFn) -> None:
        try:
            signature = inspect.signature(reward)
        except ValueError:  # Some callables of C have none to look at.
            return
        try:
            signature.bind([], [], **dict.fromkeys(self.feature_names, ()))
        except TypeError as error:
            raise InputError(
                "reward: expected a callable that takes (prompts, responses, /, **columns), with "
                f"the columns {', '.join(self.feature_names) or 'none'}: {error}"
            ) from None


def normalised(logits: FloatArray) -> FloatArray:
    """Log-probabilities of a softmax, log p = z - log sum exp z, over the last axis.

    Args:
        logits: Shape [..., n]; -inf is a probability of zero.
    """
    top = logits.max(axis=-1, keepdims=True)
    shifted = logits - top
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
