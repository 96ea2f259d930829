"""Battles: comparisons of named items as integer codes, as item models read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray, Outcome

Codes = NDArray[np.integer[Any]]
"""Integer codes of any width: ten million battles should not be copied to widen them."""


@dataclass(frozen=True, slots=True)
class Battles:
    """Comparisons of two items each; one row a vote.

    Attributes:
        names: Length m; the items. Codes are positions in it.
        a: Shape [n], codes; the item on side a.
        b: Shape [n], codes; never the same as ``a``.
        outcome: Shape [n], codes of ``Outcome``; A, B or TIE.
        prompt: Shape [n], codes 0..G-1 of what is resampled together; None where unknown.
        annotator: Shape [n], codes 0..K-1; None where unknown.
        annotator_names: Length K; empty where unknown.
        margin: Shape [n], logits, >= 0; by how much the winner must be ahead. None for 0.
        covariates: Shape [n, k]; of a less of b, such as their lengths' difference. None for none.
        covariate_names: Length k.
        sides_recorded: True if a is the side that was shown first; else no effect of the position
            can be estimated.
    """

    names: tuple[str, ...]
    a: Codes
    b: Codes
    outcome: NDArray[np.int8]
    prompt: Codes | None = None
    annotator: Codes | None = None
    annotator_names: tuple[str, ...] = ()
    margin: FloatArray | None = None
    covariates: FloatArray | None = None
    covariate_names: tuple[str, ...] = ()
    sides_recorded: bool = True

    def __post_init__(self) -> None:
        n = len(self.a)
        check_names("Battles.names", self.names)
        if not n:
            raise InputError("Battles: expected at least one row, got none")
        for name in ("b", "outcome", "prompt", "annotator", "margin"):
            column = getattr(self, name)
            if column is not None and column.shape != (n,):
                raise InputError(f"Battles.{name}: expected shape [{n}], got {column.shape}")
        _check_codes(self)
        for name in ("a", "b", "prompt", "annotator"):
            column = getattr(self, name)
            if column is not None:
                object.__setattr__(self, name, signed(column))
        _check_numbers(self)

    def __len__(self) -> int:
        return len(self.a)

    @property
    def n_items(self) -> int:
        """m."""
        return len(self.names)


def battles_of_names(
    item_a: Sequence[str],
    item_b: Sequence[str],
    outcome: Sequence[Outcome],
    *,
    prompt: Sequence[str] | None = None,
    annotator: Sequence[str] | None = None,
) -> Battles:
    """Battles from columns in memory, side a the one that was shown first.

    Args:
        item_a: Length n.
        item_b: Length n.
        outcome: Length n; who won, or a tie.
        prompt: Length n; votes of one prompt may depend on each other. None where unknown.
        annotator: Length n; None where unknown.

    Returns:
        Items and annotators are named in alphabetical order.

    Raises:
        InputError: The lengths differ, there are fewer than two items, or an item meets itself.
    """
    columns = {"item_b": item_b, "outcome": outcome, "prompt": prompt, "annotator": annotator}
    for name, column in columns.items():
        if column is not None and len(column) != len(item_a):
            raise InputError(f"{name}: expected length {len(item_a)}, got {len(column)}")
    names, codes = _coded([*item_a, *item_b])
    annotator_names, annotators = _coded(() if annotator is None else annotator)
    return Battles(
        names=names,
        a=codes[: len(item_a)],
        b=codes[len(item_a) :],
        outcome=np.array(outcome, dtype=np.int8),
        prompt=None if prompt is None else _coded(prompt)[1],
        annotator=None if annotator is None else annotators,
        annotator_names=annotator_names,
    )


def _coded(names: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """(the distinct names in order, the position of each name in them)."""
    distinct = tuple(sorted(set(names)))
    code = {name: k for k, name in enumerate(distinct)}
    return distinct, np.array([code[name] for name in names], dtype=np.int64)


def battles_of_games(
    winner: Codes, loser: Codes, names: Sequence[str] | int, *, tie: NDArray[np.bool_] | None = None
) -> Battles:
    """Battles from games that name the winner first.

    Args:
        winner: Shape [n], codes; of a tie, either player.
        loser: Shape [n], codes.
        names: The items, or how many there are.
        tie: Shape [n]; True where nobody won. None for no ties.

    Raises:
        InputError: The codes are no items', or shapes disagree.
    """
    named = tuple(map(str, range(names))) if isinstance(names, int) else tuple(names)
    outcome = np.full(len(winner), Outcome.A, dtype=np.int8)
    if tie is not None:
        outcome[tie] = Outcome.TIE
    return Battles(named, winner, loser, outcome, sides_recorded=False)


def check_names(where: str, names: Sequence[str]) -> None:
    """Refuse fewer than two items, and a name that stands for two of them.

    Raises:
        InputError: Such names.
    """
    if len(names) < 2:
        raise InputError(f"{where}: expected at least 2 items, got {len(names)}")
    if len(set(names)) < len(names):
        name, times = Counter(names).most_common(1)[0]
        raise InputError(f"{where}: expected each name once, got {name!r} {times} times")


def check_integers(where: str, codes: Codes) -> None:
    """Refuse floats and booleans.

    Raises:
        InputError: The codes are no integers.
    """
    if codes.dtype.kind not in "iu":
        raise InputError(f"{where}: expected integer codes, got {codes.dtype}")


def signed(codes: Codes) -> Codes:
    """The codes, never as uint64: with signed integers numpy takes these to floats."""
    return codes.view(np.int64) if codes.dtype == np.uint64 else codes


def _check_codes(battles: Battles) -> None:
    for name in ("a", "b", "outcome", "prompt", "annotator"):
        column = getattr(battles, name)
        if column is not None:
            check_integers(f"Battles.{name}", column)
    most = {"a": battles.n_items, "b": battles.n_items, "annotator": len(battles.annotator_names)}
    for name in ("a", "b", "prompt", "annotator"):
        column = getattr(battles, name)
        if column is not None:
            _check_range(name, column, most.get(name, 0))
    if np.any(battles.a == battles.b):
        raise InputError("Battles: an item is compared with itself; leave such rows out")
    if not Outcome.A <= battles.outcome.min() <= battles.outcome.max() <= Outcome.TIE:
        raise InputError("Battles.outcome: expected A, B or TIE")


def _check_range(name: str, column: Codes, most: int) -> None:
    """Codes are below the number of names, where there are names."""
    low, high = column.min(), column.max()
    if low < 0 or (most and high >= most):
        expected = f"codes from 0 to {most - 1}" if most else "codes >= 0"
        raise InputError(f"Battles.{name}: expected {expected}, got {low} to {high}")


def _check_numbers(battles: Battles) -> None:
    margin, z = battles.margin, battles.covariates
    if margin is not None and not bool(np.all((margin >= 0) & np.isfinite(margin))):
        raise InputError("Battles.margin: expected finite numbers >= 0")
    shape = (len(battles), len(battles.covariate_names))
    if (z is None) != (shape[1] == 0) or (z is not None and z.shape != shape):
        raise InputError(f"Battles.covariates: expected shape {list(shape)}, as there are names")
    if z is not None and not np.isfinite(z).all():
        raise InputError("Battles.covariates: expected finite numbers")
