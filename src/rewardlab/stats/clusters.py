"""Covariance of a fit whose rows come in clusters: jackknife or sandwich, with its small print."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from rewardlab.errors import EstimationError
from rewardlab.types import FloatArray, IntArray

MORE_PROMPTS = "Collect votes on more prompts, or name fewer features (--features NAME,NAME)."
JACKKNIFE_CLUSTERS = 5000
"""With more clusters the sandwich is as good, and takes no solve for each cluster."""
BLOCK_ROWS = 16_384
WORTH_A_SYSTEM = 1500
"""Clusters of one size, times squared estimates, from which solving them by themselves pays."""
SMALLEST_LEFT = 1e-6
"""Least share of a direction's information that must stay when one cluster is taken away."""


@dataclass(frozen=True, slots=True)
class ClusterCovariance:
    """Covariance of d estimates from rows in G clusters.

    Attributes:
        matrix: Shape [d, d].
        dof: Shape [d]; degrees of freedom for Student quantiles, in [1, G - 1].
        n_clusters: G.
        method: Which estimator, in a few words.
    """

    matrix: FloatArray
    dof: FloatArray
    n_clusters: int
    method: str

    @property
    def std_error(self) -> FloatArray:
        """Shape [d]."""
        std_error: FloatArray = np.sqrt(np.diagonal(self.matrix))
        return std_error


def cluster_covariance(
    x: FloatArray, score: FloatArray, curvature: FloatArray, cluster: IntArray
) -> ClusterCovariance:
    """Covariance of a maximum-likelihood fit, rows of one cluster dependent in any way.

    With M = sum over clusters of A_g, A_g = X_g' diag(curvature) X_g and s_g = X_g' score, leaving
    cluster g out moves the estimate by -(M - A_g)^-1 s_g to first order. Up to 5,000 clusters the
    covariance is (G-1)/G times the sum of squares of these moves (the cluster jackknife, CR3);
    beyond, it is the sandwich M^-1 (sum s_g s_g') M^-1 G/(G-1) (CR1), to which it converges.

    The degrees of freedom of an estimate are its effective number of clusters less 1: the G of
    equal shares of information in it that would be as unequal as the shares found.

    Args:
        x: Shape [n, d]; features (differences).
        score: Shape [n]; minus the derivative of each row's loss by x'w, at the fit.
        curvature: Shape [n], >= 0; its second derivative.
        cluster: Shape [n], int64 codes 0..G-1 of the clusters.

    Raises:
        EstimationError: There are no more clusters than d + 1, or without one of them an estimate
            would not exist.

    Source: MacKinnon, Nielsen and Webb (2023), *Journal of Applied Econometrics* 38, 671-694,
    for CV3 by jackknife; Bell and McCaffrey (2002). Effective clusters after Carter, Schnepel and
    Steigerwald (2017), *Review of Economics and Statistics* 99, 698-709, with independent rows.
    """
    n_clusters, d = int(cluster.max(initial=-1)) + 1, x.shape[1]
    if n_clusters < 2:
        raise EstimationError("all rows are of one cluster", remedy=MORE_PROMPTS)
    if n_clusters <= d + 1:
        raise EstimationError(
            f"{n_clusters} clusters cannot bear {d} estimates: at least {d + 2} clusters are "
            "needed; collect more prompts, or name fewer features",
            remedy=MORE_PROMPTS,
        )
    root = linalg.cholesky(_information(x, curvature), lower=True)
    whiten = linalg.solve_triangular(root, np.eye(d), lower=True)
    uses_jackknife = n_clusters <= JACKKNIFE_CLUSTERS
    meat, shares, squared_shares = np.zeros((d, d)), np.zeros(d), np.zeros(d)
    for rows, first in _blocks(cluster, n_clusters):
        # In these units the total information M is the identity.
        white = x[rows] @ whiten.T
        moves = np.add.reduceat(white * score[rows, None], first, axis=0)
        if uses_jackknife:
            weighted = white * np.sqrt(curvature[rows])[:, None]
            moves = _jackknife_moves(weighted, first, moves)
        meat += moves.T @ moves
        share = np.add.reduceat((white @ whiten) ** 2 * curvature[rows, None], first, axis=0)
        shares += share.sum(axis=0)
        squared_shares += (share**2).sum(axis=0)
    matrix = whiten.T @ meat @ whiten
    if uses_jackknife:
        matrix *= (n_clusters - 1) / n_clusters
        method = f"cluster jackknife (CR3), {n_clusters:,} clusters"
    else:
        matrix *= n_clusters / (n_clusters - 1)
        method = f"sandwich by cluster (CR1), {n_clusters:,} clusters"
    # Effective clusters: as many equal shares of the information would be as unequal as these.
    dof = np.clip(shares**2 / squared_shares - 1, 1.0, n_clusters - 1.0)
    return ClusterCovariance(matrix, dof, n_clusters, method)


def _information(x: FloatArray, curvature: FloatArray) -> FloatArray:
    """X' diag(curvature) X, a block of rows at a time."""
    total = np.zeros((x.shape[1], x.shape[1]))
    for first in range(0, len(x), BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        scaled = x[rows] * np.sqrt(curvature[rows])[:, None]
        total += scaled.T @ scaled
    return total


def _blocks(cluster: IntArray, n_clusters: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Rows of whole clusters, about ``BLOCK_ROWS`` at a time, and where each cluster begins."""
    order = np.argsort(cluster, kind="stable")
    starts = np.searchsorted(cluster[order], np.arange(n_clusters + 1))
    g = 0
    while g < n_clusters:
        end = int(np.searchsorted(starts, starts[g] + BLOCK_ROWS, side="right")) - 1
        end = min(max(end, g + 1), n_clusters)
        yield order[starts[g] : starts[end]], starts[g:end] - starts[g]
        g = end


def _jackknife_moves(weighted: FloatArray, first: IntArray, scores: FloatArray) -> FloatArray:
    """Shape [G, d]: by how much leaving each cluster out moves the estimate, whitened.

    With fewer rows m than estimates, X being a cluster's rows, (I - X'X)^-1 s is
    s + X' (I - XX')^-1 X s, a system of m instead of d. Enough clusters of such a size are solved
    together in their rows; all others together in the estimates.
    """
    sizes, d = np.diff(first, append=len(weighted)), scores.shape[1]
    moves = np.empty_like(scores)
    count = np.bincount(sizes, minlength=d)[:d]
    in_rows = np.flatnonzero(count * d**2 >= WORTH_A_SYSTEM)
    for m in in_rows.tolist():
        same = np.flatnonzero(sizes == m)
        x, score = weighted[first[same][:, None] + np.arange(m)], scores[same][:, :, None]
        across = x.transpose(0, 2, 1)
        moves[same] = (score + across @ _solve_left(x @ across, x @ score))[:, :, 0]
    rest = np.flatnonzero(~np.isin(sizes, in_rows))
    if len(rest):
        pieces = [weighted[i : i + m] for i, m in zip(first[rest], sizes[rest], strict=True)]
        taken = np.stack([piece.T @ piece for piece in pieces])
        moves[rest] = _solve_left(taken, scores[rest][:, :, None])[:, :, 0]
    return moves


def _solve_left(taken: FloatArray, right: FloatArray) -> FloatArray:
    """(I - taken)^-1 right for each cluster, if it leaves enough information in all directions."""
    identity = np.eye(taken.shape[1])
    left = identity - taken
    try:
        # It has a Cholesky factor if and only if no eigenvalue of what is left is smaller.
        np.linalg.cholesky(left - SMALLEST_LEFT * identity)
    except np.linalg.LinAlgError:
        raise EstimationError(
            "one cluster alone carries an estimate: without it there would be none; collect more "
            "prompts, or name fewer features",
            remedy=MORE_PROMPTS,
        ) from None
    return np.asarray(np.linalg.solve(left, right), dtype=np.float64)
