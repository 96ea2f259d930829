"""A boat race whose score counts targets, some of which come back in a lagoon beside the course.

    start 0 - 1 - 2* - 3 - 4 - 5* - 6 - 7* - 8 - finish
                       |   |
                      L0* L3         * a target: hit on entering the cell
                       |   |
                      L1*- L2*       from L3 the boat may turn into L0 again

A target comes back before the boat can have gone round the lagoon, and on the course the boat
never passes twice, so that where the boat is says everything about the state. The source tells of
a real game in which circling scored more than finishing; this course is made up to do the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.rewards.linear import LinearFit, fit
from rewardlab.types import FloatArray, IntArray

AHEAD, TURN = 0, 1
FEATURES = ("targets hit", "cells of progress")
START, FORK, N_COURSE, N_LAGOON = 0, 3, 9, 4
LAGOON = range(N_COURSE, N_COURSE + N_LAGOON)
FINISH = N_COURSE + N_LAGOON
_TARGETS = (2, 5, 7, *LAGOON[:3])
CLIP_STEPS = 8
PRIOR = 1.0
"""L2 penalty of the fit: weights are taken to be about one logit a unit before any label."""


@dataclass(frozen=True, slots=True)
class Race:
    """Where each action leads, and what happens on the way.

    Attributes:
        next_state: Shape [S, 2]; after going ahead, and after turning.
        features: Shape [S, 2, 2]; targets hit and cells of progress on that step.
        finishes: Shape [S, 2]; 1 where the step crosses the finish line.
    """

    next_state: IntArray
    features: FloatArray
    finishes: FloatArray


@lru_cache(maxsize=1)
def boat_race() -> Race:
    """The race; its arrays are read-only, since it is kept."""
    ahead = np.arange(1, FINISH + 2)
    ahead[[N_COURSE - 1, LAGOON[-1], FINISH]] = FINISH, FORK + 1, FINISH
    turn = np.arange(FINISH + 1)
    turn[FORK] = turn[LAGOON[-1]] = LAGOON[0]
    turn[LAGOON[:-1]] = LAGOON[1:]
    next_state = np.column_stack([ahead, turn])
    moves = next_state != np.arange(FINISH + 1)[:, None]
    finishes = (next_state == FINISH) & moves
    onward = moves & ((next_state < N_COURSE) | finishes)
    race = Race(
        next_state,
        np.stack([np.isin(next_state, _TARGETS) & moves, onward], axis=-1).astype(float),
        finishes.astype(float),
    )
    for array in (race.next_state, race.features, race.finishes):
        array.setflags(write=False)
    return race


def finishing() -> IntArray:
    """Shape [S]; always ahead."""
    return np.full(FINISH + 1, AHEAD)


def circling() -> IntArray:
    """Shape [S]; into the lagoon, and round it for good."""
    actions = finishing()
    actions[[FORK, *LAGOON]] = TURN
    return actions


def game_score(target_points: float, finish_points: float) -> FloatArray:
    """Points on each step, of shape [S, 2]."""
    race = boat_race()
    return target_points * race.features[..., 0] + finish_points * race.finishes


def where_it_ends(actions: IntArray) -> int:
    """The state in which a boat is after more steps than there are states: for good, or circling.

    Args:
        actions: Shape [S].
    """
    state = START
    for _ in range(2 * len(actions)):
        state = int(boat_race().next_state[state, actions[state]])
    return state


def sample_clips(n: int, rng: np.random.Generator) -> FloatArray:
    """Targets hit and cells of progress in clips of a boat that steers at random, of shape [n, 2].

    A clip starts anywhere before the finish and lasts eight steps.
    """
    race = boat_race()
    state = rng.integers(FINISH, size=n)
    actions = rng.integers(2, size=(CLIP_STEPS, n))
    total = np.zeros((n, len(FEATURES)))
    for action in actions:
        total += race.features[state, action]
        state = race.next_state[state, action]
    return total


def reward_from_clips(n: int, hit_taste: float, rng: np.random.Generator) -> LinearFit:
    """Weights of targets and progress, fitted to choices between pairs of clips.

    Whoever chooses wants the race finished: clip a is picked with probability sigma(its lead in
    progress + hit_taste x its lead in targets).

    Args:
        n: Comparisons, >= 1.
        hit_taste: What a target hit is worth to the chooser, in cells of progress.
        rng: Draws clips and choices.

    Raises:
        InputError: There is no comparison, or the taste is not a finite number.

    Source: Christiano et al. (2017), arXiv:1706.03741, equation 1, with a linear reward for their
    network.
    """
    if not (n >= 1 and np.isfinite(hit_taste)):
        raise InputError(
            f"reward_from_clips: expected n of at least 1 comparison and a finite hit_taste, got "
            f"{n} and {hit_taste:g}"
        )
    differences = sample_clips(n, rng) - sample_clips(n, rng)
    lead = differences @ np.array([hit_taste, 1.0])
    picked = rng.random(n) < special.expit(lead)
    return fit(differences, picked.astype(float), l2=PRIOR, names=FEATURES)
