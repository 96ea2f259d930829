"""A chunk of preferences as the checks read it: plain texts, digests and who won."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from rewardlab.types import BoolArray, Outcome, Preferences, Text, as_text

DigestArray = NDArray[np.uint64]


def canonical(text: Text | None) -> str:
    """A string that is equal for two texts exactly if they are: roles and tool calls included."""
    if text is None:
        return "\x00none"
    if isinstance(text, str):
        return text
    return "\x00messages" + json.dumps(text, sort_keys=True, ensure_ascii=False, default=str)


def digests(texts: Sequence[str]) -> DigestArray:
    """BLAKE2b digests of 64 bits. Shape [n]; among a million texts one false match in 4e7 runs."""
    joined = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts
    )
    return np.frombuffer(joined, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class ChunkView:
    """One chunk, prepared once for all checks; n rows, a vote each.

    Attributes:
        rows: The chunk itself.
        prompt: Length n, plain text.
        a: Length n, plain text of response a; "" where the file holds none.
        b: Length n, likewise.
        has_texts: Shape [n]; True where both responses came with text.
        prompt_digest: Shape [n].
        a_digest: Shape [n].
        b_digest: Shape [n].
        pair_digest: Shape [n]; of the pair's id within its file.
        won_a: Shape [n]; the vote says a.
        won_b: Shape [n]; the vote says b.
    """

    rows: Preferences
    prompt: list[str]
    a: list[str]
    b: list[str]
    has_texts: BoolArray
    prompt_digest: DigestArray
    a_digest: DigestArray
    b_digest: DigestArray
    pair_digest: DigestArray
    won_a: BoolArray
    won_b: BoolArray

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def winner(self) -> list[str]:
        """Length n: the winning response's text, "" where nobody won."""
        return [
            a if won_a else b if won_b else ""
            for a, b, won_a, won_b in zip(self.a, self.b, self.won_a, self.won_b, strict=True)
        ]


def view(rows: Preferences) -> ChunkView:
    """Prepare a chunk for the checks."""
    given = [
        a is not None and b is not None
        for a, b in zip(rows.response_a, rows.response_b, strict=True)
    ]
    return ChunkView(
        rows=rows,
        prompt=[as_text(p) for p in rows.prompt],
        a=[as_text(r) for r in rows.response_a],
        b=[as_text(r) for r in rows.response_b],
        has_texts=np.array(given, dtype=bool),
        prompt_digest=digests([canonical(p) for p in rows.prompt]),
        a_digest=digests([canonical(r) for r in rows.response_a]),
        b_digest=digests([canonical(r) for r in rows.response_b]),
        pair_digest=digests([f"{s}\x00{i}" for s, i in zip(rows.source, rows.id, strict=True)]),
        won_a=rows.outcome == Outcome.A,
        won_b=rows.outcome == Outcome.B,
    )
