"""What the options of ``rewardlab rank`` say, as the library takes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rewardlab.errors import EstimationError, InputError, SeparationError

if TYPE_CHECKING:
    from rewardlab.rewards.items.model import Prior
    from rewardlab.rewards.items.strength_scale import ScaleName, StrengthScale


def prior_of(given: str | None) -> Prior | None:
    """The prior that ``ridge:X`` or ``gamma:X`` names.

    Raises:
        InputError: It is neither, or X is no number that it can have.
    """
    from rewardlab.rewards.items.model import Gamma, Ridge

    if given is None:
        return None
    kind, _, figure = given.partition(":")
    if kind not in ("ridge", "gamma"):
        raise InputError(f"--prior {given}: expected ridge:X or gamma:X, such as ridge:0.1")
    value = _number(f"--prior {given}", figure)
    try:
        return Ridge(value) if kind == "ridge" else Gamma(value)
    except InputError as error:
        raise InputError(f"--prior {given}: {error}") from None


def scale_of(name: ScaleName, anchor: str | None) -> StrengthScale:
    """The scale, shifted to what ``NAME=VALUE`` says; the name may hold "=".

    Raises:
        InputError: The anchor is not of that form.
    """
    from rewardlab.rewards.items.strength_scale import StrengthScale

    if anchor is None:
        return StrengthScale(name)
    item, equals, figure = anchor.rpartition("=")
    if not equals or not item:
        raise InputError(f"--anchor {anchor}: expected NAME=VALUE, such as gpt-4=1200")
    return StrengthScale(name, (item, _number(f"--anchor {anchor}", figure)))


def covariates_of(given: list[str] | None) -> dict[str, tuple[str, str]]:
    """Name -> (column of a, column of b).

    Raises:
        InputError: One is not of the form NAME=COLUMN_A,COLUMN_B, or a name is given twice.
    """
    found: dict[str, tuple[str, str]] = {}
    for option in given or []:
        name, _, columns = option.partition("=")
        sides = columns.split(",")
        if not name or len(sides) != 2 or not all(sides):
            raise InputError(
                f"--covariate {option}: expected NAME=COLUMN_A,COLUMN_B, the columns of the "
                "numbers of a and of b"
            )
        if name in found:
            raise InputError(f"--covariate {option}: {name!r} is given twice")
        found[name] = (sides[0], sides[1])
    return found


@contextmanager
def told_how_to_bound(effects: Collection[str] = ()) -> Iterator[None]:
    """Names the options that help where no finite strengths exist.

    Args:
        effects: Names of what is estimated beside the strengths; no prior holds these.

    Raises:
        EstimationError: In place of a ``SeparationError`` of the block, if it is of items.
    """
    try:
        yield
    except SeparationError as error:
        if set(error.names) <= set(effects):
            raise
        raise EstimationError(
            str(error),
            remedy="By --prior ridge:0.1 (or gamma:2), or by --min-votes N where they are rare.",
        ) from error


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option}: expected a number, got {text!r}") from None
