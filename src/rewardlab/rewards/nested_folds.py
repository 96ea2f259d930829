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
from rewardlab.rewards.row_terms import RowTerms, log_losses, row_terms
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
    at = _terms(rows, fitted)
    differences = [
        _excess_of_folds(rows, fitted, at, rng.permutation(n_prompts) % n_folds, n_folds)
        for _ in range(repetitions)
    ]
    excess = np.mean(differences, axis=(0, 2)) * (n_folds - 1) / n_folds
    factors = [
        float(np.clip(np.sqrt(max(mse, 0.0)) / naive.std_error, 1.0, bound))
        if naive.std_error > 0
        else 1.0
        for mse, naive in zip(excess, (accuracy, log_loss), strict=True)
    ]
    return Widening(factors[0], factors[1], repetitions)


def _excess_of_folds(
    rows: HeldOutRows, fitted: LinearFit, at: RowTerms, fold: IntArray, n_folds: int
) -> FloatArray:
    """Shape [2, folds]; of accuracy and log loss: squared error of the inner figure less noise.

    Args:
        rows: The comparisons that were fitted.
        fitted: The fit to all of them.
        at: Their terms there.
        fold: Shape [G]; of each prompt.
        n_folds: Folds.
    """
    order = np.argsort(fold[rows.prompt], kind="stable")
    prompt = rows.prompt[order]
    place = fold[prompt]
    ends = np.searchsorted(place, np.arange(1, n_folds))
    weights = weights_without(rows, fitted, np.split(order, ends), at=at)
    parts = np.split(rows.differences[order], ends)
    delta = np.concatenate([x @ weights[k].T for k, x in enumerate(parts)])
    label = rows.label[order][:, None]
    side = np.sign(label - 0.5)
    decided = np.abs(side)
    right = decided * (0.5 + 0.5 * np.sign(delta) * side)
    return np.stack(
        [
            _excess(right, decided[:, 0], prompt, fold, ends),
            _excess(log_losses(delta, label), np.ones(len(delta)), prompt, fold, ends),
        ]
    )


def _excess(
    values: FloatArray, counts: FloatArray, prompt: IntArray, fold: IntArray, ends: IntArray
) -> FloatArray:
    """Shape [folds]; squared error of one figure's inner means, less the noise of the outer.

    Args:
        values: Shape [n, folds], rows by fold; under weights without the row's fold and another, 0
            where a row does not count.
        counts: Shape [n]; 1 where it does.
        prompt: Shape [n].
        fold: Shape [G]; of each prompt.
        ends: Shape [folds - 1]; where the rows of all folds but the last end.
    """
    n_folds, place = len(ends) + 1, fold[prompt]
    totals = np.stack([part.sum(axis=0) for part in np.split(values, ends)])
    n = np.bincount(place, counts, minlength=n_folds)
    outer, some = np.diagonal(totals), np.maximum(n, 1)  # a fold without rows has a mean of 0
    within = (totals.sum(axis=0) - outer) / np.maximum(n.sum() - n, 1)
    mean = outer / some
    own = values[np.arange(len(values)), place]
    sums = np.bincount(prompt, own - mean[place] * counts, minlength=len(fold))
    n_prompts = np.bincount(fold[np.bincount(prompt, minlength=len(fold)) > 0], minlength=n_folds)
    variance = np.bincount(fold, sums**2, minlength=n_folds) / some**2
    return np.asarray((within - mean) ** 2 - variance * n_prompts / np.maximum(n_prompts - 1, 1))


def _terms(rows: HeldOutRows, fitted: LinearFit) -> RowTerms:
    return row_terms(rows.differences @ fitted.weights, rows.label, margin=rows.margin)


def weights_without(
    rows: HeldOutRows, fitted: LinearFit, pieces: list[IntArray], *, at: RowTerms | None = None
) -> FloatArray:
    """Shape [folds, folds, d]: weights fitted without both folds, by one Newton step.

    Args:
        rows: The comparisons that were fitted.
        fitted: The fit to all of them.
        pieces: The rows of each fold.
        at: The rows' terms at the fit, where they are known.
    """
    at = _terms(rows, fitted) if at is None else at
    n_folds, d = len(pieces), len(fitted.weights)
    information = np.empty((n_folds, d, d))
    score = np.empty((n_folds, d))
    for k, piece in enumerate(pieces):
        x = rows.differences[piece]
        scaled = x * np.sqrt(at.curvature[piece])[:, None]
        information[k], score[k] = scaled.T @ scaled, x.T @ at.score[piece]
    # The folds hold every row once, so that their curvatures sum to that of the whole fit.
    whole = information.sum(axis=0) + fitted.l2 * np.eye(d)
    one, other = np.triu_indices(n_folds)
    two = (one != other)[:, None]  # a fold is taken away once
    left = whole - information[one] - two[:, :, None] * information[other]
    step = np.linalg.solve(left, (score[one] + two * score[other])[:, :, None])[:, :, 0]
    weights = np.empty((n_folds, n_folds, d))
    weights[one, other] = weights[other, one] = fitted.weights - step
    return weights
