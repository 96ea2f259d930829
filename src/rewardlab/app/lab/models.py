"""What the lab's page sends, as it must look before anything is done with it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rewardlab.app.lab.store import LONGEST_ID
from rewardlab.experiments.lab_policies import RunMethod, RunSettings
from rewardlab.systems.controls import LARGEST_SEED
from rewardlab.systems.lab_methods import checked_run
from rewardlab.worlds.lab import features
from rewardlab.worlds.lab_prompts import PROMPTS
from rewardlab.worlds.lab_raters import Rater
from rewardlab.worlds.lab_votes import Said

N_ANSWERS = len(features())
MOST_PAIRS, MOST_EVENTS, MOST_DRAWN = 20, 200, 2_000

Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Position = Annotated[int, Field(ge=0, lt=N_ANSWERS)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Subject = Annotated[str, Field(pattern=f"^({'|'.join(PROMPTS)})$")]
EventId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID, pattern=r"^[\w-]+$")]
Visitor = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


class Strict(BaseModel):
    """Unknown fields are refused: one that is misspelt must not be read as its default."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Run(Strict):
    """Names a run, and so a policy; see ``RunSettings``.

    ``revision`` takes the labels after so many of the visitor's events; ``prompt`` is whose answers
    are shown.
    """

    method: RunMethod
    beta: Number = 0.0
    step_size: Number = 0.05
    n_steps: int = 400
    n_max: int = 4096
    seed: Seed = 0
    stop: int | None = None
    revision: Annotated[int, Field(ge=0)] | None = None
    prompt: Subject = "coding"

    def settings(self) -> RunSettings:
        """The settings, within the ranges of the method's controls.

        Raises:
            InputError: One is outside.
        """
        given = self.model_dump(exclude={"revision", "prompt"})
        return checked_run(RunSettings(**given))


class PairsWanted(Strict):
    """Asks for pairs number ``start`` to ``start + n - 1`` of a stream."""

    prompt: Subject
    seed: Seed
    start: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
    n: Annotated[int, Field(ge=1, le=MOST_PAIRS)]
    writer: Literal["reference", "policy"] = "reference"
    run: Run | None = None


class LabelEvent(Strict):
    """A pair that the visitor judged."""

    id: EventId
    kind: Literal["label"]
    prompt: Subject
    a: Position
    b: Position
    outcome: Said


class AutoEvent(Strict):
    """A batch for a rater to judge."""

    id: EventId
    kind: Literal["auto"]
    prompt: Subject
    rater: Rater
    thumbs_weight: Share = 0.0
    n: Annotated[int, Field(ge=1, le=MOST_DRAWN)]
    seed: Seed
    writer: Literal["reference", "policy"] = "reference"
    run: Run | None = None


class UndoEvent(Strict):
    """Takes back the last action still standing."""

    id: EventId
    kind: Literal["undo"]


class ClearEvent(Strict):
    """Puts all labels away."""

    id: EventId
    kind: Literal["clear"]


AnyEvent = Annotated[LabelEvent | AutoEvent | UndoEvent | ClearEvent, Field(discriminator="kind")]


class Events(Strict):
    """Several events in the order in which they happened."""

    events: Annotated[list[AnyEvent], Field(max_length=MOST_EVENTS)]


class SweepWanted(Strict):
    """Asks for a sweep over beta; of the run only the labels matter."""

    run: Run | None = None
