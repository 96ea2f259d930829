"""How files are to be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Needs = Literal["texts", "votes", "items"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read preferences.

    Attributes:
        format: Name of the convention to force; None to recognise it.
        columns: Field -> column, where a file's names are others: {"annotator": "worker"}.
        labels: Label of the file -> a, b, tie or both_bad, where its labels mean something else
            than usual: {"1": "a", "0": "b"}.
        where: Column -> text; rows whose column is another are left out and counted.
        join: File with the texts of the pairs that the votes name.
        join_on: The column that votes and texts share.
        rating: Name of the rating by which ratings become comparisons.
        from_rankings: True to turn rankings into comparisons.
        on_bad: "raise" on a row that cannot be read, or leave it out and "count" it.
        chunk_rows: Rows a chunk, at least 1.
        needs: What the reader of the rows makes use of: texts, votes on whatever it may be, or
            named items. Files without it are read all the same; a refusal says how to give it.
    """

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    join: Path | None = None
    join_on: str = ""
    rating: str | None = None
    from_rankings: bool = False
    on_bad: Literal["raise", "count"] = "raise"
    chunk_rows: int = 20_000
    needs: Needs = "texts"

    @property
    def files_besides(self) -> tuple[Path, ...]:
        """Files that are read besides those of the preferences."""
        return () if self.join is None else (self.join,)
