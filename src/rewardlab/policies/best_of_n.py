"""Best-of-n from recorded samples: exact expectations by order statistics, and the KL bound.

Of a prompt with m recorded samples, sorted by proxy (1 is the lowest), the i-th is the best of n
drawn without replacement with probability

    w_i(n) = C(i-1, n-1) / C(m, n).

Summing a value over i with these weights is its mean over all C(m, n) subsets, so it estimates
the best of n fresh samples without bias, for every n up to m and for no n beyond it. Where every
answer can be listed, the distribution itself is in ``exact_best_of_n``.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray

EVERY_N_UP_TO = 64
"""Grids hold every n up to here when there are no more samples than this."""

Ties = Literal["average", "first", "last"]
"""Which of samples with the same proxy is picked: their average, or the first or last recorded."""

_LARGEST_KL = 708.7
"""The bound at the largest n of double precision."""

FEW_SAMPLES = 32
"""Up to as many samples, sparing the ranks that cannot matter saves nothing."""

_TAIL = 1e-17
"""Ranks whose weight is below this share are left out of the products: under double precision."""


def kl_bound(n: FloatArray | IntArray) -> FloatArray:
    """Upper bound on KL(best-of-n || one sample), log n - (n-1)/n, in nats.

    Args:
        n: Any shape, >= 1; need not be whole.

    Returns:
        The shape of ``n``; exact where no two samples tie.

    Raises:
        InputError: An n is below 1 or not a number.

    Source: Stiennon et al. (2020), arXiv 2009.01325, appendix G.3; Beirami et al. (2024), arXiv
    2401.01879, for why it is a bound.
    """
    count = np.asarray(n, dtype=np.float64)
    if not (count >= 1).all():
        raise InputError(f"n: expected numbers of at least 1, got {count.min():g}")
    log_n = np.log(count)
    return np.asarray(log_n + np.expm1(-log_n))


def n_of_kl(kl_nats: float) -> float:
    """The n, not rounded, at which ``kl_bound`` equals ``kl_nats``; inf where it overflows.

    With y = 1/n the bound is y - 1 - log y, so Newton's method on u = log n, started above the
    root (log n <= KL + 1), falls to it monotonically because the bound is convex in u.

    Raises:
        InputError: ``kl_nats`` is negative or not a number.
    """
    if not kl_nats >= 0:
        raise InputError(f"kl_nats: expected a number of at least 0, got {kl_nats}")
    if kl_nats > _LARGEST_KL:
        return float("inf")
    u = kl_nats + 1.0 if kl_nats > 0.01 else 2.0 * float(np.sqrt(kl_nats))
    for _ in range(100):
        slope = -np.expm1(-u)
        if slope <= 0:
            break
        step = (u + np.expm1(-u) - kl_nats) / slope
        u -= step
        if abs(step) < 1e-14 * max(u, 1e-300):
            break
    return float(np.exp(max(u, 0.0)))


def log_spaced_n(n_max: int, *, per_octave: int = 12) -> IntArray:
    """Whole n from 1 to ``n_max``: every one up to 64, else every one up to 32, then by octaves.

    Args:
        n_max: The largest n, >= 1.
        per_octave: Points for each doubling beyond 32, >= 1.

    Returns:
        Shape [k], int64, increasing, ends included.
    """
    if not n_max >= 1 or n_max % 1 or per_octave < 1:
        raise InputError(
            "log_spaced_n: expected n_max, a whole number, and per_octave of at least 1, got "
            f"{n_max} and {per_octave}"
        )
    if n_max <= EVERY_N_UP_TO:
        return np.arange(1, n_max + 1)
    n_steps = int(np.ceil(np.log2(n_max / 32) * per_octave))
    sparse = np.rint(32 * (n_max / 32) ** (np.arange(1, n_steps + 1) / n_steps))
    return np.unique(np.concatenate([np.arange(1, 33), sparse.astype(np.int64)]))


def order_weights(n_samples: int, n: IntArray, *, n_ranks: int | None = None) -> FloatArray:
    """w_i(n) = C(i-1, n-1) / C(m, n): the chance that the i-th lowest of m is the best of n.

    Built from the top rank, whose weight is n/m, by w_{i-1} = w_i (i-n)/(i-1): a product of
    ratios in [0, 1], so that it neither overflows nor cancels for any m.

    Args:
        n_samples: m.
        n: Shape [k], int64, each in 1..m.
        n_ranks: Give only this many of the highest ranks, 1 to m.

    Returns:
        Shape [k, n_ranks], ascending rank; with all ranks each row sums to 1.

    Raises:
        InputError: An n or ``n_ranks`` is below 1 or above m.
    """
    n = _checked_n(n, n_samples)
    width = n_samples if n_ranks is None else n_ranks
    if not 1 <= width <= n_samples:
        raise InputError(f"n_ranks: expected 1 to {n_samples}, got {width}")
    weights = np.empty((len(n), width))
    weights[:, 0] = n / n_samples
    rank = np.arange(n_samples, n_samples - width + 1, -1.0)
    np.maximum(rank - n[:, None], 0.0, out=weights[:, 1:])
    weights[:, 1:] /= rank - 1
    np.cumprod(weights, axis=1, out=weights)
    return weights[:, ::-1]


def sort_by_proxy(
    proxy: FloatArray, values: FloatArray, *, ties: Ties = "average"
) -> tuple[FloatArray, FloatArray]:
    """Each prompt's samples in ascending proxy, so that the best of n is the last of any n.

    Args:
        proxy: Shape [P, m], finite.
        values: Shape [P, m]; what is averaged, such as gold.
        ties: Which of samples with the same proxy is picked: "average" over them, as a random
            choice among them does; or the "first" or "last" recorded, as an arg max may.

    Returns:
        Sorted proxy and values, each of shape [P, m]; with "average" the values of tied samples
        are their mean.

    Raises:
        InputError: Shapes disagree, a proxy is not finite, or ``ties`` is none of the three.
    """
    if proxy.ndim != 2 or values.shape != proxy.shape:
        raise InputError(f"values: expected the proxy's shape, {proxy.shape}, got {values.shape}")
    if not np.isfinite(proxy).all():
        raise InputError("proxy: expected finite numbers")
    if ties not in get_args(Ties):
        raise InputError(f"ties: expected one of {get_args(Ties)}, got {ties!r}")
    if ties == "first":
        proxy, values = proxy[:, ::-1], values[:, ::-1]
    order = np.argsort(proxy, axis=1, kind=None if ties == "average" else "stable")
    order += proxy.shape[1] * np.arange(len(proxy))[:, None]
    sorted_proxy, sorted_values = proxy.take(order), values.take(order)
    if ties == "average":
        sorted_values = average_ties(sorted_proxy, sorted_values)
    return sorted_proxy, sorted_values


def average_ties(sorted_proxy: FloatArray, values: FloatArray) -> FloatArray:
    """``values`` with those of tied samples replaced by their mean.

    Args:
        sorted_proxy: Shape [P, m], ascending within each prompt.
        values: Shape [P, m], in the same order.
    """
    starts = np.ones(sorted_proxy.shape, dtype=bool)
    np.not_equal(sorted_proxy[:, 1:], sorted_proxy[:, :-1], out=starts[:, 1:])
    if starts.all():
        return values
    first = np.flatnonzero(starts.ravel())
    lengths = np.diff(first, append=sorted_proxy.size)
    means = np.add.reduceat(values.ravel(), first) / lengths
    return np.repeat(means, lengths).reshape(values.shape)


def expected_best(sorted_values: FloatArray, n: IntArray) -> FloatArray:
    """Mean of a value over all n-subsets' best sample, for each n.

    Args:
        sorted_values: Shape [P, m], ascending by proxy (``sort_by_proxy``).
        n: Shape [k], int64, increasing, each in 1..m.

    Returns:
        Shape [P, k].

    Raises:
        InputError: An n is below 1 or above m, or n does not increase.
    """
    n_samples = sorted_values.shape[1]
    n = _checked_n(n, n_samples)
    if np.any(np.diff(n) <= 0):
        raise InputError("n: expected increasing numbers")
    result = np.empty((len(sorted_values), len(n)))
    start = 0
    while start < len(n):
        # All n of one octave share a product over the ranks that can matter to its smallest n;
        # of few samples all ranks and n share one, which is quicker than several small ones.
        stop = len(n) if n_samples <= FEW_SAMPLES else int(np.searchsorted(n, 2 * n[start]))
        n_ranks = _ranks_that_matter(n_samples, int(n[start]))
        weights = order_weights(n_samples, n[start:stop], n_ranks=n_ranks)
        result[:, start:stop] = sorted_values[:, n_samples - n_ranks :] @ weights.T
        start = stop
    return result


def _ranks_that_matter(n_samples: int, n: int) -> int:
    """How many of the top ranks hold all but ``_TAIL`` of the weight: (1 - k/m)^n < tail."""
    reach = -np.expm1(np.log(_TAIL) / n)
    return min(n_samples, int(np.ceil(n_samples * reach)) + 1)


def _checked_n(n: IntArray, n_samples: int) -> IntArray:
    given = np.asarray(n)
    n = given.astype(np.int64)
    if not np.array_equal(n, given):
        raise InputError("n: expected whole numbers")
    if n.size == 0:
        raise InputError("n: expected at least one number, got none")
    if n.min() < 1 or n.max() > n_samples:
        wrong = n.min() if n.min() < 1 else n.max()
        raise InputError(
            f"n: expected 1 to {n_samples}, the samples recorded for a prompt, got {wrong}; "
            "the best of more than were drawn cannot be known: record more samples a prompt"
        )
    return n
