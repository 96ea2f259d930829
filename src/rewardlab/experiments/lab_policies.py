"""Every way to optimise against the lab's learned reward, by one set of settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rewardlab.errors import ConvergenceError, EstimationError, InputError
from rewardlab.experiments.lab_runs import N_MAX, N_STEPS, STEP_SIZE
from rewardlab.policies.best_of_n import log_spaced_n
from rewardlab.policies.closed_form import closed_form
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.policies.natural_gradient import natural_gradient
from rewardlab.policies.policy_gradient import Training, grpo, policy_gradient, reinforce
from rewardlab.policies.ppo import PpoConfig, ppo
from rewardlab.policies.recording import Optimised
from rewardlab.types import FloatArray, OptimizationPath
from rewardlab.worlds.answer_set import AnswerSet

RunMethod = Literal["natural_gradient", "grpo", "ppo", "reinforce", "best_of_n", "closed_form"]

LOOSEST_BETA = 0.02
"""Smallest beta of the optimum in closed form; from there on little changes."""

GROUPS, GROUP_SIZE = 8, 8
"""Groups of answers that a step of a sampled method draws, and answers in each."""

_TIGHTEST_BETA = 20.0
_SWEEP_POINTS = 81
_PER_OCTAVE = 5


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What names a run against a learned reward; each method uses what concerns it.

    Attributes:
        method: How the policy is optimised.
        beta: Price of a nat of KL; best-of-n has none.
        step_size: Of gradient methods.
        n_steps: Steps of gradient methods.
        n_max: Largest n of best-of-n.
        seed: Of the answers that sampled methods draw.
        stop: Point of the path at which the run ends; None for its own end.
    """

    method: RunMethod = "natural_gradient"
    beta: float = 0.0
    step_size: float = STEP_SIZE
    n_steps: int = N_STEPS
    n_max: int = N_MAX
    seed: int = 0
    stop: int | None = None


def optimised(world: AnswerSet, reward: FloatArray, settings: RunSettings) -> Optimised:
    """The path of a method from the reference, and the policy at its end.

    A run that is stopped is the beginning of the same run that is not: the policy is the one at the
    point where it was stopped.

    Args:
        world: The lab's.
        reward: Shape [n]; what is optimised.
        settings: How.

    Raises:
        InputError: A setting is outside its range, or the path has no such point.
        ConvergenceError: The steps grew without bound.
    """
    if settings.stop is not None:
        settings = _stopped(settings)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            run = _run(world, reward, settings)
    except EstimationError:
        raise _diverged(settings) from None
    if not np.isfinite(run.path.kl_nats).all() or not np.isfinite(run.logprobs).all():
        raise _diverged(settings)
    return run


def _run(world: AnswerSet, reward: FloatArray, settings: RunSettings) -> Optimised:
    beta, size, n = settings.beta, settings.step_size, settings.n_steps
    match settings.method:
        case "natural_gradient":
            return natural_gradient(world, reward, beta=beta, step_size=size, n_steps=n)
        case "best_of_n":
            return best_of_n(world, reward, n=_n_of_path(settings))
        case "closed_form":
            return closed_form(world, reward, betas=_betas_of_path(settings))
        case "ppo":
            config = PpoConfig(beta=beta, batch_size=GROUPS * GROUP_SIZE, step_size=size, n_steps=n)
            rng = np.random.default_rng(settings.seed)
            return ppo(world, reward, config=config, rng=rng, shared=world.features).optimised
        case "reinforce" | "grpo":
            make = reinforce if settings.method == "reinforce" else grpo
            return policy_gradient(
                world,
                reward,
                method=make(beta, group_size=GROUP_SIZE),
                training=Training(n, size, GROUPS, record_every=1),
                rng=np.random.default_rng(settings.seed),
                shared=world.features,
            )
    raise InputError(f"method: expected one that is known, got {settings.method!r}")


def n_points(settings: RunSettings) -> int:
    """Points of the path when the run is not stopped."""
    if settings.method == "best_of_n":
        return len(log_spaced_n(settings.n_max, per_octave=_PER_OCTAVE))
    return _SWEEP_POINTS if settings.method == "closed_form" else settings.n_steps + 1


def _stopped(settings: RunSettings) -> RunSettings:
    """The same with as many steps as it took until it was stopped."""
    stop, last = settings.stop or 0, n_points(settings) - 1
    if not 0 <= stop <= last:
        raise InputError(f"stop: expected a point of the path, 0 to {last}, got {stop}")
    if settings.method in ("best_of_n", "closed_form"):
        return settings
    return replace(settings, n_steps=stop)


def _n_of_path(settings: RunSettings) -> list[int]:
    n: list[int] = log_spaced_n(settings.n_max, per_octave=_PER_OCTAVE).tolist()
    return n if settings.stop is None else n[: settings.stop + 1]


def _betas_of_path(settings: RunSettings) -> list[float]:
    """From the reference, which is the optimum at an infinite beta, to the beta that was chosen."""
    if not 0 < settings.beta < _TIGHTEST_BETA:
        raise InputError(
            f"beta: expected a number above 0 and below {_TIGHTEST_BETA:g}, got {settings.beta:g}"
        )
    betas = np.geomspace(_TIGHTEST_BETA, settings.beta, _SWEEP_POINTS - 1).tolist()
    path = [np.inf, *betas]
    return path if settings.stop is None else path[: settings.stop + 1]


def _diverged(settings: RunSettings) -> ConvergenceError:
    return ConvergenceError(
        f"the steps grew without bound: a step size of {settings.step_size:g} is too large for a "
        f"beta of {settings.beta:g}; take smaller steps or a smaller beta"
    )


@dataclass(frozen=True, slots=True)
class BetaSweep:
    """The optimum over a range of beta, from tight to loose.

    Attributes:
        betas: Shape [k], falling.
        path: The optimum at each.
        best: Position at which true quality is highest.
    """

    betas: FloatArray
    path: OptimizationPath
    best: int


def beta_sweep(world: AnswerSet, reward: FloatArray) -> BetaSweep:
    """The optimum of reward - beta KL at betas from 20 to .02.

    Args:
        world: The lab's.
        reward: Shape [n]; what is optimised.
    """
    betas = np.geomspace(_TIGHTEST_BETA, LOOSEST_BETA, _SWEEP_POINTS)
    path = closed_form(world, reward, betas=betas.tolist()).path
    return BetaSweep(betas, path, int(np.argmax(path.gold_reward)))
