"""The likelihood behind annotators' flip rates: margins integrated out, derivatives exact.

Pair p has a margin m_p = scale (v . d_p + z_p) in logits with z_p standard normal, and annotator k
says a with chance e_k + (1 - 2 e_k) sigma(m_p). Everything here is at a given scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from rewardlab.types import BoolArray, FloatArray, IntArray

STEP, REACH = 0.25, 5.5
NODES: FloatArray = np.arange(-REACH, REACH + STEP / 2, STEP)
"""Equal steps over the standard normal. sigma(scale z) has poles at i pi / scale, so the error is
of order exp(-2 pi^2 / (scale step)): 5e-5 at the largest scale used, 8. Gauss-Hermite would need
more than twice as many nodes there."""

FARTHEST = 600.0
"""Margins beyond, in logits, are as sure as this one; exp of them would overflow."""

BLOCK_VOTES = 360
"""Votes that are looked at together, so that their chances at all nodes stay at hand."""

_LOG_NODE_WEIGHT = -(NODES**2) / 2 - np.log(np.exp(-(NODES**2) / 2).sum())

_ALL = np.ones(len(NODES))
"""Sums over nodes, as a product of matrices, which is quickest."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some pairs and their votes: n on P pairs.

    Attributes:
        pair: Shape [n], int64, rising; 0..P-1.
        first: Shape [P]; where each pair's votes begin.
        annotator: Shape [n], int64 codes 0..K-1.
        for_a: Shape [n].
        weight: Shape [P], > 0; how many pairs each stands for.
        features: Shape [P, d].
        side: Shape [n]; 1 for a, -1 for b.
        sums: Shape [P, n]; sums over the votes of each pair.
    """

    pair: IntArray
    first: IntArray
    annotator: IntArray
    for_a: BoolArray
    weight: FloatArray
    features: FloatArray
    side: FloatArray = field(init=False)
    sums: sparse.csr_array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "side", np.where(self.for_a, 1.0, -1.0))
        object.__setattr__(self, "sums", self.sums_of(np.ones(len(self.pair))))

    def sums_of(self, factor: FloatArray) -> sparse.csr_array:
        """Shape [P, n]; sums over the votes of each pair, each vote times its factor."""
        n = len(self.pair)
        return sparse.csr_array(
            (factor, np.arange(n), np.append(self.first, n)), shape=(len(self.first), n)
        )


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
        blocks: The same pairs and votes, some after the other.
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
    blocks: tuple[Block, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "blocks", tuple(_blocks(self)))

    @property
    def n_annotators(self) -> int:
        """K."""
        return len(self.n_right)


@dataclass(frozen=True, slots=True)
class Votes:
    """What the margins of a block may be, and what each vote says of them.

    Attributes:
        win: Shape [P, Q], or [1, Q] without features; sigma(m_p) at the nodes.
        loss: Of the same shape; 1 - sigma(m_p).
        agrees: Shape [n, Q]; chance of the vote from someone who never flips.
        chance: Shape [n, Q]; chance of the vote.
        log_evidence: Shape [P]; log likelihood of each pair.
        posterior: Shape [P, Q]; of each pair's z at the nodes.
        cavity: Shape [n, Q]; posterior / chance, which is that of the other votes up to a factor.
        inverse: Shape [n]; the cavity's sum over nodes.
        agreeing: Shape [n]; sum over nodes of cavity times agrees.
    """

    win: FloatArray
    loss: FloatArray
    agrees: FloatArray
    chance: FloatArray
    log_evidence: FloatArray
    posterior: FloatArray
    cavity: FloatArray
    inverse: FloatArray
    agreeing: FloatArray

    @property
    def by_flip(self) -> FloatArray:
        """Shape [n]; derivative of the pair's log likelihood by the flip rate, for one vote."""
        return self.inverse - 2 * self.agreeing


@dataclass(frozen=True, slots=True)
class At:
    """The model at one scale, flip rates e and weights v.

    Attributes:
        log_likelihood: Of votes and known answers, without the penalty.
        objective: The same less the penalty.
        gradient: Shape [K + d]; of the objective by (e, v).
        information: Shape [K + d, K + d]; from the scores of the pairs, plus known answers and
            penalty.
        chance_a: Shape [P]; E[sigma(m_p)] given the votes.
        left_out: Shape [n]; chance that someone who never flips says what vote i says, given the
            other votes on its pair.
    """

    log_likelihood: float
    objective: float
    gradient: FloatArray
    information: FloatArray
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
    log_likelihood, gradient = _of_known(data, flip, v)
    information = known_information(data, flip)
    chance_a, left_out = [], []
    for block in data.blocks:
        votes = votes_at(block, flip, v, scale=scale)
        log_likelihood += float(block.weight @ votes.log_evidence)
        scores = _scores(block, votes, flip, scale)
        gradient += block.weight @ scores
        information += (scores * block.weight[:, None]).T @ scores
        chance_a.append(np.sum(votes.posterior * votes.win, axis=1))
        left_out.append(np.clip(votes.agreeing / votes.inverse, 0.0, 1.0))
    return At(
        log_likelihood=log_likelihood,
        objective=log_likelihood - data.l2 / 2 * float(v @ v),
        gradient=gradient,
        information=information,
        chance_a=np.concatenate(chance_a),
        left_out=np.concatenate(left_out),
    )


def objective_at(
    data: FlipData, flip: FloatArray, v: FloatArray, *, scale: float
) -> tuple[float, FloatArray]:
    """``At.objective`` and ``At.gradient`` alone; arguments as for ``model_at``."""
    k = len(flip)
    log_likelihood, gradient = _of_known(data, flip, v)
    for block in data.blocks:
        votes = votes_at(block, flip, v, scale=scale)
        log_likelihood += float(block.weight @ votes.log_evidence)
        weighted = votes.by_flip * block.weight[block.pair]
        gradient[:k] += np.bincount(block.annotator, weights=weighted, minlength=k)
        if len(v):
            by_margin = _by_margin(block, votes, flip, scale)
            gradient[k:] += (by_margin * block.weight) @ block.features
    return log_likelihood - data.l2 / 2 * float(v @ v), gradient


def votes_at(block: Block, flip: FloatArray, v: FloatArray, *, scale: float) -> Votes:
    """Chances and posteriors at the nodes; ``flip``, ``v`` and ``scale`` as for ``model_at``."""
    ahead = block.features @ v if len(v) else np.zeros(1)
    # sigma(m) = 1 / (1 + exp(-m)), where exp(-m) needs an exp a pair and one a node.
    odds = np.exp(np.clip(-scale * ahead, -FARTHEST, FARTHEST))[:, None] * np.exp(-scale * NODES)
    win = 1 / (1 + odds)
    loss = odds * win
    row = np.where(block.for_a, 0, len(win))
    if len(v):
        row += block.pair
    agrees = np.concatenate([win, loss]).take(row, axis=0)
    e = flip[block.annotator][:, None]
    chance = (1 - 2 * e) * agrees
    chance += e
    joint: FloatArray = block.sums @ np.log(chance)
    joint += _LOG_NODE_WEIGHT
    peak = joint.max(axis=1, keepdims=True)
    joint -= peak
    posterior = np.exp(joint, out=joint)
    total = posterior @ _ALL
    posterior /= total[:, None]
    cavity = posterior.take(block.pair, axis=0)
    cavity /= chance
    return Votes(
        win=win,
        loss=loss,
        agrees=agrees,
        chance=chance,
        log_evidence=np.log(total) + peak[:, 0],
        posterior=posterior,
        cavity=cavity,
        inverse=cavity @ _ALL,
        agreeing=np.einsum("nq,nq->n", cavity, agrees),
    )


def known_information(data: FlipData, flip: FloatArray) -> FloatArray:
    """Shape [K + d, K + d]; what known answers and the penalty add to the information."""
    of_known = data.n_wrong / flip**2 + data.n_right / (1 - flip) ** 2
    return np.diag(np.append(of_known, np.full(data.features.shape[1], data.l2)))


def _of_known(data: FlipData, flip: FloatArray, v: FloatArray) -> tuple[float, FloatArray]:
    """Log likelihood of known answers, and the gradient of that and the penalty."""
    log_likelihood = data.n_right @ np.log1p(-flip) + data.n_wrong @ np.log(flip)
    of_flip = data.n_wrong / flip - data.n_right / (1 - flip)
    return float(log_likelihood), np.concatenate([of_flip, -data.l2 * v])


def _by_margin(block: Block, votes: Votes, flip: FloatArray, scale: float) -> FloatArray:
    """Shape [P]; derivative of each pair's log likelihood by v . d_p."""
    slope = (votes.win * votes.loss).take(block.pair, axis=0)
    each = np.einsum("nq,nq->n", votes.cavity, slope)
    each *= scale * (1 - 2 * flip[block.annotator]) * block.side
    return np.add.reduceat(each, block.first)


def _scores(block: Block, votes: Votes, flip: FloatArray, scale: float) -> FloatArray:
    """Shape [P, K + d]: derivatives of each pair's log likelihood by flip rates and v."""
    n_pairs, k = len(block.first), len(flip)
    cell = block.pair * k + block.annotator
    of_flip = np.bincount(cell, weights=votes.by_flip, minlength=n_pairs * k).reshape(n_pairs, k)
    d = block.features.shape[1]
    by_margin = _by_margin(block, votes, flip, scale) if d else np.zeros(n_pairs)
    return np.hstack([of_flip, by_margin[:, None] * block.features])


def _blocks(data: FlipData) -> Iterator[Block]:
    """Whole pairs with about ``BLOCK_VOTES`` votes, one pair at the least."""
    ends = np.append(data.first[1:], len(data.pair))
    p = 0
    while p < len(ends):
        begins = data.first[p]
        end = max(p + 1, int(np.searchsorted(ends, begins + BLOCK_VOTES, side="right")))
        pairs, votes = slice(p, end), slice(begins, ends[end - 1])
        yield Block(
            pair=data.pair[votes] - p,
            first=data.first[pairs] - begins,
            annotator=data.annotator[votes],
            for_a=data.for_a[votes],
            weight=data.weight[pairs],
            features=data.features[pairs],
        )
        p = end
