"""Learning from pairs without a reward model: DPO, its smoothed labels, and IPO, exactly.

All three see a policy only through each pair's margin m = h(first) - h(second), where
h = log(pi / ref). DPO's loss is -log sigma(beta m), so that beta h is the reward it implies;
IPO's is (m - 1/(2 tau))^2. Over a softmax the normaliser cancels in m, and the gradient moves the
two answers' logits by as much in opposite directions.

What each converges to, on pairs that hold every two answers with labels P(first is better):

- DPO: if the labels are Bradley-Terry with reward r, ref exp(r / beta) / Z (``gibbs``).
- DPO with smoothed labels: no closed form; the policy whose implied reward wins, answer by answer,
  as often as the smoothed labels say. On one pair beta m stops at log((1 - epsilon) / epsilon).
- IPO: ref exp(w / tau) / Z, where w is an answer's mean chance to win (``ipo_target``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_numbers, check_positive
from rewardlab.policies.closed_form import gibbs
from rewardlab.policies.pairs import Pairs
from rewardlab.policies.recording import Optimised, record
from rewardlab.types import FloatArray, RewardFn
from rewardlab.worlds.answer_set import AnswerSet, normalised

CHOSEN, REJECTED = "chosen_logprob", "rejected_logprob"
"""Names under which a path tracks the mean log-probability of chosen and rejected answers."""
LOSS = "loss"
"""Name under which a path tracks the loss."""


@dataclass(frozen=True, slots=True)
class PairLoss:
    """A loss of margins.

    Attributes:
        name: Such as "dpo".
        strength: beta of DPO or tau of IPO: how dearly a margin is paid for.
        terms: (margin [k], label [k]) to losses [k] and their derivatives in the margin [k].
        curvature: The largest second derivative in the margin.
    """

    name: str
    strength: float
    terms: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
    curvature: float


def dpo(beta: float) -> PairLoss:
    """-y log sigma(beta m) - (1 - y) log sigma(-beta m), with label y.

    Raises:
        InputError: ``beta`` is not positive.

    Source: Rafailov et al. (2023), arXiv:2305.18290, equation 7.
    """
    check_positive("beta", beta)

    def terms(margin: FloatArray, label: FloatArray) -> tuple[FloatArray, FloatArray]:
        wrong = np.logaddexp(0.0, -beta * margin)
        loss = wrong + (1 - label) * beta * margin
        return loss, beta * (np.exp(-wrong) - label)

    return PairLoss("dpo", beta, terms, beta**2 / 4)


def ipo(tau: float) -> PairLoss:
    """y (m - c)^2 + (1 - y) (m + c)^2, with label y and c = 1 / (2 tau).

    Raises:
        InputError: ``tau`` is not positive.

    Source: Azar et al. (2023), arXiv:2310.12036, equation 17, for labels of 0 and 1.
    """
    check_positive("tau", tau)
    c = 1 / (2 * tau)

    def terms(margin: FloatArray, label: FloatArray) -> tuple[FloatArray, FloatArray]:
        aim = c * (2 * label - 1)
        return margin**2 - 2 * aim * margin + c**2, 2 * (margin - aim)

    return PairLoss("ipo", tau, terms, 2.0)


def implied_reward(logprobs: FloatArray, ref_logprobs: FloatArray, beta: float) -> FloatArray:
    """beta log(pi / ref), of shape [n]: the reward, up to a constant, that a policy is best for."""
    return beta * (logprobs - ref_logprobs)


def loss_and_gradient(
    logits: FloatArray, ref_logprobs: FloatArray, pairs: Pairs, loss: PairLoss
) -> tuple[float, FloatArray]:
    """The mean loss and its gradient in the logits.

    Args:
        logits: Shape [n]; of the policy, up to a constant.
        ref_logprobs: Shape [n].
        pairs: What is learned from.
        loss: Such as ``dpo(beta=0.1)``.

    Returns:
        The loss, and its gradient of shape [n], which sums to 0.

    Raises:
        InputError: The pairs are of another number of answers.
    """
    if not logits.shape == ref_logprobs.shape == (pairs.n_answers,):
        raise InputError(
            f"pairs: expected pairs of {len(ref_logprobs)} answers, got {pairs.n_answers}"
        )
    h = logits - ref_logprobs
    losses, slopes = loss.terms(h[pairs.first_idx] - h[pairs.second_idx], pairs.label)
    pull = pairs.weight * slopes
    return float(pairs.weight @ losses), pairs.summed(pull, -pull)


def ipo_target(
    ref_logprobs: FloatArray, probs: FloatArray, reward: FloatArray, tau: float
) -> FloatArray:
    """IPO's optimum ref exp(w / tau) / Z as log-probabilities of shape [n].

    w_i is the mean over b, drawn from ``probs``, of P(i is better than b). The loss is a least
    squares fit of h_i - h_j to (p_ij - 1/2) / tau, whose normal equations give h = w / tau.

    Args:
        ref_logprobs: Shape [n].
        probs: Shape [n]; what both answers of a pair are drawn from.
        reward: Shape [n], of the Bradley-Terry labels.
        tau: > 0.

    Raises:
        InputError: ``tau`` is not positive, shapes disagree, or a number is not finite.

    Source: Azar et al. (2023), arXiv:2310.12036: the optimum of their PsiPO with the identity.
    """
    check_numbers("reward", reward, ref_logprobs.shape)
    check_numbers("probs", probs, ref_logprobs.shape)
    wins = special.expit(reward[:, None] - reward) @ probs
    check_positive("tau", tau)
    return gibbs(ref_logprobs, wins, tau)


def learn_from_pairs(
    answers: AnswerSet,
    pairs: Pairs,
    loss: PairLoss,
    *,
    reward: RewardFn | FloatArray,
    n_steps: int,
    step_size: float = 1.0,
) -> Optimised:
    """The path of gradient steps from the reference policy, which is its first point.

    An answer's step is divided by twice the share of pairs that it is in and by the loss's
    curvature, which bounds the Hessian (a graph Laplacian): rare answers move as fast as frequent
    ones, and steps of size 1 or less never raise the loss.

    Args:
        answers: The world.
        pairs: What is learned from.
        loss: Such as ``dpo(beta=0.1)``.
        reward: Recorded as the proxy; not learned from.
        n_steps: How many, >= 0.
        step_size: In (0, 1].

    Raises:
        InputError: An argument is outside its range.
    """
    if n_steps < 0 or not 0 < step_size <= 1:
        raise InputError(
            "learn_from_pairs: expected n_steps >= 0 and step_size in (0, 1], got "
            f"{n_steps} and {step_size:g}"
        )
    policies = list(_steps(answers.ref_logprobs, pairs, loss, n_steps, step_size))
    result = record(
        answers,
        reward,
        policies,
        strength=np.arange(n_steps + 1, dtype=np.float64),
        method=loss.name,
        settings={"strength": loss.strength, "n_steps": n_steps, "step_size": step_size},
    )
    tracked = {**result.path.tracked, **_fit(answers.ref_logprobs, policies, pairs, loss)}
    return replace(result, path=replace(result.path, tracked=tracked))


def _steps(
    ref_logprobs: FloatArray, pairs: Pairs, loss: PairLoss, n_steps: int, step_size: float
) -> Iterator[FloatArray]:
    share = pairs.summed(pairs.weight, pairs.weight)
    # An answer in no pair has a gradient of zero and keeps its logit.
    pace = step_size / (2 * loss.curvature * np.where(share > 0, share, 1.0))
    logprobs = ref_logprobs
    yield logprobs
    for _ in range(n_steps):
        logprobs = normalised(
            logprobs - pace * loss_and_gradient(logprobs, ref_logprobs, pairs, loss)[1]
        )
        yield logprobs


def _fit(
    ref_logprobs: FloatArray, policies: list[FloatArray], pairs: Pairs, loss: PairLoss
) -> dict[str, FloatArray]:
    """The loss and the mean log-probabilities of chosen and rejected answers at each policy."""
    chosen, rejected = pairs.chosen_share, pairs.rejected_share
    return {
        CHOSEN: np.array([chosen @ logprobs for logprobs in policies]),
        REJECTED: np.array([rejected @ logprobs for logprobs in policies]),
        LOSS: np.array([loss_and_gradient(p, ref_logprobs, pairs, loss)[0] for p in policies]),
    }
