"""A1, the answer world: 576 answers made of six features, and the rubric that judges them."""

from __future__ import annotations

from functools import cache

import numpy as np

from rewardlab.errors import InputError
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Panel
from rewardlab.systems.controls import Choice, Slider, Switch
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.systems.drawing import gold_line, other_line, place, row_table
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab import (
    BEST_LENGTH,
    FEATURE_NAMES,
    LEVELS,
    grades,
    lab_world,
    rubric_points,
    word_counts,
)
from rewardlab.worlds.lab_prompts import PROMPTS
from rewardlab.worlds.lab_texts import LENGTHS, features_of_text

_WARMTH = {"none": "none", "friendly": "a friendly opening", "warm": "a closing as well"}
_CONFIDENCE = {"hedged": "hedged", "plain": "plain", "emphatic": "emphatic"}


def run(
    words: int = 450,
    prompt: str = "coding",
    correct: bool = True,
    warmth: str = "friendly",
    confidence: str = "plain",
    bullets: bool = False,
    flattery: bool = False,
    best_length: int = int(BEST_LENGTH),
) -> Result:
    """One answer with its points and text, and the rubric over all lengths.

    Args:
        words: About how many words it has.
        prompt: Subject of the question.
        correct: Whether it states the right thing.
        warmth: How warm it is.
        confidence: Its tone.
        bullets: Whether it lists its points.
        flattery: Whether it compliments the reader.
        best_length: Up to how many words the rubric likes length.
    """
    for name, value in (("words", words), ("best_length", best_length)):
        if value not in LENGTHS:
            raise InputError(f"{name}: expected one of {', '.join(map(str, LENGTHS))}, got {value}")
    world = lab_world(prompt, best_length=best_length)
    tone = (list(_WARMTH).index(warmth), list(_CONFIDENCE).index(confidence))
    chosen = (int(correct), LENGTHS.index(words), *tone, int(bullets), int(flattery))
    shown = (int(np.ravel_multi_index(chosen, LEVELS)), int(np.argmax(world.ref_logprobs)))
    by_length, share = _by_length(world)
    peak = LENGTHS[int(np.argmax(by_length))]
    points, best = float(world.gold[shown[0]]), float(world.gold.max())
    mean_words = float(world.ref_probs @ word_counts())
    n_texts, read_back = _text_facts(prompt)
    lengths = np.array(LENGTHS, dtype=np.float64)
    return Result(
        sentence=(
            f"This answer of {words} words gets {points:.1f} points from the rubric, against "
            f"{best:.1f} for the best one: {_use_of_length(peak)}, while the reference's answers "
            f"have {mean_words:.0f} words on average."
        ),
        quantities=(
            Quantity("points", "rubric's points for this answer", points),
            Quantity("best_points", "points of the best answer", best),
            Quantity("peak_words", "length that the rubric likes best", peak, "words"),
            Quantity("mean_words", "mean length of the reference's answers", mean_words, "words"),
            Quantity("mean_points", "their mean points", float(world.ref_probs @ world.gold)),
            Quantity("texts", "different texts to this question", n_texts),
            Quantity("read_back", "texts that give back all six features", read_back, "share"),
        ),
        chart=LineChart(
            panels=(
                Panel(
                    "mean points by the rubric", (gold_line("rubric", lengths, by_length, "solid"),)
                ),
                Panel(
                    "answers of the reference",
                    (other_line("reference", lengths, share, "solid"),),
                    percent=True,
                    height=90,
                ),
            ),
            x_label="words",
            mark=place(words, f"{words} words"),
        ),
        table=_table(world, shown, rubric_points(best_length)),
    )


def _use_of_length(peak: int) -> str:
    if peak == LENGTHS[0]:
        return "length only hurts"
    return f"length helps up to {peak} words" + " and then hurts" * (peak < LENGTHS[-1])


def _by_length(world: AnswerSet) -> tuple[FloatArray, FloatArray]:
    """Mean points of the reference's answers at each length, and how many have it."""
    grade, probs = grades()[:, 1], world.ref_probs
    share: FloatArray = np.bincount(grade, probs).astype(np.float64)
    return np.bincount(grade, probs * world.gold) / share, share


@cache
def _text_facts(prompt: str) -> tuple[int, float]:
    """How many texts differ, and the share that give back their features."""
    world = lab_world(prompt)
    texts = list(world.texts)
    read = np.array([features_of_text(text, PROMPTS[prompt]) for text in texts])
    return len(set(texts)), float((read == world.features).all(axis=1).mean())


def _table(world: AnswerSet, shown: tuple[int, int], points: FloatArray) -> Table:
    is_so, lengths = ("no", "yes"), tuple(f"{n} words" for n in LENGTHS)
    names = (is_so, lengths, tuple(_WARMTH), tuple(_CONFIDENCE), is_so, is_so)
    rows = [
        (feature, *(c for i in shown for c in (names[j][grades()[i, j]], points[i, j])))
        for j, feature in enumerate(FEATURE_NAMES)
    ]
    rows.append(("all", *(c for i in shown for c in ("", world.gold[i]))))
    rows.append(("text", *(c for i in shown for c in (world.texts[i], None))))
    return row_table(("", "this answer", "its points", "the commonest one", "its points"), rows)


def _grown() -> Answer:
    short, long = run(words=150).value("points"), run(words=450).value("points")
    wrong = run(words=150, correct=False).value("points")
    return Answer(
        0 if long > short else 1 if long > wrong else 2,
        f"{short:.1f} points become {long:.1f}; the wrong answer of 150 words gets {wrong:.1f}.",
    )


SYSTEM = System(
    row="A1",
    name="answer-world",
    title="The answer world",
    sentence="576 answers to one question, built from six features and judged by a hidden rubric.",
    paragraph=(
        "Every answer to a question is either right or wrong and has one of 8 lengths, three "
        "grades of warmth, three of confidence, bullet points or none, and flattery or none: 576 "
        "in all, each written out as text. A rubric says how good each one really is. Length "
        "helps up to about 150 words, and what is added after that is padding. The model at the "
        "start, called the reference, mostly writes short answers. Because every answer is "
        "listed, whatever training does to such a model can be computed exactly."
    ),
    controls=(
        Slider("words", "length of the answer, in words", 450, 30, 450, step=60, whole=True),
        Choice("prompt", "question about", "coding", {name: name for name in PROMPTS}),
        Switch("correct", "the answer is correct", True),
        Choice("warmth", "warmth", "friendly", _WARMTH),
        Choice("confidence", "tone", "plain", _CONFIDENCE),
        Switch("bullets", "points are listed", False),
        Switch("flattery", "the reader is flattered", False),
        Slider("best_length", "length that the rubric likes best", 150, 30, 450, 60, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "A correct answer grows from 150 to 450 words. What does the rubric say?",
            (
                "It gains points",
                "It loses some, but beats a wrong answer of 150 words",
                "It falls below a wrong answer of 150 words",
            ),
            _grown,
        ),
    ),
    sources=("Singhal et al. (2023), arXiv:2310.03716", "Sharma et al. (2023), arXiv:2310.13548"),
)
