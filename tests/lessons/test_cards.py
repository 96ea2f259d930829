from __future__ import annotations

import math

import pytest

from rewardlab.errors import InputError
from rewardlab.lessons.cards import BY_CHAPTER, all_cards, word_cards
from rewardlab.lessons.cards.card import AnyCard, Card
from rewardlab.lessons.glossary import glossary

COMPUTED = [card for cards in BY_CHAPTER.values() for card in cards]

PUBLISHED = {
    ("kl-bound-card", 0): "1.835",
    ("two-outcomes", 2): "0.693",
    ("ceiling-card", 0): "83.6%; 16.4%",
    ("ceiling-card", 1): "81.6%",
    ("leash-card", 0): "106.5 to 1",
    ("leash-tight", 0): "12.6 times",
    ("leash-quality", 0): "0.79",
    ("grid-kl", 0): "1.000 nats and +2.000; true quality is at +1.000",
    ("grid-kl", 2): "11.047 nats and +6.645; true quality is at −4.366",
    ("dpo-loss", 0): "0.5544: a margin of 0.30, a chance of 0.5744",
    ("dpo-start", 0): "0.6931",
    ("grpo-advantages", 0): "+1 for the right ones, −1 for the wrong ones",
    ("grpo-equal", 0): "0. A group",
    ("signal", 0): "14.92%",
    ("round-one", 0): "33%, 42% and 25%",
    ("round-same", 0): "50%, as before",
    ("taste", 0): "98.3%, or 57.7 to 1",
    ("taste", 1): "60.0%",
    ("length-share", 0): "75%",
    ("refreshes", 1): "4 times as far in d, 16 times in KL",
    ("tie-chance", 0): "33.3%",
    ("shift", 0): "0.313 nats before and 0.313 after",
    ("borda-card", 0): "A 0.60, B 0.50, C 0.40",
    ("utilities", 0): "A 0.60, B 0.80; at the least A gives 0.0 and B 0.8",
}
"""Figures of the sources, as the cards say them."""

HAND = {
    ("win-chance", 1): (1 / (1 + math.exp(-2)),),
    ("pair-loss", 3): (math.log(1 + math.exp(2)), -1 / (1 + math.exp(-2))),
    ("pair-gradient", 1): (1 / (1 + math.exp(2)),),
    ("ranking", 1): (1 / 6, 1 / 3),
    ("elo-chance", 1): (1 / (1 + math.sqrt(0.1)),),
    ("elo-step", 0): (32 * 400 / math.log(10),),
    ("all-pairs", 0): (math.log(2),),
    ("ceiling-lowest", 0): (0.7,),
    ("times-likelier", 1): (math.exp(2),),
    ("kl-card", 1): (0.9 * math.log(1.8) + 0.1 * math.log(0.2),),
    ("entropy-card", 1): (math.log(600),),
    ("rloo", 0): (1.0, 0.75),
    ("clip-up", 2): (-0.8,),
    ("kl-estimates", 0): (math.log(2), math.log(2) ** 2 / 2, math.log(2) - 0.5),
    ("bytes", 0): (16.0, 2.0),
    ("peak-best-of-n", 1): (4.0, 16.0, 2.0),
    ("peak-rl", 1): (math.exp(1.5), math.exp(3), 0.4 * math.exp(1.5)),
    ("shrinkage-card", 2): (0.25,),
    ("ensemble-worst", 1): (3.0, 0.0),
    ("ensemble-variance", 1): (4 / 3, 1.0),
    ("rubric-card", 2): (-0.25,),
    ("product-length", 1): (0.95**30, 0.95, 0.95),
    ("hard-label-card", 2): (1 / 8,),
    ("soft-label-card", 1): (0.75,),
    ("half-rate", 0): (2 * (1 - 0.5 ** (1 / 16)),),
}
"""Figures worked out by hand, apart from the library."""


def _card(name: str) -> AnyCard:
    return next(card for card in all_cards() if card.name == name)


@pytest.mark.parametrize("asked", PUBLISHED)
def test_a_card_says_the_published_figure(asked: tuple[str, int]) -> None:
    name, variant = asked
    assert PUBLISHED[asked] in _card(name).answer(variant)


@pytest.mark.parametrize("asked", HAND)
def test_a_card_computes_what_is_worked_out_by_hand(asked: tuple[str, int]) -> None:
    name, variant = asked
    card = _card(name)
    assert isinstance(card, Card)
    # Closed forms of a few terms of moderate size.
    assert card.values(*card.inputs[variant]) == pytest.approx(HAND[asked], rel=1e-9)


@pytest.mark.parametrize("card", COMPUTED, ids=lambda card: card.name)
def test_every_variant_has_its_own_question_and_a_figure(card: AnyCard) -> None:
    assert isinstance(card, Card)
    assert len(set(card.fronts)) == len(card.inputs)
    assert card.path.startswith("rewardlab.")
    assert "{0" in card.back or "{1" in card.back or "{2" in card.back or "{3" in card.back
    for variant in range(len(card.fronts)):
        said = card.answer(variant)
        assert any(letter.isdigit() for letter in said)
        assert "nan" not in said and "{" not in said


def test_there_are_at_least_sixty_cards_with_unique_names() -> None:
    cards = all_cards()
    assert len(COMPUTED) >= 60
    assert len({card.name for card in cards}) == len(cards)


def test_word_cards_say_what_the_glossary_says() -> None:
    words = {f"word-{entry.slug}": entry.words for entry in glossary() if entry.card}
    assert {card.name: card.answer(0) for card in word_cards()} == words


def test_a_variant_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="expected 0 to 3, got 4"):
        _card("kl-bound-card").answer(4)
    with pytest.raises(InputError, match="expected 0, got 1"):
        word_cards()[0].answer(1)
