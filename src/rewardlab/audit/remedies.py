"""What would settle an open question about a curve: more labels of the same samples, or prompts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.labelling import Labelling

_SMALLEST_STEP = 1.25
"""Whatever the estimate says, at least a quarter more is asked for."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """What would settle a verdict.

    Attributes:
        words: A sentence; "" where nothing is needed.
        prompts: About how many prompts in all; None where more of them are not the remedy.
        labels: About how many more labels of samples that there are; None likewise.
    """

    words: str
    prompts: int | None = None
    labels: int | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A change of gold that should be told from zero.

    Attributes:
        what: "show a change of ...", for the sentence.
        n_from: Where the change starts.
        n_to: Where it ends.
        std_error: Its standard error now.
        reach: The change that would be found with 80% power now, over the one that is wanted.
    """

    what: str
    n_from: int
    n_to: int
    std_error: float
    reach: float


def settle(wanted: Wanted, n_prompts: int, labels: Labelling | None, *, otherwise: str) -> Remedy:
    """Labels of the samples that there are if these can settle it, else prompts.

    Args:
        wanted: What should be found.
        n_prompts: Prompts there are.
        labels: The labels, where only chosen samples have one.
        otherwise: Another way out, for the sentence.
    """
    factor = max(wanted.reach**2, _SMALLEST_STEP)
    if labels is None:
        needed = _rounded_up(n_prompts * factor)
        words = f"About {needed:,} prompts instead of {n_prompts:,} would {wanted.what}"
        return Remedy(f"{words}; or {otherwise}.", prompts=needed)
    now = wanted.std_error**2
    target, rest = now / factor, labels.variance_with_all(wanted.n_from, wanted.n_to, now)
    if rest is None:
        # How much prompts differ shows once they have several labels: half is left for that.
        rest = target / 2
    more = labels.more_labels(target - rest, wanted.n_from, wanted.n_to)
    if more is not None:
        more = min(_rounded_up(more), labels.unlabelled)
        words = (
            f"Labels for about {more:,} more of these samples would {wanted.what} (choose them "
            f"with --choose {more})"
        )
        return Remedy(f"{words}; or {otherwise}.", labels=more)
    needed = _rounded_up(n_prompts * max(rest / target, _SMALLEST_STEP))
    words = (
        f"Labels for the other {labels.unlabelled:,} of these samples are not enough: about "
        f"{needed:,} prompts instead of {n_prompts:,}, all labelled, would {wanted.what}"
    )
    return Remedy(f"{words}; or {otherwise}.", prompts=needed, labels=labels.unlabelled)


def _rounded_up(needed: float) -> int:
    """To two digits."""
    unit = 10 ** max(0, int(np.floor(np.log10(needed))) - 1)
    return int(np.ceil(needed / unit) * unit)
