"""Leakage between splits: the same pair, the same prompt, or nearly the same prompt in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations

import numpy as np

from rewardlab.preferences.doctor.ledger import Ledger, mixed
from rewardlab.preferences.doctor.near_duplicates import (
    MOST_CANDIDATES,
    Candidate,
    PromptSketches,
    jaccard,
    shingles,
)
from rewardlab.preferences.doctor.tally import NO_TEXTS, Wording, cannot_say, counted
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import DigestArray, canonical, digests
from rewardlab.types import BoolArray, Finding, IntArray, Preferences, Status, as_text

PAIRS = Wording(
    name="shared-pairs",
    clean="No pair stands in more than one split",
    found="Pairs that stand in more than one split",
    meaning="A test on rows that were trained on measures memory: accuracy, calibration and every "
    "curve come out too good.",
    action="Remove these pairs from the training split, and split by prompt instead of by row.",
    severity=Status.FAIL,
    unit="pair",
)
PROMPTS = Wording(
    name="shared-prompts",
    clean="No prompt stands in more than one split",
    found="Prompts that stand in more than one split",
    meaning="A reward that has seen other answers to the same prompt has an easier test than it "
    "will have in use.",
    action="Split by prompt: all rows of one prompt into the same split.",
    unit="prompt",
)
NEAR = Wording(
    name="near-duplicate-prompts",
    clean="No prompt of a smaller split nearly repeats one of another",
    found="Prompts of smaller splits that nearly repeat one of another",
    meaning="Prompts that differ by a few words leak like equal ones. Templates with slots filled "
    "in count too: a test on them says little about other prompts.",
    action="Read the examples; put near duplicates (or a whole template) into one split.",
    unit="prompt",
)
_REMEDY = (
    "Give all splits at once (rewardlab doctor train.jsonl test.jsonl), or name their column "
    "(--column split=COLUMN)."
)
Chunks = Callable[[], Iterable[Preferences]]


def check_leakage(
    ledger: Ledger, sketches: PromptSketches, reread: Chunks, thresholds: Thresholds
) -> list[Finding]:
    """What stands in more than one split.

    Args:
        ledger: The rows.
        sketches: Sketches of their prompts.
        reread: Gives the rows once more; called only if some prompts may be near duplicates,
            whose texts are then compared exactly.
        thresholds: Limits.
    """
    used = np.unique(ledger.columns.split)
    if np.count_nonzero(used >= 0) < 2:
        return [
            cannot_say(w.name, f"{w.found}: there is one split only", w.meaning, _REMEDY)
            for w in (PAIRS, PROMPTS, NEAR)
        ]
    return [
        _shared_pairs(ledger, thresholds),
        _shared_prompts(ledger, thresholds),
        _near_duplicates(ledger, sketches, reread, thresholds),
    ]


def _shared_pairs(ledger: Ledger, thresholds: Thresholds) -> Finding:
    columns = ledger.columns
    if not columns.has_texts.any():
        return cannot_say(PAIRS.name, "No texts to compare between splits", PAIRS.meaning, NO_TEXTS)
    key = mixed(columns.prompt, np.minimum(columns.a, columns.b), np.maximum(columns.a, columns.b))
    return _shared(PAIRS, ledger, key, columns.has_texts, thresholds)


def _shared_prompts(ledger: Ledger, thresholds: Thresholds) -> Finding:
    columns = ledger.columns
    if not columns.has_prompt.any():
        return cannot_say(PROMPTS.name, "No row has a prompt", PROMPTS.meaning, _PROMPT_REMEDY)
    return _shared(PROMPTS, ledger, columns.prompt, columns.has_prompt, thresholds)


_PROMPT_REMEDY = "Give the column of the prompts (--column prompt=COLUMN)."


def _shared(
    wording: Wording, ledger: Ledger, key: DigestArray, usable: BoolArray, thresholds: Thresholds
) -> Finding:
    """Count keys that stand in more than one split."""
    columns = ledger.columns
    rows = np.flatnonzero(usable & (columns.split >= 0))
    keys, key_of = np.unique(key[rows], return_inverse=True)
    split = columns.split[rows].astype(np.int64)
    n_splits = len(ledger.splits)
    present, first_at = np.unique(key_of * n_splits + split, return_index=True)
    in_splits = np.bincount(present // n_splits, minlength=len(keys))
    shared = np.flatnonzero(in_splits > 1)
    first_rows = rows[first_at]
    examples = [
        " and ".join(ledger.places(np.array([r]), 1)[0] for r in sorted(first_rows[at]))
        for at in (present // n_splits == k for k in shared[: thresholds.examples])
    ]
    return counted(
        wording,
        len(shared),
        len(keys),
        thresholds,
        examples=tuple(examples),
        details=_between(ledger, present, n_splits, shared),
    )


def _between(
    ledger: Ledger, present: IntArray, n_splits: int, shared: IntArray
) -> dict[str, dict[str, int]]:
    """How many keys each two splits share, for at most 8 splits."""
    if not len(shared) or n_splits > 8:
        return {}
    key, split = present // n_splits, present % n_splits
    in_split = {s: key[split == s] for s in range(n_splits)}
    counts = {
        f"{ledger.splits[s]} & {ledger.splits[t]}": len(np.intersect1d(in_split[s], in_split[t]))
        for s, t in combinations(range(n_splits), 2)
    }
    return {"between": {name: count for name, count in counts.items() if count}}


def _near_duplicates(
    ledger: Ledger, sketches: PromptSketches, reread: Chunks, thresholds: Thresholds
) -> Finding:
    columns = ledger.columns
    rows = np.flatnonzero(columns.has_prompt & (columns.split >= 0))
    if not len(rows):
        return cannot_say(NEAR.name, "No row has a prompt", NEAR.meaning, _PROMPT_REMEDY)
    pairs = np.unique(
        np.stack([columns.prompt[rows], columns.split[rows].astype(np.uint64)]), axis=1
    )
    prompts, times = np.unique(pairs[0], return_counts=True)
    single = np.isin(pairs[0], prompts[times == 1])
    split_of = dict(
        zip(pairs[0][single].tolist(), pairs[1][single].astype(int).tolist(), strict=True)
    )
    sizes = np.bincount(pairs[1].astype(np.int64), minlength=len(ledger.splits))
    smaller = {s for s in range(len(sizes)) if sizes[s] and s != int(np.argmax(sizes))}
    candidates = sketches.candidates(split_of, smaller)
    close = verified(candidates, reread, thresholds.near_duplicate) if candidates else {}
    total = int(sum(sizes[s] for s in smaller))
    details = {
        "candidates": len(candidates),
        "similarity_from": thresholds.near_duplicate,
    }
    examples = _near_examples(ledger, rows, close, thresholds.examples)
    found = counted(NEAR, len(close), total, thresholds, examples=examples, details=details)
    if len(candidates) < MOST_CANDIDATES:
        return found
    return replace(found, title=f"{found.title} at least: {MOST_CANDIDATES:,} likenesses compared")


def verified(
    candidates: list[Candidate], reread: Chunks, threshold: float
) -> dict[int, tuple[int, float]]:
    """Prompt -> (nearest mate, Jaccard similarity), where the texts really are that similar."""
    wanted = {d for c in candidates for d in (c.prompt, c.mate)}
    texts: dict[int, str] = {}
    for chunk in reread():
        for digest, prompt in zip(
            digests([canonical(p) for p in chunk.prompt]).tolist(), chunk.prompt, strict=True
        ):
            if digest in wanted and digest not in texts:
                texts[digest] = as_text(prompt)
    best: dict[int, tuple[int, float]] = {}
    for candidate in candidates:
        similarity = jaccard(shingles(texts[candidate.prompt]), shingles(texts[candidate.mate]))
        if similarity >= max(threshold, best.get(candidate.prompt, (0, 0.0))[1]):
            best[candidate.prompt] = (candidate.mate, similarity)
    return best


def _near_examples(
    ledger: Ledger, rows: IntArray, close: dict[int, tuple[int, float]], keep: int
) -> tuple[str, ...]:
    shown = sorted(close.items(), key=lambda item: -item[1][1])[:keep]
    prompt = ledger.columns.prompt[rows]

    def place(digest: int) -> str:
        row = rows[np.flatnonzero(prompt == np.uint64(digest))[:1]]
        return ledger.places(row, 1)[0]

    return tuple(
        f"{place(digest)} and {place(mate)} (similarity {similarity:.2f})"
        for digest, (mate, similarity) in shown
    )
