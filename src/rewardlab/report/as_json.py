"""Turning results into plain JSON values: NaN and infinity become null, nothing else is lost."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.types import Finding


def to_json(value: Any) -> Any:
    """``value`` in terms of dict, list, str, int, float, bool and None, ready for ``json.dumps``.

    Dataclasses become objects of their fields, string enums their value and other enums their
    name in lower case, arrays lists, sets sorted lists, paths and dates text.

    Raises:
        TypeError: A value is of no type that JSON can hold.
    """
    if value is None or (isinstance(value, (bool, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return value.value if isinstance(value.value, str) else value.name.lower()
    if isinstance(value, (int, float, np.generic)):
        return _scalar(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    return _container(value)


def _scalar(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float):
        return plain if math.isfinite(plain) else None
    return plain if isinstance(plain, (bool, int)) else to_json(plain)


def _container(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_key(k): to_json(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return [to_json(item) for item in value]
    if isinstance(value, Set):
        return sorted((to_json(item) for item in value), key=str)
    if isinstance(value, (Path, date)):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [to_json(item) for item in value]
    raise TypeError(f"to_json: expected a value that JSON can hold, got {type(value).__name__}")


def _key(key: Any) -> str:
    plain = to_json(key)
    return plain if isinstance(plain, str) else json.dumps(plain)


def findings_as_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Findings as JSON objects, each with its ``share`` computed; NaN becomes null."""
    return [{**to_json(finding), "share": to_json(finding.share)} for finding in findings]


def json_text(value: Any) -> str:
    """``value`` as indented JSON text; strict, so NaN cannot slip through."""
    return json.dumps(to_json(value), ensure_ascii=False, indent=2, allow_nan=False)
