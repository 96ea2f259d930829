"""Which settings of a system to compute beforehand, where only so many states can be kept.

Options of choices and switches come first, each taken whole while three stops of a slider still fit
beside them; so do sliders that play through a few stops. The other sliders then grow turn by turn
in declared order: from the default to its ends too, and by one stop at a time halfway into the
widest gap, on the slider's own scale. What does not fit stays at its default.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

from rewardlab.errors import InputError
from rewardlab.systems.controls import Choice, Control, Slider, Value
from rewardlab.systems.declaration import System

_SHORT_PLAY = 24
_ENDS_AND_DEFAULT = 3
_DIGITS = 3
"""Significant digits of a stop of a continuous slider."""


@dataclass(frozen=True, slots=True)
class Stops:
    """The settings that are kept: every combination of these values.

    Attributes:
        values: Name of a control -> its values, in ascending or declared order.
    """

    values: dict[str, tuple[Value, ...]]

    @property
    def n_states(self) -> int:
        """How many combinations there are."""
        return math.prod(len(values) for values in self.values.values())

    @property
    def fixed(self) -> tuple[str, ...]:
        """Names of the controls that stay at their defaults."""
        return tuple(name for name, values in self.values.items() if len(values) == 1)

    def states(self) -> Iterator[dict[str, Value]]:
        """Every combination, the last control running fastest."""
        for chosen in product(*self.values.values()):
            yield dict(zip(self.values, chosen, strict=True))


def stops_within(system: System, n_states: int) -> Stops:
    """Values of each control, at most ``n_states`` combinations in all.

    Args:
        system: Whose controls.
        n_states: The budget, >= 1.

    Raises:
        InputError: The budget is below 1.
    """
    if n_states < 1:
        raise InputError(f"states: expected at least 1, got {n_states}")
    values: dict[str, tuple[Value, ...]] = {c.name: (c.default,) for c in system.controls}
    sliders = [c for c in system.controls if isinstance(c, Slider) and not _plays_shortly(c)]
    spared = n_states // _ENDS_AND_DEFAULT if sliders else n_states
    for control in system.controls:
        every = _whole(control)
        room = n_states if isinstance(control, Slider) else spared
        if every and Stops({**values, control.name: every}).n_states <= room:
            values[control.name] = every
    growing = True
    while growing:
        growing = False
        for slider in sliders:
            more = {**values, slider.name: _grown(slider, values[slider.name])}
            if more != values and Stops(more).n_states <= n_states:
                values, growing = more, True
    return Stops(values)


def _plays_shortly(slider: Slider) -> bool:
    return slider.plays and slider.whole and slider.high - slider.low < _SHORT_PLAY


def _whole(control: Control) -> tuple[Value, ...]:
    """Every value of a control that is taken whole or not at all; empty for other sliders."""
    match control:
        case Choice():
            return tuple(control.options)
        case Slider():
            if not _plays_shortly(control):
                return ()
            step = int(control.step or 1)
            return tuple(range(int(control.low), int(control.high) + 1, step))
    return (False, True)


def _grown(slider: Slider, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """With its ends if it lacks them, else with one more stop; as it is where none is left."""
    ends = {slider.checked(slider.low), slider.checked(slider.high)}
    if not ends <= set(values):
        return tuple(sorted({*values, *ends}))
    numbers = [float(value) for value in values]
    shares = [_share(slider, value) for value in numbers]
    gaps = sorted(pairwise(range(len(values))), key=lambda pair: shares[pair[0]] - shares[pair[1]])
    for left, right in gaps:
        middle = _at(slider, (shares[left] + shares[right]) / 2)
        if numbers[left] < middle < numbers[right]:
            return (*values[:right], slider.checked(middle), *values[right:])
    return values


def _share(slider: Slider, value: float) -> float:
    if slider.log:
        return math.log(value / slider.low) / math.log(slider.high / slider.low)
    return (value - slider.low) / (slider.high - slider.low)


def _at(slider: Slider, share: float) -> float:
    """The stop nearest to a place on the slider."""
    if slider.log:
        value = math.exp(math.log(slider.low) + math.log(slider.high / slider.low) * share)
        return float(round(value) if slider.whole else f"{value:.{_DIGITS}g}")
    grain = slider.step or (1.0 if slider.whole else 0.0)
    value = slider.low + (slider.high - slider.low) * share
    if grain:
        return float(f"{slider.low + round((value - slider.low) / grain) * grain:.9g}")
    return float(f"{value:.{_DIGITS}g}")
