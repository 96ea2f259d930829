"""Minus the second derivatives of the likelihood behind flip rates, exact."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rewardlab.rewards.flip_model import Block, FlipData, Votes, known_information, votes_at
from rewardlab.types import FloatArray, IntArray


def observed_information(
    data: FlipData, flip: FloatArray, v: FloatArray, *, scale: float
) -> FloatArray:
    """Shape [K + d, K + d]: minus the second derivatives of the objective.

    With l_p(z) the log chance of pair p's votes at z, those of its log likelihood are
    E[l_p'' + l_p' l_p'^T] - E[l_p'] E[l_p']^T over the posterior of z. A vote's chance is linear
    in the flip rate, so that its own part of l'' + l' l'^T is 0.

    Args:
        data: Votes.
        flip: Shape [K], strictly between 0 and 1.
        v: Shape [d].
        scale: Logits, > 0.
    """
    second = np.zeros((len(flip) + len(v),) * 2)
    for block in data.blocks:
        second += _of_block(block, flip, v, scale)
    return known_information(data, flip) - second


def _of_block(block: Block, flip: FloatArray, v: FloatArray, scale: float) -> FloatArray:
    """Shape [K + d, K + d]; second derivatives of the log likelihood of some pairs."""
    votes = votes_at(block, flip, v, scale=scale)
    k, d, x = len(flip), len(v), block.features
    by_flip = (1 - 2 * votes.agrees) / votes.chance
    second = np.zeros((k + d, k + d))
    second[:k, :k] = _of_flips(block, votes, by_flip, k)
    if d:
        honest = 1 - 2 * flip[block.annotator]
        with_flip, of_margin = _of_margins(block, votes, by_flip, honest, scale)
        entries = (with_flip * block.weight[block.pair], (block.annotator, block.pair))
        second[:k, k:] = sparse.csr_array(entries, shape=(k, len(x))) @ x
        second[k:, :k] = second[:k, k:].T
        second[k:, k:] = (x * (block.weight * of_margin)[:, None]).T @ x
    return second


def _of_flips(block: Block, votes: Votes, by_flip: FloatArray, k: int) -> FloatArray:
    """Shape [K, K]; second derivatives by flip rates."""
    weight = block.weight
    cells, place = np.unique(block.pair * k + block.annotator, return_inverse=True)
    pair, who = cells // k, cells % k
    # An annotator's votes on one pair have one derivative.
    n = len(place)
    by_rate = sparse.csr_array((np.ones(n), (place, np.arange(n))), (len(cells), n)) @ by_flip
    weighted = votes.posterior[pair] * weight[pair][:, None] * by_rate
    mean = weighted.sum(axis=1)
    one, other = _couples(pair)
    shared = np.einsum("cq,cq->c", weighted[one], by_rate[other])
    shared -= mean[one] * mean[other] / weight[pair[one]]
    found = np.bincount(who[one] * k + who[other], shared, minlength=k * k).reshape(k, k)
    own = np.einsum("cq,cq->c", weighted, by_rate) - mean**2 / weight[pair]
    each = np.einsum("nq,nq->n", votes.posterior[block.pair], by_flip**2) * weight[block.pair]
    on_diagonal = np.bincount(who, own, minlength=k) - np.bincount(block.annotator, each, k)
    return np.asarray(found + found.T + np.diag(on_diagonal))


def _couples(pair: IntArray) -> tuple[IntArray, IntArray]:
    """All places i < j with the same pair, of rising pairs."""
    n_later = np.searchsorted(pair, pair, side="right") - np.arange(len(pair)) - 1
    one = np.repeat(np.arange(len(pair)), n_later)
    begins = np.cumsum(n_later) - n_later
    return one, one + 1 + np.arange(len(one)) - begins[one]


def _of_margins(
    block: Block, votes: Votes, by_flip: FloatArray, honest: FloatArray, scale: float
) -> tuple[FloatArray, FloatArray]:
    """Second derivatives by v . d_p: shape [n] with each vote's flip rate, and shape [P]."""
    posterior, slope = votes.posterior, scale * votes.win * votes.loss
    inverse = 1 / votes.chance
    by_margin = slope * (block.sums_of(honest * block.side) @ inverse)
    mean = np.einsum("pq,pq->p", posterior, by_margin)
    with_flip = np.einsum(
        "nq,nq->n", (posterior * (by_margin - mean[:, None]))[block.pair], by_flip
    )
    inner = votes.cavity * (2 + honest[:, None] * by_flip)
    with_flip -= block.side * np.einsum("nq,nq->n", inner, slope[block.pair])
    bent = by_margin * (by_margin + scale * (votes.loss - votes.win))
    bent -= slope**2 * (block.sums_of(honest**2) @ inverse**2)
    return with_flip, np.einsum("pq,pq->p", posterior, bent) - mean**2
