"""How much wider than it looks the interval of a cross-validated figure must be.

The fits of different folds share most of their rows, so that their held-out errors are correlated
and the usual interval, which takes them as independent, holds the truth too seldom: 86% instead of
95% where the features predict nothing. Nested cross-validation measures the true error instead: in
a part without one fold, cross-validate, and compare with the figure of the fold left out.
"""

from __future__ import annotations

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
class _FitRows:
    """The rows at the fit to all of them.

    Attributes:
        rows: The rows.
        fitted: The fit.
        score: Shape [n]; minus the first derivative of each row's loss.
        root_curvature: Shape [n]; the square root of its second derivative.
    """

    rows: HeldOutRows
    fitted: LinearFit
    score: FloatArray
    root_curvature: FloatArray

    @staticmethod
    def of(rows: HeldOutRows, fitted: LinearFit) -> _FitRows:
        at = row_terms(rows.differences @ fitted.weights, rows.label, margin=rows.margin)
        return _FitRows(rows, fitted, at.score, np.sqrt(at.curvature))


@dataclass(frozen=True, slots=True)
class _FoldFigures:
    """A figure of one fold's rows, each row's 0 where it does not count.

    Attributes:
        n: Rows that count.
        sums: Shape [folds]; the sum over the rows, by the fit without this fold and that one.
        mean: Of the rows, by the fit without this fold alone.
        variance: Of the mean, with prompts as clusters.
    """

    n: float
    sums: FloatArray
    mean: float
    variance: float


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
    at_fit = _FitRows.of(rows, fitted)
    differences: list[FloatArray] = []
    for _ in range(repetitions):
        fold = (rng.permutation(n_prompts) % n_folds)[rows.prompt]
        differences.append(_excess_of_folds(at_fit, fold, n_folds))
    excess = np.concatenate(differences).mean(axis=0) * (n_folds - 1) / n_folds
    factors = [
        float(np.clip(np.sqrt(max(mse, 0.0)) / naive.std_error, 1.0, bound))
        if naive.std_error > 0
        else 1.0
        for mse, naive in zip(excess, (accuracy, log_loss), strict=True)
    ]
    return Widening(factors[0], factors[1], repetitions)


def _excess_of_folds(at_fit: _FitRows, fold: IntArray, n_folds: int) -> FloatArray:
    """Squared error of the inner figure less noise: shape [folds, (accuracy, log loss)]."""
    order = np.argsort(fold, kind="stable")
    pieces = np.split(order, np.searchsorted(fold[order], np.arange(1, n_folds)))
    weights = _weights_without(at_fit, pieces)
    figures = [_figures(at_fit.rows, pieces[k], weights[k], k) for k in range(n_folds)]
    excess = np.empty((n_folds, 2))
    for i in (0, 1):
        outer = [of_fold[i] for of_fold in figures]
        n = np.array([x.n for x in outer])
        # The sums of the other folds' rows by the fits without this fold, column by column.
        sums = np.array([x.sums for x in outer])
        np.fill_diagonal(sums, 0.0)
        within = sums.sum(axis=0) / np.maximum(n.sum() - n, 1)
        excess[:, i] = [
            (of_others - x.mean) ** 2 - x.variance
            for of_others, x in zip(within.tolist(), outer, strict=True)
        ]
    return excess


def weights_without(rows: HeldOutRows, fitted: LinearFit, pieces: list[IntArray]) -> FloatArray:
    """Shape [folds, folds, d]: weights fitted without both folds, by one Newton step."""
    return _weights_without(_FitRows.of(rows, fitted), pieces)


def _weights_without(at_fit: _FitRows, pieces: list[IntArray]) -> FloatArray:
    fitted = at_fit.fitted
    n_folds, d = len(pieces), len(fitted.weights)
    information = np.empty((n_folds, d, d))
    score = np.empty((n_folds, d))
    for k, piece in enumerate(pieces):
        x = at_fit.rows.differences[piece]
        scaled = x * at_fit.root_curvature[piece][:, None]
        information[k], score[k] = scaled.T @ scaled, at_fit.score[piece] @ x
    # The folds hold every row once, so that their curvatures sum to that of the whole fit.
    whole = information.sum(axis=0) + fitted.l2 * np.eye(d)
    one, other = np.triu_indices(n_folds)
    two = (one != other)[:, None]
    left = whole - information[one] - two[:, :, None] * information[other]
    step = np.linalg.solve(left, (score[one] + two * score[other])[:, :, None])[:, :, 0]
    weights = np.empty((n_folds, n_folds, d))
    weights[one, other] = weights[other, one] = fitted.weights - step
    return weights


def _figures(
    rows: HeldOutRows, piece: IntArray, weights: FloatArray, own: int
) -> tuple[_FoldFigures, _FoldFigures]:
    """Accuracy and log loss of a fold's rows by several weights, shape [folds, d].

    Args:
        rows: All rows.
        piece: Which are the fold's.
        weights: Fitted without the fold and each other one.
        own: The place of those fitted without the fold alone.
    """
    delta = rows.differences[piece] @ weights.T
    label, prompt = rows.label[piece], rows.prompt[piece]
    side = np.sign(label - 0.5)
    decided = np.abs(side)
    right = decided[:, None] * (0.5 + 0.5 * np.sign(delta) * side[:, None])
    loss = row_terms(delta, label[:, None]).loss
    n_prompts = int(np.count_nonzero(np.bincount(prompt)))

    def figures(counts: FloatArray, values: FloatArray) -> _FoldFigures:
        n, sums = float(counts.sum()), values.sum(axis=0)
        if n == 0:
            return _FoldFigures(n, sums, 0.0, 0.0)
        mean = float(sums[own]) / n
        by_prompt = np.bincount(prompt, values[:, own] - mean * counts)
        variance = float(by_prompt @ by_prompt) / n**2 * n_prompts / max(n_prompts - 1, 1)
        return _FoldFigures(n, sums, mean, variance)

    return figures(decided, right), figures(np.ones(len(piece)), loss)
