"""How long passes over a file show how far they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Progress = Callable[[str], AbstractContextManager[Callable[[float], None]]]
"""Opened for each pass over the file with what it does; then called with the share done, 0 to 1."""


@contextmanager
def show_nothing(_what: str) -> Iterator[Callable[[float], None]]:
    """A ``Progress`` that shows nothing."""
    yield lambda _share: None
