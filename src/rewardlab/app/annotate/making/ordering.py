"""In which order a project's pairs are asked: at random, or those first that would teach most."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import orjson
from scipy.special import expit
from sqlalchemy import Connection, Engine, bindparam, select, update

from rewardlab.app.annotate.exports.judgements import preferences_of
from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.annotate.store.projects import pairs_of, require_number
from rewardlab.app.annotate.store.tables import PAIRS, PROJECTS
from rewardlab.app.annotate.store.writing import Writer
from rewardlab.audit.queue_order import expected_disagreement, places
from rewardlab.errors import InputError
from rewardlab.preferences.pair_pool import PROBABILITY
from rewardlab.rewards.bootstrap_ensemble import bootstrap_ensemble
from rewardlab.rewards.saving import load
from rewardlab.types import FloatArray, RewardFn

Order = Literal["random", "undecided", "curve"]
ORDERS: tuple[Order, ...] = get_args(Order)

N_MEMBERS = 20
"""Rewards fitted to the labels so far, where no saved ones are given."""


def order_of(word: str) -> Order:
    """The order that a word names.

    Raises:
        InputError: There is none.
    """
    for order in ORDERS:
        if word == order:
            return order
    raise InputError(f"--order: expected one of {', '.join(ORDERS)}, got {word!r}")


def saved_rewards(folders: Sequence[Path]) -> list[RewardFn]:
    """The rewards that ``rewardlab fit --out`` wrote."""
    return [load(folder) for folder in folders]


def places_of(
    contents: Sequence[Content],
    order: Order,
    *,
    rewards: Sequence[RewardFn] = (),
    rng: np.random.Generator,
) -> FloatArray:
    """Places of pairs, the lowest asked first. Shape [n].

    Args:
        contents: The pairs.
        order: "random"; "undecided": those first on whose winner two votes by the rewards would
            differ most often; "curve": samples first that bear most on a best-of-n curve.
        rewards: For "undecided", one or an ensemble.
        rng: Draws the order, and settles between equals.

    Raises:
        InputError: There are no rewards to order by, or more than the order takes, or the pairs
            are not samples that were asked for.
    """
    if rewards and order != "undecided":
        raise InputError(f"--model: it goes with --order undecided, not with {order}")
    if order == "curve":
        return places(_asked_for(contents), rng)
    if order == "random":
        return rng.permutation(len(contents)).astype(float)
    if not rewards:
        raise InputError(
            "--order undecided: expected a saved reward with --model DIR; without one, label some "
            "pairs first and then order by them: rewardlab annotate order NAME undecided"
        )
    return places(expected_disagreement(_p_first(contents, rewards)), rng)


def reorder(
    engine: Engine,
    writer: Writer,
    project: str,
    order: Order,
    *,
    rewards: Sequence[RewardFn] = (),
    seed: int = 0,
) -> int:
    """Change in which order the pairs of a project are asked; what is lent out stays lent.

    Args:
        engine: The database.
        writer: Writes to it.
        project: The project's name.
        order: See ``places_of``; "undecided" without rewards fits an ensemble to the labels so
            far.
        rewards: See ``places_of``.
        seed: Of all randomness.

    Returns:
        How many pairs were ordered.

    Raises:
        InputError: See ``places_of``; or the seed is none.
        EstimationError: There are too few labels to fit rewards to.
    """
    require_number("seed", seed)
    rng = np.random.default_rng(seed)
    pairs = pairs_of(engine, project)
    asked = [pair for pair in pairs if pair.kind == "pair"]
    if order == "undecided" and not rewards:
        so_far = preferences_of(engine, project).preferences
        rewards = bootstrap_ensemble(so_far, n_members=N_MEMBERS, rng=rng)
    found = places_of([pair.content for pair in asked], order, rewards=rewards, rng=rng)
    place = {pair.pair: float(at) for pair, at in zip(asked, found, strict=True)}
    rows = [_placed(pair, place) for pair in pairs if pair.kind != "known"]
    writer.do(project, lambda connection: _write(connection, project, rows, order))
    return len(asked)


def _placed(pair: Pair, place: dict[int, float]) -> dict[str, Any]:
    original = pair.pair if pair.of is None else pair.of
    return {"which": pair.pair, "at": place[original]}


def _write(connection: Connection, project: str, rows: list[dict[str, Any]], order: Order) -> None:
    mine = update(PAIRS).where(PAIRS.c.project == project, PAIRS.c.pair == bindparam("which"))
    connection.execute(mine.values(place=bindparam("at")), rows)
    this = PROJECTS.c.project == project
    about = orjson.loads(connection.scalar(select(PROJECTS.c.about).where(this)) or "{}")
    said = orjson.dumps({**about, "order": order}).decode()
    connection.execute(update(PROJECTS).where(this).values(about=said))


def _asked_for(contents: Sequence[Content]) -> FloatArray:
    found = [content.extra.get(PROBABILITY) for content in contents]
    if not all(isinstance(p, int | float) for p in found):
        raise InputError(
            "--order curve: expected samples that were asked for, with the probability of each; "
            "choose them with rewardlab curve --choose, and make a project of the file it writes"
        )
    return np.array(found, dtype=np.float64)


def _p_first(contents: Sequence[Content], rewards: Sequence[RewardFn]) -> FloatArray:
    """P(a is better) by each reward. Shape [members, n]."""
    prompts = [content.prompt for content in contents]
    sides = [[c.response_a for c in contents], [c.response_b for c in contents]]
    gaps = []
    for reward in rewards:
        a, b = (np.asarray(reward(prompts, responses), dtype=np.float64) for responses in sides)
        gaps.append(a - b)
    found = np.array(gaps)
    if not np.isfinite(found).all():
        raise InputError("--model: expected a reward of every response, got none for some")
    return np.asarray(expit(found))
