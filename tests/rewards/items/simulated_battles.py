"""Battles drawn from a known truth, for coverage and recovery."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rewardlab.preferences.battles import Battles
from rewardlab.rewards.items.cells import cells_of_wins
from rewardlab.rewards.items.fit import fit_cells
from rewardlab.rewards.items.model import ItemModel
from rewardlab.types import FloatArray, IntArray, Outcome


@dataclass(frozen=True, slots=True)
class World:
    """What votes follow.

    Attributes:
        strength: Shape [m], logits.
        n: Votes.
        n_clusters: Clusters, with votes spread over them; None for independent votes.
        cluster_sd: Standard deviation of each item's strength over clusters, logits.
        nu: Davidson's weight of a tie; 0 for none.
        position: Logits that side a has ahead.
        share: Shape [m]; relative frequency of the items; None for equal ones.
        uneven: The largest cluster has about ten times the votes of the smallest.
    """

    strength: FloatArray
    n: int
    n_clusters: int | None = None
    cluster_sd: float = 0.0
    nu: float = 0.0
    position: float = 0.0
    share: FloatArray | None = None
    uneven: bool = False


def draw(world: World, rng: np.random.Generator) -> Battles:
    """One sample."""
    m = len(world.strength)
    a, b = _pairs(world, rng)
    prompt = _clusters(world, rng)
    delta = world.strength[a] - world.strength[b] + world.position
    if prompt is not None:
        own = world.cluster_sd * rng.normal(size=(int(world.n_clusters or 0), m))
        delta = delta + own[prompt, a] - own[prompt, b]
    outcome = _outcome(delta, world.nu, rng)
    return Battles(tuple(map(str, range(m))), a, b, outcome, prompt=prompt)


def with_newcomer(battles: Battles, prompts: list[int]) -> Battles:
    """A win and a loss of one item more, against the first two, on these prompts."""
    assert battles.prompt is not None
    m = battles.n_items
    return replace(
        battles,
        names=(*battles.names, "new"),
        a=np.append(battles.a, [m, m]),
        b=np.append(battles.b, [0, 1]),
        outcome=np.append(battles.outcome, [Outcome.A, Outcome.B]).astype(np.int8),
        prompt=np.append(battles.prompt, prompts),
    )


def half_win_estimand(world: World) -> FloatArray:
    """Shape [m]; where Bradley-Terry with half wins for ties ends as votes grow without bound.

    Clusters that differ, and ties, draw strengths together; intervals are about these, not about
    the strengths of an average cluster. The position is taken for 0.
    """
    s = world.strength
    node, mass = np.polynomial.hermite_e.hermegauss(41)
    spread = np.sqrt(2) * world.cluster_sd * node
    delta = (s[:, None] - s)[..., None] + spread
    win = np.exp(delta / 2)
    chance = ((win + world.nu / 2) / (win + 1 / win + world.nu)) @ (mass / mass.sum())
    share = np.ones(len(s)) if world.share is None else world.share
    wins = chance * np.outer(share, share)
    np.fill_diagonal(wins, 0.0)
    return fit_cells(cells_of_wins(wins), ItemModel(), tuple(map(str, range(len(s))))).strength


def _clusters(world: World, rng: np.random.Generator) -> IntArray | None:
    if world.n_clusters is None:
        return None
    size = np.geomspace(1, 10 if world.uneven else 1, world.n_clusters)
    return rng.choice(world.n_clusters, size=world.n, p=size / size.sum())


def _pairs(world: World, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    m, n = len(world.strength), world.n
    if world.share is None:
        a = rng.integers(m, size=n)
        return a, (a + rng.integers(1, m, size=n)) % m
    p = world.share / world.share.sum()
    a, b = rng.choice(m, size=n, p=p), rng.choice(m, size=n, p=p)
    while (same := a == b).any():
        b[same] = rng.choice(m, size=int(same.sum()), p=p)
    return a, b


def _outcome(delta: FloatArray, nu: float, rng: np.random.Generator) -> np.ndarray:
    win, tie = np.exp(delta / 2), nu
    total = win + 1 / win + tie
    u = rng.random(len(delta)) * total
    outcome = np.where(u < win, Outcome.A, np.where(u < win + tie, Outcome.TIE, Outcome.B))
    return outcome.astype(np.int8)
