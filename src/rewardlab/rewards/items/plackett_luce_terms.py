"""Plackett-Luce's loss of rankings, its derivatives, and products with its Hessian.

A ranking is a series of choices: the best of all its items, the best of the rest, and so on. With
weight e_i = exp(s_i), item i is chosen from a set of sum S with chance e_i / S. All items of a
ranking at place u were in the sets of the choices up to u, so that sums over sets are running sums
along the ranking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rewardlab.preferences.item_rankings import ItemRankings
from rewardlab.types import FloatArray, IntArray

BLOCK_CELLS = 2_000_000
"""Entries of the Hessian that are collected before they are summed."""


@dataclass(frozen=True, slots=True)
class Block:
    """R rankings of equally many items, of which equally many are in order.

    Attributes:
        order: Shape [k, R], int64 codes; the best first. A row is a place, so that sums along
            rankings are sums of rows.
        n_choices: t; choices in each ranking that say something, at most k - 1.
        weight: Shape [R].
        ranking: Shape [R]; which of the rankings these are.
    """

    order: IntArray
    n_choices: int
    weight: FloatArray
    ranking: IntArray


@dataclass(frozen=True, slots=True)
class BlockTerms:
    """What derivatives need, at given strengths.

    Attributes:
        loss: Shape [R]; of each ranking once, nats.
        share: Shape [k, R]; exp(s) of each item over the ranking's largest.
        inverse: Shape [t, R]; 1 / S of each choice's set.
        once: Shape [t, R]; sum of 1 / S over the choices up to this one.
        twice: Shape [t, R]; the same of 1 / S^2.
    """

    loss: FloatArray
    share: FloatArray
    inverse: FloatArray
    once: FloatArray
    twice: FloatArray


def blocks(rankings: ItemRankings) -> list[Block]:
    """The rankings by how many items they list and order."""
    size = np.diff(rankings.first)
    n_choices = np.minimum(rankings.n_ranked, size - 1)
    kinds, kind = np.unique(size * int(size.max()) + n_choices, return_inverse=True)
    found = []
    for code in range(len(kinds)):
        these = np.flatnonzero(kind == code)
        k, t = int(size[these[0]]), int(n_choices[these[0]])
        order = rankings.order[rankings.first[these] + np.arange(k)[:, None]]
        found.append(Block(np.asarray(order, dtype=np.int64), t, rankings.weights[these], these))
    return found


def block_terms(block: Block, s: FloatArray) -> BlockTerms:
    """The terms at strengths s, shape [m]."""
    t = block.n_choices
    own = s[block.order]
    own -= own.max(axis=0)
    share = np.exp(own)
    sums = _from_below(share)[:t]
    inverse = 1 / sums
    loss = np.log(sums).sum(axis=0) - own[:t].sum(axis=0)
    once, twice = _running(inverse), _running(inverse**2)
    return BlockTerms(loss, share, inverse, once, twice)


def block_scores(block: Block, at: BlockTerms) -> FloatArray:
    """Shape [k, R]; derivative of each ranking's loss, once, by its items' strengths."""
    score = at.share * _held(at.once, block)
    score[: block.n_choices] -= 1.0
    return score


def gradient_of(parts: list[Block], at: list[BlockTerms], m: int) -> FloatArray:
    """Shape [m]; of the summed loss."""
    gradient = np.zeros(m)
    for block, terms in zip(parts, at, strict=True):
        _add(gradient, block, block_scores(block, terms))
    return gradient


def curvature_of(parts: list[Block], at: list[BlockTerms], m: int) -> FloatArray:
    """Shape [m]; the Hessian's diagonal."""
    diagonal = np.zeros(m)
    for block, terms in zip(parts, at, strict=True):
        once, twice = _held(terms.once, block), _held(terms.twice, block)
        _add(diagonal, block, terms.share * (once - terms.share * twice))
    return diagonal


def hessian_of(parts: list[Block], at: list[BlockTerms], m: int) -> FloatArray:
    """Shape [m, m]; of the summed loss. Singular along each group's common shift."""
    flat = np.zeros(m * m)
    for block, terms in zip(parts, at, strict=True):
        for cell, value in _off_diagonal(block, terms, m):
            flat += np.bincount(cell, value, m * m)
    hessian = -flat.reshape(m, m)
    hessian += hessian.T
    hessian[np.arange(m), np.arange(m)] = curvature_of(parts, at, m)
    return hessian


def hessian_product(parts: list[Block], at: list[BlockTerms], v: FloatArray) -> FloatArray:
    """Shape [m]; the Hessian times v, without forming it."""
    product = np.zeros(len(v))
    for block, terms in zip(parts, at, strict=True):
        moved = terms.share * v[block.order]
        sums = _from_below(moved)[: block.n_choices]
        mean = _running(sums * terms.inverse**2)
        entry = moved * _held(terms.once, block) - terms.share * _held(mean, block)
        _add(product, block, entry)
    return product


def _off_diagonal(block: Block, at: BlockTerms, m: int) -> Iterator[tuple[IntArray, FloatArray]]:
    """(cells, values) of pairs of items: chances of either, summed over choices from both."""
    before, after = np.triu_indices(len(block.order), 1)
    scaled = at.share * _held(at.twice, block) * block.weight
    n_rankings = block.order.shape[1]
    pairs = max(1, BLOCK_CELLS // n_rankings)
    for start in range(0, len(before), pairs):
        i, j = before[start : start + pairs], after[start : start + pairs]
        cell = block.order[i] * m + block.order[j]
        yield cell.ravel(), (scaled[i] * at.share[j]).ravel()


def _from_below(rows: FloatArray) -> FloatArray:
    """Shape [k, R]; of each row, the sum of it and of all after it."""
    return _running(rows[::-1])[::-1]


def _running(rows: FloatArray) -> FloatArray:
    """Sums of rows up to each; by whole rows, which is quicker than numpy's own along an axis."""
    sums = rows.copy()
    for k in range(1, len(sums)):
        sums[k] += sums[k - 1]
    return sums


def _held(sums: FloatArray, block: Block) -> FloatArray:
    """Shape [k, R]; sums over choices, for each item: those after the last choice are in all."""
    k, t = len(block.order), block.n_choices
    return sums[np.minimum(np.arange(k), t - 1)]


def _add(total: FloatArray, block: Block, entry: FloatArray) -> None:
    """Adds entries [k, R], times the rankings' weights, to their items' totals."""
    total += np.bincount(block.order.ravel(), (entry * block.weight).ravel(), len(total))
