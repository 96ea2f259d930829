"""A file's own labels: what the user says of them, and whether that says all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rewardlab.errors import FormatError, InputError
from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.conventions.native import OUTCOME_OF_WORD
from rewardlab.preferences.conventions.vote_lists import VOTES, labels_in
from rewardlab.preferences.recognition import Layout
from rewardlab.preferences.rows import Row, kind_of, spellings, with_known
from rewardlab.types import Outcome

MAX_SHOWN = 8
"""Labels without a meaning that are listed."""

_MAX_COUNTED = 10_000


def meanings(labels: Mapping[str, str]) -> dict[str, Outcome]:
    """Label -> outcome, from label -> word.

    Raises:
        InputError: A word is no outcome.
    """
    for label, word in labels.items():
        if word not in OUTCOME_OF_WORD:
            raise InputError(
                f"--labels {label}={word}: expected an outcome, one of {', '.join(OUTCOME_OF_WORD)}"
            )
    return {label: OUTCOME_OF_WORD[word] for label, word in labels.items()}


def with_labels(
    source: str, convention: Convention, layout: Layout, labels: Mapping[str, str]
) -> Layout:
    """The layout, with what the user says of its labels in the sentence.

    Raises:
        FormatError: The convention has no column of labels.
    """
    if not convention.verdict:
        raise FormatError(f"{source}: --labels: {convention.title} has no column of labels")
    said = ", ".join(f"{label} = {word}" for label, word in labels.items())
    column = layout.columns[convention.verdict]
    return replace(layout, sentence=f"{layout.sentence}; {column} {said}")


def require_meanings(
    rows: Iterable[tuple[Row, Columns]], convention: Convention, labels: Mapping[str, str]
) -> None:
    """Refuse labels that nobody gives a meaning: votes for one side alone would be read.

    Values that are no labels (null, blank, objects) are left to the reading of their rows.

    Args:
        rows: All rows that are kept, each with its file's columns.
        convention: What they follow; it has a column of labels.
        labels: Label -> word of an outcome.

    Raises:
        FormatError: A label occurs that has no meaning.
    """
    unsaid: Counter[str] = Counter()
    where = ""
    for row, columns in rows:
        column = columns[convention.verdict]
        meaning = with_known(row.labels or {}, convention.words(row, columns))
        values = labels_in(row, column) if convention is VOTES else [row.get(column)]
        for value in values:
            known = spellings(value)
            if not known or kind_of(value) == "blank" or value != value:
                continue
            if not any(spelling in meaning for spelling in known):
                where = where or f"{row.source}, line {row.line}: {column}"
                if known[0] in unsaid or len(unsaid) < _MAX_COUNTED:
                    unsaid[known[0]] += 1
    if not unsaid:
        return
    shown = ", ".join(f"{label} ({n:,})" for label, n in unsaid.most_common(MAX_SHOWN))
    given = ",".join(f"{label}={word}" for label, word in labels.items())
    first = unsaid.most_common(1)[0][0]
    raise FormatError(
        f"{where} holds labels of which --labels says nothing: "
        f"{shown}{', ...' if len(unsaid) > MAX_SHOWN else ''}; add what each means, "
        f"--labels {given},{first}=OUTCOME (one of {', '.join(OUTCOME_OF_WORD)})"
    )
