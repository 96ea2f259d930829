"""Replies for the sample data, composed with a known number of facts and errors.

The right and the wrong version of a fact share their sentence, so that style tells nothing about
quality; and everything about style is drawn apart from quality.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from examples.demo_topic_files import Prompt, Topic

P_ERROR = 0.25
"""Chance that a statement is the wrong version; quality then averages 0 at every length."""

ERROR_COST = 3
"""Facts that one error cancels: (1 - P_ERROR) * 1 - P_ERROR * ERROR_COST = 0."""

P_GUSHING = 0.07
"""Share of replies that say little, at length, and flatter."""

P_TERSE = 0.2
"""Share of replies of a statement or two and hardly anything else."""

P_REFUSAL = 0.03

_FACT_CHOICE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
_WORD_CHOICE = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_MAY_FOLLOW_A_COMMA = frozenset(
    ["a", "about", "after", "an", "at", "for", "in", "most", "on", "one", "the", "to", "two"]
)
"""First words of facts that may stand in lower case after "Also," and the like."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply and what is known of it.

    Attributes:
        text: As a user would see it.
        quality: Facts minus ``ERROR_COST`` times errors.
        n_words: As ``count_words`` counts them.
        n_padding_words: Words outside statements and code.
        n_flattery: Flattering sentences.
    """

    text: str
    quality: int
    n_words: int
    n_padding_words: int
    n_flattery: int


def state_fact(fact: str, *, right: bool, rng: np.random.Generator) -> str:
    """The right or the wrong version of a fact, with its free choices of words made."""
    worded = _WORD_CHOICE.sub(lambda m: m.group(1 + int(rng.integers(2))), fact)
    return _FACT_CHOICE.sub(lambda m: m.group(1 if right else 2), worded)


def count_words(text: str) -> int:
    """Runs of characters between blanks with a letter or digit in them."""
    return sum(any(c.isalnum() for c in token) for token in text.split())


class Writer:
    """Composes replies to the prompts of one topic."""

    def __init__(
        self, topic: Topic, phrases: dict[str, list[str]], rng: np.random.Generator
    ) -> None:
        self._topic = topic
        self._phrases = phrases
        self._rng = rng

    def reply(self, prompt: Prompt) -> Reply:
        """One reply, with all of its traits drawn independently."""
        if self._happens(P_REFUSAL):
            return self._refusal()
        if self._happens(P_TERSE):
            return self._terse(prompt)
        gushing = self._happens(P_GUSHING)
        n_flattery = self._draw([0, 0, 0.6, 0.4] if gushing else [0.72, 0.22, 0.06])
        n_facts = 1 + self._draw(
            [0.3, 0.4, 0.3] if gushing else [0.15, 0.17, 0.19, 0.18, 0.15, 0.16]
        )
        n_padding = self._draw([0.28, 0.26, 0.2, 0.13, 0.08, 0.05])
        if gushing:
            n_padding = int(self._rng.integers(7, 12))
        statements, quality = self._statements(prompt, n_facts)
        code = self._code_block() if self._topic.code and self._happens(0.5) else []
        before, after = self._around(self._pick_many("flattery", n_flattery), n_padding)
        statements = self._joined(statements) if self._happens(0.35) else statements
        text = "\n\n".join(self._lay_out(before, statements, code, after))
        n_padding_words = count_words(" ".join([*before, *after]))
        return Reply(text, quality, count_words(text), n_padding_words, n_flattery)

    def _terse(self, prompt: Prompt) -> Reply:
        statements, quality = self._statements(prompt, 1 + self._draw([0.75, 0.25]))
        before = self._pick_many("flattery", self._draw([0.8, 0.2]))
        after = self._sometimes("question", 0.05) or self._sometimes("second_person", 0.05)
        text = " ".join([*before, *statements, *after])
        n_padding_words = count_words(" ".join([*before, *after]))
        return Reply(text, quality, count_words(text), n_padding_words, len(before))

    def _statements(self, prompt: Prompt, n_facts: int) -> tuple[list[str], int]:
        order = [int(i) for i in self._rng.permutation(len(self._topic.facts))]
        if prompt.view_is_right is not None or self._happens(0.85):
            order.remove(prompt.fact)
            order.insert(0, prompt.fact)
        sentences: list[str] = []
        quality = 0
        for i in order[:n_facts]:
            right = not self._happens(P_ERROR)
            quality += 1 if right else -ERROR_COST
            sentence = state_fact(self._topic.facts[i], right=right, rng=self._rng)
            if i == prompt.fact and prompt.view_is_right is not None:
                kind = "agreement" if right == prompt.view_is_right else "pushback"
                plain = "" if self._happens(0.7) else "_plain"
                sentence = f"{self._pick(kind + plain)} {sentence}"
            else:
                sentence = self._with_prefix(sentence, linked=bool(sentences))
            sentences.append(sentence)
        return sentences, quality

    def _with_prefix(self, sentence: str, *, linked: bool) -> str:
        first, _, rest = sentence.partition(" ")
        kind = ["", "hedge_prefix", "confidence_prefix", "link"][self._draw([0.8, 0.05, 0.05, 0.1])]
        if not kind or (kind == "link" and not linked) or first.lower() not in _MAY_FOLLOW_A_COMMA:
            return sentence
        links = ["Also,", "And", "Then again,", "On top of that,", "In addition,", "Besides,"]
        prefix = self._one_of(links) if kind == "link" else self._pick(kind)
        return f"{prefix} {first.lower()} {rest}"

    def _joined(self, statements: Sequence[str]) -> list[str]:
        """Neighbours joined by a semicolon where the second starts with a plain word."""
        joined = list(statements[:1])
        for statement in statements[1:]:
            first, _, rest = statement.partition(" ")
            if first.lower() in _MAY_FOLLOW_A_COMMA and self._happens(0.7):
                joined[-1] = f"{joined[-1][:-1]}; {first.lower()} {rest}"
            else:
                joined.append(statement)
        return joined

    def _around(self, flattery: list[str], n_padding: int) -> tuple[list[str], list[str]]:
        """Sentences before and after the statements, each kind with its own chance."""
        padding = [*self._topic.padding, *self._pick_many("padding", len(self._phrases["padding"]))]
        own = len(self._topic.padding)
        n_own = min(own, n_padding, int(self._rng.integers(1, own + 1)))
        chosen = self._shuffled(padding[:own])[:n_own] + padding[own : own + n_padding - n_own]
        chosen = [self._fill(sentence) for sentence in chosen]
        cut = int(self._rng.integers(0, len(chosen) + 1))
        n_first = int(self._rng.integers(0, len(flattery) + 1)) if len(flattery) > 1 else 1
        before = [*flattery[:n_first], *self._sometimes("apology", 0.08)]
        before += [*self._sometimes("warmth", 0.14), *chosen[:cut]]
        before += self._sometimes("opener", 0.3)
        after = self._shuffled(
            [
                *chosen[cut:],
                *self._sometimes("hedge", 0.2),
                *self._sometimes("confidence", 0.18),
                *self._sometimes("first_person", 0.18),
                *self._sometimes("second_person", 0.22),
                *self._sometimes("exclaim", 0.12),
            ]
        )
        after += [*flattery[n_first:], *self._sometimes("disclaimer", 0.1)]
        after += [*self._sometimes("warm_close", 0.18), *self._sometimes("question", 0.2)]
        return before, after

    def _lay_out(
        self, before: list[str], statements: list[str], code: list[str], after: list[str]
    ) -> list[str]:
        """Blocks of the reply: plain, with a heading, bulleted, numbered or in bold points."""
        layout = self._draw([0.6, 0.09, 0.16, 0.1, 0.05])
        n = len(statements)
        if layout == 0 or (n == 1 and layout != 1):
            if not code:
                return self._paragraphs([*before, *statements, *after])
            return [*self._paragraphs([*before, *statements]), *code, *self._paragraphs(after)]
        blocks = self._paragraphs(before)
        end = self._paragraphs(after)
        if layout == 1:
            blocks += [f"## {self._pick('heading')}", *self._paragraphs(statements), *code]
            return [*blocks, *([f"## {self._pick('second_heading')}"] if after[1:] else []), *end]
        if layout == 4:
            names = self._pick_many("bold", n)
            points = [f"**{name}:** {said}" for name, said in zip(names, statements, strict=True)]
            return [*blocks, *points, *code, *end]
        marks = ["- "] * n if layout == 2 else [f"{i}. " for i in range(1, n + 1)]
        points = [mark + said for mark, said in zip(marks, statements, strict=True)]
        return [*blocks, "\n".join(points), *code, *end]

    def _paragraphs(self, sentences: Sequence[str]) -> list[str]:
        paragraphs = []
        start = 0
        while start < len(sentences):
            stop = start + int(self._rng.integers(2, 6))
            paragraphs.append(" ".join(sentences[start:stop]))
            start = stop
        return paragraphs

    def _refusal(self) -> Reply:
        sentences = [*self._sometimes("apology", 0.3), self._pick("refusal")]
        sentences += self._pick_many("refusal_rest", int(self._rng.integers(1, 3)))
        sentences += [*self._sometimes("warm_close", 0.3), *self._sometimes("question", 0.2)]
        text = " ".join(sentences)
        return Reply(text, 0, count_words(text), count_words(text), 0)

    def _code_block(self) -> list[str]:
        language, *lines = self._topic.code
        return [self._pick("code_lead"), "\n".join([f"```{language}", *lines, "```"])]

    def _happens(self, probability: float) -> bool:
        return bool(self._rng.random() < probability)

    def _draw(self, probabilities: Sequence[float]) -> int:
        return int(np.searchsorted(np.cumsum(probabilities), self._rng.random(), side="right"))

    def _one_of(self, options: Sequence[str]) -> str:
        return options[int(self._rng.integers(len(options)))]

    def _shuffled(self, sentences: Sequence[str]) -> list[str]:
        return [sentences[int(i)] for i in self._rng.permutation(len(sentences))]

    def _fill(self, sentence: str) -> str:
        return sentence.replace("{topic}", self._topic.name)

    def _pick(self, kind: str) -> str:
        return self._fill(self._one_of(self._phrases[kind]))

    def _pick_many(self, kind: str, n: int) -> list[str]:
        """``n`` different ones, in random order."""
        return [self._fill(sentence) for sentence in self._shuffled(self._phrases[kind])[:n]]

    def _sometimes(self, kind: str, probability: float) -> list[str]:
        return [self._pick(kind)] if self._happens(probability) else []


def distinct_replies(write: Callable[[], Reply], n: int) -> list[Reply]:
    """``n`` replies of which no two have the same text; a repeat is drawn again."""
    replies: dict[str, Reply] = {}
    while len(replies) < n:
        reply = write()
        replies.setdefault(reply.text, reply)
    return list(replies.values())
