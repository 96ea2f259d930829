"""What annotation's pages send, as it must look before anything is done with it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from rewardlab.app.annotate.store.access import LONGEST_TOKEN
from rewardlab.app.annotate.store.tables import LONGEST_ANNOTATOR, LONGEST_NAME

MOST_EVENTS, MOST_HELD = 200, 50
LONGEST_REASON = 4_000

EventId = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"^[\w-]+$")]
PairNumber = Annotated[int, Field(ge=0, lt=2**31)]


def _in_utc(moment: datetime) -> datetime:
    """The same moment in UTC: not every database keeps a zone."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("expected a moment within the years 1 to 9999") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
Annotator = Annotated[str, Field(max_length=LONGEST_ANNOTATOR)]


class Strict(BaseModel):
    """Unknown fields are refused: one that is misspelt must not be read as its default."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Entry(Strict):
    """The token of a link that was opened."""

    token: Annotated[str, Field(max_length=LONGEST_TOKEN)]


class LabelEvent(Strict):
    """A pair that was judged; ``outcome`` names the side where it was shown."""

    id: EventId
    kind: Literal["label"]
    pair: PairNumber
    outcome: Literal["left", "right", "tie", "both_bad", "skip"]
    strength: Annotated[int, Field(ge=1, le=3)] | None = None
    reason: Annotated[str, Field(max_length=LONGEST_REASON)] = ""
    duration_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    judged_at: Moment


class UndoEvent(Strict):
    """A label taken back: that with the id ``undone``."""

    id: EventId
    kind: Literal["undo"]
    pair: PairNumber
    undone: EventId
    judged_at: Moment


AnyEvent = LabelEvent | UndoEvent


class Events(Strict):
    """What an annotator did. ``annotator`` is whom the page belongs to: it may not be who asks."""

    annotator: Annotator
    events: Annotated[
        list[Annotated[AnyEvent, Field(discriminator="kind")]],
        Field(min_length=1, max_length=MOST_EVENTS),
    ]


class PairsWanted(Strict):
    """Asks for pairs, so that there are ``n`` with those in ``have``."""

    annotator: Annotator
    n: Annotated[int, Field(ge=1, le=MOST_HELD)] = 10
    have: Annotated[list[PairNumber], Field(max_length=MOST_HELD)] = []
