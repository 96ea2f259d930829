"""Text and numbers as they are shown: nothing invisible, nothing misread."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

MISSING = "–"
"""Shown for a number that is not known."""

_SHOWN_AS_IS = frozenset("\n\t\u200d")
# Joins the parts of many emoji and of some scripts' letters: marking it would break real text.

_HYPHEN_FOR_MINUS = re.compile(r"(?<![\w)\]-])-(?=\d)")


def true_minus(text: str) -> str:
    """The text with a true minus sign before its negative numbers: "by -0.78" is "by −0.78".

    A hyphen after a letter, a digit or a bracket stays: "k-3", "0-1", "(n)-1".
    """
    return _HYPHEN_FOR_MINUS.sub("−", text)


def listed(names: Sequence[str]) -> str:
    """Names in a row: "A", "A and B", "A, B and C"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def visible(text: str) -> str:
    """The text with control, format and unpaired surrogate characters written out as code points.

    ``\\x1b`` becomes ``⟨U+001B⟩``. Such characters hide text, reverse its direction or are not
    allowed in HTML or XML at all; line breaks, tabs and joiners inside emoji stay.
    """
    unified = text.replace("\r\n", "\n")
    if unified.isascii() and unified.isprintable():
        return unified
    return "".join(_visible_character(c) for c in unified)


def _visible_character(c: str) -> str:
    if c in _SHOWN_AS_IS:
        return c
    code = ord(c)
    hidden = unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    # Noncharacters are valid text but forbidden in XML and flagged in HTML.
    hidden |= (code & 0xFFFE) == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return f"⟨U+{code:04X}⟩" if hidden else c


def number(value: float, *, digits: int = 3) -> str:
    """A number to ``digits`` significant digits, grouped by thousands; 1.2e+09 beyond a million.

    A true minus sign, "∞" for infinity, "–" for NaN.
    """
    if math.isnan(value):
        return MISSING
    sign = "−" if value < 0 else ""
    size = abs(value)
    if math.isinf(size):
        return sign + "∞"
    if size == 0:
        return "0"
    if size >= 1e6 or size < 1e-4:
        mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{sign}{mantissa}e{int(exponent)}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return f"{sign}{size:,.{decimals}f}"


def share(value: float, *, decimals: int = 1) -> str:
    """A share in [0, 1] as a percentage; values outside are shown as they are, NaN as "–"."""
    if math.isnan(value):
        return MISSING
    if math.isinf(value) or abs(value) >= 1e4:
        return number(value * 100) + "%"
    sign = "−" if value < 0 else ""
    return f"{sign}{abs(value) * 100:,.{decimals}f}%"


def signed(value: float, *, decimals: int = 2) -> str:
    """A number with its sign, "+0.31" or "−0.20"; huge sizes as powers of ten.

    What rounds to zero has no sign.
    """
    if math.isnan(value):
        return MISSING
    sign = "−" if value < 0 else "+"
    if abs(value) >= 1e4:
        return sign + number(abs(value))
    size = f"{abs(value):.{decimals}f}"
    return sign + size if size.strip("0.") else size


def interval(low: float, high: float, *, percent: bool = False) -> str:
    """Both ends of an interval, "0.12 to 0.31"; "no interval" where either end is NaN."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    show = share if percent else number
    return f"{show(low)} to {show(high)}"


def points(value: float) -> str:
    """A difference of two shares in percentage points, "+5.3 points"; NaN as "–"."""
    if math.isnan(value):
        return MISSING
    return f"{signed(value * 100, decimals=1)} points"


def points_interval(low: float, high: float) -> str:
    """Both ends of a difference's interval, "+0.2 to +6.3 points"; "no interval" if unknown."""
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    return f"{signed(low * 100, decimals=1)} to {points(high)}"


def signed_interval(low: float, high: float) -> str:
    """Both ends of a weight's interval to two decimals, "+0.20 to +0.42".

    Where an end would round to zero and so hide that the interval lies to one side of it, both
    ends have as many decimals as it takes: "+0.003 to +0.240".
    """
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    decimals = 2
    nearest = low if low > 0 else high if high < 0 else math.inf
    while abs(nearest) < 0.5 * 10.0**-decimals and decimals < 8:
        decimals += 1
    return f"{signed(low, decimals=decimals)} to {signed(high, decimals=decimals)}"
