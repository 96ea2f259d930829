"""JSON read without losing or bending anything: no key twice, no lone surrogate, no abyss."""

from __future__ import annotations

import json
from typing import Any

MAX_NESTING = 100
"""Deepest nesting that is read; well below what Python's recursion limit can hold."""


class _DuplicateKeyError(ValueError):
    """An object names one key twice, so that a value would be lost."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _DuplicateKeyError(f"the key {twice!r} stands twice in one object")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def is_lone_surrogate(text: str) -> bool:
    """Whether the text holds half a character, which no encoding can write."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _nests_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_NESTING + 1):
        inner = [
            x.values() if isinstance(x, dict) else x for x in level if isinstance(x, (dict, list))
        ]
        if not inner:
            return False
        level = [item for items in inner for item in items]
    return True


def _checked(text: str, value: Any) -> Any:
    """``value`` as decoded from ``text``, unless it nests too deep or is not valid Unicode."""
    if text.count("[") + text.count("{") > MAX_NESTING and _nests_too_deep(value):
        raise ValueError(f"nested deeper than {MAX_NESTING} levels")
    escaped = "\\ud" in text or "\\uD" in text
    if escaped and is_lone_surrogate(json.dumps(value, ensure_ascii=False)):
        raise ValueError("a lone surrogate, which is no character")
    return value


def decode(text: str) -> Any:
    """The value that the whole text is.

    Raises:
        ValueError: The text is not JSON, names a key twice, nests too deep, or holds a lone
            surrogate or a number of too many digits.
    """
    try:
        return _checked(text, _DECODER.decode(text))
    except RecursionError as error:
        raise ValueError(f"nested deeper than {MAX_NESTING} levels") from error


def decode_at(text: str, at: int) -> tuple[Any, int]:
    """(the value that begins at position ``at``, where it ends); raises as ``decode`` does."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        return _checked(text[at:end], value), end
    except RecursionError as error:
        raise ValueError(f"nested deeper than {MAX_NESTING} levels") from error


def fault(error: ValueError) -> tuple[str, int]:
    """(what is wrong, where in the text) of JSON that does not decode."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}", error.pos
    return str(error), 0
