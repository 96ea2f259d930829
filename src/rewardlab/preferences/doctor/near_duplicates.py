"""Near-duplicate prompts across splits: MinHash sketches, banding, exact verification.

The sketches come from rensa. Its index keeps a hash map per band, over a kilobyte a prompt; here
the bands' keys are sorted arrays instead, so that a million prompts take about 160 MB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rensa import RMinHash

from rewardlab.preferences.doctor.view import ChunkView, DigestArray

N_PERMUTATIONS = 100
RECALL = 0.99
"""Chance, at least, that a pair exactly as similar as the threshold becomes a candidate."""
SHINGLE = 3
SEED = 1
MATES = 4
"""Candidates for a prompt in one band: one that is verified is enough."""
MOST_CANDIDATES = 50_000

_WORD = re.compile(r"\w+")


def shingles(text: str) -> list[str]:
    """The distinct runs of three words of a text, in lower case.

    Texts of fewer than three words, and texts without spaces, are cut into runs of four characters
    instead.
    """
    lower = text.lower()
    words = _WORD.findall(lower)
    if len(words) >= SHINGLE and len(lower) < 20 * len(words):
        return list({" ".join(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)})
    squeezed = " ".join(lower.split())
    return list({squeezed[i : i + 4] for i in range(max(1, len(squeezed) - 3))})


def jaccard(a: Iterable[str], b: Iterable[str]) -> float:
    """Size of the intersection over that of the union; 0 for two empty sets."""
    in_a, in_b = set(a), set(b)
    union = len(in_a | in_b)
    return len(in_a & in_b) / union if union else 0.0


def rows_per_band(threshold: float) -> int:
    """The most sketch values a band may have while ``RECALL`` holds at the threshold.

    With b bands of r values a pair of similarity s becomes a candidate with probability
    1 - (1 - s^r)^b.

    Source: Leskovec, Rajaraman and Ullman (2014), *Mining of Massive Datasets*, section 3.4.
    """
    for r in range(10, 1, -1):
        if 1 - (1 - threshold**r) ** (N_PERMUTATIONS // r) >= RECALL:
            return r
    return 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two prompts, in different splits, that may be near duplicates.

    Attributes:
        prompt: Digest of the prompt in the smaller split.
        mate: Digest of the one in the other split.
    """

    prompt: int
    mate: int


class PromptSketches:
    """Band keys of every distinct prompt that belongs to a split."""

    def __init__(self, threshold: float) -> None:
        self._r = rows_per_band(threshold)
        self._seen: set[int] = set()
        self._digests: list[DigestArray] = []
        self._keys: list[DigestArray] = []

    def see(self, chunk: ChunkView) -> None:
        """Sketch the prompts of one chunk that were not seen before."""
        new: list[int] = []
        for i, digest in enumerate(chunk.prompt_digest.tolist()):
            if digest not in self._seen and chunk.rows.split[i] is not None and chunk.prompt[i]:
                self._seen.add(digest)
                new.append(i)
        if not new:
            return
        token_sets = [shingles(chunk.prompt[i]) for i in new]
        matrix = RMinHash.digest_matrix_from_token_sets(token_sets, N_PERMUTATIONS, SEED)
        self._digests.append(chunk.prompt_digest[new])
        self._keys.append(band_keys(np.array(matrix.to_rows(), dtype=np.uint64), self._r))

    def candidates(self, splits: dict[int, int], smaller: set[int]) -> list[Candidate]:
        """Pairs of prompts that share a band and stand in different splits.

        Args:
            splits: Digest -> code of the split; only prompts that stand in one split.
            smaller: Codes of the splits whose prompts are looked up in the others.
        """
        if not self._keys:
            return []
        digests, keys = np.concatenate(self._digests), np.concatenate(self._keys)
        split = np.array([splits.get(d, -1) for d in digests.tolist()], dtype=np.int64)
        found: dict[Candidate, None] = {}
        for band in range(keys.shape[1]):
            for group in _mixed_groups(keys[:, band], split):
                for i, j in _across(group, split[group], smaller):
                    found[Candidate(int(digests[i]), int(digests[j]))] = None
                    if len(found) >= MOST_CANDIDATES:
                        return list(found)
        return list(found)


def _across(
    group: NDArray[np.int64], split: NDArray[np.int64], smaller: set[int]
) -> Iterator[tuple[int, int]]:
    """Each member that is in a smaller split, with up to ``MATES`` members of other splits.

    In a group of many (a template's prompts) all get the same mates, so that the work grows with
    the group's size and not with its square.
    """
    for s in np.unique(split):
        if int(s) not in smaller:
            continue
        mates = group[split != s][:MATES].tolist()
        for i in group[split == s].tolist():
            yield from ((i, j) for j in mates)


def band_keys(sketches: NDArray[np.uint64], r: int) -> DigestArray:
    """One 64-bit key for each band of ``r`` sketch values. Shape [m, bands]."""
    n_bands = sketches.shape[1] // r
    banded = sketches[:, : n_bands * r].reshape(len(sketches), n_bands, r)
    keys = np.zeros((len(sketches), n_bands), dtype=np.uint64)
    for k in range(r):
        keys = (keys ^ banded[:, :, k]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def _mixed_groups(keys: DigestArray, split: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
    """Positions that share a key, for each key found in more than one split."""
    known = np.flatnonzero(split >= 0)
    order = known[np.argsort(keys[known], kind="stable")]
    if len(order) < 2:
        return
    new_key = np.flatnonzero(np.diff(keys[order])) + 1
    starts = np.concatenate([[0], new_key])
    ends = np.concatenate([new_key, [len(order)]])
    in_order = split[order]
    lowest = np.minimum.reduceat(in_order, starts)
    highest = np.maximum.reduceat(in_order, starts)
    for k in np.flatnonzero(lowest != highest):
        yield order[starts[k] : ends[k]]
