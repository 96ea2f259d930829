"""Prompts that are missing, or repeated inside the responses."""

from __future__ import annotations

import numpy as np

from rewardlab.preferences.doctor.row_check import Flags, RowCheck
from rewardlab.preferences.doctor.tally import Wording
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.preferences.doctor.view import ChunkView

SHORTEST_ECHO = 20
"""Characters from which a prompt at the start of a response is no coincidence."""

MISSING = Wording(
    name="missing-prompts",
    clean="Every row has a prompt that both responses share",
    found="No prompt that both responses share",
    meaning="Two responses can be compared only as answers to the same prompt. Without one the "
    "reward learns which texts are liked, not which answers are better; where the prompt was cut "
    "from two whole conversations, they begin differently.",
    action="Give the prompt's column (--column prompt=COLUMN), or remove rows whose two "
    "conversations do not begin alike.",
)
ECHO = Wording(
    name="prompt-in-response",
    clean="No response begins with its own prompt",
    found="Responses that begin with the prompt itself",
    meaning="A trainer that joins prompt and response would then show the prompt twice, and it is "
    "not the text that will be scored later.",
    action="Cut the prompt from the responses (or give only whole conversations, without a prompt "
    "column).",
    fails_on="both_sides",
)


def prompt_checks(thresholds: Thresholds) -> list[RowCheck]:
    """The checks of this file."""
    return [RowCheck((MISSING, ECHO), flag_prompts, thresholds)]


def flag_prompts(chunk: ChunkView) -> tuple[Flags, ...]:
    """Rows without a prompt, and rows whose responses repeat it."""
    starts = [prompt.strip() for prompt in chunk.prompt]
    missing = np.array([not start for start in starts], dtype=bool)
    echo_a, echo_b = (
        np.array([_begins(t, start) for t, start in zip(side, starts, strict=True)], dtype=bool)
        for side in (chunk.a, chunk.b)
    )
    return Flags(missing), Flags(echo_a | echo_b, {"both_sides": echo_a & echo_b})


def _begins(response: str, start: str) -> bool:
    """True if the response begins with this start, which is long enough to be no coincidence."""
    return len(start) >= SHORTEST_ECHO and response.lstrip().startswith(start)
