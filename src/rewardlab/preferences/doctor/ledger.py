"""What is kept of every row after its texts are gone: digests, codes and lengths."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rewardlab.preferences.doctor.view import ChunkView, DigestArray, digests
from rewardlab.types import BoolArray, FloatArray, IntArray, Outcome

CodeArray = NDArray[np.int32]
SHORT = 20
"""Characters up to which a response is kept, so that an answer that returns can be quoted."""
MOST_SHORT_TEXTS = 5_000

# Odd fractional parts of square roots; the columns are digests, so any odd numbers would do.
_ODD_WEIGHTS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1)


class Codes:
    """Integer codes of names in order of first appearance; -1 stands for None."""

    def __init__(self) -> None:
        self._code_of: dict[str, int] = {}

    def encode(self, names: list[str | None]) -> CodeArray:
        """Codes of ``names``, new ones added. Shape [n]."""
        code_of = self._code_of
        coded = (-1 if name is None else code_of.setdefault(name, len(code_of)) for name in names)
        return np.fromiter(coded, np.int32, len(names))

    @property
    def names(self) -> list[str]:
        """Length k; the name of each code."""
        return list(self._code_of)


@dataclass(frozen=True, slots=True)
class Columns:
    """One entry a row (a vote), about 80 bytes each, whatever the texts' lengths.

    Attributes:
        line: Shape [n], 1-based.
        source: Shape [n], code of the file.
        prompt: Shape [n], digest of the prompt.
        prompt_id: Shape [n], digest of the prompt's id.
        pair: Shape [n], digest of file and pair id.
        a: Shape [n], digest of response a.
        b: Shape [n], digest of response b.
        has_texts: Shape [n].
        has_prompt: Shape [n]; the prompt is not blank.
        outcome: Shape [n], int8 codes of ``Outcome``.
        margin: Shape [n], NaN where absent.
        annotator: Shape [n], code or -1.
        split: Shape [n], code or -1.
        item_a: Shape [n], code or -1.
        item_b: Shape [n], code or -1.
        prompt_chars: Shape [n].
        a_chars: Shape [n].
        b_chars: Shape [n].
    """

    line: IntArray
    source: CodeArray
    prompt: DigestArray
    prompt_id: DigestArray
    pair: DigestArray
    a: DigestArray
    b: DigestArray
    has_texts: BoolArray
    has_prompt: BoolArray
    outcome: NDArray[np.int8]
    margin: FloatArray
    annotator: CodeArray
    split: CodeArray
    item_a: CodeArray
    item_b: CodeArray
    prompt_chars: CodeArray
    a_chars: CodeArray
    b_chars: CodeArray


@dataclass(frozen=True, slots=True)
class Ledger:
    """The columns of all rows, with the names behind their codes.

    Attributes:
        columns: One entry a row.
        sources: File names by code.
        annotators: Annotators' names by code.
        splits: Names of splits by code.
        items: Names of items (models) by code, shared by both sides.
        sides_recorded: True if side a is the one shown first.
        short_texts: Digest -> text, for some of the short responses.
    """

    columns: Columns
    sources: list[str]
    annotators: list[str]
    splits: list[str]
    items: list[str]
    sides_recorded: bool
    short_texts: dict[int, str]

    def __len__(self) -> int:
        return len(self.columns.line)

    @property
    def decided(self) -> BoolArray:
        """Shape [n]; the vote says a or b."""
        return self.columns.outcome <= Outcome.B

    @property
    def has_prompts(self) -> bool:
        """True if any row has a prompt, or prompts are told apart by an id."""
        columns = self.columns
        return bool(columns.has_prompt.any()) or len(np.unique(columns.prompt_id)) > 1

    @property
    def clusters(self) -> IntArray:
        """Shape [n]; what counts as one observation: the prompt, or the pair if none is known."""
        columns = self.columns
        key = columns.prompt_id if self.has_prompts else columns.pair
        return np.unique(key, return_inverse=True)[1].astype(np.int64)

    def places(self, rows: IntArray | BoolArray, keep: int) -> tuple[str, ...]:
        """The first ``keep`` different places ("FILE:LINE") of rows given by position or mask."""
        hits = np.flatnonzero(rows) if rows.dtype == bool else rows
        found: dict[str, None] = {}
        for i in hits:
            if len(found) >= keep:
                break
            found[f"{self.sources[self.columns.source[i]]}:{self.columns.line[i]}"] = None
        return tuple(found)


class LedgerBuilder:
    """Gathers the columns chunk by chunk."""

    def __init__(self) -> None:
        self._sources, self._annotators = Codes(), Codes()
        self._splits, self._items = Codes(), Codes()
        self._parts: list[Columns] = []
        self._short_texts: dict[int, str] = {}
        self._sides_recorded = False

    def see(self, chunk: ChunkView) -> None:
        """Keep what one chunk leaves behind."""
        rows = chunk.rows
        self._keep_short(chunk)
        # Files may differ: sides count as recorded only if every file recorded them.
        self._sides_recorded = rows.sides_recorded and (self._sides_recorded or not self._parts)
        self._parts.append(
            Columns(
                line=rows.line.astype(np.int64),
                source=self._sources.encode(list(rows.source)),
                prompt=chunk.prompt_digest,
                prompt_id=digests(rows.prompt_id),
                pair=chunk.pair_digest,
                a=chunk.a_digest,
                b=chunk.b_digest,
                has_texts=chunk.has_texts,
                has_prompt=np.array([bool(p.strip()) for p in chunk.prompt], dtype=bool),
                outcome=rows.outcome,
                margin=rows.margin,
                annotator=self._annotators.encode(rows.annotator),
                split=self._splits.encode(rows.split),
                item_a=self._items.encode(rows.item_a),
                item_b=self._items.encode(rows.item_b),
                prompt_chars=_lengths(chunk.prompt),
                a_chars=_lengths(chunk.a),
                b_chars=_lengths(chunk.b),
            )
        )

    @property
    def n_rows(self) -> int:
        """Rows seen so far."""
        return sum(len(part.line) for part in self._parts)

    def build(self) -> Ledger:
        """The ledger of all chunks seen."""
        joined = {
            f.name: np.concatenate([getattr(part, f.name) for part in self._parts])
            for f in fields(Columns)
        }
        return Ledger(
            columns=Columns(**joined),
            sources=self._sources.names,
            annotators=self._annotators.names,
            splits=self._splits.names,
            items=self._items.names,
            sides_recorded=self._sides_recorded,
            short_texts=self._short_texts,
        )

    def _keep_short(self, chunk: ChunkView) -> None:
        # The first of them are enough: an answer that returns shows up early.
        if len(self._short_texts) >= MOST_SHORT_TEXTS:
            return
        for texts, column in ((chunk.a, chunk.a_digest), (chunk.b, chunk.b_digest)):
            for text, digest in zip(texts, column.tolist(), strict=True):
                if 0 < len(text) <= SHORT:
                    self._short_texts[digest] = text


def mixed(*columns: DigestArray) -> DigestArray:
    """One 64-bit key of several digests. Shape [n]; a sum with odd weights, modulo 2^64."""
    total = np.zeros(len(columns[0]), dtype=np.uint64)
    for weight, column in zip(_ODD_WEIGHTS, columns, strict=False):
        total = total + np.uint64(weight) * column.astype(np.uint64)
    return total


def _lengths(texts: list[str]) -> CodeArray:
    return np.fromiter(map(len, texts), np.int32, len(texts))
