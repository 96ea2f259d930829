"""What annotation is about, as plain data: projects, pairs, labels, and who may do what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from rewardlab.app.annotate.store.tables import LONGEST_ANNOTATOR, LONGEST_NAME
from rewardlab.errors import InputError
from rewardlab.types import Text

Kind = Literal["pair", "repeat", "known"]
Role = Literal["annotator", "admin"]
Verdict = Literal["a", "b", "tie", "both_bad", "skip"]

STRENGTHS = ("slightly", "clearly", "much")
"""What strengths 1, 2 and 3 mean: how much better the preferred side is."""

LEASE_S = 1_800
"""How long a pair that was fetched stays with whoever fetched it, since they were last heard of."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_ANNOTATOR = re.compile(r"[\w.@+-][\w.@+ -]*")


@dataclass(frozen=True, slots=True)
class Content:
    """A pair's texts and where they came from. Annotators see the texts alone.

    Attributes:
        id: The pair's id in its file, or made from its place there.
        prompt_id: The prompt's.
        prompt: What was asked.
        response_a: One response.
        response_b: The other.
        item_a: Who wrote it (a model's name), or None.
        item_b: Likewise.
        extra: The file's other columns, kept for the export.
    """

    id: str
    prompt_id: str
    prompt: Text
    response_a: Text
    response_b: Text
    item_a: str | None = None
    item_b: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of a project; see ``tables.PAIRS``."""

    pair: int
    kind: Kind
    content: Content
    of: int | None = None
    known: str | None = None
    place: float = 0.0


@dataclass(frozen=True, slots=True)
class Project:
    """A project.

    Attributes:
        project: Its name.
        made_at: When it was made.
        guidelines: What annotators are asked to do, in Markdown; "" for none.
        overlap: How many people judge each pair.
        lease_s: See ``LEASE_S``.
        known_every: About every so many pairs, one with a known answer is asked; 0 for never.
        seed: Of the sides.
        about: Where its pairs came from.
    """

    project: str
    made_at: datetime
    guidelines: str
    overlap: int
    lease_s: int
    known_every: int
    seed: int
    about: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks.

    Attributes:
        project: The only project that they may see.
        role: What they may do there.
        annotator: Under which name they judge; "" for an admin.
        link: Which link let them in; "" in a lab that is open.
    """

    project: str
    role: Role
    annotator: str
    link: str


@dataclass(frozen=True, slots=True)
class Label:
    """One line of the record; see ``tables.LABELS``."""

    number: int
    annotator: str
    id: str
    pair: int
    did: Literal["label", "undo"]
    outcome: Verdict | None
    flipped: bool
    strength: int | None
    reason: str
    duration_s: float | None
    undone: str | None
    judged_at: datetime
    stored_at: datetime


@dataclass(frozen=True, slots=True)
class Assigned:
    """A pair that an annotator has: what to show, and which response first."""

    pair: int
    content: Content
    flipped: bool


def is_name(name: str) -> bool:
    """True if a project may go by this name."""
    return len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None


def checked_name(name: str) -> str:
    """A project's name, which stands in addresses.

    Raises:
        InputError: It is none.
    """
    if not is_name(name):
        raise InputError(
            f"project: expected a name of small letters, digits and hyphens, at most "
            f"{LONGEST_NAME} long, such as 'helpfulness-2', got {name[:60]!r}"
        )
    return name


def checked_annotator(name: str) -> str:
    """The name under which somebody judges.

    Raises:
        InputError: It is none.
    """
    if len(name) > LONGEST_ANNOTATOR or not _ANNOTATOR.fullmatch(name) or name != name.strip():
        raise InputError(
            f"annotator: expected a name of letters, digits, blanks and any of _.@+-, at most "
            f"{LONGEST_ANNOTATOR} long, got {name[:80]!r}"
        )
    return name
