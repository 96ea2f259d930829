"""How leaderboards are shown in the terminal: plain lines, made quickly for thousands of items."""

from __future__ import annotations

import math
import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from rewardlab.cli.showing import WIDEST
from rewardlab.counting import counted
from rewardlab.rewards.items.leaderboard import Leaderboard
from rewardlab.rewards.items.leaderboard_words import effect_words, rounded, sentences
from rewardlab.types import FloatArray

if TYPE_CHECKING:
    from rewardlab.rewards.items.crowd import CrowdFit

_GAP = "  "
_LEAST_NAME, _WANTED_NAME = 12, 20
_DROPPED = ("ties", "wins", "its rank")
"""Columns that make room for the names in a narrow terminal, the first first."""


def leaderboard_lines(board: Leaderboard, *, top: int | None = None) -> list[str]:
    """The leaderboard: a table a group, effects beside the strengths, and what it means.

    Args:
        board: What to show.
        top: Items of each table; None for all.
    """
    width = min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)
    lines: list[str] = []
    for number, items in enumerate(board.groups, 1):
        lines.append("")
        if len(board.groups) > 1:
            lines.append(f"Group {number} of {len(board.groups)}: {counted(len(items), 'item')}")
        shown = items[:top]
        lines += _table(board, shown.tolist(), width)
        if len(shown) < len(items):
            lines.append(f"... and {counted(len(items) - len(shown), 'item')} more")
    if board.fit.effect_names:
        lines += ["", *_effects(board)]
    lines.append("")
    for sentence in sentences(board):
        lines += wrapped(sentence, width)
    return lines


def wrapped(sentence: str, width: int = WIDEST) -> list[str]:
    """The sentence in lines of at most so many columns; words are never cut."""
    return textwrap.wrap(sentence, width, break_long_words=False, break_on_hyphens=False)


def _table(board: Leaderboard, items: Sequence[int], width: int) -> list[str]:
    """Header and rows; names are cut to what is left of the width."""
    columns = _columns(board, items)
    names = [board.fit.names[k] for k in items]
    widest = max(len("item"), *map(_cells, names))
    for name in _DROPPED:
        if _room(columns, width) < min(widest, _WANTED_NAME):
            columns.pop(name, None)
    room = max(_LEAST_NAME, min(widest, _room(columns, width)))
    first = [name for name in columns if name in ("rank", "ranks")]
    parts = [_padded(columns[name]) for name in first]
    parts.append([_fitted(name, room) for name in ("item", *names)])
    parts += [_padded(cells) for name, cells in columns.items() if name not in first]
    return [_GAP.join(row).rstrip() for row in zip(*parts, strict=True)]


def _room(columns: dict[str, list[str]], width: int) -> int:
    """What the other columns leave for the names."""
    others = sum(max(map(len, cells)) for cells in columns.values())
    return width - others - len(_GAP) * len(columns)


def _columns(board: Leaderboard, items: Sequence[int]) -> dict[str, list[str]]:
    """Name -> header and cells."""
    digits = digits_of(board)
    columns = {"rank": ["rank", *(str(board.rank[k]) for k in items)]}
    if board.ranges is not None:
        low, high = board.ranges.low, board.ranges.high
        columns["ranks"] = ["ranks", *(_span(low[k], high[k]) for k in items)]
    unit = "Elo" if board.options.scale.name == "elo" else "strength"
    columns["strength"] = [unit, *_numbers(board.value, items, digits)]
    if board.intervals is not None:
        ends = zip(
            _numbers(board.low, items, digits), _numbers(board.high, items, digits), strict=True
        )
        header = f"{100 * board.options.level:g}% interval"
        columns["interval"] = [header, *_aligned([*ends])]
    if board.plain is not None:
        columns["without"] = ["without", *_numbers(board.plain.value, items, digits)]
        columns["its rank"] = ["rank", *(str(board.plain.rank[k]) for k in items)]
    columns["votes"] = [f"{board.unit}s", *(f"{board.fit.n_votes[k]:,.0f}" for k in items)]
    columns["wins"] = [
        "firsts" if board.unit == "ranking" else "wins",
        *(f"{board.n_wins[k]:,}" for k in items),
    ]
    if board.n_ties.any():
        # Votes are those used: where ties are left out, they come on top.
        header = "ties out" if board.fit.model.ties == "leave-out" else "ties"
        columns["ties"] = [header, *(f"{board.n_ties[k]:,}" for k in items)]
    return columns


def digits_of(board: Leaderboard) -> int:
    """Decimals that show two significant digits of a typical interval's half width."""
    if board.intervals is not None:
        half = (board.high - board.low) / 2
        half = half[np.isfinite(half) & (half > 0)]
        if len(half):
            # numpy's median loads its masked arrays.
            return min(4, max(0, 1 - math.floor(math.log10(median(half.tolist())))))
    return 1 if board.options.scale.name == "elo" else 3


def _numbers(values: FloatArray, items: Sequence[int], digits: int) -> list[str]:
    return [rounded(value, digits) for value in values[list(items)].tolist()]


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _aligned(ends: Sequence[tuple[str, str]]) -> list[str]:
    """ "low to high", or words where both ends are infinite."""
    width = max(len(end) for pair in ends for end in pair)
    return [
        "cannot say" if low == "-inf" and high == "inf" else f"{low:>{width}} to {high:>{width}}"
        for low, high in ends
    ]


def _padded(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    return [cell.rjust(width) for cell in cells]


def _fitted(name: str, room: int) -> str:
    """The name in exactly so many columns of the terminal."""
    plain = " ".join(name.split())
    if _cells(plain) > room:
        while _cells(plain) > room - 1:
            plain = plain[:-1]
        plain += "…"
    return plain + " " * (room - _cells(plain))


def _cells(text: str) -> int:
    """Columns of the terminal that the text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _effects(board: Leaderboard) -> list[str]:
    """A line for each effect, with its interval."""
    rows = effect_words(board)
    width = max(len(name) for name, _ in rows)
    return [f"{name.ljust(width)}{_GAP}{words}" for name, words in rows]


def annotator_lines(crowd: CrowdFit, *, top: int | None = None) -> list[str]:
    """Flip rates of the annotators of whom something can be said, the highest first."""
    told = [k for k, why_not in enumerate(crowd.why_not) if not why_not]
    told.sort(key=lambda k: -crowd.flip_rate[k])
    rest = len(crowd.why_not) - len(told)
    header = ("annotator", "flips", f"{100 * crowd.level:g}% interval", "votes", "ties")
    rows = [header] + [
        (
            _fitted(crowd.annotator_names[k] or "(no name)", 24).rstrip(),
            f"{crowd.flip_rate[k]:.2f}",
            f"{crowd.low[k]:.2f} to {crowd.high[k]:.2f}",
            f"{crowd.n_votes[k]:,}",
            f"{crowd.n_ties[k]:,}",
        )
        for k in told[:top]
    ]
    columns = [_padded(cells) for cells in zip(*rows, strict=True)]
    width = max(map(len, (row[0] for row in rows)))
    columns[0] = [row[0].ljust(width) for row in rows]
    lines = ["", *(_GAP.join(row).rstrip() for row in zip(*columns, strict=True))] if told else [""]
    if top is not None and len(told) > top:
        lines.append(f"... and {counted(len(told) - top, 'annotator')} more")
    mean = f"The crowd flips {crowd.flip_prior.mean:.0%} of votes on average."
    unknown = f" Of {counted(rest, 'annotator')} nothing useful can be said." if rest else ""
    return [*lines, *wrapped(mean + unknown)]
