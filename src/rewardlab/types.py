"""The contracts that stages share: what flows from files to fits, curves, audits and reports.

Everything here is a frozen dataclass or a protocol. Stages import these and nothing of each
other's insides. ``n`` is the number of rows (comparisons or samples) throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum, StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

Message = dict[str, Any]
"""One turn of a conversation: ``role`` and ``content``, with whatever other keys came along."""

Text = str | list[Message]
"""A prompt or a response: plain text, or a list of messages kept as it came."""


def as_text(value: Text | None) -> str:
    """Plain text of a prompt or response: contents joined by blank lines, None as ""."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "\n\n".join(str(message.get("content") or "") for message in value)


class Outcome(IntEnum):
    """What a rater said of a pair."""

    A = 0
    B = 1
    TIE = 2
    BOTH_BAD = 3


LABEL_OF_OUTCOME: FloatArray = np.array([1.0, 0.0, 0.5, 0.5])
"""P(a is better) that each ``Outcome`` stands for when a file gives no soft label."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """Comparisons of two responses to one prompt; one row a vote.

    Attributes:
        prompt: Length n; "" where the file has none.
        response_a: Length n; None where the file names items but holds no text.
        response_b: Length n; likewise.
        outcome: Shape [n], int8 codes of ``Outcome``.
        label: Shape [n], probability in [0, 1] that a is better; .5 for ties and both bad.
        margin: Shape [n], strength of the preference for the winner, in the file's own units,
            >= 0 as a rule; NaN where absent.
        annotator: Length n; None where absent.
        id: Length n; the pair's id, shared by the votes on one pair. Where a file has none, the
            line number as text.
        prompt_id: Length n; what is resampled together. The file's prompt id, or else a digest
            of the prompt.
        split: Length n; "train", "test" or what the file says; None where absent.
        item_a: Length n; who wrote response a (a model's name), None where absent.
        item_b: Length n; likewise.
        line: Shape [n], int64, 1-based line (JSONL, CSV) or row (Parquet, Arrow) in ``source``.
        source: Length n; name of the file each row came from, as given.
        sides_recorded: True if "a" is the side that was shown first (or left); False if it is
            only the column of the winner, so that side bias cannot be computed.
        extra: The file's other columns, name -> list of length n, kept as they came.
    """

    prompt: list[Text]
    response_a: list[Text | None]
    response_b: list[Text | None]
    outcome: NDArray[np.int8]
    label: FloatArray
    margin: FloatArray
    annotator: list[str | None]
    id: list[str]
    prompt_id: list[str]
    split: list[str | None]
    item_a: list[str | None]
    item_b: list[str | None]
    line: IntArray
    source: list[str]
    sides_recorded: bool
    extra: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.prompt)
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name in ("sides_recorded", "extra"):
                continue
            if len(value) != n:
                raise InputError(f"Preferences.{f.name}: expected length {n}, got {len(value)}")
        for name, column in self.extra.items():
            if len(column) != n:
                raise InputError(f"extra[{name!r}]: expected length {n}, got {len(column)}")
        if n and not bool(np.all((self.label >= 0) & (self.label <= 1))):
            raise InputError("Preferences.label: expected probabilities in [0, 1]")

    def __len__(self) -> int:
        return len(self.prompt)

    @property
    def has_texts(self) -> bool:
        """True if every row holds both responses' texts."""
        return all(
            a is not None and b is not None
            for a, b in zip(self.response_a, self.response_b, strict=True)
        )

    def location(self, i: int) -> str:
        """Where row ``i`` stands, as "FILE:LINE"."""
        return f"{self.source[i]}:{self.line[i]}"

    def take(self, idx: Sequence[int] | IntArray | BoolArray) -> Preferences:
        """The rows at ``idx`` (positions, or a mask of shape [n]), in that order."""
        array = np.asarray(idx)
        positions = np.flatnonzero(array) if array.dtype == bool else array.astype(np.int64)
        picked: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                picked[f.name] = value[positions]
            elif isinstance(value, list):
                picked[f.name] = [value[i] for i in positions]
        picked["extra"] = {k: [v[i] for i in positions] for k, v in self.extra.items()}
        return replace(self, **picked)


def concat(chunks: Sequence[Preferences]) -> Preferences:
    """The rows of all chunks in order; a column that only some chunks have is None elsewhere.

    Raises:
        InputError: There is no chunk, or only some of them recorded sides.
    """
    if not chunks:
        raise InputError("concat: expected at least one chunk of preferences, got none")
    if len({chunk.sides_recorded for chunk in chunks}) > 1:
        raise InputError("concat: some chunks recorded sides and some did not; read them apart")
    joined: dict[str, Any] = {}
    for f in fields(Preferences):
        values = [getattr(chunk, f.name) for chunk in chunks]
        if isinstance(values[0], np.ndarray):
            joined[f.name] = np.concatenate(values)
        elif isinstance(values[0], list):
            joined[f.name] = [item for value in values for item in value]
    names = dict.fromkeys(name for chunk in chunks for name in chunk.extra)
    joined["extra"] = {
        name: [item for c in chunks for item in c.extra.get(name, [None] * len(c))]
        for name in names
    }
    return Preferences(sides_recorded=chunks[0].sides_recorded, **joined)


class RewardFn(Protocol):
    """Any callable that scores responses.

    ``(prompts, responses, **columns) -> float64 [batch]``, higher is better. Columns carry ground
    truth, tests or rubrics, each of length batch. NaN means "no reward" and is counted by the
    caller, never read as 0.
    """

    def __call__(
        self, prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Sequence[Any]
    ) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class ScoredSamples:
    """Several samples a prompt, each with proxy rewards and, where known, gold.

    Attributes:
        prompt_id: Length n; the prompt of each sample.
        sample: Length n; the sample's name within its prompt, as text.
        proxy: Name -> shape [n]; the rewards to optimise; finite.
        gold: Shape [n]; the real goal (a score, or 1/0 for win/loss); NaN where unknown.
        probability: Shape [n], in (0, 1]; with what probability this sample's gold was asked for.
            1 where gold was asked for everywhere.
        line: Shape [n], int64, 1-based line in ``source``.
        source: Name of the file, as given.
    """

    prompt_id: list[str]
    sample: list[str]
    proxy: dict[str, FloatArray]
    gold: FloatArray
    probability: FloatArray
    line: IntArray
    source: str

    def __post_init__(self) -> None:
        n = len(self.prompt_id)
        columns: dict[str, Sequence[Any] | NDArray[Any]] = {
            "sample": self.sample,
            "gold": self.gold,
            "probability": self.probability,
            "line": self.line,
            **{f"proxy[{k!r}]": v for k, v in self.proxy.items()},
        }
        for name, value in columns.items():
            if len(value) != n:
                raise InputError(f"ScoredSamples.{name}: expected length {n}, got {len(value)}")
        if not self.proxy:
            raise InputError("ScoredSamples.proxy: expected at least one proxy column, got none")

    def __len__(self) -> int:
        return len(self.prompt_id)


@dataclass(frozen=True, slots=True)
class OptimizationPath:
    """What happened along an optimisation against a proxy reward, point by point.

    Attributes:
        method: Name of the method, such as "best_of_n".
        strength: Shape [k]; step, n or 1 / beta.
        kl_nats: Shape [k]; KL from the reference policy, in nats, >= 0.
        proxy_reward: Shape [k].
        gold_reward: Shape [k]; NaN where unknown.
        tracked: Name -> shape [k]; the mean of each tracked feature.
        settings: What produced the path (and its seed).
    """

    method: str
    strength: FloatArray
    kl_nats: FloatArray
    proxy_reward: FloatArray
    gold_reward: FloatArray
    tracked: Mapping[str, FloatArray] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


class Status(StrEnum):
    """What a check found. There is no "skipped": a check that could not run *cannot say*."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    CANNOT_SAY = "cannot say"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its interval.

    Attributes:
        value: The estimate.
        low: Lower end of the interval; NaN where there is none.
        high: Upper end; NaN where there is none.
        unit: Such as "share", "logit", "nats"; "" for a bare number.
        level: Confidence level of the interval.
        method: How the interval was made, in a few words.
    """

    value: float
    low: float = float("nan")
    high: float = float("nan")
    unit: str = ""
    level: float = 0.95
    method: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One checked claim, with its figure, what it means and what to do.

    Attributes:
        name: Stable slug, such as "identical-sides".
        status: pass, warn, fail or cannot say.
        title: A short sentence with the main figure in it.
        meaning: Why it matters, in plain words.
        action: What to do; for "cannot say", what is missing (the remedy).
        figure: The number behind the status, if there is one.
        count: How many rows (or what ``counted`` says) are affected.
        total: Out of how many.
        examples: Where to look: "FILE:LINE", or short texts.
        details: Further figures by name, JSON-ready.
        counted: What ``count`` counts.
    """

    name: str
    status: Status
    title: str
    meaning: str
    action: str
    figure: Figure | None = None
    count: int | None = None
    total: int | None = None
    examples: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    counted: str = "rows"

    @property
    def share(self) -> float | None:
        """Affected over all, in [0, 1]; None if nothing is counted."""
        if self.count is None or not self.total:
            return None
        return self.count / self.total
