"""A rubric as reward: weighted criteria, each met or not, r = sum w c / sum |w|.

Criteria may be programs that read the answer, or judgements that someone (a person, a judge model)
has given; one checklist can mix both. A pitfall has a negative weight: meeting it costs. With one
criterion that compares the answer with a known one, this is the reward of reinforcement learning
from verifiable rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, Text, as_text

Program = Callable[[Text, Text], float]
"""(prompt, response) -> how far the criterion is met, in [0, 1]; NaN if that cannot be said."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a rubric.

    Attributes:
        name: What is asked of an answer; also the column of its judgements.
        weight: What meeting it is worth, not 0; negative for a pitfall.
        program: Decides it; None if judgements are given in the column ``name``.
    """

    name: str
    weight: float
    program: Program | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight):
            raise InputError(
                f"criterion {self.name!r}: expected a finite weight other than 0, got {self.weight}"
            )


Rubric = tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class RubricReward:
    """A ``RewardFn`` by one rubric for all rows, or by each row's own.

    Attributes:
        rubric: For every row; None takes each row's own from the column ``rubric``.
        binary: True counts a criterion as met above one half; False takes the degree itself.
    """

    rubric: Rubric | None = None
    binary: bool = True

    def __call__(
        self, prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Sequence[Any]
    ) -> FloatArray:
        """sum w c / sum |w| of each row, in [-1, 1]; NaN where a criterion cannot be decided.

        Args:
            prompts: Length n.
            responses: Length n.
            columns: Judgements by the criterion's name, in [0, 1] or NaN; ``rubric`` if each row
                has its own. Each of length n.

        Returns:
            Shape [n].

        Raises:
            InputError: A rubric or a column is missing or not of length n, or a judgement is
                outside [0, 1].

        Source: equation 1 of Gunjal et al. (2025), arXiv:2507.17746, which divides by the sum of
        w; the sum of |w| is the same without pitfalls and keeps the range with them.
        """
        if self.rubric is None and "rubric" not in columns:
            raise InputError("rubric: expected one rubric, or a column 'rubric'; got neither")
        rubrics = [self.rubric] * len(responses) if self.rubric is not None else columns["rubric"]
        for name, column in {"prompts": prompts, "rubric": rubrics, **columns}.items():
            if len(column) != len(responses):
                raise InputError(f"{name}: expected length {len(responses)}, got {len(column)}")
        rewards = np.empty(len(responses))
        for i, rubric in enumerate(rubrics):
            if not rubric:
                raise InputError(f"rubric: row {i} has no criterion, expected at least one")
            weights = np.array([criterion.weight for criterion in rubric])
            met = np.array([_degree(c, prompts[i], responses[i], columns, i) for c in rubric])
            if self.binary:
                met = np.where(np.isnan(met), np.nan, met > 0.5)
            rewards[i] = weights @ met / np.abs(weights).sum()
        return rewards


def _degree(
    criterion: Criterion, prompt: Text, response: Text, columns: dict[str, Sequence[Any]], row: int
) -> float:
    if criterion.program is not None:
        degree = float(criterion.program(prompt, response))
    elif criterion.name in columns:
        given = columns[criterion.name][row]
        if not isinstance(given, (int, float, np.number, np.bool_)):
            raise InputError(
                f"criterion {criterion.name!r}: expected a number from 0 to 1 or NaN, got "
                f"{given!r} in row {row}"
            )
        degree = float(given)
    else:
        raise InputError(
            f"criterion {criterion.name!r}: expected a program, or a column of judgements of that "
            "name; got neither"
        )
    if degree < 0 or degree > 1:
        raise InputError(
            f"criterion {criterion.name!r}: expected a degree from 0 to 1, got {degree:g} in row "
            f"{row}"
        )
    return degree


def exact_match(answer: str) -> Rubric:
    """The rubric of a verifiable reward: one criterion, the response is the known answer.

    Args:
        answer: What the response must be, but for spaces around either.
    """
    known = answer.strip()
    return (Criterion("right", 1.0, lambda _, response: float(as_text(response).strip() == known)),)
