"""Joining votes to the texts that they are about, which stand in another file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewardlab.errors import FormatError
from rewardlab.preferences.column_names import TEXT_COLUMNS, no_such_column
from rewardlab.preferences.rows import Row
from rewardlab.preferences.tables import read_rows
from rewardlab.preferences.tallies import MAX_EXAMPLES, Tally

_ITEM_COLUMNS = (("model_x", "model_y"), ("model_a", "model_b"), ("generator_1", "generator_2"))
NO_TEXT = "no text joined"


class JoinedTexts:
    """The texts of pairs, by key; response_a is that of the first (left) side.

    Args:
        path: File of the texts, one row a pair.
        on: The column that both files share.
        mapped: Field -> column, where the names are others.

    Raises:
        FormatError: The file lacks the shared column or a text column, or a key stands twice.
        RowError: A key or a text is not what it should be.
    """

    def __init__(self, path: Path, *, on: str, mapped: Mapping[str, str]) -> None:
        self._on, self._source = on, str(path)
        self._texts: dict[str, tuple[int, dict[str, Any]]] = {}
        self._used: set[str] = set()
        self._mapped = mapped
        self._fields: dict[str, str] = {}
        for row in read_rows(path):
            self._add(row)

    def _add(self, row: Row) -> None:
        if not self._fields:
            self._fields = self._find_fields(row)
        key = _key(row, self._on)
        if key in self._texts:
            expected = f"each key once (it stands in line {self._texts[key][0]} too)"
            raise row.error(self._on, expected)
        joined = {f: row.prompt_or_response(column) for f, column in self._fields.items()}
        taken = {self._on, *self._fields.values()}
        others = {k: v for k, v in row.values.items() if k not in taken}
        self._texts[key] = (row.line, {**others, **joined})

    def _find_fields(self, row: Row) -> dict[str, str]:
        if self._on not in row.values:
            raise no_such_column(self._source, f"--on {self._on}", self._on, row.values)
        found = {}
        for field, aliases in TEXT_COLUMNS.items():
            names = [self._mapped[field]] if field in self._mapped else list(aliases)
            column = next((name for name in names if name in row.values), None)
            if column is not None:
                found[field] = column
        lacking = [field for field in ("response_a", "response_b") if field not in found]
        if lacking:
            raise FormatError(
                f"{self._source}: no column for {' and '.join(lacking)}; columns found: "
                f"{', '.join(row.values)}; name it with --column {lacking[0]}=COLUMN"
            )
        return found

    @property
    def columns(self) -> frozenset[str]:
        """The file's own columns that hold the fields."""
        return frozenset(self._fields.values())

    def join(self, row: Row) -> Row | None:
        """The vote's row with its texts in it; None where there is no text for it.

        The texts are put in the order of the vote's models, where both files name the models. A
        column that both files hold with different values is kept as "texts.NAME".

        Raises:
            RowError: The key is missing.
        """
        key = _key(row, self._on)
        found = self._texts.get(key)
        if found is None:
            return None
        self._used.add(key)
        texts = dict(found[1])
        if _is_swapped(row.values, texts):
            texts["response_a"], texts["response_b"] = texts["response_b"], texts["response_a"]
        values = dict(row.values)
        for name, value in texts.items():
            if values.get(name) is None or name in TEXT_COLUMNS:
                values[name] = value
            elif not _same(values[name], value):
                values[f"texts.{name}"] = value
        return replace(row, values=values)

    def start(self) -> None:
        """Forget which texts were voted on, before a new pass."""
        self._used = set()

    def finish(self, tally: Tally) -> None:
        """Say how many texts were never voted on."""
        unused = [line for key, (line, _) in self._texts.items() if key not in self._used]
        if unused:
            shown = ", ".join(f"{self._source}:{line}" for line in unused[:MAX_EXAMPLES])
            tally.note(
                f"{len(unused):,} of {len(self._texts):,} texts were voted on by no row "
                f"({shown}{', ...' if len(unused) > MAX_EXAMPLES else ''})."
            )


def _key(row: Row, on: str) -> str:
    key = row.name(on)
    if key is None:
        raise row.error(on, "the key that votes and texts share")
    return key


def _same(a: Any, b: Any) -> bool:
    return a == b or str(a) == str(b)


def _is_swapped(vote: dict[str, Any], texts: dict[str, Any]) -> bool:
    """True if the texts' models are the vote's models the other way round."""
    a, b = vote.get("model_a"), vote.get("model_b")
    if a is None or b is None or _same(a, b):
        return False
    for first, second in _ITEM_COLUMNS:
        if first in texts and second in texts:
            return _same(texts[first], b) and _same(texts[second], a)
    return False
