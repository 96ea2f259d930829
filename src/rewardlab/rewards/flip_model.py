"""The likelihood behind annotators' flip rates: margins integrated out, derivatives exact.

Pair p has a margin m_p = scale (v . d_p + z_p) in logits with z_p standard normal, and annotator k
says a with chance e_k + (1 - 2 e_k) sigma(m_p). Everything here is at a given scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from rewardlab.types import BoolArray, FloatArray, IntArray

STEP, REACH = 0.25, 5.5
NODES: FloatArray = np.arange(-REACH, REACH + STEP / 2, STEP)
"""Equal steps over the standard normal. sigma(scale z) has poles at i pi / scale, so the error is
of order exp(-2 pi^2 / (scale step)): 5e-5 at the largest scale used, 8. Gauss-Hermite would need
more than twice as many nodes there."""

DIFFERENCE = 1e-4
"""Step by which second derivatives are taken."""

_LOG_NODE_WEIGHT = -(NODES**2) / 2 - np.log(np.exp(-(NODES**2) / 2).sum())


@dataclass(frozen=True, slots=True)
class FlipData:
    """Votes, those of one pair together. n votes on P pairs by K annotators.

    Attributes:
        pair: Shape [n], int64, rising; 0..P-1, each with a vote.
        first: Shape [P]; where each pair's votes begin.
        annotator: Shape [n], int64 codes 0..K-1.
        for_a: Shape [n].
        weight: Shape [P], > 0; how many pairs each stands for.
        features: Shape [P, d].
        n_right: Shape [K]; answers that are right beyond doubt.
        n_wrong: Shape [K]; answers that are wrong beyond doubt.
        l2: Penalty l2 / 2 |v|^2.
    """

    pair: IntArray
    first: IntArray
    annotator: IntArray
    for_a: BoolArray
    weight: FloatArray
    features: FloatArray
    n_right: FloatArray
    n_wrong: FloatArray
    l2: float

    @property
    def n_annotators(self) -> int:
        """K."""
        return len(self.n_right)


@dataclass(frozen=True, slots=True)
class At:
    """The model at one scale, flip rates e and weights v.

    Attributes:
        log_likelihood: Of votes and known answers, without the penalty.
        objective: The same less the penalty.
        gradient: Shape [K + d]; of the objective by (e, v).
        information: Shape [K + d, K + d]; from the scores of the pairs, plus known answers and
            penalty.
        posterior: Shape [P, Q]; of each pair's z at the nodes.
        chance_a: Shape [P]; E[sigma(m_p)] given the votes.
        left_out: Shape [n]; chance that someone who never flips says what vote i says, given the
            other votes on its pair.
    """

    log_likelihood: float
    objective: float
    gradient: FloatArray
    information: FloatArray
    posterior: FloatArray
    chance_a: FloatArray
    left_out: FloatArray


def model_at(data: FlipData, flip: FloatArray, v: FloatArray, *, scale: float) -> At:
    """Likelihood, derivatives and posteriors.

    Args:
        data: Votes.
        flip: Shape [K], strictly between 0 and 1.
        v: Shape [d]; weights of the features, in units of the scale.
        scale: Logits, > 0.
    """
    margin = scale * ((data.features @ v)[:, None] + NODES)
    side = np.where(data.for_a, 1.0, -1.0)[:, None]
    agrees = expit(side * margin[data.pair])  # of someone who never flips; shape [n, Q]
    e = flip[data.annotator][:, None]
    chance = e + (1 - 2 * e) * agrees
    joint = np.add.reduceat(np.log(chance), data.first, axis=0) + _LOG_NODE_WEIGHT
    peak = joint.max(axis=1, keepdims=True)
    posterior = np.exp(joint - peak)
    total = posterior.sum(axis=1, keepdims=True)
    posterior /= total
    known = float(data.n_right @ np.log1p(-flip) + data.n_wrong @ np.log(flip))
    log_likelihood = float(data.weight @ (np.log(total) + peak)[:, 0]) + known
    cavity = posterior[data.pair] / chance  # of the other votes, up to a factor
    inverse, agreeing = cavity.sum(axis=1), (cavity * agrees).sum(axis=1)
    slope = cavity * (1 - 2 * e) * side * scale * agrees * (1 - agrees)
    scores = _scores(data, inverse - 2 * agreeing, slope.sum(axis=1))
    gradient = data.weight @ scores
    information = (scores * data.weight[:, None]).T @ scores
    k = data.n_annotators
    gradient[:k] += data.n_wrong / flip - data.n_right / (1 - flip)
    gradient[k:] -= data.l2 * v
    information[np.arange(k), np.arange(k)] += (
        data.n_wrong / flip**2 + data.n_right / (1 - flip) ** 2
    )
    information[np.arange(k, len(gradient)), np.arange(k, len(gradient))] += data.l2
    return At(
        log_likelihood=log_likelihood,
        objective=log_likelihood - data.l2 / 2 * float(v @ v),
        gradient=gradient,
        information=information,
        posterior=posterior,
        chance_a=(posterior * expit(margin)).sum(axis=1),
        left_out=np.clip(agreeing / inverse, 0.0, 1.0),
    )


def observed_information(
    data: FlipData, flip: FloatArray, v: FloatArray, *, scale: float
) -> FloatArray:
    """Shape [K + d, K + d]: minus the second derivatives, by differences of the gradient.

    Args:
        data: Votes.
        flip: Shape [K], strictly between 0 and 1.
        v: Shape [d].
        scale: Logits, > 0.
    """
    k, x = len(flip), np.concatenate([flip, v])
    columns = []
    for j in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[j] += DIFFERENCE
        behind[j] -= DIFFERENCE
        if j < k:  # one-sided beside 0 and 1
            ahead[j], behind[j] = min(ahead[j], (1 + x[j]) / 2), max(behind[j], x[j] / 2)
        rise = (
            model_at(data, ahead[:k], ahead[k:], scale=scale).gradient
            - model_at(data, behind[:k], behind[k:], scale=scale).gradient
        )
        columns.append(-rise / (ahead[j] - behind[j]))
    matrix = np.column_stack(columns)
    return np.asarray((matrix + matrix.T) / 2)


def _scores(data: FlipData, by_flip: FloatArray, by_margin: FloatArray) -> FloatArray:
    """Shape [P, K + d]: derivatives of each pair's log likelihood by flip rates and v."""
    n_pairs, k = len(data.first), data.n_annotators
    cell = data.pair * k + data.annotator
    of_flip = np.bincount(cell, weights=by_flip, minlength=n_pairs * k).reshape(n_pairs, k)
    of_margin = np.add.reduceat(by_margin, data.first)
    return np.hstack([of_flip, of_margin[:, None] * data.features])
