"""What the payments mean: findings on the votes, the reward, and length."""

from __future__ import annotations

import numpy as np

from rewardlab.audit.payments import (
    MOSTLY_LENGTH,
    BeyondFeatures,
    LengthAlone,
    Payment,
    Payments,
)
from rewardlab.errors import EstimationError
from rewardlab.rewards.inference import NAMED_AT
from rewardlab.rewards.text_features import title_of
from rewardlab.stats.intervals import FEW_CLUSTERS, Estimate
from rewardlab.types import Figure, Finding, Status

WORTH_A_POINT = 0.01
SMALL_WEIGHT = 0.1
"""Logits per standard deviation of the reward gap; a weight below this is next to nothing."""

UNBOUNDED = 5.0
"""Half-width of an interval, in logits per standard deviation, beyond which nothing is known."""

WORTH_FINDING = 0.5
"""Logits per standard deviation; if only larger payments could be found, none is ruled out."""


def refused(name: str, title: str, error: EstimationError) -> Finding:
    """A fit that the data do not allow, with the reason and the remedy that the fit states."""
    return Finding(
        name,
        Status.CANNOT_SAY,
        title,
        f"The fit was refused: {error}",
        error.remedy or "Collect votes on more prompts.",
    )


def votes_finding(payments: Payments) -> Finding:
    """Which features the votes pay for."""
    name, named = "votes-pay-for", payments.named
    meaning = (
        "In logits of preference per standard deviation of the feature, the other features held; "
        f"chance of naming any feature where none is paid for: at most 5%. {payments.warning}"
    ).strip()
    details = {"features": [row.feature for row in named]}
    if named:
        return Finding(
            name,
            Status.WARN,
            f"The votes pay for {_listed(named)}",
            meaning,
            "A policy trained on these votes will supply more of it, wanted or not. If it is not "
            "wanted, collect pairs that differ in it while quality is equal, or control for it.",
            _figure(named[0], payments.unit),
            details=details,
        )
    detectable = smallest_detectable(payments)
    loosest = max(payments.rows, key=lambda row: row.high - row.low)
    if loosest.high - loosest.low > 2 * UNBOUNDED:
        return Finding(
            name,
            Status.CANNOT_SAY,
            f"{title_of(loosest.feature)} predicts nearly every vote it bears on",
            "Its weight has no bound to speak of, and widens the intervals of the others.",
            f"Add votes that go against it, or test without it (--features, all but "
            f"{loosest.feature}).",
            details=details,
        )
    if payments.n_prompts < FEW_CLUSTERS:
        return Finding(
            name,
            Status.CANNOT_SAY,
            f"{payments.n_prompts} prompts are too few to rule a payment out",
            payments.warning,
            f"Collect votes on at least {FEW_CLUSTERS} prompts.",
            details={**details, "smallest_detectable": detectable},
        )
    if detectable > WORTH_FINDING:
        return Finding(
            name,
            Status.CANNOT_SAY,
            "Too few votes to name what is paid for",
            f"Only a payment above {detectable:.2f} logits would be found 80% of the time.",
            f"Collect votes on about {_prompts_for(payments, detectable):,} prompts to find "
            f"payments of {WORTH_FINDING} logits.",
            details={**details, "smallest_detectable": detectable},
        )
    return Finding(
        name,
        Status.PASS,
        "No text feature is paid for beyond chance",
        f"A payment of {detectable:.2f} logits or more would have been found 80% of the time.",
        "Nothing.",
        details={**details, "smallest_detectable": detectable},
    )


def beyond_features_finding(reward: Payment, n_prompts: int) -> Finding:
    """Does the reward know anything about the votes that no text feature does?

    Args:
        reward: Its weight beside all text features.
        n_prompts: Prompts of the votes.
    """
    if reward.low > 0:
        status, title = Status.PASS, "The reward knows more about the votes than text features do"
        action = "Nothing."
    elif reward.high < SMALL_WEIGHT:
        status, title = Status.WARN, "The reward tells nothing about the votes beyond text features"
        action = (
            "Do not take it for a judge of quality here: what it gets right, length and style get "
            "right too."
        )
    else:
        status = Status.CANNOT_SAY
        title = "Whether the reward knows more than text features cannot be told"
        half = (reward.high - reward.low) / 2
        needed = max(1.1, (half / max(reward.weight, SMALL_WEIGHT) * 2.8 / 1.96) ** 2)
        action = f"Collect votes on about {int(np.ceil(n_prompts * needed)):,} prompts."
    return Finding(
        "reward-beyond-features",
        status,
        title,
        "Its weight in a fit of the votes on the reward and all text features at once.",
        action,
        Figure(reward.weight, reward.low, reward.high, "logits per sd of the reward gap"),
    )


def overpaid_finding(beyond: BeyondFeatures) -> Finding:
    """Which features the reward pays more (or less) for than the votes do."""
    payments = beyond.overpaid
    name, named = "reward-overpays", payments.named
    over = tuple(row for row in named if row.weight > 0)
    under = tuple(row for row in named if row.weight < 0)
    meaning = (
        "Of two responses with equal reward, people prefer the one with less of what the reward "
        "overpays for, and with more of what it underpays for. Logits per standard deviation of "
        f"the feature, the other features held. {payments.warning}"
    ).strip()
    detectable = smallest_detectable(payments)
    details = {
        "over": [r.feature for r in over],
        "under": [r.feature for r in under],
        "smallest_detectable": detectable,
    }
    if named:
        parts = [f"overpays for {_listed(over)}"] if over else []
        parts += [f"underpays for {_listed(under)}"] if under else []
        title, status = f"The reward {' and '.join(parts)}", Status.WARN
        action = (
            "Optimising against this reward buys what it overpays for; penalise it, or retrain on "
            "pairs that differ in it while quality is equal."
            if over
            else "People want more of it than the reward sees; retrain on pairs that differ in it."
        )
        return Finding(
            name, status, title, meaning, action, _figure(named[0], payments.unit), details=details
        )
    title = "What the reward overpays for cannot be told"
    if beyond.reward is not None and beyond.reward.low <= 0:
        meaning = "The reward tells too little about these votes to be set against them."
        action = "Audit it on votes that it predicts; see reward-beyond-features."
        return Finding(name, Status.CANNOT_SAY, title, meaning, action, details=details)
    if detectable > WORTH_FINDING:
        meaning = f"Only a difference above {detectable:.2f} logits would be found 80% of the time."
        action = f"Collect votes on about {_prompts_for(payments, detectable):,} prompts."
        return Finding(name, Status.CANNOT_SAY, title, meaning, action, details=details)
    return Finding(
        name,
        Status.PASS,
        "The reward pays for text features as the votes do",
        f"A difference of {detectable:.2f} logits or more would have been found 80% of the time.",
        "Nothing.",
        details=details,
    )


def length_finding(length: LengthAlone, accuracy: Estimate) -> Finding:
    """Is the reward, whose accuracy is given, better than length, and is it anything else?"""
    gain, share = length.gain, length.share_of_reward
    title = f"{length.rule} reaches {length.accuracy.value:.1%}, the reward {accuracy.value:.1%}"
    if np.isnan(gain.low):
        status, action = Status.CANNOT_SAY, "Add votes on more prompts: one gives no interval."
    elif length.accuracy.low > 0.5 and gain.high < 0 and gain.value < -WORTH_A_POINT:
        status, action = Status.FAIL, "Length is the better reward here: do not use this one."
    elif share >= MOSTLY_LENGTH and accuracy.low > 0.5:
        status = Status.WARN
        action = (
            "The reward is mostly length: compare it with one that controls for length before "
            "optimising against it."
        )
    elif gain.std_error == 0:
        status = Status.CANNOT_SAY
        action = "Give a reward that orders some pairs otherwise than length does."
    elif gain.low > 0 and gain.n_clusters < FEW_CLUSTERS:
        status = Status.WARN
        action = f"Add prompts: on {gain.n_clusters} this is rough; about {FEW_CLUSTERS} would do."
    elif gain.low > 0:
        status, action = Status.PASS, "The reward knows more than length."
    else:
        status = Status.CANNOT_SAY
        action = (
            f"These votes do not tell the reward from length; votes on about "
            f"{_prompts_to_settle(length):,} prompts would settle a gain of this size."
        )
    return Finding(
        "length-alone",
        status,
        title,
        f"Paired by vote over {gain.n_clusters:,} prompts. Words and log words explain {share:.0%} "
        "of the variance of the reward's gaps.",
        action,
        gain.figure("points"),
        details={"share_of_reward": share},
    )


def smallest_detectable(payments: Payments) -> float:
    """The payment that the median feature's test would find with 80% power.

    A test at level .05 / d with 80% power needs an effect of (z + .84) standard errors; the
    interval's half width is about 1.96 of them.
    """
    from scipy.special import ndtri

    half = np.median([(row.high - row.low) / 2 for row in payments.rows])
    quantile = float(ndtri(1 - NAMED_AT / 2 / len(payments.rows)) + ndtri(0.8))
    return float(half / ndtri(0.975) * quantile)


def _prompts_for(payments: Payments, detectable: float) -> int:
    return int(np.ceil(payments.n_prompts * (detectable / WORTH_FINDING) ** 2 * 1.1))


def _prompts_to_settle(length: LengthAlone) -> int:
    size = max(abs(length.gain.value), WORTH_A_POINT)
    times = 7.85 * (length.gain.std_error / size) ** 2
    return int(np.ceil(length.gain.n_clusters * max(1.1, times)))


def _listed(rows: tuple[Payment, ...]) -> str:
    parts = [f"{title_of(row.feature).lower()} ({row.weight:+.2f})" for row in rows]
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _figure(row: Payment, unit: str) -> Figure:
    return Figure(row.weight, row.low, row.high, f"{unit}, {title_of(row.feature).lower()}")
