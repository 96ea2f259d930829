"""Counts in words."""

from __future__ import annotations


def counted(n: int, what: str) -> str:
    """ "1 vote", "2,000 votes": the count with its noun, which takes an s in the plural."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"
