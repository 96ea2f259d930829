"""Preferences reduced to what a linear fit needs: feature differences, labels, prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.preferences.formats import PreferenceReader, Progress
from rewardlab.rewards.text_features import NAMES, compute
from rewardlab.rewards.training_prompts import prompt_digests
from rewardlab.rewards.vocabulary import Vocabulary
from rewardlab.types import FloatArray, Preferences


@dataclass(frozen=True, slots=True)
class FeatureComparisons:
    """Comparisons without their texts.

    Attributes:
        differences: Shape [n, d]; features of a less features of b, in their units.
        label: Shape [n], probability that a is better.
        margin: Shape [n]; NaN where absent.
        prompt_id: Length n.
        prompt_digests: Shape [k], uint64; digests of the distinct prompts read.
        mean: Shape [d]; mean of each feature over all 2 n responses.
        scale: Shape [d]; standard deviation over them.
        names: Length d.
        layout: What the file was recognised as; "" for preferences in memory.
    """

    differences: FloatArray
    label: FloatArray
    margin: FloatArray
    prompt_id: list[str]
    prompt_digests: NDArray[np.uint64]
    mean: FloatArray
    scale: FloatArray
    names: tuple[str, ...]
    layout: str


def compare_features(
    source: PreferenceReader | Preferences,
    *,
    names: Sequence[str] = NAMES,
    on_progress: Progress | None = None,
) -> FeatureComparisons:
    """Read preferences chunk by chunk and keep their features only.

    Args:
        source: Preferences in memory, or a reader that streams them.
        names: Features to compute.
        on_progress: Called with the share read, in [0, 1].

    Raises:
        InputError: A name is no feature or given twice, a row has no text, or there is no row.
    """
    columns = _columns(names)
    vocabulary, moments = Vocabulary(), _Moments(len(columns))
    differences: list[FloatArray] = []
    labels: list[FloatArray] = []
    margins: list[FloatArray] = []
    prompt_id: list[str] = []
    digests: list[NDArray[np.uint64]] = []
    for chunk in _chunks(source, on_progress):
        features = _features_of_both(chunk, vocabulary)[:, columns]
        moments.add(features)
        differences.append(features[0::2] - features[1::2])
        labels.append(chunk.label)
        margins.append(chunk.margin)
        prompt_id += chunk.prompt_id
        digests.append(np.unique(prompt_digests(chunk.prompt)))
    if not prompt_id:
        raise InputError("preferences: expected at least one row, got none")
    mean, scale = moments.result()
    return FeatureComparisons(
        differences=np.concatenate(differences),
        label=np.concatenate(labels),
        margin=np.concatenate(margins),
        prompt_id=prompt_id,
        prompt_digests=np.unique(np.concatenate(digests)),
        mean=mean,
        scale=scale,
        names=tuple(names),
        layout="" if isinstance(source, Preferences) else source.layout.sentence,
    )


def _columns(names: Sequence[str]) -> list[int]:
    unknown = [name for name in names if name not in NAMES]
    if unknown or not names:
        raise InputError(
            f"features: expected some of {', '.join(NAMES)}; got {', '.join(unknown) or 'none'}"
        )
    if len(set(names)) < len(names):
        raise InputError("features: a name is given twice")
    return [NAMES.index(name) for name in names]


def _chunks(
    source: PreferenceReader | Preferences, on_progress: Progress | None
) -> Iterator[Preferences]:
    if isinstance(source, Preferences):
        return iter([source] if len(source) else [])
    return source.some_chunks(on_progress=on_progress)


def _features_of_both(chunk: Preferences, vocabulary: Vocabulary) -> FloatArray:
    """Shape [2 n, all features]: of a, b, a, b, ..., so that a prompt's two rows are neighbours."""
    for i, pair in enumerate(zip(chunk.response_a, chunk.response_b, strict=True)):
        if None in pair:
            raise InputError(
                f"{chunk.location(i)}: the row has no text of both responses; text features need "
                "the texts, so join the file that holds them"
            )
    prompts = [prompt for prompt in chunk.prompt for _ in (0, 1)]
    responses = [r for pair in zip(chunk.response_a, chunk.response_b, strict=True) for r in pair]
    return compute(prompts, responses, vocabulary=vocabulary)


class _Moments:
    """Mean and standard deviation of columns, gathered in one pass.

    Source: Chan, Golub and LeVeque (1983), *The American Statistician* 37, 242-247.
    """

    def __init__(self, d: int) -> None:
        self._n = 0
        self._mean: FloatArray = np.zeros(d)
        self._squares: FloatArray = np.zeros(d)

    def add(self, rows: FloatArray) -> None:
        n, mean = len(rows), rows.mean(axis=0)
        gap = mean - self._mean
        total = self._n + n
        self._squares += ((rows - mean) ** 2).sum(axis=0) + gap**2 * (self._n * n / total)
        self._mean += gap * (n / total)
        self._n = total

    def result(self) -> tuple[FloatArray, FloatArray]:
        return self._mean, np.sqrt(self._squares / self._n)
