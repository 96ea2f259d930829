"""Values that JSON cannot hold, written as tagged objects and read back as they were.

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
from rewardlab.preferences.strict_json import decode

KEY = "$rewardlab"


def tag(value: Any) -> Any:
    """``value`` in terms of JSON's own types.

    Raises:
        InputError: It holds something that no kind of tag exists for.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _tagged("float", repr(value))
    if isinstance(value, dict):
        plain = {_key(name): tag(item) for name, item in value.items()}
        return _tagged("object", plain) if KEY in plain else plain
    if isinstance(value, list):
        return [tag(item) for item in value]
    if isinstance(value, tuple):
        return _tagged("tuple", [tag(item) for item in value])
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


def untag(value: Any) -> Any:
    """``value`` with every tagged object turned back into what it stands for.

    Raises:
        ValueError: A tagged object is damaged.
    """
    if isinstance(value, list):
        return [untag(item) for item in value]
    if not isinstance(value, dict):
        return value
    if KEY not in value:
        return {name: untag(item) for name, item in value.items()}
    if set(value) != {KEY, "value"}:
        raise ValueError(f"an object with {KEY!r} holds that key and 'value' alone")
    try:
        return _UNTAG[value[KEY]](value["value"])
    except (ArithmeticError, TypeError, AttributeError, LookupError) as error:
        raise ValueError(f"damaged {KEY!r} object: {error!r}") from error


_UNTAG: dict[str, Callable[[Any], Any]] = {
    "object": lambda value: {name: untag(item) for name, item in value.items()},
    "tuple": lambda value: tuple(untag(item) for item in value),
    "float": float,
    "bytes": lambda value: base64.b64decode(value, validate=True),
    "duration": lambda value: timedelta(value[0], value[1], value[2]),
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


def dump_line(value: Any) -> str:
    """``value`` as one line of JSON that ``untag`` of its decoding gives back."""
    return json.dumps(tag(value), ensure_ascii=False, allow_nan=False)


def load_tagged(text: str) -> Any:
    """What ``dump_line`` wrote.

    Raises:
        ValueError: It is not JSON, or a tagged object is damaged.
    """
    return untag(decode(text))
