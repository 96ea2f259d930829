"""Keeping what was drawn: a control that does not touch a draw need not wait for it again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import lru_cache
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")


def kept(
    draw: Callable[Concatenate[np.random.Generator, Arguments], Drawn], *, most: int
) -> Callable[Concatenate[np.random.Generator, Arguments], Drawn]:
    """``draw``, remembering its last results by the generator's state and the other arguments.

    The generator is left where ``draw`` would have left it, so that nothing tells a result that
    was kept from one that was drawn, but for the time.

    Args:
        draw: A pure function of a generator and hashable arguments; nobody changes its result.
        most: Results kept.
    """

    def drawn(
        start: bytes, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> tuple[Drawn, bytes]:
        rng: np.random.Generator = pickle.loads(start)
        return draw(rng, *args, **kwargs), pickle.dumps(rng)

    remembered: Callable[..., tuple[Drawn, bytes]] = lru_cache(maxsize=most)(drawn)

    def recalled(
        rng: np.random.Generator, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Drawn:
        found, end = remembered(pickle.dumps(rng), *args, **kwargs)
        rng.bit_generator.state = pickle.loads(end).bit_generator.state
        return found

    return recalled
