"""What a column's values are, so that Parquet can hold them and give them back unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Kind = Literal["text", "int", "float", "bool", "messages", "json"]

_INT64 = 2**63
_OF_TYPE: dict[type, Kind] = {str: "text", float: "float", bool: "bool"}


def _kind(value: Any) -> Kind:
    kind = _OF_TYPE.get(type(value))
    if kind is not None:
        return kind
    if type(value) is int:
        return "int" if -_INT64 <= value < _INT64 else "json"
    return "messages" if type(value) is list and _all_messages(value) else "json"


def _all_messages(value: list[Any]) -> bool:
    return all(
        type(item) is dict
        and len(item) == 2
        and type(item.get("role")) is str
        and type(item.get("content")) is str
        for item in value
    )


class ColumnKinds:
    """The kinds of values that each column has held so far."""

    def __init__(self) -> None:
        self._found: dict[str, set[Kind]] = {}

    def add(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Look at some more rows."""
        for name, values in columns.items():
            found = self._found.setdefault(name, set())
            if "json" not in found:
                found.update(_kind(value) for value in values if value is not None)

    def kind(self, name: str) -> Kind:
        """What all values of the column are; "json" if they are of several kinds, or of none."""
        found = self._found.get(name, set())
        return next(iter(found)) if len(found) == 1 else "json"
