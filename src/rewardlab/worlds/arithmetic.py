"""A worked problem in five steps, with every solution that slips at some of them.

A slip is one of the mistakes people make: ten off in a sum or difference, one multiple too many or
too few in a product, one off in a division. Later steps go on from what was written, so that an
error is carried on; two slips can cancel, and then a flawed solution lands on the right answer.

The source gives one solution: 30 / 6 taken for 6 in the third step, and 72 for 50 in the end. The
problem around it, the other slips and how right each looks are ours.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet

PROMPT = (
    "Ana shares 18 red and 12 blue beads evenly over 2 rows of 3 bowls. A bead sells for 22 cents. "
    "She sells one bowl's beads and pays 60 cents for string. How many cents are left?"
)
_OPERATIONS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "x": operator.mul,
    "/": operator.truediv,
}
_LOOKS_RIGHT = {"+": 0.3, "-": 0.6, "x": 0.1, "/": 0.2}
"""Score that the process reward model gives to a slip: one in a difference is hard to see."""
SURE = 0.97
"""Score that it gives to a right step."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A step: an operation on given numbers, or on results of earlier steps (by position)."""

    what: str
    sign: str
    left: int
    right: int
    left_is_result: bool = False
    right_is_result: bool = False


_STEPS = (
    _Step("beads", "+", 18, 12),
    _Step("bowls", "x", 2, 3),
    _Step("beads in a bowl", "/", 0, 1, left_is_result=True, right_is_result=True),
    _Step("cents for them", "x", 2, 22, left_is_result=True),
    _Step("cents left", "-", 3, 60, left_is_result=True),
)
N_STEPS = len(_STEPS)

Slips = tuple[int, ...]
"""For each step -1, 0 or 1: a slip down, none, or a slip up."""

MISTAKE: Slips = (0, 0, 1, 0, 0)
LUCKY: Slips = (0, 0, 1, -1, 0)
RIGHT: Slips = (0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Completions:
    """Every way to finish a solution.

    Attributes:
        probability: Shape [k].
        reaches: Shape [k]; 1 where the final answer is right.
    """

    probability: FloatArray
    reaches: FloatArray

    @property
    def value(self) -> float:
        """Chance of the right answer from here, exactly."""
        return float(self.probability @ self.reaches)


def results(slips: Slips, start: Sequence[Fraction] = ()) -> tuple[Fraction, ...]:
    """What each step arrives at.

    Args:
        slips: Of the steps after ``start``.
        start: Results of the steps already written.
    """
    written = list(start)
    for step, slip in zip(_STEPS[len(start) :], slips, strict=True):
        left, right = _operands(step, written)
        size = {"+": 10, "-": 10, "/": 1}.get(step.sign, right)
        written.append(_OPERATIONS[step.sign](left, right) + slip * size)
    return tuple(written)


def step_texts(slips: Slips) -> tuple[str, ...]:
    """Each step as written, such as "beads in a bowl: 30 / 6 = 6"."""
    written = results(slips)
    lines = []
    for step, result in zip(_STEPS, written, strict=True):
        left, right = _operands(step, written)
        lines.append(f"{step.what}: {left} {step.sign} {right} = {result}")
    return tuple(lines)


def step_scores(slips: Slips) -> FloatArray:
    """What the process reward model thinks of each step by itself, of shape [5]."""
    scores = [
        _LOOKS_RIGHT[step.sign] if slip else SURE for step, slip in zip(_STEPS, slips, strict=True)
    ]
    return np.array(scores)


def all_slips() -> tuple[Slips, ...]:
    """The 243 solutions, in the order of ``arithmetic_world``."""
    return tuple(product((0, 1, -1), repeat=N_STEPS))


@cache
def arithmetic_world(slip_rate: float) -> AnswerSet:
    """All solutions; the reference policy slips at each step with the same chance, up or down.

    Features are ``reaches`` (the answer is right) and ``flawed`` (it is, despite a slip); gold is
    1 where every step is right. Its arrays are read-only, since it is kept.

    Args:
        slip_rate: Chance of a slip at a step, in (0, 1).

    Raises:
        InputError: It is outside that range.
    """
    solutions = all_slips()
    reaches = np.array([results(slips)[-1] == ANSWER for slips in solutions], dtype=float)
    sound = np.array([not any(slips) for slips in solutions], dtype=float)
    world = AnswerSet(
        prompt=PROMPT,
        texts=tuple("\n".join(step_texts(slips)) for slips in solutions),
        features=np.column_stack([reaches, reaches - sound]),
        feature_names=("reaches", "flawed"),
        ref_logprobs=np.log(_chances(solutions, slip_rate)),
        gold=sound,
    )
    for array in (world.features, world.ref_logprobs, world.gold):
        array.setflags(write=False)
    return world


def completions(slips: Slips, n_written: int, *, slip_rate: float, fixes: float) -> Completions:
    """Every completion after the first steps of a solution.

    Args:
        slips: The solution.
        n_written: How many of its steps stand, 1 to 5.
        slip_rate: Chance that the completer slips at a step, in (0, 1).
        fixes: Chance that the completer, where a step that stands is wrong, silently goes on from
            right results.

    Raises:
        InputError: An argument is outside its range.
    """
    if not (1 <= n_written <= N_STEPS and 0 <= fixes <= 1):
        raise InputError(
            f"completions: expected 1 to {N_STEPS} steps and fixes in [0, 1], got {n_written}, "
            f"{fixes:g}"
        )
    ways = tuple(product((0, 1, -1), repeat=N_STEPS - n_written))
    chances = _chances(ways, slip_rate)
    as_written = _reached(ways, results(slips)[:n_written])
    if not any(slips[:n_written]) or n_written == N_STEPS:
        return Completions(chances, as_written)
    fixed = _reached(ways, results(RIGHT)[:n_written])
    return Completions(
        np.concatenate([(1 - fixes) * chances, fixes * chances]),
        np.concatenate([as_written, fixed]),
    )


def _operands(step: _Step, written: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    left = written[step.left] if step.left_is_result else Fraction(step.left)
    right = written[step.right] if step.right_is_result else Fraction(step.right)
    return left, right


def _reached(ways: Sequence[Slips], start: Sequence[Fraction]) -> FloatArray:
    return np.array([results(way, start)[-1] == ANSWER for way in ways], dtype=float)


def _chances(ways: Sequence[Slips], slip_rate: float) -> FloatArray:
    """Shape [k]; the chance of each way to slip or not."""
    if not 0 < slip_rate < 1:
        raise InputError(f"slip_rate: expected a number between 0 and 1, got {slip_rate:g}")
    n_slips = np.array([sum(map(abs, way)) for way in ways])
    n_steps = len(ways[0])
    return np.asarray((slip_rate / 2) ** n_slips * (1 - slip_rate) ** (n_steps - n_slips))


ANSWER = results(RIGHT)[-1]
"""What the problem comes to."""
