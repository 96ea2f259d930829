"""Kinds of pair that accuracy is told apart by: length, and how hard the votes are.

A vote never decides how hard it is itself. It is sorted by what others said of its pair, and its
annotator by votes on other prompts: a vote that stands alone would otherwise make its own pair look
hard and its annotator odd, and every reward would look bad there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rewardlab.audit.scored import ScoredVotes
from rewardlab.stats.agreement import agreement_with_others
from rewardlab.types import BoolArray, FloatArray, IntArray

LENGTH_TOLERANCE = 0.1
"""Two responses are about equally long if their words differ by at most this share."""

MIN_ANNOTATORS = 3
"""With fewer annotators on repeated pairs, none can be told to agree less with the others."""

MIN_SHARED_VOTES = 10
"""Votes on pairs of others from which an annotator's agreement with them is taken."""


@dataclass(frozen=True, slots=True)
class PairKind:
    """One kind of pair.

    Attributes:
        kind: What divides, such as "length".
        name: Which part; of a difficulty, in order from hard to easy.
        mask: Shape [n], over the votes.
        repeats: Shape [n], codes; votes of one code are repeated judgements of one pair among
            which agreement may be counted, -1 for votes that may not. A kind that is sorted by
            other votes on a pair takes such as did not sort each other.
        sorts: True for a level of difficulty, False for what only divides (or was not sorted).
    """

    kind: str
    name: str
    mask: BoolArray
    repeats: IntArray
    sorts: bool = False


def pair_kinds(decided: ScoredVotes) -> tuple[list[PairKind], str]:
    """The kinds of pair that accuracy is told apart by, and how difficulty was told.

    Args:
        decided: Votes that prefer a side.
    """
    pair = np.unique(decided.pair, return_inverse=True)[1]
    length = _by_length(decided, pair)
    found = [_by_margin(decided, pair), _by_other_voters(decided), _by_annotator(decided, pair)]
    notes = [note for _, note in found if note]
    told = "; ".join(notes) if notes else _no_difficulty(decided)
    return [*length, *(kind for kinds, _ in found for kind in kinds)], told


def _by_length(votes: ScoredVotes, pair: IntArray) -> list[PairKind]:
    """Winner longer or shorter, which the votes decide: all of one kind on a pair say the same."""
    a_won = votes.label > 0.5
    winner = np.where(a_won, votes.n_words_a, votes.n_words_b)
    loser = np.where(a_won, votes.n_words_b, votes.n_words_a)
    similar = np.abs(winner - loser) <= LENGTH_TOLERANCE * np.maximum(winner, loser)
    repeats = np.where(similar, pair, -1)
    named = (
        ("winner longer", ~similar & (winner > loser)),
        (f"within {LENGTH_TOLERANCE:.0%} of each other", similar),
        ("winner shorter", ~similar & (winner < loser)),
    )
    return [PairKind("length", name, mask, repeats) for name, mask in named]


def _by_margin(votes: ScoredVotes, pair: IntArray) -> tuple[list[PairKind], str]:
    """Thirds by the file's margin, where most votes have one."""
    known = np.isfinite(votes.margin)
    if known.mean() <= 0.5 or len(np.unique(votes.margin[known])) < 2:
        return [], ""
    cuts = np.unique(np.quantile(votes.margin[known], [1 / 3, 2 / 3]))
    # A cut at the largest margin would leave nothing above it.
    cuts = cuts[cuts < votes.margin[known].max()]
    if not len(cuts):
        cuts = np.unique(votes.margin[known])[-2:-1]
    level = np.searchsorted(cuts, votes.margin, side="left")
    kinds = [
        PairKind("margin", name, known & (level == k), pair, sorts=True)
        for k, name in enumerate(_interval_names(cuts))
    ]
    if not known.all():
        kinds.append(PairKind("margin", "no margin", ~known, pair))
    return kinds, "by the file's margin, in thirds"


def _interval_names(cuts: FloatArray) -> list[str]:
    edges = [f"{c:g}" for c in cuts]
    inner = [f"margin {lo} to {hi}" for lo, hi in pairwise(edges)]
    return [f"margin up to {edges[0]}", *inner, f"margin above {edges[-1]}"]


@dataclass(frozen=True, slots=True)
class _Opinions:
    """One decided opinion for each named annotator and pair, the last one where there are more.

    Attributes:
        of_vote: Shape [n]; each vote's opinion, -1 for votes without an annotator.
        pair: Shape [k], codes.
        prompt: Shape [k], codes.
        annotator: Shape [k], codes.
        for_a: Shape [k]; True for a.
    """

    of_vote: IntArray
    pair: IntArray
    prompt: IntArray
    annotator: IntArray
    for_a: BoolArray


def _opinions(votes: ScoredVotes) -> _Opinions:
    named = np.flatnonzero(votes.annotator >= 0)
    pair = np.unique(votes.pair, return_inverse=True)[1]
    last = named[last_of_each(pair[named], votes.annotator[named])]
    key = pair * (int(votes.annotator.max(initial=0)) + 1) + votes.annotator
    of_vote = np.full(len(votes), -1)
    of_vote[named] = np.searchsorted(key[last], key[named])
    return _Opinions(
        of_vote, pair[last], votes.prompt[last], votes.annotator[last], votes.label[last] > 0.5
    )


def last_of_each(pair: IntArray, annotator: IntArray) -> IntArray:
    """Positions of the last vote of each annotator on each pair, ordered by pair and annotator.

    All votes of one pair without an annotator (-1) count as one annotator's.
    """
    key = pair * (int(annotator.max(initial=0)) + 2) + annotator + 1
    _, from_end = np.unique(key[::-1], return_index=True)
    return np.asarray(len(key) - 1 - from_end, dtype=np.int64)


def _by_other_voters(votes: ScoredVotes) -> tuple[list[PairKind], str]:
    """Whether the other voters on a pair are of one mind; two others are needed to differ."""
    said = _opinions(votes)
    others, for_a, repeats = _others(said)
    sorted_ = others >= 2
    if not sorted_.any():
        return [], ""
    of_one_mind = sorted_ & ((for_a == 0) | (for_a == others))
    masks = (
        ("other voters divided", sorted_ & ~of_one_mind),
        ("other voters of one mind", of_one_mind),
    )
    kinds = [
        PairKind("other voters", name, _of_votes(said, mask), _code(said, repeats), sorts=True)
        for name, mask in masks
    ]
    few = ~(kinds[0].mask | kinds[1].mask)
    if few.any():
        nothing = np.full(len(votes), -1)
        kinds.append(PairKind("other voters", "fewer than two other voters", few, nothing))
    return (
        kinds,
        "by whether at least two other voters on the pair are of one mind (ties set aside)",
    )


def _others(said: _Opinions) -> tuple[IntArray, FloatArray, IntArray]:
    """Of each opinion: by whom it is sorted, how many of them said a, and its half's code.

    Those are the other half of the voters on its pair where there are four and more, so that
    agreement within a half is free of what sorted it; else all but itself, and no half, -1.
    """
    order = np.lexsort((said.annotator, said.pair))
    place = np.empty(len(order), dtype=np.int64)
    starts = np.searchsorted(said.pair[order], said.pair[order], side="left")
    place[order] = np.arange(len(order)) - starts
    n_pair, a_pair = np.bincount(said.pair), np.bincount(said.pair, said.for_a)
    halved = n_pair[said.pair] >= 4
    cell = 2 * said.pair + np.where(halved, place % 2, 0)
    n_cell, a_cell = np.bincount(cell), np.bincount(cell, said.for_a)
    others = n_pair[said.pair] - np.where(halved, n_cell[cell], 1)
    for_a = a_pair[said.pair] - np.where(halved, a_cell[cell], said.for_a)
    repeats = np.where(halved, cell, -1)
    return others.astype(np.int64), for_a.astype(np.float64), repeats.astype(np.int64)


def _of_votes(said: _Opinions, mask: BoolArray) -> BoolArray:
    """Opinions' mask as one of votes; False for votes without an annotator."""
    return np.append(mask, False)[said.of_vote]


def _code(said: _Opinions, code: IntArray) -> IntArray:
    """Opinions' codes as votes' codes; -1 for votes without an annotator."""
    return np.append(code, -1)[said.of_vote]


def _by_annotator(votes: ScoredVotes, pair: IntArray) -> tuple[list[PairKind], str]:
    """Halves of the votes by how often their annotators agree with others on other prompts.

    Prompts are divided in two: an annotator's agreement in one part sorts the votes in the other.
    """
    said = _opinions(votes)
    same = agreement_with_others(said.pair, said.for_a.astype(np.int64))
    shared = ~np.isnan(same)
    if len(np.unique(said.annotator[shared])) < MIN_ANNOTATORS:
        return [], ""
    prompt = np.unique(said.prompt, return_inverse=True)[1]
    k = int(said.annotator.max()) + 1
    cell = 2 * said.annotator + prompt % 2
    n = np.bincount(cell[shared], minlength=2 * k)
    agreed = np.bincount(cell[shared], same[shared], minlength=2 * k)
    elsewhere = 2 * said.annotator + 1 - prompt % 2
    enough = n[elsewhere] >= MIN_SHARED_VOTES
    level = agreed[elsewhere] / np.maximum(n[elsewhere], 1)
    if not enough.any() or np.ptp(level[enough]) == 0:
        return [], ""
    low = enough & (level < np.median(level[enough]))
    high = enough & ~low
    kinds = [
        PairKind("annotator", name, _of_votes(said, mask), pair, sorts=True)
        for name, mask in (("agrees less with others", low), ("agrees more with others", high))
    ]
    unknown = ~(kinds[0].mask | kinds[1].mask)
    if unknown.any():
        kinds.append(PairKind("annotator", "agreement not known", unknown, pair))
    return kinds, (
        "by how often the annotator agrees with others on other prompts, in halves of the votes"
    )


def _no_difficulty(votes: ScoredVotes) -> str:
    known = np.isfinite(votes.margin).mean()
    return (
        f"cannot say: {known:.0%} of votes have a margin, and no pair has votes of three named "
        "annotators; add margins to most votes, or a third annotator's vote on some pairs"
    )
