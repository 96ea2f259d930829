"""Small preferences built by hand, and a reader that serves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rewardlab.preferences.doctor import Diagnosis, Thresholds, examine
from rewardlab.preferences.formats import Layout, LeftOut, ReadReport
from rewardlab.types import LABEL_OF_OUTCOME, Outcome, Preferences, Text

_LINE = (
    "apple river stone cloud market window garden letter bridge silver winter music paper engine "
    "forest island candle mirror basket ladder rocket pencil blanket tunnel copper meadow anchor"
)
WORDS = _LINE.split()


@dataclass(frozen=True)
class Given:
    """One row to plant; what is not said is unremarkable."""

    prompt: Text = "prompt"
    a: Text | None = "answer one"
    b: Text | None = "another answer"
    outcome: Outcome = Outcome.A
    annotator: str | None = None
    id: str | None = None
    split: str | None = None
    item_a: str | None = None
    item_b: str | None = None
    margin: float = float("nan")
    prompt_id: str | None = None


def preferences(rows: list[Given], *, sides_recorded: bool = True) -> Preferences:
    """The rows as preferences of a file "f.jsonl", lines counted from 1."""
    outcome = np.array([r.outcome for r in rows], dtype=np.int8)
    return Preferences(
        prompt=[r.prompt for r in rows],
        response_a=[r.a for r in rows],
        response_b=[r.b for r in rows],
        outcome=outcome,
        label=LABEL_OF_OUTCOME[outcome],
        margin=np.array([r.margin for r in rows], dtype=float),
        annotator=[r.annotator for r in rows],
        id=[r.id or str(i) for i, r in enumerate(rows, 1)],
        prompt_id=[r.prompt_id or str(r.prompt) for r in rows],
        split=[r.split for r in rows],
        item_a=[r.item_a for r in rows],
        item_b=[r.item_b for r in rows],
        line=np.arange(1, len(rows) + 1),
        source=["f.jsonl"] * len(rows),
        sides_recorded=sides_recorded,
    )


@dataclass
class Served:
    """A reader with the calls of ``PreferenceReader`` over rows in memory."""

    rows: Preferences
    chunk_rows: int = 7
    left_out: tuple[LeftOut, ...] = ()
    passes: int = field(default=0, init=False)

    def chunks(
        self, *, on_progress: Callable[[float], None] | None = None
    ) -> Iterator[Preferences]:
        self.passes += 1
        n = len(self.rows)
        for start in range(0, n, self.chunk_rows):
            if on_progress is not None:
                on_progress(min(1.0, (start + self.chunk_rows) / n))
            yield self.rows.take(np.arange(start, min(n, start + self.chunk_rows)))

    @property
    def report(self) -> ReadReport:
        n, lost = len(self.rows), sum(x.count for x in self.left_out)
        layout = Layout("native", "preferences", "native", {}, self.rows.sides_recorded)
        return ReadReport(layout, n + lost, n, n, self.left_out, ("Read as native.",))


def diagnose(
    rows: list[Given],
    *,
    sides_recorded: bool = True,
    left_out: tuple[LeftOut, ...] = (),
    chunk_rows: int = 7,
    **limits: Any,
) -> Diagnosis:
    """The diagnosis of hand-made rows."""
    held = preferences(rows, sides_recorded=sides_recorded)
    served = Served(held, chunk_rows=chunk_rows, left_out=left_out)
    return examine(served, thresholds=Thresholds(**limits))


def clean_rows(n: int, *, seed: int, n_annotators: int = 0) -> list[Given]:
    """Random prompts and responses with coin-flip verdicts: nothing is wrong with them."""
    rng = np.random.default_rng(seed)
    n_words = np.column_stack([np.full(n, 8), rng.integers(5, 30, (n, 2))])
    words = [WORDS[i] for i in rng.integers(len(WORDS), size=n_words.sum()).tolist()]
    ends = n_words.cumsum().tolist()
    numbers = rng.integers(10**9, size=3 * n).tolist()
    texts = [
        " ".join(words[start:end]) + f" {number}"
        for start, end, number in zip([0, *ends], ends, numbers, strict=False)
    ]
    rows = [
        Given(prompt=prompt, a=a, b=b, outcome=Outcome(code))
        for prompt, a, b, code in zip(
            texts[::3], texts[1::3], texts[2::3], rng.integers(2, size=n).tolist(), strict=True
        )
    ]
    if n_annotators:
        who = rng.integers(n_annotators, size=n)
        rows = [replace(r, annotator=f"w{w}") for r, w in zip(rows, who, strict=True)]
    return rows
