"""Controls of a system: a number with its range, a choice, a switch; checked and read from text."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rewardlab.errors import InputError

Value = float | int | str | bool
"""What a control can be set to."""

LARGEST_SEED = 999_999_999
"""Of the seeds that people type, and that stand in addresses."""


@dataclass(frozen=True, slots=True)
class Slider:
    """A number in a range.

    Attributes:
        name: Keyword argument of the system's function.
        label: In words, with the unit if there is one.
        default: Value at first.
        low: Smallest value allowed.
        high: Largest value allowed.
        step: Distance of the stops; None for a continuous slider.
        log: True if the slider is logarithmic.
        whole: True for whole numbers.
        plays: True if stepping this control through its range tells a story (rounds of training).
    """

    name: str
    label: str
    default: float
    low: float
    high: float
    step: float | None = None
    log: bool = False
    whole: bool = False
    plays: bool = False

    def checked(self, value: Value) -> Value:
        """The value as a float, or int where whole.

        Raises:
            InputError: It is no number, or outside the range.
        """
        if isinstance(value, bool | str) or not math.isfinite(value):
            raise InputError(f"{self.name}: expected a number, got {value!r}")
        if not self.low <= value <= self.high:
            raise InputError(
                f"{self.name}: expected a number from {self.low:g} to {self.high:g}, got {value:g}"
            )
        if self.whole and value != int(value):
            raise InputError(f"{self.name}: expected a whole number, got {value:g}")
        return int(value) if self.whole else float(value)

    def read(self, text: str) -> Value:
        """The value that a text such as ".5" stands for."""
        try:
            return self.checked(float(text))
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{self.name}: expected a number, got {text!r}") from None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several named options.

    Attributes:
        name: Keyword argument of the system's function.
        label: In words.
        default: Option at first.
        options: Option -> its label.
    """

    name: str
    label: str
    default: str
    options: dict[str, str]

    def checked(self, value: Value) -> Value:
        """The option.

        Raises:
            InputError: There is no such option.
        """
        if value not in self.options:
            known = ", ".join(self.options)
            raise InputError(f"{self.name}: expected one of {known}, got {value!r}")
        return value

    def read(self, text: str) -> Value:
        """The option that a text names."""
        return self.checked(text)


_ON = ("on", "true", "yes", "1")
_OFF = ("off", "false", "no", "0")


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off.

    Attributes:
        name: Keyword argument of the system's function.
        label: In words: what is so when it is on.
        default: At first.
    """

    name: str
    label: str
    default: bool

    def checked(self, value: Value) -> Value:
        """True or False.

        Raises:
            InputError: It is neither.
        """
        if not isinstance(value, bool):
            raise InputError(f"{self.name}: expected true or false, got {value!r}")
        return value

    def read(self, text: str) -> Value:
        """The state that a text such as "on" or "false" stands for."""
        word = text.lower()
        if word not in _ON + _OFF:
            raise InputError(f"{self.name}: expected on or off, got {text!r}")
        return word in _ON


Control = Slider | Choice | Switch
