"""The siblings of ``Preferences``: rankings, ratings, unpaired labels and step labels.

Each holds columns of equal length n, one entry a row, and a ``Provenance`` that says where its
rows came from.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.types import BoolArray, FloatArray, IntArray, Text

UNKNOWN_STEP = -1
"""Code of a step whose label is unknown (-100 or null in a file)."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where rows came from, and what came with them.

    Attributes:
        id: Length n; the file's id, or else the line as text.
        prompt_id: Length n; the file's prompt id, or else a digest of the prompt.
        annotator: Length n; None where absent.
        split: Length n; None where absent.
        line: Shape [n], int64, 1-based line or row in ``source``.
        source: Length n; file name as given.
        extra: The file's other columns, name -> list of length n, kept as they came.
    """

    id: list[str]
    prompt_id: list[str]
    annotator: list[str | None]
    split: list[str | None]
    line: IntArray
    source: list[str]
    extra: dict[str, list[Any]]

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Columns of equal length.

    Attributes:
        rows: Where they came from; responses listed in one row of a file share its line.
    """

    rows: Provenance

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            columns = value if isinstance(value, dict) else {None: value}
            for name, column in columns.items():
                if len(column) != len(self):
                    said = f"{type(self).__name__}.{f.name}" + (f"[{name!r}]" if name else "")
                    raise InputError(f"{said}: expected length {len(self)}, got {len(column)}")

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Rankings(_Columns):
    """Several responses to a prompt, ranked.

    Attributes:
        prompt: Length n.
        responses: Length n; the k >= 1 responses of each row (k may differ).
        ranks: Length n; shape [k] int64 each: 1 is the best, equal ranks are ties.
        items: Length n; length k each: who wrote it, None where unknown.
    """

    prompt: list[Text]
    responses: list[list[Text]]
    ranks: list[IntArray]
    items: list[list[str | None]]


@dataclass(frozen=True, slots=True)
class Ratings(_Columns):
    """Responses rated one by one, on one or more scales.

    Attributes:
        prompt: Length n.
        response: Length n.
        ratings: Name -> shape [n], in the file's own units; NaN where absent.
        item: Length n; who wrote the response, None where unknown.
    """

    prompt: list[Text]
    response: list[Text]
    ratings: dict[str, FloatArray]
    item: list[str | None]


@dataclass(frozen=True, slots=True)
class Unpaired(_Columns):
    """Responses judged good or not, each on its own.

    Attributes:
        prompt: Length n.
        completion: Length n.
        label: Shape [n], bool; True is good.
    """

    prompt: list[Text]
    completion: list[Text]
    label: BoolArray


@dataclass(frozen=True, slots=True)
class Steps(_Columns):
    """Solutions in steps, each step labelled.

    Attributes:
        prompt: Length n.
        steps: Length n; the k >= 0 steps of each solution.
        labels: Length n; shape [k] int8 each: 1 right, 0 wrong, -1 (``UNKNOWN_STEP``) unknown.
    """

    prompt: list[Text]
    steps: list[list[str]]
    labels: list[NDArray[np.int8]]
