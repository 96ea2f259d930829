"""What the methods ask of their arguments, checked at the door of every public function."""

from __future__ import annotations

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray

LARGEST = 1e150
"""Products and ratios of numbers between its inverse and this stay within double precision."""


def check_numbers(name: str, values: FloatArray, shape: tuple[int, ...] | None = None) -> None:
    """Refuse numbers that are not finite, above ``LARGEST`` in size, or not of a shape.

    Raises:
        InputError: They are.
    """
    if shape is not None and values.shape != shape:
        raise InputError(f"{name}: expected shape {shape}, got {values.shape}")
    if not (np.abs(values) <= LARGEST).all():
        raise InputError(f"{name}: expected finite numbers, at most {LARGEST:g} in size")


def check_answers(ref_logprobs: FloatArray, reward: FloatArray) -> None:
    """Refuse a reference that is not [n] finite numbers, n >= 1, or rewards that are not [..., n].

    Raises:
        InputError: They are refused.
    """
    if ref_logprobs.ndim != 1 or not len(ref_logprobs):
        raise InputError(f"ref_logprobs: expected shape [n], n >= 1, got {ref_logprobs.shape}")
    check_numbers("ref_logprobs", ref_logprobs)
    check_numbers("reward", reward, reward.shape[:-1] + ref_logprobs.shape)


def check_positive(name: str, value: float, *, most: float = LARGEST) -> None:
    """Refuse a number that is not positive, above ``most``, or too small to divide by.

    Raises:
        InputError: It is refused.
    """
    if not 1 / LARGEST <= value <= most:
        raise InputError(
            f"{name}: expected a positive number, got {value:g}; the smallest is "
            f"{1 / LARGEST:g}, the largest {most:g}"
        )


def check_indices(name: str, idx: IntArray, n: int) -> None:
    """Refuse what are not whole numbers from 0 to n - 1.

    Raises:
        InputError: They are refused.
    """
    if idx.dtype.kind not in "iu" or (idx.size and not 0 <= idx.min() <= idx.max() < n):
        raise InputError(f"{name}: expected indices from 0 to {n - 1}")
