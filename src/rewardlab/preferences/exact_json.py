"""JSON that loses and bends nothing: refused where it is unclear, tagged where JSON has no type.

A tagged value is ``{"$rewardlab": KIND, "value": ...}``. An object of the user's that has the key
``$rewardlab`` itself is wrapped too, so that reading gives back exactly what was written.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from rewardlab.errors import InputError

KEY = "$rewardlab"
_QUOTED_KEY = f'"{KEY}"'
_SPACE = " \t\n\r"
MAX_NESTING = 100
"""Deepest nesting that is read; well below what Python's recursion limit can hold."""


def dumps(value: Any) -> str:
    """``value`` as one line of JSON that ``loads`` gives back.

    Raises:
        InputError: It holds something that no kind of tag exists for.
    """
    return json.dumps(_tag(value), ensure_ascii=False, allow_nan=False)


def loads(text: str) -> Any:
    """The value that the whole text is.

    Raises:
        ValueError: The text is not JSON, names a key twice, nests too deep, or holds a lone
            surrogate, a number of too many digits or a damaged tagged object.
    """
    try:
        return _checked(text, _whole(text))
    except RecursionError as error:
        raise ValueError(f"nested deeper than {MAX_NESTING} levels") from error


def loads_at(text: str, at: int) -> tuple[Any, int]:
    """(the value that begins at position ``at``, where it ends); raises as ``loads`` does."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        return _checked(text[at:end], value), end
    except RecursionError as error:
        raise ValueError(f"nested deeper than {MAX_NESTING} levels") from error


def fault(error: ValueError) -> tuple[str, int]:
    """(what is wrong, where in the text) of JSON that does not load."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}", error.pos
    return str(error), 0


def is_lone_surrogate(text: str) -> bool:
    """Whether the text holds half a character, which no encoding can write."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


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


def _whole(text: str) -> Any:
    """What ``_DECODER.decode`` gives, without its two searches for white space."""
    if text.startswith("{"):
        value, end = _DECODER.raw_decode(text)
        if not text[end:].strip(_SPACE):
            return value
    return _DECODER.decode(text)


def _checked(text: str, value: Any) -> Any:
    """``value`` as decoded from ``text``, its tags undone, once it is seen to be sound."""
    # Most texts have neither lists nor escapes, and one byte is found absent the fastest.
    opened = text.count("{") + (text.count("[") if "[" in text else 0)
    if opened > MAX_NESTING and _nests_too_deep(value):
        raise ValueError(f"nested deeper than {MAX_NESTING} levels")
    escaped = "\\" in text and ("\\ud" in text or "\\uD" in text)
    if escaped and is_lone_surrogate(json.dumps(value, ensure_ascii=False)):
        raise ValueError("a lone surrogate, which is no character")
    return _untag(value) if _QUOTED_KEY in text else value


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


def _tag(value: Any) -> Any:
    """``value`` in terms of JSON's own types."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _tagged("float", repr(value))
    if isinstance(value, dict):
        plain = {_key(name): _tag(item) for name, item in value.items()}
        return _tagged("object", plain) if KEY in plain else plain
    if isinstance(value, list):
        return [_tag(item) for item in value]
    if isinstance(value, tuple):
        return _tagged("tuple", [_tag(item) for item in value])
    return _tag_scalar(value)


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"cannot write a key of type {type(name).__name__}: {name!r}")
    return name


def _tagged(kind: str, value: Any) -> dict[str, Any]:
    return {KEY: kind, "value": value}


def _tag_scalar(value: Any) -> dict[str, Any]:
    if isinstance(value, bytes):
        return _tagged("bytes", base64.b64encode(value).decode("ascii"))
    if isinstance(value, timedelta):
        return _tagged("duration", [value.days, value.seconds, value.microseconds])
    if isinstance(value, Decimal):
        return _tagged("decimal", str(value))
    for kind, cls in (("datetime", datetime), ("date", date), ("time", time)):
        if isinstance(value, cls):
            return _tagged(kind, value.isoformat())
    raise InputError(f"cannot write a value of type {type(value).__name__}: {value!r}")


def _untag(value: Any) -> Any:
    """``value`` with every tagged object turned back into what it stands for."""
    if isinstance(value, list):
        return [_untag(item) for item in value]
    if not isinstance(value, dict):
        return value
    if KEY not in value:
        return {name: _untag(item) for name, item in value.items()}
    if set(value) != {KEY, "value"}:
        raise ValueError(f"an object with {KEY!r} holds that key and 'value' alone")
    try:
        return _UNTAG[value[KEY]](value["value"])
    except (ArithmeticError, TypeError, AttributeError, LookupError) as error:
        raise ValueError(f"damaged {KEY!r} object: {error!r}") from error


_UNTAG: dict[str, Callable[[Any], Any]] = {
    "object": lambda value: {name: _untag(item) for name, item in value.items()},
    "tuple": lambda value: tuple(_untag(item) for item in value),
    "float": float,
    "bytes": lambda value: base64.b64decode(value, validate=True),
    "duration": lambda value: timedelta(value[0], value[1], value[2]),
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}
