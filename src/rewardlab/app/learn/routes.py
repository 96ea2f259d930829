"""The lessons in a browser: the course, a page a chapter, quiz, flashcards, formulas, glossary."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from markupsafe import Markup
from starlette.exceptions import HTTPException

from rewardlab.app.pages import render, served
from rewardlab.app.wire import HTML, answer, packed
from rewardlab.lessons.cards import BY_CHAPTER, all_cards, word_cards
from rewardlab.lessons.cards.card import AnyCard
from rewardlab.lessons.course import COURSE, Chapter, chapter_of
from rewardlab.lessons.formula import Formula
from rewardlab.lessons.formulas import FORMULAS
from rewardlab.lessons.glossary import glossary
from rewardlab.lessons.quiz import Asked, quiz
from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.controls import LARGEST_SEED
from rewardlab.systems.declaration import System

router = APIRouter()

WORDS = "words"
"""The deck of cards that ask for words of the glossary."""
_FEW = 10
_LENGTHS = {"10": f"{_FEW} questions", "all": "all questions"}


@router.get("/learn")
def course_page(request: Request) -> Response:
    """The table of contents, with what a visitor has answered."""
    boot = {chapter.name: _question_ids(chapter) for chapter in COURSE}
    counts = {
        "cards": len(all_cards()),
        "formulas": len(FORMULAS),
        "words": len(glossary()),
        "questions": sum(chapter.n_questions for chapter in COURSE),
    }
    return _page(request, "learn.jinja", "Learn", "", course=COURSE, counts=counts, boot=boot)


@router.get("/learn/quiz")
def quiz_page(
    request: Request,
    chapter: str = "",
    seed: Annotated[int, Query(ge=0, le=LARGEST_SEED)] = 0,
    length: Annotated[str, Query(pattern="^(10|all)$")] = "10",
) -> Response:
    """Questions in the order of a seed; answers are asked for one by one."""
    asked = quiz(chapter, seed=seed, most=None if length == "all" else _FEW)
    return _page(
        request,
        "learn_quiz.jinja",
        "Quiz",
        "quiz",
        course=COURSE,
        chosen=chapter,
        length=length,
        lengths=_LENGTHS,
        seed=seed,
        next_seed=(seed + 1) % (LARGEST_SEED + 1),
        boot=[_asked(one) for one in asked],
    )


@router.get("/learn/flashcards")
def flashcards_page(request: Request, deck: str = "") -> Response:
    """Cards to turn; their answers are computed when they come up."""
    decks = {c.name: c.title for c in COURSE if c.cards} | {WORDS: "Words"}
    if deck and deck not in decks:
        raise HTTPException(404, f"there is no deck {deck[:80]!r}")
    named = {card.name: decks[name] for name, cards in _decks().items() for card in cards}
    cards = _decks()[deck] if deck else all_cards()
    boot = [{"name": one.name, "fronts": one.fronts, "deck": named[one.name]} for one in cards]
    return _page(
        request, "learn_flashcards.jinja", "Flashcards", "flashcards",
        decks=decks, chosen=deck, boot=boot,
    )  # fmt: skip


@router.get("/learn/formulas")
def formulas_page(request: Request) -> Response:
    """Every formula with its terms."""
    return _page(request, "learn_formulas.jinja", "Formulas", "formulas", course=COURSE)


@router.get("/learn/glossary")
def glossary_page(request: Request) -> Response:
    """Every word, by letter."""
    letters: dict[str, list[Any]] = {}
    for entry in glossary():
        letters.setdefault(entry.name[0].upper(), []).append(entry)
    titles = {system.name: system.title for system in all_systems()}
    formulas = {formula.name: formula.title for formula in FORMULAS}
    return _page(
        request, "learn_glossary.jinja", "Glossary", "glossary",
        letters=letters, titles=titles, formulas=formulas, n_words=len(glossary()),
    )  # fmt: skip


@router.get("/learn/{name}")
def chapter_page(request: Request, name: str) -> Response:
    """One chapter: its words, its systems with their questions, its formulas."""
    at = next((k for k, chapter in enumerate(COURSE) if chapter.name == name), None)
    if at is None:
        raise HTTPException(404, f"there is no chapter {name[:80]!r}")
    chapter = COURSE[at]
    return _page(
        request,
        "learn_chapter.jinja",
        chapter.title,
        "",
        chapter=chapter,
        number=at + 1,
        n_chapters=len(COURSE),
        before=COURSE[at - 1] if at else None,
        after=COURSE[at + 1] if at + 1 < len(COURSE) else None,
        boot=[_lesson(system) for system in chapter.systems],
    )


@router.get("/api/learn/cards/{name}/{variant}")
def card_answer(request: Request, name: str, variant: int) -> Response:
    """The back of a card, with the function that computed it."""
    card = _cards().get(name)
    if card is None:
        raise HTTPException(404, f"there is no card {name[:80]!r}")
    if not 0 <= variant < len(card.fronts):
        raise HTTPException(404, f"{name} has {len(card.fronts)} variants")
    return answer(request, {"back": _back(name, variant), "function": card.path})


def _page(request: Request, template: str, title: str, part: str, **context: Any) -> Response:
    page = render(
        template,
        place=served(),
        page="learn",
        title=title,
        part=part,
        drawn=_drawn,
        chapter_of=chapter_of,
        **context,
    )
    return packed(request, page.encode(), media_type=HTML)


@cache
def _drawn(formula: Formula) -> tuple[Markup, tuple[tuple[str, Markup, str], ...], str]:
    """A formula's MathML, its terms (key, symbol, words) and its worked figure.

    The markup is built from the lessons' own declarations, escaped where it is made.
    """
    terms = tuple((term.key, Markup(term.markup), term.words) for term in formula.terms)
    return Markup(formula.markup), terms, formula.worked.text


def _lesson(system: System) -> dict[str, Any]:
    questions = [{"text": one.text, "choices": one.choices} for one in system.questions]
    return {"name": system.name, "questions": questions}


def _asked(one: Asked) -> dict[str, Any]:
    return {
        "system": one.system.name,
        "title": one.system.title,
        "chapter": one.chapter,
        "number": one.number,
        "text": one.text,
        "choices": one.choices,
    }


def _question_ids(chapter: Chapter) -> list[str]:
    return [f"{s.name}/{k}" for s in chapter.systems for k in range(len(s.questions))]


def _decks() -> dict[str, tuple[AnyCard, ...]]:
    return {**BY_CHAPTER, WORDS: word_cards()}


@cache
def _cards() -> dict[str, AnyCard]:
    return {card.name: card for card in all_cards()}


@cache
def _back(name: str, variant: int) -> str:
    return _cards()[name].answer(variant)
