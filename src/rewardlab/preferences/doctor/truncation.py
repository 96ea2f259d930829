"""What a trainer's length limit would make identical."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from rewardlab.preferences.doctor.row_check import Flags, RowCheck
from rewardlab.preferences.doctor.tally import Wording
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import ChunkView

_MEANING = (
    "Trainers cut prompt and response together at a length limit. Where what told the two sides "
    "apart is cut off, the model sees two equal texts with opposite labels, and no error says so."
)
_ACTION = (
    "Raise the limit above the longest such row, shorten the prompts from their start, or remove "
    "the rows before training. Tokens here are words; a tokenizer makes about 1.3 of each."
)


def cut_alike_chars(limit: int) -> Wording:
    """The words for a limit in characters."""
    return Wording(
        name="cut-alike-chars",
        clean=f"Cut at {limit:,} characters, every pair still differs",
        found=f"Pairs made identical by a cut at {limit:,} characters",
        meaning=_MEANING,
        action=_ACTION,
    )


def cut_alike_tokens(limit: int) -> Wording:
    """The words for a limit in whitespace-separated tokens."""
    return Wording(
        name="cut-alike-tokens",
        clean=f"Cut at {limit:,} tokens, every pair still differs",
        found=f"Pairs made identical by a cut at {limit:,} tokens",
        meaning=_MEANING,
        action=_ACTION,
    )


def truncation_checks(thresholds: Thresholds) -> list[RowCheck]:
    """The checks of this file."""
    chars, tokens = thresholds.truncate_chars, thresholds.truncate_tokens
    return [
        RowCheck((cut_alike_chars(chars),), partial(flag_chars, limit=chars), thresholds),
        RowCheck((cut_alike_tokens(tokens),), partial(flag_tokens, limit=tokens), thresholds),
    ]


def flag_chars(chunk: ChunkView, *, limit: int) -> tuple[Flags, ...]:
    """Rows whose prompt + response are equal in their first ``limit`` characters."""
    return (_flags(chunk, limit, units=str, chars_per_unit=1),)


def flag_tokens(chunk: ChunkView, *, limit: int) -> tuple[Flags, ...]:
    """Rows whose prompt + response are equal in their first ``limit`` whitespace tokens."""
    return (_flags(chunk, limit, units=str.split, chars_per_unit=2),)


def _flags(
    chunk: ChunkView, limit: int, *, units: Callable[[str], Sequence[str]], chars_per_unit: int
) -> Flags:
    # Rows whose sides do not differ uncut belong to other checks and are not counted.
    alike, alone, longer, prompt_only = (np.zeros(len(chunk), dtype=bool) for _ in range(4))
    for i, (prompt, a, b) in enumerate(zip(chunk.prompt, chunk.a, chunk.b, strict=True)):
        # The fewest characters of so many units, so that short rows need no counting.
        if len(prompt) + max(len(a), len(b)) + 2 * (chars_per_unit - 1) <= limit * chars_per_unit:
            continue
        room = limit - len(units(prompt))
        in_a, in_b = units(a), units(b)
        if max(len(in_a), len(in_b)) <= room:
            continue
        differ = in_a != in_b
        longer[i] = True
        prompt_only[i] = room <= 0
        alike[i] = differ and (room <= 0 or in_a[:room] == in_b[:room])
        alone[i] = differ and in_a[:limit] == in_b[:limit]
    parts = {
        "response_alone_alike": alone,
        "prompt_fills_the_limit": prompt_only,
        "rows_cut_at_all": longer,
    }
    return Flags(alike, parts)
