"""The reward models of Goodhart's worlds, and four defences, each the same in every world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.ensemble import mean_score, worst_case_score
from rewardlab.rewards.rating_fit import fit_ratings
from rewardlab.types import FloatArray
from rewardlab.worlds.goodhart import GoodhartWorld

_NOISE = 1.5
"""Standard deviation of a rating around gold."""


@dataclass(frozen=True, slots=True)
class Rewards:
    """What the policy may be given to maximise, in each of s repeats of collecting ratings.

    Attributes:
        single: Shape [s, n]; one reward model, fitted to ratings of the reference's answers.
        average: Shape [s, n]; mean of several, each with ratings of its own.
        worst_case: Shape [s, n]; least of the same, each with its mean under the reference at 0.
        edited: Shape [s, n]; one model with as many ratings, of which half are of answers drawn
            evenly from all that can be written, usual or not.
    """

    single: FloatArray
    average: FloatArray
    worst_case: FloatArray
    edited: FloatArray


def train(
    world: GoodhartWorld,
    *,
    n_ratings: int,
    n_members: int,
    shared: float,
    n_repeats: int,
    rng: np.random.Generator,
) -> Rewards:
    """Reward models fitted to ratings, again and again with new ratings.

    Args:
        world: Whose answers are rated.
        n_ratings: Ratings that each reward model is fitted to, >= 1.
        n_members: Reward models in the average and in the worst case, >= 1.
        shared: Chance in [0, 1] that a trick fools every model (a blind spot from what they have
            in common); otherwise it fools each with a chance of one half.
        n_repeats: s, >= 1.
        rng: Source of ratings and blind spots.

    Raises:
        InputError: A number is outside its range.
    """
    if min(n_ratings, n_members, n_repeats) < 1 or not 0 <= shared <= 1:
        raise InputError(
            "train: expected n_ratings, n_members and n_repeats of at least 1 and shared in "
            f"[0, 1], got {n_ratings}, {n_members}, {n_repeats} and {shared:g}"
        )
    answers = world.answers
    prior = _blind_spots(world, (n_repeats, n_members), shared, rng)
    usual = answers.ref_probs / answers.ref_probs.sum()
    mixed = (usual + 1 / len(answers)) / 2
    members = _fitted(world, usual, prior, n_ratings, rng)
    members -= (members @ usual)[..., None]
    return Rewards(
        single=members[:, 0],
        average=mean_score(members.swapaxes(0, 1)),
        worst_case=worst_case_score(members.swapaxes(0, 1)),
        edited=_fitted(world, mixed, prior[:, 0], n_ratings, rng),
    )


def _blind_spots(
    world: GoodhartWorld, shape: tuple[int, int], shared: float, rng: np.random.Generator
) -> FloatArray:
    """Each model's weights before any rating, of shape [s, k, d]."""
    d = len(world.fooled)
    common = rng.random((shape[0], 1, d)) < shared
    own = rng.random((*shape, d)) < 0.5
    return np.asarray(np.where(common | own, world.fooled, 0.0))


def _fitted(
    world: GoodhartWorld, chance: FloatArray, prior: FloatArray, n_ratings: int,
    rng: np.random.Generator,
) -> FloatArray:  # fmt: skip
    """The reward of every answer under each model, of shape [..., n]."""
    answers = world.answers
    rated = rng.choice(len(answers), p=chance, size=(*prior.shape[:-1], n_ratings))
    ratings = answers.gold[rated] + _NOISE * rng.normal(size=rated.shape)
    weights = fit_ratings(answers.features[rated], ratings, precision=world.precision, prior=prior)
    return weights @ answers.features.T
