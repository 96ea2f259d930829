"""Strengths and the crowd's distribution of flip rates that fit best together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize

from rewardlab.errors import ConvergenceError
from rewardlab.rewards.items.crowd_model import (
    CrowdPoint,
    CrowdVotes,
    FlipPrior,
    Nodes,
    agreeing,
    crowd_point,
    place_nodes,
)
from rewardlab.rewards.items.model import Ridge
from rewardlab.types import BoolArray, FloatArray

USUAL_CONCENTRATION, CONCENTRATION_SPREAD = 5.0, 2.5
"""The prior of log(a + b), a normal about log 5. Few annotators tell little of how much they
differ; the mean rate has a flat prior."""
LEAST, MOST = 0.5, 300.0
"""Bounds of a and b. Beyond 1/2 the density would be infinite at 0 or 1; at 300 all are alike."""
HONEST = FlipPrior(1.0, 9.0)
"""Where the search begins: with a crowd that is right as a rule."""
MAX_ROUNDS = 30
STEPS_A_ROUND = 60


@dataclass(frozen=True, slots=True)
class FittedCrowd:
    """Where the search ended.

    Attributes:
        s: Shape [m].
        prior: Of the flip rates.
        nodes: Where integrals are taken.
        at: The model there.
        gradient_norm: Largest derivative of the objective by a strength, over its item's votes.
        iterations: Steps.
        n_rounds: How often the nodes were placed.
    """

    s: FloatArray
    prior: FlipPrior
    nodes: Nodes
    at: CrowdPoint
    gradient_norm: float
    iterations: int
    n_rounds: int


def fit_votes(votes: CrowdVotes, start: FloatArray, ridge: Ridge, *, tol: float) -> FittedCrowd:
    """Strengths and the Beta distribution at the largest posterior density.

    Were all who flip honest and all who are honest flipping, and all strengths turned round, votes
    and priors would be as likely. Of the two, that is meant in which most votes are honest.

    Args:
        votes: Decided votes.
        start: Shape [m]; strengths as if nobody flipped.
        ridge: Prior of the strengths.
        tol: Largest ``gradient_norm``.

    Raises:
        ConvergenceError: It was not reached.
    """
    size = np.bincount(votes.winner, votes.times, votes.n_items)
    size += np.bincount(votes.loser, votes.times, votes.n_items)
    size = np.where(size > 0, size, 1.0)
    x = np.concatenate([start, np.log([HONEST.a, HONEST.b])])
    iterations = 0
    for n_rounds in range(1, MAX_ROUNDS + 1):
        nodes = place_nodes(votes, x[:-2], _prior(x))
        at = crowd_point(votes, x[:-2], _prior(x), nodes)
        if not _mostly_honest(votes, nodes, at):
            x = np.concatenate([-x[:-2], x[:-3:-1]])
            continue
        norm = float(np.max(np.abs(at.by_strength - ridge.l2 * x[:-2]) / size))
        if n_rounds > 1 and norm <= tol and _prior_settled(at, x):
            return FittedCrowd(x[:-2], _prior(x), nodes, at, norm, iterations, n_rounds)
        x, steps = _round(votes, x, nodes, ridge)
        iterations += steps
    raise ConvergenceError(
        f"crowd: strengths and flip rates did not settle in {MAX_ROUNDS} rounds (gradient "
        f"{norm:.1e} a vote, {tol:.1e} asked for)"
    )


def _round(votes: CrowdVotes, x: FloatArray, nodes: Nodes, ridge: Ridge) -> tuple[FloatArray, int]:
    """Some steps of limited-memory BFGS, each strength in units of its uncertainty."""
    agrees = agreeing(votes, x[:-2])
    curvature = votes.times * agrees * (1 - agrees)
    own = np.bincount(votes.winner, curvature, votes.n_items)
    own += np.bincount(votes.loser, curvature, votes.n_items)
    unit = np.append(1 / np.sqrt(own + ridge.l2), [1.0, 1.0])

    def loss(z: FloatArray) -> tuple[float, FloatArray]:
        here = z * unit
        s = here[:-2]
        at = crowd_point(votes, s, _prior(here), nodes)
        penalty, by_prior = concentration_penalty(here)
        gradient = np.append(at.by_strength - ridge.l2 * s, at.by_prior - by_prior)
        return ridge.l2 / 2 * float(s @ s) + penalty - at.log_likelihood, -gradient * unit

    bounds = [(None, None)] * votes.n_items + [(np.log(LEAST), np.log(MOST))] * 2
    found = optimize.minimize(
        loss,
        x / unit,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": STEPS_A_ROUND, "gtol": 1e-9, "ftol": 1e-15, "maxcor": 20},
    )
    return np.asarray(found.x * unit, dtype=np.float64), int(found.nit)


def _prior(x: FloatArray) -> FlipPrior:
    return FlipPrior(float(np.exp(x[-2])), float(np.exp(x[-1])))


def concentration_penalty(x: FloatArray) -> tuple[float, FloatArray]:
    """(penalty, its derivatives by log a and log b) of log(a + b)."""
    weight = np.exp(x[-2:])
    off = np.log(weight.sum() / USUAL_CONCENTRATION) / CONCENTRATION_SPREAD
    return float(off**2 / 2), off / CONCENTRATION_SPREAD * weight / weight.sum()


def concentration_curvature(prior: FlipPrior) -> FloatArray:
    """Shape [2, 2]; second derivatives by log a and log b of the penalty on log(a + b)."""
    total = prior.a + prior.b
    weight = np.array([prior.a, prior.b]) / total
    off = np.log(total / USUAL_CONCENTRATION) / CONCENTRATION_SPREAD**2
    square = np.outer(weight, weight)
    return np.asarray(square / CONCENTRATION_SPREAD**2 + off * (np.diag(weight) - square))


def free_prior(prior: FlipPrior) -> BoolArray:
    """Shape [2]; whether a and b are within their bounds, not at one of them."""
    x = np.log([prior.a, prior.b])
    return np.asarray((x > np.log(LEAST) + 1e-9) & (x < np.log(MOST) - 1e-9))


def _prior_settled(at: CrowdPoint, x: FloatArray) -> bool:
    """Whether a step in log a or log b would gain less than a thousandth of a nat."""
    slope = at.by_prior - concentration_penalty(x)[1]
    lowest, highest = np.log(LEAST) + 1e-9, np.log(MOST) - 1e-9
    held = ((x[-2:] <= lowest) & (slope < 0)) | ((x[-2:] >= highest) & (slope > 0))
    return bool(np.all(held | (np.abs(slope) < 1e-3)))


def _mostly_honest(votes: CrowdVotes, nodes: Nodes, at: CrowdPoint) -> bool:
    """Whether more votes are taken as honest than as flipped."""
    flip = np.sum(at.posterior * nodes.rate, axis=1)
    return bool(votes.times @ (1 - 2 * flip[votes.annotator]) >= 0)
