"""Controls take what they allow, from values and from text, and say what they expected."""

from __future__ import annotations

import pytest

from rewardlab.errors import InputError
from rewardlab.systems.controls import Choice, Control, Slider, Switch, Value
from rewardlab.systems.leash import SYSTEM

BETA = Slider("beta", "beta", 0.5, 0.05, 4.0)
ROUNDS = Slider("rounds", "rounds", 3, 0, 20, whole=True)
RATER = Choice("rater", "rater", "careful", {"careful": "Careful", "hurried": "Hurried"})
ODIN = Switch("odin", "drop the length head", False)


@pytest.mark.parametrize(
    ("control", "text", "value"),
    [
        (BETA, ".1", 0.1),
        (ROUNDS, "12", 12),
        (RATER, "hurried", "hurried"),
        (ODIN, "on", True),
        (ODIN, "False", False),
    ],
)
def test_text_is_read_as_the_value_it_stands_for(control: Control, text: str, value: Value) -> None:
    read = control.read(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("control", "text", "message"),
    [
        (BETA, "much", "beta: expected a number, got 'much'"),
        (BETA, "nan", "beta: expected a number"),
        (BETA, "5", "beta: expected a number from 0.05 to 4, got 5"),
        (ROUNDS, "1.5", "rounds: expected a whole number, got 1.5"),
        (RATER, "lazy", "rater: expected one of careful, hurried, got 'lazy'"),
        (ODIN, "maybe", "odin: expected on or off, got 'maybe'"),
    ],
)
def test_what_a_control_does_not_allow_is_refused(
    control: Control, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        control.read(text)


def test_a_number_is_no_switch_and_a_truth_no_number() -> None:
    with pytest.raises(InputError, match="odin: expected true or false, got 1"):
        ODIN.checked(1)
    with pytest.raises(InputError, match="beta: expected a number, got True"):
        BETA.checked(True)


def test_a_system_refuses_a_control_it_does_not_have() -> None:
    with pytest.raises(InputError, match="leash: expected a control among beta, nonsense_reward"):
        SYSTEM.settings({"gamma": 1.0})
