"""Files to take along from the lab: labels as preferences, a run's path as a table."""

from __future__ import annotations

import csv
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rewardlab.errors import InputError
from rewardlab.policies.recording import ENTROPY
from rewardlab.preferences.writing import write_preferences
from rewardlab.types import OptimizationPath
from rewardlab.worlds.lab_votes import Said, Votes, as_preferences


@dataclass(frozen=True, slots=True)
class LabelsFile:
    """Labels in TRL's layout.

    Attributes:
        body: JSON Lines.
        n_left_out: Votes that are not in it.
        reason: Why, in words; "" where nothing is left out.
    """

    body: bytes
    n_left_out: int
    reason: str


def labels_file(votes: Votes) -> LabelsFile:
    """Labels as prompt, chosen and rejected, one a line.

    Raises:
        InputError: There is none with a winner.
    """
    counts = votes.counts()
    if not counts["a"] + counts["b"]:
        raise InputError("there is no label with a winner to export yet: prefer A or B first")
    preferences = as_preferences(votes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lab-labels.jsonl"
        write_preferences(lambda: [preferences], path, layout="trl", ties="leave-out")
        body = path.read_bytes()
    left = {name: counts[key] for key, name in _LEFT_OUT.items() if counts[key]}
    said = ", ".join(f"{n} {name}" for name, n in left.items())
    reason = f"a file of chosen and rejected holds winners only ({said})" if left else ""
    return LabelsFile(body, sum(left.values()), reason)


_LEFT_OUT: dict[Said, str] = {"tie": "tied", "both_bad": "both bad", "skip": "skipped"}


def path_file(path: OptimizationPath) -> bytes:
    """A run's path as CSV, one row a recorded point."""
    features = [name for name in path.tracked if name != ENTROPY]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    names = ("strength", "kl_nats", "sqrt_kl", "proxy_reward", "gold_reward")
    writer.writerow([*names, *features, ENTROPY])
    columns = (
        path.strength,
        path.kl_nats,
        path.kl_nats**0.5,
        path.proxy_reward,
        path.gold_reward,
        *(path.tracked[name] for name in features),
        path.tracked[ENTROPY],
    )
    writer.writerows(zip(*(column.tolist() for column in columns), strict=True))
    return text.getvalue().encode()
