"""Votes on named items gathered into battles: names to codes, and what no battle is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import FormatError, InputError
from rewardlab.preferences.battles import Battles, Codes
from rewardlab.preferences.tallies import MAX_EXAMPLES, LeftOut
from rewardlab.types import BoolArray, FloatArray, IntArray, Outcome

BothBad = Literal["tie", "leave-out"]
"""Whether a vote that both are bad counts as a tie."""

NameCodes = NDArray[np.int32]
"""Codes of names; -1 for no name."""

_UNNAMED = "an item has no name"
_SAME = "both sides are the same item"
_BOTH_BAD = "voted both bad"
_NO_NUMBER = "a covariate is no finite number"


@dataclass(slots=True)
class Names:
    """Names in order of first appearance, with their codes.

    Attributes:
        codes: Name -> code.
    """

    codes: dict[str, int] = field(default_factory=dict)

    def coded(self, names: Iterable[str | None]) -> NameCodes:
        """Codes of the names, new ones added; -1 for None."""
        codes = self.codes
        found = [-1 if name is None else codes.setdefault(name, len(codes)) for name in names]
        return np.array(found, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class VoteBlock:
    """Consecutive votes as codes.

    Attributes:
        a: Shape [n], codes of items; -1 for no name.
        b: Shape [n], likewise.
        outcome: Shape [n], codes of ``Outcome``.
        prompt: Shape [n], codes; None where the file has no prompts.
        annotator: Shape [n], codes; None where it has no annotators.
        covariates: Shape [n, k]; NaN leaves a vote out.
        locations: "FILE:LINE" of the votes at the given positions.
        margin: Shape [n], logits; NaN where a vote has none. None where margins are not taken.
    """

    a: NameCodes
    b: NameCodes
    outcome: NDArray[np.int8]
    prompt: NameCodes | None
    annotator: NameCodes | None
    covariates: FloatArray
    locations: Callable[[IntArray], Sequence[str]]
    margin: FloatArray | None = None


@dataclass(slots=True)
class BattleGatherer:
    """Gathers blocks of votes, leaving out and counting what no battle is.

    Attributes:
        both_bad: What becomes of votes that both are bad.
        covariate_names: Length k.
        items: Names of the items so far.
        n_both_bad: Votes that both are bad, of rows that are battles else.
    """

    both_bad: BothBad
    covariate_names: tuple[str, ...] = ()
    items: Names = field(default_factory=Names)
    n_both_bad: int = 0
    _blocks: list[VoteBlock] = field(default_factory=list)
    _left_out: dict[str, LeftOut] = field(default_factory=dict)

    def add(self, block: VoteBlock) -> None:
        """Take in what of the block are battles."""
        unnamed = (block.a < 0) | (block.b < 0)
        same = ~unnamed & (block.a == block.b)
        no_number = np.isnan(block.covariates).any(axis=1) & ~unnamed & ~same
        out = unnamed | same | no_number
        bad = (block.outcome == Outcome.BOTH_BAD) & ~out
        self.n_both_bad += int(np.count_nonzero(bad))
        self._count(_UNNAMED, unnamed, block)
        self._count(_SAME, same, block)
        self._count(_NO_NUMBER, no_number, block)
        if self.both_bad == "leave-out":
            self._count(_BOTH_BAD, bad, block)
            out |= bad
        self._blocks.append(_kept(block, ~out) if out.any() else block)

    def _count(self, reason: str, rows: BoolArray, block: VoteBlock) -> None:
        count = int(np.count_nonzero(rows))
        if not count:
            return
        before = self._left_out.get(reason, LeftOut(reason, 0, ()))
        wanted = np.flatnonzero(rows)[: MAX_EXAMPLES - len(before.examples)]
        examples = (*before.examples, *block.locations(wanted))
        self._left_out[reason] = LeftOut(reason, before.count + count, examples)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Votes that are no battles, the most frequent reason first."""
        return tuple(sorted(self._left_out.values(), key=lambda left: (-left.count, left.reason)))

    def battles(self, annotators: Names, *, sides_recorded: bool) -> Battles:
        """The battles; items in the order of their names.

        Raises:
            FormatError: None is left.
            InputError: Margins are taken and no battle has one, or one is negative.
        """
        blocks = [block for block in self._blocks if len(block.a)]
        if not blocks:
            reasons = "; ".join(f"{x.count:,}: {x.reason}" for x in self.left_out)
            hint = ""
            if any(x.reason == _UNNAMED for x in self.left_out):
                hint = (
                    "; where columns name the items, say which: --column item_a=COLUMN and item_b"
                )
            raise FormatError(f"no battle of two named items is left: {reasons}{hint}")
        a = np.concatenate([block.a for block in blocks])
        b = np.concatenate([block.b for block in blocks])
        names, a, b = _in_order(self.items, a, b)
        outcome = np.concatenate([block.outcome for block in blocks])
        annotator, annotator_names = compact(
            _joined([block.annotator for block in blocks]), tuple(annotators.codes)
        )
        covariates = [block.covariates for block in blocks] if self.covariate_names else []
        return Battles(
            names=names,
            a=a,
            b=b,
            outcome=np.minimum(outcome, np.int8(Outcome.TIE)),
            prompt=compact(_joined([block.prompt for block in blocks]))[0],
            annotator=annotator,
            annotator_names=annotator_names,
            margin=_margins(blocks),
            covariates=np.concatenate(covariates) if covariates else None,
            covariate_names=self.covariate_names,
            sides_recorded=sides_recorded,
        )


def compact(
    codes: Codes | None, names: tuple[str, ...] = ()
) -> tuple[Codes | None, tuple[str, ...]]:
    """The codes without gaps, in the same order, and the names of those that occur."""
    if codes is None:
        return None, ()
    occurs = np.bincount(codes) > 0
    if occurs.all() and len(names) in (0, len(occurs)):
        return codes, names
    code = np.cumsum(occurs, dtype=np.int32) - 1
    return code[codes], tuple(name for name, is_in in zip(names, occurs, strict=False) if is_in)


def _kept(block: VoteBlock, rows: BoolArray) -> VoteBlock:
    return VoteBlock(
        block.a[rows],
        block.b[rows],
        block.outcome[rows],
        None if block.prompt is None else block.prompt[rows],
        None if block.annotator is None else block.annotator[rows],
        block.covariates[rows],
        block.locations,
        None if block.margin is None else block.margin[rows],
    )


def _margins(blocks: Sequence[VoteBlock]) -> FloatArray | None:
    """Shape [n], 0 for a vote without one; None where they are not taken."""
    taken = [block.margin for block in blocks if block.margin is not None]
    if not taken:
        return None
    margin = np.concatenate(taken)
    if np.isnan(margin).all():
        raise InputError("margin: expected margins in the file, but no battle has one")
    return np.nan_to_num(margin, nan=0.0, posinf=np.inf)


def _joined(columns: Sequence[NameCodes | None]) -> NameCodes | None:
    present = [column for column in columns if column is not None]
    return np.concatenate(present) if len(present) == len(columns) else None


def _in_order(
    items: Names, a: NameCodes, b: NameCodes
) -> tuple[tuple[str, ...], NameCodes, NameCodes]:
    """(names in order, codes of a, codes of b), of the items that battled."""
    named = list(items.codes)
    battled = np.zeros(len(named), dtype=bool)
    battled[a] = battled[b] = True
    order = sorted(np.flatnonzero(battled).tolist(), key=named.__getitem__)
    code = np.empty(len(named), dtype=np.int32)
    code[order] = np.arange(len(order), dtype=np.int32)
    return tuple(named[k] for k in order), code[a], code[b]
