"""Fit a text-feature reward to preferences: weights for prediction, intervals for reading.

Two fits of the same model serve two purposes. *Predictions* use weights shrunken by an L2 penalty
that is chosen by the log loss on prompts left out. *Intervals* come from the fit without penalty,
for which they are valid, with prompts as clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import ConvergenceError, EstimationError, InputError, SeparationError
from rewardlab.preferences.formats import PreferenceReader, Progress
from rewardlab.preferences.splits import grouped_folds
from rewardlab.rewards.collinear import separable_columns
from rewardlab.rewards.feature_comparisons import FeatureComparisons, compare_features
from rewardlab.rewards.inference import WeightInference, infer_weights
from rewardlab.rewards.linear import LinearFit, fit
from rewardlab.rewards.nested_folds import HeldOutRows, held_out_figures
from rewardlab.rewards.regularisation import L2_GRID, L2Choice, choose_l2
from rewardlab.rewards.text_feature_reward import TextFeatureReward
from rewardlab.rewards.text_features import NAMES
from rewardlab.rewards.usable import UsableColumns, usable_columns
from rewardlab.stats.intervals import (
    Estimate,
    cluster_codes,
)
from rewardlab.types import FloatArray, Preferences

Ties = Literal["half", "leave-out"]


@dataclass(frozen=True, slots=True)
class TextFeatureFit:
    """A fitted text-feature reward and everything that was found on the way.

    Attributes:
        reward: For prediction: weights with the chosen penalty.
        prediction: The penalised fit behind ``reward``.
        penalty: How the penalty was chosen, with out-of-fold deltas of every comparison used.
        inference: Weights without penalty per standard deviation, with intervals, of the features
            that can be told apart; None where
            they are refused.
        tested_together: Features that mostly move with another, which is tested for both, each
            with that other.
        no_inference: Why they are refused, and the remedy; "" where they are not.
        accuracy: Held-out share of decided comparisons whose preferred side has the higher
            reward; equal rewards count half.
        log_loss: Held-out log loss in nats; log 2 = .693 is a coin.
        left_out: Features that could not be fitted, each with its reason.
        warnings: What limits the result.
        ties: What became of ties: "half" a win for each side, or "leave-out".
        use_margin: Whether the margins were in the loss.
        n: Comparisons used.
        n_ties: Ties in the file (used or left out, as ``ties`` says).
        n_prompts: Prompts of the comparisons used.
        prompt_digests: Shape [k], uint64; digests of the prompts it was fitted on.
        n_folds: Folds of the cross-validation.
        seed: Entropy of the generator that drew the folds; None if it had none.
        layout: What the file was recognised as; "" for preferences in memory.
    """

    reward: TextFeatureReward
    prediction: LinearFit
    penalty: L2Choice
    inference: WeightInference | None
    tested_together: tuple[str, ...]
    no_inference: str
    accuracy: Estimate
    log_loss: Estimate
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]
    ties: Ties
    use_margin: bool
    n: int
    n_ties: int
    n_prompts: int
    prompt_digests: NDArray[np.uint64]
    n_folds: int
    seed: int | None
    layout: str


def fit_text_feature_reward(
    source: PreferenceReader | Preferences,
    *,
    rng: np.random.Generator,
    features: Sequence[str] | None = None,
    ties: Ties = "half",
    use_margin: bool = False,
    n_folds: int = 5,
    l2: float | None = None,
    on_progress: Progress | None = None,
) -> TextFeatureFit:
    """Fit a reward of text features to preferences.

    Args:
        source: Preferences in memory, or a reader that streams them.
        rng: Draws the folds.
        features: Names of the features to use; all of them if not given.
        ties: "half": a tie is half a win for each side; "leave-out": ties are left out.
        use_margin: Use the file's margins in the loss, in logits (Llama 2).
        n_folds: Folds of prompts for the held-out figures.
        l2: Penalty on weights per standard deviation; chosen by cross-validation if not given.
        on_progress: Called with the share of the file read, in [0, 1].

    Raises:
        InputError: A feature is unknown, a row has no text, there are fewer than two prompts, or
            margins are asked for and there are none, or every comparison is a tie.
        SeparationError: A combination of features predicts every outcome.
        EstimationError: No feature can be estimated.
    """
    _check_penalty(l2)
    found = compare_features(source, names=features or NAMES, on_progress=on_progress)
    return fit_compared(found, rng=rng, ties=ties, use_margin=use_margin, n_folds=n_folds, l2=l2)


def fit_compared(
    found: FeatureComparisons,
    *,
    rng: np.random.Generator,
    ties: Ties = "half",
    use_margin: bool = False,
    n_folds: int = 5,
    l2: float | None = None,
) -> TextFeatureFit:
    """The same from comparisons whose features are at hand.

    Args:
        found: From ``compare_features``.
        rng: As in ``fit_text_feature_reward``, and so on.
        ties: Likewise.
        use_margin: Likewise.
        n_folds: Likewise.
        l2: Likewise.

    Raises:
        InputError, SeparationError, EstimationError: As ``fit_text_feature_reward``.
    """
    _check_penalty(l2)
    n_ties = int(np.count_nonzero(found.label == 0.5))
    if n_ties == len(found.label):
        raise InputError(
            f"ties: all {n_ties:,} comparisons are ties, so there is nothing to fit; give "
            "comparisons with a winner, or say what the file's labels mean if these are no ties "
            "(--labels VALUE=OUTCOME,...)"
        )
    used = _without_ties(found) if ties == "leave-out" else found
    usable = usable_columns(used.differences, used.names)
    if not len(usable.kept):
        raise EstimationError(
            f"no feature can be estimated from {len(used.label)} comparisons: "
            + "; ".join(usable.left_out)
        )
    margin = _margins(used) if use_margin else None
    return _fit(used, usable, margin, rng, n_folds=n_folds, l2=l2, ties=ties, n_ties=n_ties)


def _check_penalty(l2: float | None) -> None:
    if l2 is not None and not (np.isfinite(l2) and l2 > 0):
        raise InputError(f"l2: expected a number > 0, got {l2}")


def rows_of_fit(found: FeatureComparisons, fitted: TextFeatureFit) -> HeldOutRows:
    """The comparisons that a fit used, as it used them: its features, standardised, and its ties.

    Args:
        found: What was fitted.
        fitted: The fit.
    """
    used = _without_ties(found) if fitted.ties == "leave-out" else found
    columns = [used.names.index(name) for name in fitted.reward.names]
    return HeldOutRows(
        used.differences[:, columns] / fitted.reward.scale,
        used.label,
        _margins(used) if fitted.use_margin else None,
        cluster_codes(used.prompt_id)[0],
    )


def _fit(
    used: FeatureComparisons,
    usable: UsableColumns,
    margin: FloatArray | None,
    rng: np.random.Generator,
    *,
    n_folds: int,
    l2: float | None,
    ties: Ties,
    n_ties: int,
) -> TextFeatureFit:
    mean, scale = used.mean[usable.kept], used.scale[usable.kept]
    standardised = used.differences[:, usable.kept] / scale
    prompt, n_prompts = cluster_codes(used.prompt_id)
    if n_prompts < 2:
        raise InputError("prompts: expected at least 2 for held-out figures, got 1")
    apart = separable_columns(standardised, usable.names)
    inference, no_inference = _inference(
        standardised[:, apart.kept], used.label, prompt, apart.names, margin
    )
    k = min(n_folds, n_prompts)
    fold = grouped_folds(used.prompt_id, k, rng)
    grid = L2_GRID if l2 is None else (l2,)
    penalty = choose_l2(standardised, used.label, fold, grid=grid, margin=margin)
    prediction = fit(standardised, used.label, l2=penalty.l2, margin=margin)
    rows = HeldOutRows(standardised, used.label, margin, prompt)
    figures = held_out_figures(rows, prediction, penalty.held_out, k, rng)
    return TextFeatureFit(
        reward=TextFeatureReward(usable.names, prediction.weights, mean, scale),
        prediction=prediction,
        penalty=penalty,
        inference=inference,
        tested_together=apart.left_out,
        no_inference=no_inference,
        accuracy=figures.accuracy,
        log_loss=figures.log_loss,
        left_out=usable.left_out,
        warnings=_warnings(inference, penalty, k, n_folds),
        ties=ties,
        use_margin=margin is not None,
        n=len(used.label),
        n_ties=n_ties,
        n_prompts=n_prompts,
        prompt_digests=used.prompt_digests,
        n_folds=k,
        seed=_seed(rng),
        layout=used.layout,
    )


def _inference(
    standardised: FloatArray,
    label: FloatArray,
    prompt: np.ndarray,
    names: tuple[str, ...],
    margin: FloatArray | None,
) -> tuple[WeightInference | None, str]:
    """The intervals, or why there are none. Separation is no lack of intervals but of a fit."""
    try:
        return infer_weights(standardised, label, prompt, names=names, margin=margin), ""
    except (SeparationError, ConvergenceError):
        raise
    except EstimationError as error:
        return None, str(error)


def _without_ties(found: FeatureComparisons) -> FeatureComparisons:
    kept = found.label != 0.5
    return replace(
        found,
        differences=found.differences[kept],
        label=found.label[kept],
        margin=found.margin[kept],
        prompt_id=[p for p, keep in zip(found.prompt_id, kept.tolist(), strict=True) if keep],
    )


def _margins(used: FeatureComparisons) -> FloatArray:
    if np.isnan(used.margin).all():
        raise InputError("use_margin: expected margins in the file, but no row has one")
    if np.nanmin(used.margin) < 0:
        raise InputError(f"margin: expected numbers >= 0, got {np.nanmin(used.margin)}")
    return used.margin


def _warnings(
    inference: WeightInference | None, penalty: L2Choice, n_folds: int, asked_folds: int
) -> tuple[str, ...]:
    warnings = list(inference.warnings) if inference else []
    if n_folds < asked_folds:
        warnings.append(f"{n_folds} folds instead of {asked_folds}: one prompt a fold at least")
    if penalty.at_edge and penalty.l2 == penalty.grid[0]:
        warnings.append(
            "the strongest penalty tried predicts best: the features hardly predict these choices"
        )
    return tuple(warnings)


def _seed(rng: np.random.Generator) -> int | None:
    entropy = getattr(getattr(rng.bit_generator, "seed_seq", None), "entropy", None)
    return entropy if isinstance(entropy, int) else None
