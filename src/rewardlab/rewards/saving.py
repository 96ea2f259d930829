"""A text-feature reward on disk: one JSON file that a person can read and ``load`` reads back."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.errors import ModelError
from rewardlab.rewards.feature_fit import TextFeatureFit
from rewardlab.rewards.inference import WeightInference
from rewardlab.rewards.lexicons import VERSION as FEATURES_VERSION
from rewardlab.rewards.text_feature_reward import TextFeatureReward
from rewardlab.rewards.text_features import FEATURES, NAMES
from rewardlab.rewards.training_prompts import WHOLE_FOLDER, save_training_prompts
from rewardlab.stats.intervals import Estimate

FILE_NAME = "reward.json"
KIND = "rewardlab text-feature reward"
VERSION = 1
"""Version of the file's layout."""


def save(fit: TextFeatureFit, folder: Path) -> Path:
    """Write the fit as ``folder``/reward.json, making the folder; returns the file's path.

    Beside it lie digests of the prompts that it was fitted on.

    Raises:
        ModelError: The folder or the file cannot be written.
    """
    path = folder / FILE_NAME
    text = json.dumps(describe(fit), indent=2, ensure_ascii=False, allow_nan=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        save_training_prompts(fit.prompt_digests, folder)
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def describe(fit: TextFeatureFit) -> dict[str, Any]:
    """All of a fit as JSON-ready values: what is saved and what ``--json`` prints."""
    return {
        "kind": KIND,
        "version": VERSION,
        "features_version": FEATURES_VERSION,
        "reads_as": (
            "reward = sum of weight_per_sd * (feature - mean) / sd, in logits of preference; "
            "weights for prediction carry the L2 penalty, intervals come from the fit without it"
        ),
        "features": [_feature(fit, j) for j in range(len(fit.reward.names))],
        "left_out": list(fit.left_out),
        "tested_together": list(fit.tested_together),
        "warnings": list(fit.warnings),
        "prediction": {
            "l2": fit.prediction.l2,
            "l2_chosen_by": "grouped cross-validation" if len(fit.penalty.grid) > 1 else "given",
            "l2_tried": list(fit.penalty.grid),
            "held_out_log_loss_of_each": fit.penalty.log_loss.tolist(),
            "iterations": fit.prediction.iterations,
            "gradient_norm": fit.prediction.gradient_norm,
        },
        "intervals": _intervals(fit.inference, fit.no_inference),
        "held_out": {
            "accuracy": _estimate(fit.accuracy),
            "log_loss_nats": _estimate(fit.log_loss),
            "folds": fit.n_folds,
        },
        "data": {
            "layout": fit.layout,
            "comparisons": fit.n,
            "ties_in_file": fit.n_ties,
            "prompts": fit.n_prompts,
        },
        "settings": {"ties": fit.ties, "margin_in_loss": fit.use_margin, "seed": fit.seed},
    }


def load(folder: Path) -> TextFeatureReward:
    """The reward that ``save`` wrote.

    Raises:
        ModelError: The file is missing or damaged, or was written by another version of the
            layout, the features or the word lists.
    """
    path = folder / FILE_NAME
    if folder.is_dir() and not path.exists():
        raise ModelError(f"{path}: cannot be read: there is no such file; {WHOLE_FOLDER}")
    try:
        record = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: is no valid JSON: {error}") from error
    return _reward(_Record(str(path), record))


@dataclass(frozen=True, slots=True)
class _Record:
    """A piece of the JSON file with its place, for messages."""

    place: str
    value: Any

    def at(self, key: str) -> _Record:
        if not isinstance(self.value, dict) or key not in self.value:
            raise ModelError(f"{self.place}: expected a value named {key!r}")
        return _Record(f"{self.place}: {key}", self.value[key])

    def number(self) -> float:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ModelError(f"{self.place}: expected a number, got {value!r}")
        if not math.isfinite(value):
            raise ModelError(f"{self.place}: expected a finite number, got {value!r}")
        return float(value)

    def equal(self, expected: object, remedy: str) -> None:
        if self.value != expected or type(self.value) is not type(expected):
            raise ModelError(f"{self.place}: expected {expected!r}, got {self.value!r}; {remedy}")

    def items(self) -> list[_Record]:
        if not isinstance(self.value, list) or not self.value:
            raise ModelError(f"{self.place}: expected a list that is not empty")
        return [_Record(f"{self.place}[{i}]", item) for i, item in enumerate(self.value)]


def _reward(record: _Record) -> TextFeatureReward:
    refit = "fit the reward again with this version of rewardlab"
    record.at("kind").equal(KIND, "this is no reward of text features")
    record.at("version").equal(VERSION, refit)
    record.at("features_version").equal(FEATURES_VERSION, refit)
    features = record.at("features").items()
    names = [str(feature.at("name").value) for feature in features]
    for feature, name in zip(features, names, strict=True):
        if name not in NAMES:
            raise ModelError(f"{feature.place}: {name!r} is no known feature; {refit}")
    if len(set(names)) < len(names):
        raise ModelError(f"{record.place}: features: a name is given twice")
    for feature in features:
        if feature.at("sd").number() <= 0:
            raise ModelError(f"{feature.place}: sd: expected a number > 0")
    return TextFeatureReward(
        tuple(names),
        np.array([feature.at("weight_per_sd").number() for feature in features]),
        np.array([feature.at("mean").number() for feature in features]),
        np.array([feature.at("sd").number() for feature in features]),
    )


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _feature(fit: TextFeatureFit, j: int) -> dict[str, Any]:
    reward = fit.reward
    feature = FEATURES[NAMES.index(reward.names[j])]
    found = fit.inference
    weight, sd = float(reward.weight[j]), float(reward.scale[j])
    at = found.position(feature.name) if found else None
    interval = (
        found
        and at is not None
        and {
            "weight_per_sd": float(found.weight[at]),
            "low": float(found.low[at]),
            "high": float(found.high[at]),
            "std_error": float(found.std_error[at]),
            "p": float(found.p_value[at]),
            "p_adjusted": float(found.adjusted_p[at]),
            "degrees_of_freedom": float(found.dof[at]),
        }
    )
    return {
        "name": feature.name,
        "title": feature.title,
        "unit": feature.unit,
        "counts": feature.counts,
        "mean": float(reward.mean[j]),
        "sd": sd,
        "weight_per_sd": weight,
        "weight_per_unit": weight / sd,
        "without_penalty": interval or None,
    }


def _intervals(found: WeightInference | None, refusal: str) -> dict[str, Any]:
    if found is None:
        return {"refused": refusal}
    return {"method": found.method, "level": found.level, "p_adjusted_by": "Holm"}


def _estimate(estimate: Estimate) -> dict[str, Any]:
    def known(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "value": known(estimate.value),
        "low": known(estimate.low),
        "high": known(estimate.high),
        "level": estimate.level,
        "comparisons": estimate.n,
        "prompts": estimate.n_clusters,
        "method": estimate.method,
    }
