"""Two medical questions, one that needs a doctor and one that does not, with all their answers.

Made up so that one rubric cannot suit both: the same advice is worth most in one, and out of place
in the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.rubric import Criterion, Rubric
from rewardlab.types import Text, as_text
from rewardlab.worlds.answer_set import AnswerSet

FEATURES = ("correct", "plain", "doctor")
_DOCTOR = "Please consult a doctor."


@dataclass(frozen=True, slots=True)
class _Question:
    prompt: str
    right: str
    wrong: str
    jargon: str
    doctor_at_first: float
    doctor_is_worth: float


_QUESTIONS = {
    "definition": _Question(
        "What does the word 'systolic' mean in a textbook?",
        "It is the pressure in the arteries while the heart squeezes.",
        "It is the pressure in the veins while the heart rests.",
        "In haemodynamic nomenclature, with due regard to ventricular ejection and arterial "
        "compliance, the following obtains.",
        0.10,
        -0.5,
    ),
    "urgent": _Question(
        "My chest has hurt since this morning. What should I do?",
        "Chest pain that lasts can come from the heart; stop what you do and rest.",
        "Chest pain that lasts is a pulled muscle; train as usual.",
        "In the differential of retrosternal discomfort, with due regard to ischaemic and "
        "musculoskeletal aetiology, the following obtains.",
        0.40,
        1.5,
    ),
}
NAMES = tuple(_QUESTIONS)


def medical_question(name: str) -> AnswerSet:
    """All eight answers to one question: right or wrong, plain or in jargon, with a doctor or not.

    Half of the reference policy's answers are right and half are plain; how often it names a
    doctor depends on the question. Gold is 1 for being right, 1/2 for being plain, and for the
    doctor 3/2 where one is needed, -1/2 where it is a phrase out of place.

    Args:
        name: "definition" or "urgent".

    Raises:
        InputError: There is no such question.
    """
    if name not in _QUESTIONS:
        raise InputError(f"name: expected one of {', '.join(_QUESTIONS)}, got {name!r}")
    question = _QUESTIONS[name]
    features = np.array(list(product((1.0, 0.0), repeat=len(FEATURES))))
    doctor = features[:, 2]
    chance = np.where(doctor == 1, question.doctor_at_first, 1 - question.doctor_at_first) / 4
    return AnswerSet(
        prompt=question.prompt,
        texts=tuple(_text(question, *row) for row in features.tolist()),
        features=features,
        feature_names=FEATURES,
        ref_logprobs=np.log(chance),
        gold=features @ np.array([1.0, 0.5, question.doctor_is_worth]),
    )


def rubric(doctor_weight: float) -> Rubric:
    """Right (a judgement, weight 2), plain (a program, 1), names a doctor (a program).

    Args:
        doctor_weight: Weight of the last; 0 leaves it out, below 0 makes it a pitfall.
    """
    lines = (Criterion("correct", 2.0), Criterion("plain", 1.0, _is_plain))
    return (*lines, Criterion("doctor", doctor_weight, _names_doctor)) if doctor_weight else lines


def _text(question: _Question, correct: float, plain: float, doctor: float) -> str:
    parts = [] if plain else [question.jargon]
    parts.append(question.right if correct else question.wrong)
    return " ".join([*parts, _DOCTOR] if doctor else parts)


def _is_plain(_: Text, response: Text) -> float:
    return float("nomenclature" not in (text := as_text(response)) and "aetiology" not in text)


def _names_doctor(_: Text, response: Text) -> float:
    return float("consult a doctor" in as_text(response).lower())
