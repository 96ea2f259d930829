"""A project's pairs from what is to be judged: numbered, in order, with checks planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from rewardlab.app.annotate.store.contents import Content, Kind, Pair
from rewardlab.errors import InputError
from rewardlab.preferences.conventions.native import WORD_OF_OUTCOME
from rewardlab.preferences.pair_pool import PairToJudge, ToJudge
from rewardlab.types import FloatArray

MOST_REPEATED = 0.5


def planned_pairs(
    to_judge: ToJudge,
    *,
    rng: np.random.Generator,
    places: FloatArray | None = None,
    repeat_share: float = 0.0,
    known: ToJudge | None = None,
    most_known: int | None = None,
) -> list[Pair]:
    """The pairs of a new project.

    Args:
        to_judge: The pairs to judge.
        rng: Draws the order, the pairs to repeat, and the order of the known ones.
        places: Shape [n], the lowest first; random if not given.
        repeat_share: Share of the pairs that whoever judged them gets once more.
        known: Pairs with a known answer; those without one are passed over.
        most_known: How many of these to take, drawn at random; all if not given.

    Raises:
        InputError: The share is out of range, or no answer is known where some are given.
    """
    if not 0 <= repeat_share <= MOST_REPEATED:
        raise InputError(f"repeat: expected a share from 0 to {MOST_REPEATED}, got {repeat_share}")
    n = len(to_judge.pairs)
    order = rng.permutation(n).astype(float) if places is None else places
    pairs = [
        _pair(i, "pair", pair, float(place))
        for i, (pair, place) in enumerate(zip(to_judge.pairs, order, strict=True))
    ]
    repeated = np.sort(rng.permutation(n)[: round(repeat_share * n)]).tolist()
    pairs += [
        Pair(n + j, "repeat", pairs[i].content, of=i, place=pairs[i].place)
        for j, i in enumerate(repeated)
    ]
    return pairs + _known_pairs(known, len(pairs), rng, most_known)


def _known_pairs(
    known: ToJudge | None, first: int, rng: np.random.Generator, most: int | None
) -> list[Pair]:
    if known is None:
        return []
    answered = with_answer(known)
    if not answered:
        raise InputError(
            f"--known: {known.source}: expected pairs with an answer, got none ({known.sentence})"
        )
    drawn = rng.permutation(len(answered))[:most].tolist()
    return [_pair(first + i, "known", answered[at], float(i)) for i, at in enumerate(drawn)]


def with_answer(known: ToJudge) -> list[PairToJudge]:
    """The pairs of which the file says one thing."""
    return [pair for pair in known.pairs if pair.known is not None]


def content_of(pair: PairToJudge) -> Content:
    """A pair's texts and where they came from, as they are stored."""
    return Content(
        pair.id,
        pair.prompt_id,
        pair.prompt,
        pair.response_a,
        pair.response_b,
        pair.item_a,
        pair.item_b,
        pair.extra,
    )


def _pair(number: int, kind: Kind, pair: PairToJudge, place: float) -> Pair:
    known = None
    if kind == "known" and pair.known is not None:
        known = WORD_OF_OUTCOME[pair.known]
    return Pair(number, kind, content_of(pair), known=known, place=place)


def count_kinds(pairs: Sequence[Pair]) -> Counter[Kind]:
    """How many pairs there are of each kind."""
    return Counter(pair.kind for pair in pairs)
