"""All flashcards: computed ones in teaching order, and words of the glossary."""

from __future__ import annotations

from functools import cache

from rewardlab.lessons.cards import comparisons, optimising, rewards
from rewardlab.lessons.cards.card import AnyCard, WordCard
from rewardlab.lessons.glossary import glossary

BY_CHAPTER: dict[str, tuple[AnyCard, ...]] = {
    "comparisons": comparisons.COMPARISONS,
    "labels": comparisons.LABELS,
    "optimising": optimising.OPTIMISING,
    "methods": optimising.METHODS_OF_TRAINING,
    "pressure": rewards.UNDER_PRESSURE,
    "checks": rewards.CHECKED,
    "people": rewards.PEOPLE,
}
"""Computed cards by the chapter that they belong to."""


@cache
def word_cards() -> tuple[WordCard, ...]:
    """A card for each word of the glossary that is marked as one."""
    return tuple(
        WordCard(f"word-{entry.slug}", f"In a sentence or two: what is meant by '{entry.name}'?",
                 entry.words)
        for entry in glossary()
        if entry.card
    )  # fmt: skip


def all_cards() -> tuple[AnyCard, ...]:
    """Every card."""
    computed = tuple(card for cards in BY_CHAPTER.values() for card in cards)
    return (*computed, *word_cards())
