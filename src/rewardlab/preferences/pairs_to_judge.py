"""Files of pairs to judge: those without votes, and those whose votes annotators do not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.assembly import digest
from rewardlab.preferences.column_names import PROMPT, SHARED_FIELDS, TEXT_COLUMNS
from rewardlab.preferences.conventions import ALL
from rewardlab.preferences.entries import sort_key
from rewardlab.preferences.formats import open_preferences
from rewardlab.preferences.options import ReadOptions
from rewardlab.preferences.pair_pool import PairPool, PairToJudge, ToJudge, pair_key
from rewardlab.preferences.prompt_cuts import cut_conversations
from rewardlab.preferences.rows import Row
from rewardlab.preferences.tables import read_rows
from rewardlab.preferences.tallies import Tally
from rewardlab.types import Outcome, Preferences

_SIDED = [c for c in ALL if {"response_a", "response_b"} <= c.fields.keys()]
_ITEMS = {"item_a": ("item_a", "model_a", "model_x"), "item_b": ("item_b", "model_b", "model_y")}


SIDES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (TEXT_COLUMNS["response_a"], TEXT_COLUMNS["response_b"]),
    *((c.fields["response_a"], c.fields["response_b"]) for c in _SIDED),
)
"""Names that the columns of both responses go by, one convention after the other."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "prompt": tuple(
        dict.fromkeys((*PROMPT, *(name for c in _SIDED for name in c.fields.get("prompt", ()))))
    ),
    **_ITEMS,
    "id": SHARED_FIELDS["id"],
    "prompt_id": SHARED_FIELDS["prompt_id"],
}
"""Field of a pair without votes, beside its responses -> columns it goes by."""

_FLIPPED = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}


def read_unlabelled(path: Path, columns: Mapping[str, str], most: int) -> ToJudge:
    """Pairs without votes, one a row.

    Args:
        path: The file.
        columns: Field -> column; both responses at least.
        most: Pairs that it may give.
    """
    pool = PairPool(path, most, Tally("count"))
    for row in read_rows(path, pool.tally):
        try:
            pair = _pair(row, columns)
        except RowError as error:
            pool.tally.bad(error)
            continue
        pool.add(pair, row.line)
    named = ", ".join(columns.values())
    return pool.finish("pairs", f"pairs without votes, one a row ({named})")


def _pair(row: Row, columns: Mapping[str, str]) -> PairToJudge:
    cut = cut_conversations(
        columns.get("prompt", ""),
        row.prompt_or_response(columns["prompt"]) if "prompt" in columns else "",
        row.prompt_or_response(columns["response_a"]),
        row.prompt_or_response(columns["response_b"]),
    )
    taken = set(columns.values())
    id_ = row.name(columns.get("id"))
    others = {name: value for name, value in row.values.items() if name not in taken}
    return PairToJudge(
        id=str(row.line) if id_ is None else id_,
        prompt_id=row.name(columns.get("prompt_id")) or digest(cut.prompt or str(row.line)),
        prompt=cut.prompt,
        response_a=cut.a,
        response_b=cut.b,
        item_a=row.name(columns.get("item_a")),
        item_b=row.name(columns.get("item_b")),
        extra={**others, **cut.left_over},
    )


def read_labelled(path: Path, columns: Mapping[str, str], most: int) -> ToJudge:
    """The pairs of any file of preferences, each once; ``known`` is what most votes say of it.

    Args:
        path: The file.
        columns: Field -> column, where the file's names are others.
        most: Pairs that it may give.

    Raises:
        FormatError: No row holds both responses' texts.
    """
    reader = open_preferences(path, ReadOptions(columns=columns, on_bad="count"))
    found: dict[str, _Voted] = {}
    n_votes, without_text = 0, ""
    for chunk in reader.chunks():
        n_votes += len(chunk)
        for i in range(len(chunk)):
            if not _add_vote(found, chunk, i):
                without_text = without_text or chunk.location(i)
    if without_text:
        raise FormatError(
            f"{without_text}: {reader.layout.sentence}: a response is named, but there is no text "
            "of it; give a file with the texts of both responses"
        )
    pool = PairPool(path, most, Tally("count"))
    for voted in found.values():
        pool.add(replace(voted.pair, known=voted.known()), voted.line)
    return pool.finish(
        "pairs",
        f"{reader.layout.sentence}; {n_votes:,} vote{'s' * (n_votes != 1)}, which annotators do "
        "not see",
        n_rows=reader.report.n_rows,
        n_votes=n_votes,
        left_out=reader.report.left_out,
    )


@dataclass(slots=True)
class _Voted:
    """A pair with the votes on it."""

    pair: PairToJudge
    line: int
    votes: Counter[Outcome]

    def known(self) -> Outcome | None:
        """The most frequent vote; None where two are equally frequent."""
        first, *rest = self.votes.most_common(2)
        return None if rest and rest[0][1] == first[1] else first[0]


def _add_vote(found: dict[str, _Voted], chunk: Preferences, i: int) -> bool:
    """Count a vote for its pair; False where the row has no texts."""
    prompt, a, b = chunk.prompt[i], chunk.response_a[i], chunk.response_b[i]
    if a is None or b is None:
        return False
    key, outcome = pair_key(prompt, a, b), Outcome(int(chunk.outcome[i]))
    if key not in found:
        pair = PairToJudge(
            id=chunk.id[i],
            prompt_id=chunk.prompt_id[i],
            prompt=prompt,
            response_a=a,
            response_b=b,
            item_a=chunk.item_a[i],
            item_b=chunk.item_b[i],
            extra={name: column[i] for name, column in chunk.extra.items()},
        )
        found[key] = _Voted(pair, int(chunk.line[i]), Counter())
    voted = found[key]
    same = sort_key(a) == sort_key(voted.pair.response_a)
    voted.votes[outcome if same else _FLIPPED.get(outcome, outcome)] += 1
    return True
