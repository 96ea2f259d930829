"""Losses of preference data against the rewards' difference, each with its analytic gradient.

A *link* turns D, the reward of the better response less that of the other, into -log P(this vote)
with its slope. The links differ by the noise that a rater is thought to have: Gumbel noise on each
response gives the logistic link (Bradley-Terry), Gaussian noise the probit (Thurstone).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from rewardlab.errors import InputError
from rewardlab.rewards.row_terms import row_terms
from rewardlab.types import FloatArray, Outcome

LLAMA2_MARGINS = {
    "small": (1.0, 2 / 3, 1 / 3, 0.0),
    "large": (3.0, 2.0, 1.0, 0.0),
}
"""Margins for significantly better, better, slightly better, negligibly better or unsure.

Source: Touvron et al. (2023), appendix A.3, arXiv:2307.09288.
"""


Outcomes = NDArray[np.integer[Any]]
"""Codes of ``Outcome``."""


@dataclass(frozen=True, slots=True)
class LossTerms:
    """A loss and its gradient.

    Attributes:
        loss: In nats; shape [n] for pairs, [...] for rankings.
        gradient: d loss / d D of each pair, shape [n]; or d loss / d reward of each response of a
            ranking, shape [..., k].
    """

    loss: FloatArray
    gradient: FloatArray


Link = Callable[[FloatArray], LossTerms]
"""D of shape [n] to -log P(the better one wins | D) and its slope."""


def logistic(delta: FloatArray) -> LossTerms:
    """-log sigma(D), the Bradley-Terry loss; a ``Link``, for D of any shape.

    Source: Bradley and Terry (1952).
    """
    at = row_terms(delta, np.ones_like(delta))
    return LossTerms(at.loss, -at.score)


def probit(sigma: float = 1.0) -> Link:
    """-log Phi(D / (sqrt(2) sigma)), for Gaussian noise of deviation sigma on each response.

    Raises:
        InputError: sigma is not positive.

    Source: Thurstone (1927), case V.
    """
    if not sigma > 0:
        raise InputError(f"sigma: expected a positive number, got {sigma}")
    scale = np.sqrt(2) * sigma

    def link(delta: FloatArray) -> LossTerms:
        z = delta / scale
        # phi/Phi through the scaled erfc: both underflow for very negative z, their ratio does not.
        hazard = np.sqrt(2 / np.pi) / scipy.special.erfcx(-z / np.sqrt(2))
        return LossTerms(-scipy.special.log_ndtr(z), -hazard / scale)

    return link


def noise_floor(eps: float, link: Link = logistic) -> Link:
    """-log(eps/2 + (1 - eps) P(D)): a share eps of votes is a coin, so none is impossible.

    Args:
        eps: In [0, 1).
        link: What the other votes follow.

    Raises:
        InputError: eps is outside its range.

    Source: Christiano et al. (2017), section 2.2.3, arXiv:1706.03741, with eps = .1.
    """
    if not 0 <= eps < 1:
        raise InputError(f"eps: expected a number in [0, 1), got {eps}")
    if eps == 0:
        return link

    def floored(delta: FloatArray) -> LossTerms:
        at = link(delta)
        plain = np.exp(-at.loss)
        p = eps / 2 + (1 - eps) * plain
        return LossTerms(-np.log(p), (1 - eps) * plain * at.gradient / p)

    return floored


def pair_loss(
    delta: FloatArray,
    *,
    label: FloatArray | float = 1.0,
    margin: FloatArray | float = 0.0,
    link: Link = logistic,
) -> LossTerms:
    """y l(D - m) + (1 - y) l(-D - m) for each pair, l being the link's loss.

    Args:
        delta: Shape [n]; reward of a less reward of b.
        label: y in [0, 1], the probability that a is better: 1/2 for a tie, soft labels as given.
        margin: m >= 0; by how much the winner must be ahead before the loss relaxes.
        link: What a vote follows.

    Raises:
        InputError: A label or margin is outside its range or of another shape, or D not finite.

    Source: the margin is equation 2 of Touvron et al. (2023), arXiv:2307.09288.
    """
    _check_finite(delta)
    y, m = np.asarray(label, dtype=float), np.asarray(margin, dtype=float)
    for name, value in (("label", y), ("margin", m)):
        if value.shape not in ((), delta.shape):
            raise InputError(f"{name}: expected a number or {delta.shape}, got {value.shape}")
    if not bool(np.all((y >= 0) & (y <= 1))):
        raise InputError("label: expected probabilities in [0, 1]")
    if not bool(np.all((m >= 0) & np.isfinite(m))):
        raise InputError("margin: expected finite numbers >= 0")
    won, lost = link(delta - m), link(-delta - m)
    return LossTerms(y * won.loss + (1 - y) * lost.loss, y * won.gradient - (1 - y) * lost.gradient)


def davidson(delta: FloatArray, outcome: Outcomes, *, nu: float) -> LossTerms:
    """Ties by Davidson: weights of a, b and a tie are exp(D/2), exp(-D/2) and nu.

    Equal responses tie with chance nu / (2 + nu); nu = 0 is Bradley-Terry.

    Args:
        delta: Shape [n]; reward of a less reward of b.
        outcome: Shape [n]; ``Outcome.A``, ``B`` or ``TIE``.
        nu: >= 0.

    Raises:
        InputError: nu is not a finite number >= 0, or 0 with a tie among the outcomes; an outcome
            is none of these; shapes disagree or D is not finite.

    Source: Davidson (1970), JASA 65, 317-328.
    """
    _check_ties(delta, outcome, nu, "nu")
    with np.errstate(divide="ignore"):
        tie = np.full_like(delta, np.log(nu))
    scores = np.stack([delta / 2, -delta / 2, tie])
    log_total = scipy.special.logsumexp(scores, axis=0)
    p_a, p_b, _ = np.exp(scores - log_total)
    chosen = np.take_along_axis(scores, outcome[None].astype(np.intp), axis=0)[0]
    side = np.select([outcome == Outcome.A, outcome == Outcome.B], [0.5, -0.5], 0.0)
    return LossTerms(log_total - chosen, (p_a - p_b) / 2 - side)


def rao_kupper(delta: FloatArray, outcome: Outcomes, *, threshold: float) -> LossTerms:
    """Ties by Rao and Kupper: a wins with chance sigma(D - t), b with sigma(-D - t).

    The rater sees no difference below the threshold t = log theta; a win's loss is therefore that
    of a margin t, and ties take what is left.

    Args:
        delta: Shape [n]; reward of a less reward of b.
        outcome: Shape [n]; ``Outcome.A``, ``B`` or ``TIE``.
        threshold: t >= 0, in logits.

    Raises:
        InputError: As ``davidson``.

    Source: Rao and Kupper (1967), JASA 62, 194-204, with theta = exp(t).
    """
    _check_ties(delta, outcome, threshold, "threshold")
    up, down = logistic(delta - threshold), logistic(-delta - threshold)
    # 1 - sigma(D - t) - sigma(-D - t) = (exp(2t) - 1) sigma(D - t) sigma(-D - t).
    with np.errstate(divide="ignore"):
        gain = 2 * threshold + np.log(-np.expm1(-2 * threshold))
    tie = up.loss + down.loss - gain
    tie_slope = up.gradient - down.gradient
    is_a, is_b = outcome == Outcome.A, outcome == Outcome.B
    return LossTerms(
        np.select([is_a, is_b], [up.loss, down.loss], tie),
        np.select([is_a, is_b], [up.gradient, -down.gradient], tie_slope),
    )


def _check_finite(delta: FloatArray) -> None:
    if not np.isfinite(delta).all():
        raise InputError("delta: expected finite numbers")


def _check_ties(delta: FloatArray, outcome: Outcomes, value: float, name: str) -> None:
    _check_finite(delta)
    if outcome.shape != delta.shape:
        raise InputError(f"outcome: expected shape {delta.shape}, got {outcome.shape}")
    if not 0 <= value < np.inf:
        raise InputError(f"{name}: expected a finite number >= 0, got {value}")
    if not np.isin(outcome, (Outcome.A, Outcome.B, Outcome.TIE)).all():
        raise InputError("outcome: expected A, B or TIE")
    if value == 0 and bool(np.any(outcome == Outcome.TIE)):
        raise InputError(f"{name}: 0 makes ties impossible, but there is one")


def plackett_luce(rewards: FloatArray, *, n_placed: int | None = None) -> LossTerms:
    """-log P of a ranking: each place is drawn by softmax among those not yet placed.

    A partial ranking names the first places only; all others are known to rank below, in any order.

    Args:
        rewards: Shape [..., k], best-ranked response first; k >= 2. After the first ``n_placed``
            the order says nothing.
        n_placed: Places that were ranked, 1 to k; all if not given.

    Returns:
        Loss of shape [...], gradient of shape [..., k].

    Raises:
        InputError: The rewards are not finite or fewer than two, or the places out of range.

    Source: Luce (1959); Plackett (1975). Two responses give ``logistic``; one place of k is the
    cross-entropy of a choice.
    """
    k = _ranked(rewards)
    if n_placed is not None and not 1 <= n_placed <= k:
        raise InputError(f"n_placed: expected a number from 1 to {k}, got {n_placed}")
    n_drawn = min(k - 1, n_placed or k)  # the last of all is placed by the others
    log_rest = np.logaddexp.accumulate(rewards[..., ::-1], axis=-1)[..., ::-1][..., :n_drawn]
    # Chance of each response (last axis) at each place drawn; 0 once it is placed.
    gaps = rewards[..., None, :] - log_rest[..., None]
    unplaced = np.arange(k) >= np.arange(n_drawn)[:, None]
    chances = np.exp(np.where(unplaced, gaps, -np.inf))
    gradient = chances.sum(axis=-2)
    gradient[..., :n_drawn] -= 1
    return LossTerms(np.asarray((log_rest - rewards[..., :n_drawn]).sum(axis=-1)), gradient)


def all_pairs(rewards: FloatArray) -> LossTerms:
    """Mean of the Bradley-Terry loss over the k (k - 1) / 2 pairs of a ranking.

    Args:
        rewards: Shape [..., k], best-ranked response first; k >= 2.

    Returns:
        Loss of shape [...], gradient of shape [..., k].

    Source: Ouyang et al. (2022), equation 1, arXiv:2203.02155.
    """
    k = _ranked(rewards)
    better, worse = np.triu_indices(k, 1)
    at = logistic(rewards[..., better] - rewards[..., worse])
    signs = np.eye(k)[better] - np.eye(k)[worse]
    return LossTerms(np.asarray(at.loss.mean(axis=-1)), at.gradient @ signs / len(better))


def _ranked(rewards: FloatArray) -> int:
    """The number of ranked responses."""
    if rewards.ndim < 1 or rewards.shape[-1] < 2 or not np.isfinite(rewards).all():
        raise InputError(f"rewards: expected [..., k] finite numbers, k >= 2, got {rewards.shape}")
    return int(rewards.shape[-1])
