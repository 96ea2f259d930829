"""What a reward's accuracy means beside how far the voters agree."""

from __future__ import annotations

from rewardlab.audit.ceiling import beside_ceiling, verdict
from rewardlab.audit.vote_agreement import SECOND_VOTES, MeasuredCeiling, VoteAgreement
from rewardlab.stats.intervals import Estimate
from rewardlab.types import Finding, Status


def accuracy_finding(accuracy: Estimate, agreement: VoteAgreement) -> Finding:
    """The verdict on an accuracy that was measured elsewhere, on votes like these.

    Args:
        accuracy: With its own interval; of no width where it is taken as exact.
        agreement: Of the voters.
    """
    ceiling = agreement.ceiling
    if ceiling is None:
        return Finding(
            name="ceiling",
            status=Status.CANNOT_SAY,
            title=f"Whether {accuracy.value:.0%} is much cannot be said",
            meaning="Too few pairs have two votes to tell how good any reward could be.",
            action=SECOND_VOTES,
        )
    status, action = beside_ceiling(accuracy, ceiling.possible)
    if agreement.n_prompts < 2:
        status, action = Status.CANNOT_SAY, "Add prompts: one alone gives no interval."
    return Finding(
        name="ceiling",
        status=status,
        title=verdict(accuracy.value, ceiling.possible),
        meaning=f"{range_words(ceiling)} The accuracy must be on the same kind of votes.",
        action=action,
        figure=accuracy.figure("share of votes") if accuracy.n else None,
    )


def range_words(ceiling: MeasuredCeiling) -> str:
    """The ceiling with its sampling error, and what narrowed it."""
    range_, wide = ceiling.possible, ceiling.from_agreement
    said = (
        f"A perfect reward matches a single vote {range_.low:.1%} to {range_.high:.1%} of the "
        f"time; with sampling error, {range_.outer_low:.1%} to {range_.outer_high:.1%}."
    )
    if range_.n_narrowing:
        return (
            f"{said} Agreement alone would allow {wide.low:.1%} to {wide.high:.1%}; "
            f"{range_.n_narrowing:,} pairs with four or more votes narrow it."
        )
    why = (
        "too few pairs have four votes to narrow it"
        if ceiling.refused is None
        else "these votes cannot narrow it"
    )
    return f"{said} That is what agreement alone allows: {why}."
