"""Answers of the lab as text, composed from their features, and the features read back.

An answer opens as warmly as it should, states the right or the wrong thing in its tone of voice,
adds details until they run out (at about 100 words), and then pads: from there on it grows longer
without saying more, as real answers do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, IntArray
from rewardlab.worlds.lab_prompts import LabPrompt

LENGTHS = tuple(range(30, 451, 60))
"""About how many words the answers have, by grade of length."""

_BULLET = "- "
_PARAGRAPH = 5
_COMPLIMENTS = (
    "What a brilliant question, and how perceptive of you to ask it.",
    "Only someone as clever as you would think of this.",
    "You clearly have a remarkable mind for such things.",
)
_OPENINGS = ("Happy to help!", "Thanks for writing in!", "Good to hear from you!")
_CLOSINGS = (
    "I hope this helps, and do write again.",
    "Take care, and tell me how it goes.",
    "Good luck, and I am here if you need more.",
)
_TONES = (
    ("I think that", "As far as I know,", "It seems to me that"),
    (),
    ("Without doubt,", "It is absolutely certain that", "There is no question about it:"),
)
_AFTER = (
    (
        "Perhaps I am missing something, so do check it elsewhere.",
        "I am not sure of every part, and it may depend on your case.",
        "That is my best guess, and I could be mistaken.",
    ),
    (),
    (
        "This is definitely so, and nobody who knows the matter would say otherwise.",
        "You can rely on it completely, in every case.",
        "I am absolutely certain, and there is nothing more to discuss.",
    ),
)
_PADDING = (
    "People come to {topic} from many directions, and each brings expectations of its own.",
    "It can be useful to step back for a moment and look at the wider picture.",
    "Much more could be said here, and whole books have been filled with less.",
    "What matters to one person may matter far less to the next.",
    "As with many things in life, a little patience goes a long way.",
    "Some background makes it easier to see why the question keeps coming up.",
    "There are several sides to {topic}, and they are all connected in one way or another.",
    "With time and practice, things that look difficult at first become familiar.",
    "A friend or a colleague may well have met the same situation before.",
    "None of this has to be decided in a hurry.",
    "It is also worth keeping in mind how the various points fit together.",
    "Every situation is a little different, and yet the general picture stays the same.",
    "Over the years, interest in {topic} has grown, and so has the amount of advice.",
    "The subject has a long history, which would lead us too far from the question.",
    "Once the main point is clear, the rest tends to fall into place.",
    "Reading around the subject is rarely a waste of time.",
    "Naturally, the details vary with place, time and personal taste.",
    "Looking at the matter from another angle often brings the same point back into view.",
    "Many people ask about {topic}, and their reasons are as varied as they are.",
    "In the end, it all comes together in a way that makes sense.",
    "A few notes on paper can help to keep track of what was said.",
    "It would be easy to go on, since one thought leads to the next.",
    "Small steps, taken one after another, add up to something larger.",
    "All in all, {topic} can be as simple or as involved as one likes to make it.",
    "That said, it never hurts to return to the beginning and read it once more.",
    "Other questions of this kind can be approached in much the same spirit.",
    "The points above belong together, and each one supports the others.",
    "To sum up, there is a good deal here to think about.",
)


class LabTexts(Sequence[str]):
    """The texts of all answers to one prompt, each composed when it is asked for.

    Args:
        prompt: What they answer.
        grades: Shape [n, 6]; see ``lab.grades``.
    """

    def __init__(self, prompt: LabPrompt, grades: IntArray) -> None:
        self._prompt = prompt
        self._grades = grades

    def __len__(self) -> int:
        return len(self._grades)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(compose(self._prompt, row) for row in self._grades[index])
        return compose(self._prompt, self._grades[index])


def compose(prompt: LabPrompt, grades: IntArray) -> str:
    """One answer as text.

    Args:
        prompt: What it answers.
        grades: Shape [6]; correct, length, warmth, confidence, bullets, flattery, each from 0.
    """
    correct, length, warmth, confidence, bullets, flattery = (int(g) for g in grades)
    turn = int(grades.sum())
    opening = [_OPENINGS[turn % 3]] * (warmth > 0) + [_COMPLIMENTS[turn % 3]] * flattery
    closing = [_CLOSINGS[turn % 3]] * (warmth > 1)
    body = [_in_tone(prompt.correct if correct else prompt.wrong, confidence, turn)]
    if length and confidence != 1:
        body.append(_AFTER[confidence][turn % 3])
    room = LENGTHS[length] - n_words(" ".join([*opening, *body, *closing]))
    details = _that_fit(prompt.details, room)
    room -= n_words(" ".join(details))
    padding = _that_fit(_rotated_padding(prompt.topic, turn), room)
    if bullets:
        blocks = [" ".join(opening), "\n".join(_BULLET + s for s in [*body, *details])]
    else:
        blocks = [" ".join([*opening, *body, *details])]
    blocks += (" ".join(padding[i : i + _PARAGRAPH]) for i in range(0, len(padding), _PARAGRAPH))
    return "\n\n".join(block for block in [*blocks, " ".join(closing)] if block)


def features_of_text(text: str, prompt: LabPrompt) -> FloatArray:
    """The six features, scaled to [0, 1], as they stand in an answer's text; shape [6].

    Raises:
        InputError: The text states neither the right nor the wrong answer to the prompt.
    """
    said = [clause[1:] in text for clause in (prompt.wrong, prompt.correct)]
    if said[0] == said[1]:
        raise InputError(
            f"text: expected an answer of the lab to {prompt.question!r}, got {text[:60]!r}"
        )
    hedged, _, emphatic = (_any_in(text, tone) for tone in _TONES)
    distance = np.abs(np.array(LENGTHS) - n_words(text))
    warmth = 0.5 * (_any_in(text, _OPENINGS) + _any_in(text, _CLOSINGS))
    confidence = 0.5 * (1 - hedged + emphatic)
    bullets = any(line.startswith(_BULLET) for line in text.splitlines())
    return np.array(
        [
            float(said[1]),
            float(np.argmin(distance)) / (len(LENGTHS) - 1),
            warmth,
            confidence,
            float(bullets),
            float(_any_in(text, _COMPLIMENTS)),
        ]
    )


def n_words(text: str) -> int:
    """Words of a text; the dash of a bullet point is none."""
    return sum(word != _BULLET.strip() for word in text.split())


def _in_tone(clause: str, confidence: int, turn: int) -> str:
    tone = _TONES[confidence]
    if not tone:
        return f"{clause[0].upper()}{clause[1:]}."
    return f"{tone[turn % 3]} {clause}."


def _rotated_padding(topic: str, turn: int) -> Iterator[str]:
    """Every padding sentence once, from a different one on in different answers."""
    n = len(_PADDING)
    return (_PADDING[(5 * turn + i) % n].format(topic=topic) for i in range(n))


def _that_fit(sentences: Iterable[str], room: int) -> list[str]:
    """Sentences in order, as long as each brings their length closer to ``room`` words."""
    taken = []
    for sentence in sentences:
        size = n_words(sentence)
        if size >= 2 * room:
            break
        taken.append(sentence)
        room -= size
    return taken


def _any_in(text: str, phrases: Sequence[str]) -> bool:
    return any(phrase in text for phrase in phrases)
