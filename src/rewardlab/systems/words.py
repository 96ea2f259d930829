"""Controls, settings and answers in words: the same in the terminal and on pages."""

from __future__ import annotations

from rewardlab.systems.controls import Choice, Control, Slider, Value
from rewardlab.systems.declaration import Question

LETTERS = "abcd"
"""Names of a question's choices."""


def setting_text(value: Value) -> str:
    """A control's value as --set takes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def range_text(control: Control) -> str:
    """What a control can be set to: "0.05 to 4", "on or off", "careful, hurried"."""
    match control:
        case Slider():
            return f"{control.low:g} to {control.high:g}"
        case Choice():
            return ", ".join(control.options)
    return "on or off"


def answer_text(question: Question) -> str:
    """The computed answer with its reason: "c) It collapses. From beta .5 to .1 ..."."""
    found = question.answer()
    choice = question.choices[found.choice].rstrip(".")
    return f"{LETTERS[found.choice]}) {choice}. {found.because}"
