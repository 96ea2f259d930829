"""verl's prompts for reinforcement learning, which hold no comparisons and are refused."""

from __future__ import annotations

from collections.abc import Sequence

from rewardlab.preferences.conventions.convention import Columns, Convention
from rewardlab.preferences.rows import Row

_REMEDY = (
    "they hold no responses to compare; sample responses to them, have those scored or judged, "
    "and give the samples or the judged pairs instead"
)


def _refuse(row: Row, columns: Columns) -> Sequence[None]:
    raise row.error(columns["reward_model"], _REMEDY)


VERL_PROMPTS = Convention(
    name="verl-prompts",
    kind="refused",
    title="these are verl's prompts for reinforcement learning (data_source, prompt, reward_model)",
    required={
        "data_source": ("data_source",),
        "prompt": ("prompt",),
        "reward_model": ("reward_model",),
    },
    forbidden=("chosen", "rejected", "winner", "response_a"),
    decode=_refuse,
    remedy=_REMEDY,
)
