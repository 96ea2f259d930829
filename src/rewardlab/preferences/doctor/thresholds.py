"""What the doctor tolerates: every limit of every check, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rewardlab.errors import InputError

ROW_CHECKS = (
    "wrong-types",
    "unusable-rows",
    "identical-sides",
    "same-but-spaces",
    "empty-sides",
    "whitespace-sides",
    "missing-prompts",
    "prompt-in-response",
    "extra-turns",
    "inline-role-markers",
    "repeated-roles",
    "unequal-turns",
    "odd-characters",
    "cut-alike-chars",
    "cut-alike-tokens",
    "duplicates",
    "swapped-twins",
    "contradicting-pairs",
    "self-contradictions",
    "preference-cycles",
    "shared-prompts",
    "shared-pairs",
    "near-duplicate-prompts",
    "negative-margins",
)
"""The checks that count rows (or prompts), so that a share of them can be tolerated."""

_ANY = float("inf")
_RANGES: Mapping[str, tuple[float, float]] = {
    "examples": (0, 1000),
    "truncate_chars": (1, _ANY),
    "truncate_tokens": (1, _ANY),
    "near_duplicate": (0.3, 1),
    "min_prompts": (0, _ANY),
    "too_few_prompts": (0, _ANY),
    "level": (0.5, 0.9999),
    "side_margin": (0, 0.5),
    "length_margin": (0, 0.5),
    "widest_interval": (0.001, 0.5),
    "annotator_alpha": (1e-9, 0.5),
    "one_sided_share": (0.5, 1),
    "few_votes": (0, _ANY),
    "few_votes_share": (0, 1),
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits of the checks.

    Attributes:
        max_share: Check -> tolerated share, in [0, 1], of what it counts; 0 where not named.
        examples: Lines shown a finding.
        truncate_chars: Length at which a trainer would cut, in characters.
        truncate_tokens: The same in whitespace-separated tokens.
        near_duplicate: Jaccard similarity, in (0, 1], from which two prompts are near duplicates.
        min_prompts: Below this many prompts intervals are rough (a warning).
        too_few_prompts: Below this many prompts no interval is honest (a failure).
        level: Confidence level of the intervals on which side and length bias are judged.
        side_margin: Smallest distance of a side's share from 1/2 worth a warning.
        length_margin: The same for the accuracy of picking the longer response.
        widest_interval: An interval with a greater half-width cannot clear a bias.
        annotator_alpha: Chance of any false alarm over all annotators.
        one_sided_share: Share of one side from which an annotator counts as one-sided.
        few_votes: An annotator with fewer votes can hardly be judged.
        few_votes_share: Tolerated share of votes by annotators with few votes.
    """

    max_share: Mapping[str, float] = field(default_factory=dict)
    examples: int = 5
    truncate_chars: int = 4096
    truncate_tokens: int = 1024
    near_duplicate: float = 0.8
    min_prompts: int = 40
    too_few_prompts: int = 10
    level: float = 0.99
    side_margin: float = 0.02
    length_margin: float = 0.05
    widest_interval: float = 0.1
    annotator_alpha: float = 0.01
    one_sided_share: float = 0.9
    few_votes: int = 5
    few_votes_share: float = 0.2

    def __post_init__(self) -> None:
        for name, share in self.max_share.items():
            if name not in ROW_CHECKS:
                known = ", ".join(ROW_CHECKS)
                raise InputError(f"max_share: no check is named {name!r}; known: {known}")
            if not 0 <= share <= 1:
                raise InputError(f"max_share[{name!r}]: expected a share in [0, 1], got {share}")
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise InputError(f"{name}: expected {low:g} to {high:g}, got {value}")
