"""Pairs that people are to judge, gathered: each once, and what cannot be judged counted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rewardlab.errors import InputError
from rewardlab.preferences.assembly import digest
from rewardlab.preferences.entries import sort_key
from rewardlab.preferences.tallies import LeftOut, Tally
from rewardlab.types import Outcome, Text, as_text

Kind = Literal["pairs", "responses", "samples"]

MOST_PAIRS = 200_000

LONGEST_TEXT = 100_000
"""Characters of a text that somebody can be asked to read."""

LINE = "rewardlab.line"
"""Extra column: line of the sample that ``rewardlab curve --choose`` asked for."""

PROBABILITY = "rewardlab.probability"
"""Extra column: with what probability it was asked for."""

_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class PairToJudge:
    """Two responses to a prompt.

    Attributes:
        id: The pair's, no other pair's of the same reading.
        prompt_id: The prompt's.
        prompt: What was asked; "" where the file has none.
        response_a: One response.
        response_b: The other.
        item_a: Who wrote it, or None.
        item_b: Likewise.
        known: What the file itself says of the pair, where it says one thing; else None.
        extra: The file's other columns, as values that JSON has.
    """

    id: str
    prompt_id: str
    prompt: Text
    response_a: Text
    response_b: Text
    item_a: str | None = None
    item_b: str | None = None
    known: Outcome | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToJudge:
    """What a file holds to be judged.

    Attributes:
        source: Name of the file, as given.
        kind: What its rows are: pairs, prompts with several responses, or single samples.
        pairs: The pairs, at least one.
        chosen: Whether the pairs are samples that ``rewardlab curve --choose`` asked for, each
            against another sample of its prompt (the extra columns ``LINE`` and ``PROBABILITY``).
        settled: Lines of samples asked for that need no judge, since the response that was drawn
            for them reads the same: their gold is a tie.
        n_rows: Rows in the file.
        n_votes: Votes in the file; annotators do not see them.
        left_out: What is not among the pairs, by reason, with the lines.
        sentence: How the file was read.
    """

    source: str
    kind: Kind
    pairs: tuple[PairToJudge, ...]
    chosen: bool
    settled: tuple[int, ...]
    n_rows: int
    n_votes: int
    left_out: tuple[LeftOut, ...]
    sentence: str


class PairPool:
    """Gathers the pairs of a file.

    Args:
        path: The file.
        most: Pairs that it may give.
        tally: Counts its rows, and what is left out.
    """

    def __init__(self, path: Path, most: int, tally: Tally) -> None:
        self.path, self._most, self.tally = path, most, tally
        self._pairs: list[PairToJudge] = []
        self._seen: set[str] = set()
        self._ids: set[str] = set()

    def add(
        self, pair: PairToJudge, line: int, *, blank: bool = False, repeated: bool = False
    ) -> bool:
        """Add a pair; one that nobody can judge, or that is there already, is counted instead.

        Args:
            pair: The pair; another id is made where it is another pair's.
            line: Where it stands.
            blank: Whether a response may be blank.
            repeated: Whether the same pair may be there already.

        Raises:
            InputError: There are more pairs than may be.
        """
        reason = unfit(pair.response_a, pair.response_b, pair.prompt, blank=blank)
        key = pair_key(pair.prompt, pair.response_a, pair.response_b)
        if not reason and key in self._seen and not repeated:
            reason = "the same pair once more"
        if reason:
            self.tally.leave_out(reason, str(self.path), line)
            return False
        if len(self._pairs) >= self._most:
            raise InputError(
                f"{self.path}: expected at most {self._most:,} pairs to judge, got more; give "
                "fewer rows, or fewer pairs a prompt"
            )
        self._seen.add(key)
        self._pairs.append(_stored(pair, self._own_id(pair.id, line)))
        return True

    def finish(
        self,
        kind: Kind,
        sentence: str,
        *,
        chosen: bool = False,
        settled: tuple[int, ...] = (),
        n_rows: int | None = None,
        n_votes: int = 0,
        left_out: tuple[LeftOut, ...] = (),
    ) -> ToJudge:
        """What was gathered; for the arguments see ``ToJudge``.

        Args:
            kind: What the rows are.
            sentence: How the file was read.
            chosen: Whether samples were asked for.
            settled: Lines that need no judge.
            n_rows: Rows of the file, where the tally did not count them.
            n_votes: Votes of the file.
            left_out: Rows left out before they came here.

        Raises:
            InputError: That is nothing.
        """
        n_rows = self.tally.n_rows if n_rows is None else n_rows
        left_out = (*left_out, *self.tally.left_out())
        if not self._pairs:
            said = "; ".join(f"{x.count:,}: {x.reason} ({x.examples[0]})" for x in left_out)
            raise InputError(
                f"{self.path}: no pair is left to judge of {n_rows:,} rows"
                + (f"; left out {said}" if said else "")
            )
        return ToJudge(
            source=str(self.path),
            kind=kind,
            pairs=tuple(self._pairs),
            chosen=chosen,
            settled=settled,
            n_rows=n_rows,
            n_votes=n_votes,
            left_out=left_out,
            sentence=sentence,
        )

    def _own_id(self, wanted: str, line: int) -> str:
        own, n = wanted, 1
        while own in self._ids:
            own, n = f"{wanted}@{line}" + (f".{n}" if n > 1 else ""), n + 1
        self._ids.add(own)
        return own


def pair_key(prompt: Text, a: Text, b: Text) -> str:
    """The same for both orders of a pair's responses."""
    return digest(prompt, *sorted((sort_key(a), sort_key(b))))


def unfit(a: Text, b: Text, prompt: Text = "", *, blank: bool = False) -> str:
    """Why nobody can judge these two responses; "" where somebody can."""
    if not blank and (is_blank(a) or is_blank(b)):
        return "a response is blank"
    if sort_key(a) == sort_key(b):
        return "both responses are the same"
    texts = [as_text(text) for text in (prompt, a, b)]
    if any(len(text) > LONGEST_TEXT for text in texts):
        return f"a text is longer than {LONGEST_TEXT:,} characters"
    if not all(_is_unicode(text) for text in texts):
        return "a text holds half a character (a lone surrogate)"
    return ""


def is_blank(text: Text) -> bool:
    """Whether there is nothing to read."""
    return not as_text(text).strip()


def storable(value: Any) -> Any:
    """The value as JSON has it; what JSON does not have, as text."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or (isinstance(value, int) and -_LARGEST <= value < _LARGEST):
        return value
    if isinstance(value, Mapping):
        return {storable(str(name)): storable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return str(value).encode("utf-8", "backslashreplace").decode()


def _stored(pair: PairToJudge, id_: str) -> PairToJudge:
    return PairToJudge(
        id=storable(id_),
        prompt_id=storable(pair.prompt_id),
        prompt=storable(pair.prompt),
        response_a=storable(pair.response_a),
        response_b=storable(pair.response_b),
        item_a=storable(pair.item_a),
        item_b=storable(pair.item_b),
        known=pair.known,
        extra=storable(pair.extra),
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
