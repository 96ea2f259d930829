"""How many prompts there are, and how often they return."""

from __future__ import annotations

import numpy as np

from rewardlab.counting import counted
from rewardlab.preferences.doctor.ledger import Ledger
from rewardlab.preferences.doctor.tally import cannot_say, percent
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.types import Finding, Status

_ENOUGH = "enough-prompts"
_REPEATED = "repeated-prompts"
_ENOUGH_MEANING = (
    "Votes on one prompt go together, so intervals count prompts, not votes. Below about 40 they "
    "are rough, below 10 they mean little, and nothing can be said of other prompts."
)
_REPEATED_MEANING = (
    "Rows that share a prompt are not independent, and must stay together when the file is split."
)
_REMEDY = (
    "Give the column of the prompts or their ids (--column prompt=COLUMN or prompt_id=COLUMN)."
)


def check_prompt_counts(ledger: Ledger, thresholds: Thresholds) -> list[Finding]:
    """Whether there are enough prompts, and how many return."""
    columns = ledger.columns
    prompts, first_at, votes = np.unique(columns.prompt_id, return_index=True, return_counts=True)
    pairs = np.unique(columns.pair)
    if not columns.has_prompt.any() and len(prompts) in (1, len(pairs)):
        return [
            cannot_say(
                _ENOUGH,
                "Prompts are not known, so each pair counts as its own",
                _ENOUGH_MEANING,
                _REMEDY,
            ),
            cannot_say(_REPEATED, "Prompts are not known", _REPEATED_MEANING, _REMEDY),
        ]
    return [_enough(len(prompts), thresholds), _repeated(ledger, first_at, votes, thresholds)]


def _enough(n: int, thresholds: Thresholds) -> Finding:
    prompts = counted(n, "prompt")
    status, title, action = Status.PASS, prompts, "Nothing to do."
    if n < thresholds.min_prompts:
        status = Status.WARN
        title = f"{prompts}: intervals will be rough (fewer than {thresholds.min_prompts})"
        action = "Add prompts rather than votes; read every interval as a lower bound of its width."
    if n < thresholds.too_few_prompts:
        status = Status.FAIL
        title = f"{prompts}: too few for an honest interval (fewer than "
        title += f"{thresholds.too_few_prompts})"
        action = "Add prompts before drawing conclusions; more votes on these will not do."
    return Finding(_ENOUGH, status, title, _ENOUGH_MEANING, action)


def _repeated(
    ledger: Ledger,
    first_at: np.ndarray[tuple[int], np.dtype[np.int64]],
    votes: np.ndarray[tuple[int], np.dtype[np.int64]],
    thresholds: Thresholds,
) -> Finding:
    columns = ledger.columns
    # A prompt returns if different pairs share it; several votes on one pair do not make it so.
    by_prompt = np.unique(np.stack([columns.prompt_id, columns.pair]), axis=1)[0]
    n_pairs = np.unique(by_prompt, return_counts=True)[1]
    again = n_pairs > 1
    count = int(again.sum())
    title = "Every pair has a prompt of its own"
    if count:
        share = percent(count / len(n_pairs))
        title = f"Prompts with more than one pair: {count:,} of {len(n_pairs):,} ({share})"
    details = {
        "prompts": len(n_pairs),
        "pairs": int(n_pairs.sum()),
        "most_pairs": int(n_pairs.max()),
        "most_votes": int(votes.max()),
    }
    action = "Keep the rows of one prompt in one split." if count else "Nothing to do."
    return Finding(
        _REPEATED,
        Status.PASS,
        title,
        _REPEATED_MEANING,
        action,
        count=count,
        total=len(n_pairs),
        examples=ledger.places(np.sort(first_at[again]), thresholds.examples),
        details=details,
    )
