from __future__ import annotations

import re

import pytest

from rewardlab.errors import InputError
from rewardlab.lessons.cards import BY_CHAPTER
from rewardlab.lessons.course import COURSE, Chapter, chapter_of, find_chapter, pieces
from rewardlab.lessons.formulas import FORMULAS
from rewardlab.lessons.glossary import glossary
from rewardlab.lessons.quiz import quiz
from rewardlab.systems.catalogue import all_systems

SYSTEMS = {system.name for system in all_systems()}


def test_every_system_is_taught_exactly_once() -> None:
    taught = [name for chapter in COURSE for name in chapter.system_names]
    assert sorted(taught) == sorted(SYSTEMS)


def test_the_whole_loop_comes_first() -> None:
    assert COURSE[0].system_names[0] == "the-loop"


def test_every_formula_and_card_belongs_to_one_chapter() -> None:
    taught = [formula.name for chapter in COURSE for formula in chapter.formulas]
    assert sorted(taught) == sorted(formula.name for formula in FORMULAS)
    assert set(BY_CHAPTER) <= {chapter.name for chapter in COURSE}
    assert chapter_of("dpo").name == "methods"


@pytest.mark.parametrize("chapter", COURSE, ids=lambda one: one.name)
def test_an_introduction_is_short_and_its_words_are_in_the_glossary(chapter: Chapter) -> None:
    sentences = sum(len(re.findall(r"[.:?](?:\s|$)", one)) for one in chapter.paragraphs)
    assert 2 <= sentences <= 9
    slugs = {entry.slug for entry in glossary()}
    marked = [piece.slug for paragraph in chapter.pieces for piece in paragraph if piece.slug]
    assert len(marked) >= 3
    assert set(marked) <= slugs


def test_words_of_the_glossary_are_unique_and_lead_somewhere() -> None:
    entries = glossary()
    assert len(entries) >= 70
    assert len({entry.slug for entry in entries}) == len(entries)
    assert [e.name.casefold() for e in entries] == sorted(e.name.casefold() for e in entries)
    formulas = {formula.name for formula in FORMULAS}
    for entry in entries:
        assert set(entry.systems) <= SYSTEMS, entry.name
        assert set(entry.formulas) <= formulas, entry.name
        assert 1 <= len(re.findall(r"[.](?:\s|$)", entry.words)) <= 3, entry.name


def test_pieces_keep_the_text_and_split_off_marked_words() -> None:
    found = pieces("A [[policy]] keeps the [[best of n|best-of-n]].")
    assert "".join(piece.text for piece in found) == "A policy keeps the best of n."
    assert [piece.slug for piece in found if piece.slug] == ["policy", "best-of-n"]


def test_an_unknown_word_chapter_or_formula_is_refused() -> None:
    with pytest.raises(InputError, match="'widget' is marked but not in the glossary"):
        pieces("A [[widget]].")
    with pytest.raises(InputError, match="expected one of start, comparisons"):
        find_chapter("nowhere")
    with pytest.raises(InputError, match="none named 'nothing'"):
        chapter_of("nothing")


def test_a_quiz_asks_every_question_once() -> None:
    asked = [(one.system.name, one.number) for one in quiz()]
    every = [(s.name, k) for s in all_systems() for k in range(len(s.questions))]
    assert sorted(asked) == sorted(every)


def test_a_seed_fixes_the_order_of_a_quiz_and_another_changes_it() -> None:
    assert quiz(seed=3) == quiz(seed=3)
    assert quiz(seed=3) != quiz(seed=4)


def test_a_quiz_on_a_chapter_stays_in_it_and_can_be_short() -> None:
    methods = find_chapter("methods")
    asked = quiz("methods", seed=1, most=5)
    assert len(asked) == 5
    assert {one.system.name for one in asked} <= set(methods.system_names)
    assert all(one.chapter == "methods" for one in asked)


@pytest.mark.parametrize(("seed", "most"), [(-1, 5), (1_000_000_000, 5), (0, 0)])
def test_a_quiz_out_of_range_is_refused(seed: int, most: int) -> None:
    with pytest.raises(InputError, match=r"seed|most"):
        quiz(seed=seed, most=most)
