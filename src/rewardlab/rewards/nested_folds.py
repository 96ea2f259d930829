"""How much wider than it looks the interval of a cross-validated figure must be.

The fits of different folds share most of their rows, so that their held-out errors are correlated
and the usual interval, which takes them as independent, holds the truth too seldom: 86% instead of
95% where the features predict nothing. Nested cross-validation measures the true error instead: in
a part without one fold, cross-validate, and compare with the figure of the fold left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.linear import LinearFit
from rewardlab.rewards.row_terms import log_losses, row_terms
from rewardlab.stats.intervals import (
    Estimate,
    cluster_mean,
    cluster_proportion,
    widened,
)
from rewardlab.types import FloatArray, IntArray

MIN_REPETITIONS, MAX_REPETITIONS = 10, 100
ROWS_IN_ALL = 4_000_000
"""Rows to go through in all repetitions together, as far as the limits above allow."""


@dataclass(frozen=True, slots=True)
class HeldOutRows:
    """What is scored: per row the weights to apply and the figures to average.

    Attributes:
        differences: Shape [n, d], standardised.
        label: Shape [n].
        margin: Shape [n]; of the loss that was fitted; None without.
        prompt: Shape [n], int64 codes 0..G-1.
    """

    differences: FloatArray
    label: FloatArray
    margin: FloatArray | None
    prompt: IntArray


@dataclass(frozen=True, slots=True)
class Widening:
    """Factors by which naive standard errors are too small, each in [1, sqrt(n_folds)].

    Attributes:
        accuracy: For the share of decided rows ranked right.
        log_loss: For the mean log loss.
        repetitions: Random divisions into folds.
    """

    accuracy: float
    log_loss: float
    repetitions: int


@dataclass(frozen=True, slots=True)
class HeldOutFigures:
    """Figures of comparisons that were scored by fits on other folds.

    Attributes:
        accuracy: Share of decided comparisons ranked right; equal rewards count half.
        log_loss: Mean log loss in nats.
        widening: By how much their intervals were widened.
    """

    accuracy: Estimate
    log_loss: Estimate
    widening: Widening


@dataclass(frozen=True, slots=True)
class _Figures:
    """Figures of rows: how many count, each row's value (0 where it does not count)."""

    counts: FloatArray
    values: FloatArray


def held_out_figures(
    rows: HeldOutRows,
    prediction: LinearFit,
    held_out: FloatArray,
    n_folds: int,
    rng: np.random.Generator,
) -> HeldOutFigures:
    """Held-out accuracy and log loss, with intervals that know that folds share their rows.

    Args:
        rows: The comparisons that were fitted.
        prediction: The fit to all of them.
        held_out: Shape [n]; delta of each comparison by a fit on the other folds.
        n_folds: Folds.
        rng: Draws the divisions of the nested cross-validation.

    Raises:
        InputError: Every comparison is a tie.
    """
    decided = rows.label != 0.5
    if not decided.any():
        raise InputError(
            "label: expected at least one comparison that is no tie; give comparisons with a "
            "winner, or say what the file's labels mean (--labels VALUE=OUTCOME,...)"
        )
    right = 0.5 + 0.5 * np.sign(held_out) * np.sign(rows.label - 0.5)
    accuracy = cluster_proportion(right[decided], rows.prompt[decided])
    log_loss = cluster_mean(log_losses(held_out, rows.label), rows.prompt)
    wider = measure_widening(rows, prediction, accuracy, log_loss, n_folds=n_folds, rng=rng)
    return HeldOutFigures(
        widened(accuracy, wider.accuracy, highest=1.0), widened(log_loss, wider.log_loss), wider
    )


def measure_widening(
    rows: HeldOutRows,
    fitted: LinearFit,
    accuracy: Estimate,
    log_loss: Estimate,
    *,
    n_folds: int,
    rng: np.random.Generator,
) -> Widening:
    """Nested cross-validation of a linear fit's accuracy and log loss.

    Fits without some folds are made by one Newton step from the fit to all rows.

    Args:
        rows: The comparisons that were fitted.
        fitted: The fit to all of them.
        accuracy: The naive estimate of the held-out accuracy.
        log_loss: The naive estimate of the held-out log loss.
        n_folds: Folds; with fewer than three, nothing can be nested and the bound is returned.
        rng: Draws the divisions.

    Source: Bates, Hastie and Tibshirani (2024), *Journal of the American Statistical Association*
    119, 1434-1445, algorithm 1, with prompts instead of rows. The one-step fits are ours.
    """
    bound = float(np.sqrt(n_folds))
    n_prompts = int(rows.prompt.max()) + 1
    if n_folds < 3 or n_prompts < 2 * n_folds:
        return Widening(bound, bound, 0)
    repetitions = int(np.clip(ROWS_IN_ALL // len(rows.label), MIN_REPETITIONS, MAX_REPETITIONS))
    differences: list[tuple[float, float]] = []
    for _ in range(repetitions):
        fold = (rng.permutation(n_prompts) % n_folds)[rows.prompt]
        differences += list(_excess_of_folds(rows, fitted, fold, n_folds))
    excess = np.mean(differences, axis=0) * (n_folds - 1) / n_folds
    factors = [
        float(np.clip(np.sqrt(max(mse, 0.0)) / naive.std_error, 1.0, bound))
        if naive.std_error > 0
        else 1.0
        for mse, naive in zip(excess, (accuracy, log_loss), strict=True)
    ]
    return Widening(factors[0], factors[1], repetitions)


def _excess_of_folds(
    rows: HeldOutRows, fitted: LinearFit, fold: IntArray, n_folds: int
) -> Iterator[tuple[float, float]]:
    """For each fold (of accuracy, of log loss): squared error of the inner figure less noise."""
    order = np.argsort(fold, kind="stable")
    pieces = np.split(order, np.searchsorted(fold[order], np.arange(1, n_folds)))
    weights = weights_without(rows, fitted, pieces)
    figures = [_figures(rows, pieces[k], weights[:, k]) for k in range(n_folds)]
    for k in range(n_folds):
        prompt = rows.prompt[pieces[k]]
        terms = []
        for i in (0, 1):
            outer = figures[k][k][i]
            inner = [figures[j][k][i] for j in range(n_folds) if j != k]
            within = sum(f.values.sum() for f in inner) / max(sum(f.counts.sum() for f in inner), 1)
            mean, variance = _clustered_mean(outer, prompt)
            terms.append(float((within - mean) ** 2 - variance))
        yield terms[0], terms[1]


def weights_without(rows: HeldOutRows, fitted: LinearFit, pieces: list[IntArray]) -> FloatArray:
    """Shape [folds, folds, d]: weights fitted without both folds, by one Newton step."""
    n_folds, d = len(pieces), len(fitted.weights)
    information = np.empty((n_folds, d, d))
    score = np.empty((n_folds, d))
    for k, piece in enumerate(pieces):
        x = rows.differences[piece]
        margin = None if rows.margin is None else rows.margin[piece]
        at = row_terms(x @ fitted.weights, rows.label[piece], margin=margin)
        scaled = x * np.sqrt(at.curvature)[:, None]
        information[k], score[k] = scaled.T @ scaled, x.T @ at.score
    # The folds hold every row once, so that their curvatures sum to that of the whole fit.
    whole = information.sum(axis=0) + fitted.l2 * np.eye(d)
    weights = np.empty((n_folds, n_folds, d))
    for k in range(n_folds):
        for j in range(k, n_folds):
            both = [k] if j == k else [k, j]
            left = whole - information[both].sum(axis=0)
            step = np.linalg.solve(left, score[both].sum(axis=0))
            weights[k, j] = weights[j, k] = fitted.weights - step
    return weights


def _figures(
    rows: HeldOutRows, piece: IntArray, weights: FloatArray
) -> list[tuple[_Figures, _Figures]]:
    """Accuracy and log loss of a fold's rows under each of several weights, shape [m, d]."""
    delta = rows.differences[piece] @ weights.T
    label = rows.label[piece]
    side = np.sign(label - 0.5)
    decided, every = np.abs(side), np.ones(len(piece))
    return [
        (
            _Figures(decided, decided * (0.5 + 0.5 * np.sign(column) * side)),
            _Figures(every, row_terms(column, label).loss),
        )
        for column in delta.T
    ]


def _clustered_mean(figures: _Figures, prompt: IntArray) -> tuple[float, float]:
    """Mean of the rows that count, and its variance with prompts as clusters."""
    n = float(figures.counts.sum())
    if n == 0:
        return 0.0, 0.0
    mean = float(figures.values.sum()) / n
    sums = np.bincount(prompt, figures.values - mean * figures.counts)
    n_prompts = len(np.unique(prompt))
    return mean, float(np.sum(sums**2)) / n**2 * n_prompts / max(n_prompts - 1, 1)
