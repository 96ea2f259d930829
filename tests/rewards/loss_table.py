"""Losses with their inputs, so that any implementation can be held to the same checks.

A case names a loss, the settings it is called with and the rewards (or differences) it is
differentiated by. An implementation turns a case and such rewards into loss and gradient; that of
the package is ``package``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rewardlab.rewards import losses
from rewardlab.rewards.losses import LossTerms
from rewardlab.types import FloatArray, Outcome

DELTA = np.linspace(-6, 6, 25)
RANKED = np.random.default_rng(0).normal(scale=2, size=(7, 5))


@dataclass(frozen=True, slots=True)
class LossCase:
    """One loss at one setting.

    Attributes:
        name: What it is, for messages.
        loss: Its name in ``rewards.losses``.
        settings: Arguments besides the rewards; a link is given as (its name, its settings).
        at: Where it is evaluated: D of shape [n], or rewards of shape [..., k].
        known: Losses at some of these known otherwise: position -> (value, source).
    """

    name: str
    loss: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    at: FloatArray = field(default_factory=lambda: DELTA)
    known: Mapping[int, tuple[float, str]] = field(default_factory=dict)


Implementation = Callable[[LossCase, FloatArray], LossTerms]


def _outcomes(outcome: Outcome) -> dict[str, Any]:
    return {"outcome": np.full(DELTA.shape, outcome)}


def _ties(loss: str, **settings: float) -> tuple[LossCase, ...]:
    return tuple(
        LossCase(f"{loss} {o.name}", loss, {**_outcomes(o), **settings})
        for o in (Outcome.A, Outcome.B, Outcome.TIE)
    )


EVEN = 12
"""Position of D = 0 in ``DELTA``."""

PAIRS: tuple[LossCase, ...] = (
    LossCase("logistic", "logistic", known={EVEN: (np.log(2), "a coin")}),
    LossCase("probit", "probit", {"sigma": 0.7}, known={EVEN: (np.log(2), "a coin")}),
    LossCase(
        "margin",
        "pair_loss",
        {"margin": 2 / 3},
        known={EVEN: (np.log1p(np.exp(2 / 3)), "-log sigma(-m)")},
    ),
    LossCase("noise floor", "noise_floor", {"eps": 0.1}, known={EVEN: (np.log(2), "a coin")}),
    LossCase("probit with a noise floor", "noise_floor", {"eps": 0.2, "link": ("probit", {})}),
    LossCase(
        "soft label",
        "pair_loss",
        {"label": 0.8, "margin": 0.5, "link": ("noise_floor", {"eps": 0.1})},
    ),
    LossCase("tie as a half", "pair_loss", {"label": 0.5}, known={EVEN: (np.log(2), "a coin")}),
    *_ties("davidson", nu=0.8),
    *_ties("rao_kupper", threshold=0.5),
)
RANKINGS: tuple[LossCase, ...] = (
    LossCase("full ranking", "plackett_luce", at=RANKED),
    LossCase("first three of five", "plackett_luce", {"n_placed": 3}, at=RANKED),
    LossCase("best of five", "plackett_luce", {"n_placed": 1}, at=RANKED),
    LossCase("all pairs", "all_pairs", at=RANKED),
    LossCase(
        "full ranking of equals",
        "plackett_luce",
        at=np.zeros((1, 5)),
        known={0: (np.log(120), "1/5!")},
    ),
    LossCase(
        "first two of five equals",
        "plackett_luce",
        {"n_placed": 2},
        at=np.zeros((1, 5)),
        known={0: (np.log(20), "1/(5 4)")},
    ),
    LossCase(
        "all pairs of equals", "all_pairs", at=np.zeros((1, 5)), known={0: (np.log(2), "mean")}
    ),
)


def package(case: LossCase, at: FloatArray) -> LossTerms:
    """The package's own losses."""
    settings = dict(case.settings)
    if "link" in settings:
        name, of_link = settings["link"]
        settings["link"] = getattr(losses, name)(**of_link)
    loss = getattr(losses, case.loss)
    found: LossTerms = (
        loss(**settings)(at) if case.loss in ("probit", "noise_floor") else loss(at, **settings)
    )
    return found


def numerical_gradient(implementation: Implementation, case: LossCase) -> FloatArray:
    """Central differences, one coordinate at a time; their error is of the order of 1e-10."""
    at, step = case.at, 1e-5
    if at.ndim == 1:  # pairs are apart, so all can be moved at once
        high, low = (implementation(case, at + s).loss for s in (step, -step))
        return np.asarray((high - low) / (2 * step))
    found = np.empty(at.shape)
    for i in range(at.shape[-1]):
        move = step * np.eye(at.shape[-1])[i]
        high, low = (implementation(case, at + s * move).loss for s in (1, -1))
        found[..., i] = (high - low) / (2 * step)
    return found
