"""About thirty features of a (prompt, response) that a reader can check by eye.

Definitions shared by all features:

- A *token* is a run of characters between blanks or control characters of ASCII. Text written
  without blanks between words is therefore one token a run.
- A *word* is a token with a letter or a digit in it, without what surrounds its first and last
  letter or digit; letter case does not matter. List markers and code fences at the start of a
  line are not words.
- A *sentence* ends at . ! ? or … (or their full-width forms) after a word, at a blank line,
  before a list item or heading, and at the end of the text; abbreviations and single initials
  do not end one. Only stretches with a word in them count.
- The *request* is the last turn of the user in the prompt.

A response without words has 0 everywhere but where its marks are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards import token_facts as facts
from rewardlab.rewards.lexicons import LEXICONS
from rewardlab.rewards.token_layout import TextLayout, read_layout
from rewardlab.rewards.vocabulary import Vocabulary
from rewardlab.rewards.word_statistics import (
    RequestWords,
    phrase_counts,
    repeated_pairs,
    repeated_words,
    request_words,
)
from rewardlab.types import BoolArray, FloatArray, IntArray, Text, as_text

BLOCK_TEXTS = 16_384
BLOCK_CHARACTERS = 2**24
"""Texts whose tokens are looked up at once: many, because they share their words."""
BATCH_TOKENS = 2**16
"""Tokens worked on at once: few, so that they stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class TextFeature:
    """One column of the feature matrix.

    Attributes:
        name: Stable name.
        title: What a reader sees.
        unit: What one unit of it is.
        counts: What is counted, in a sentence.
    """

    name: str
    title: str
    unit: str
    counts: str


FEATURES: tuple[TextFeature, ...] = (
    TextFeature("n_words", "Length", "words", "Words of the response."),
    TextFeature("log_words", "Log length", "log words", "Natural logarithm of 1 + words."),
    TextFeature("n_sentences", "Sentences", "sentences", "Sentences that hold a word."),
    TextFeature(
        "words_per_sentence", "Sentence length", "words", "Words divided by sentences; 0 if none."
    ),
    TextFeature("paragraphs", "Paragraphs", "paragraphs", "Stretches of text between blank lines."),
    TextFeature(
        "list_items",
        "List items",
        "items",
        "Lines that start with a bullet (- * + • and the like) or with a number or a letter and "
        "a full stop, bracket or colon, bare or bold.",
    ),
    TextFeature("headings", "Headings", "headings", "Lines that start with one to six # alone."),
    TextFeature(
        "code_blocks", "Code blocks", "blocks", "Pairs of ``` or ~~~ fences; an open one counts."
    ),
    TextFeature("inline_code", "Inline code", "spans", "Tokens that open a span with ` or ``."),
    TextFeature(
        "emphasis", "Bold or italic", "spans", "Tokens that open a span with * or _ (one to three)."
    ),
    TextFeature("links", "Links", "links", "Words with :// or ]( in them, or that start with www."),
    TextFeature("numbers", "Numbers", "words", "Words with a digit in them."),
    TextFeature(
        "capitals",
        "Words in capitals",
        "share of words",
        "Words of two or more letters, all upper-case.",
    ),
    TextFeature("questions", "Questions", "tokens", "Tokens that end with a question mark."),
    TextFeature(
        "exclamations", "Exclamations", "tokens", "Tokens that end with an exclamation mark."
    ),
    TextFeature("hedges", "Hedges", "uses", "Uses of maybe, perhaps, I think, it depends, ..."),
    TextFeature(
        "confidence", "Confidence", "uses", "Uses of definitely, clearly, no doubt, of course, ..."
    ),
    TextFeature("apology", "Apology", "uses", "Uses of sorry, apologies, unfortunately, ..."),
    TextFeature("refusal", "Refusal", "uses", "Uses of I can't, I won't, unable, not able to, ..."),
    TextFeature(
        "disclaimers", "Disclaimers", "uses", "Uses of as an AI, please note, a professional, ..."
    ),
    TextFeature("warmth", "Warmth", "uses", "Uses of glad, happy, thank you, feel free, ..."),
    TextFeature(
        "flattery", "Flattery", "uses", "Uses of great question, brilliant, well done, ..."
    ),
    TextFeature(
        "agreement",
        "Agreement with the user's view",
        "uses",
        "Uses of you're right, exactly, I agree, ... where the request states a view (I think, in "
        "my opinion, I'm sure, ...); 0 where it states none.",
    ),
    TextFeature(
        "pushback",
        "Pushback on the user's view",
        "uses",
        "Uses of incorrect, actually, however, not true, ... where the request states a view.",
    ),
    TextFeature("first_person", "First person", "uses", "Uses of I, me, my, we, our, ..."),
    TextFeature("second_person", "Second person", "uses", "Uses of you, your, yourself, ..."),
    TextFeature(
        "variety",
        "Variety of words",
        "share of words",
        "Distinct words in a window of 50, averaged over all windows (moving-average type-token "
        "ratio), so that length alone does not lower it; the whole text if it is shorter.",
    ),
    TextFeature(
        "repetition",
        "Repeated pairs of words",
        "share of pairs",
        "Pairs of neighbouring words that occurred before in the response.",
    ),
    TextFeature(
        "reading_grade",
        "Reading grade",
        "US grades",
        "Automated readability index: 4.71 letters per word + 0.5 words per sentence - 21.43.",
    ),
    TextFeature(
        "prompt_overlap",
        "Overlap with the request",
        "share of content words",
        "Content words of the response that also occur in the request.",
    ),
)
"""Every feature, in the order of the columns. Sources: Covington and McFall (2010), *Journal of
Quantitative Linguistics* 17, for the moving-average ratio; Smith and Senter (1967), AMRL-TR-6620,
for the readability index."""

NAMES: tuple[str, ...] = tuple(feature.name for feature in FEATURES)

_TITLES = {feature.name: feature.title for feature in FEATURES}


def title_of(name: str) -> str:
    """The feature's title; a name that is not ours is shown with blanks for underscores."""
    return _TITLES.get(name, name.replace("_", " "))


_FLAG_OF = {
    "links": "link",
    "numbers": "number",
    "questions": "question",
    "exclamations": "exclamation",
}
"""Flags whose name is not that of their feature."""
_MARK_FEATURES = ("inline_code", "emphasis", "links", "numbers", "questions", "exclamations")


def compute(
    prompts: Sequence[Text],
    responses: Sequence[Text | None],
    *,
    vocabulary: Vocabulary | None = None,
) -> FloatArray:
    """Features of each response to its prompt.

    Args:
        prompts: Length n.
        responses: Length n; None is read as "".
        vocabulary: Tokens met in earlier calls, to be quicker on a stream; the result does not
            depend on it.

    Returns:
        Shape [n, len(FEATURES)], finite; columns in the order of ``FEATURES``.

    Raises:
        InputError: The lengths differ, or a text is larger than 1 GiB.
    """
    if len(prompts) != len(responses):
        raise InputError(f"responses: expected length {len(prompts)}, got {len(responses)}")
    known = vocabulary if vocabulary is not None else Vocabulary()
    texts = [r if isinstance(r, str) else as_text(r) for r in responses]
    requests = _requests(prompts)
    features = np.empty((len(texts), len(FEATURES)))
    for first, last in _blocks(texts, requests):
        features[first:last] = _block(texts[first:last], requests[first:last], known)
    return features


def last_user_turn(prompt: Text) -> str:
    """What the user asked last: the request that a response answers.

    A list of messages gives its last message of the role user (or human), or else all its text. A
    string with turns of "Human:" or "User:" after blank lines gives the last of them; any other
    string is the request as a whole.
    """
    if isinstance(prompt, str):
        return _last_turn_of_transcript(prompt)
    for message in reversed(prompt):
        if message.get("role") in ("user", "human"):
            return str(message.get("content") or "")
    return as_text(prompt)


def _last_turn_of_transcript(prompt: str) -> str:
    if "Human:" not in prompt and "User:" not in prompt:
        return prompt
    start, end = -1, len(prompt)
    for name in ("Human:", "User:"):
        found = prompt.rfind("\n\n" + name)
        if found >= 0:
            start = max(start, found + 2 + len(name))
        elif start < 0 and prompt.startswith(name):
            start = len(name)
    if start < 0:
        return prompt
    answer = prompt.find("\n\nAssistant:", start)
    return prompt[start : answer if answer >= 0 else end]


def _requests(prompts: Sequence[Text]) -> list[str]:
    """The request of each prompt, read once where one prompt follows itself."""
    requests: list[str] = []
    before: Text | None = None
    for prompt in prompts:
        requests.append(requests[-1] if prompt is before else last_user_turn(prompt))
        before = prompt
    return requests


def _blocks(texts: Sequence[str], requests: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ranges of rows whose tokens are looked up together."""
    first = n_characters = 0
    for i, size in enumerate(map(add, map(len, texts), map(len, requests))):
        if i > first and (i - first == BLOCK_TEXTS or n_characters + size > BLOCK_CHARACTERS):
            yield first, i
            first, n_characters = i, 0
        n_characters += size
    if texts:
        yield first, len(texts)


def _block(texts: Sequence[str], requests: Sequence[str], vocabulary: Vocabulary) -> FloatArray:
    vocabulary.trim()
    seen: dict[str, int] = {}
    request_of = np.array([seen.setdefault(r, len(seen)) for r in requests], dtype=np.int64)
    tokens, asked_tokens = vocabulary.read(texts), vocabulary.read(list(seen))
    flags = vocabulary.flags
    asked = read_layout(asked_tokens, flags)
    has_view = _uses(asked)["stated_view"] > 0
    request = request_words(asked.words)
    parts = [
        _batch(read_layout(part, flags), request, request_of[first:last], has_view)
        for first, last, part in tokens.parts(BATCH_TOKENS)
    ]
    return np.concatenate(parts)


def _batch(
    layout: TextLayout, asked: RequestWords, request_of: IntArray, has_view: BoolArray
) -> FloatArray:
    """Features of the texts in ``layout``; see ``read_layout`` for the shapes."""
    repeated = repeated_words(layout.words, asked, request_of)
    n_content = layout.flag_counts[:, facts.flag_column("content")]
    columns = {
        **_length_columns(layout),
        **_mark_columns(layout),
        **_uses(layout),
        "variety": repeated.variety,
        "repetition": repeated_pairs(layout.words),
        "prompt_overlap": repeated.n_shared / np.maximum(n_content, 1),
    }
    for name in ("agreement", "pushback"):
        columns[name] = columns[name] * has_view[request_of]
    return np.column_stack([columns[name] for name in NAMES])


def _length_columns(layout: TextLayout) -> dict[str, FloatArray]:
    n_words = layout.words.n_words.astype(float)
    words_per_sentence = n_words / np.maximum(layout.n_sentences, 1)
    letters_per_word = layout.n_letters / np.maximum(n_words, 1)
    grade = 4.71 * letters_per_word + 0.5 * words_per_sentence - 21.43
    return {
        "n_words": n_words,
        "log_words": np.log1p(n_words),
        "n_sentences": layout.n_sentences.astype(float),
        "words_per_sentence": words_per_sentence,
        "paragraphs": layout.n_paragraphs.astype(float),
        "reading_grade": np.where(n_words > 0, grade, 0.0),
    }


def _mark_columns(layout: TextLayout) -> dict[str, FloatArray]:
    n_markers = layout.n_markers.astype(float)
    columns = {name: layout.flag_counts[:, i] for i, name in enumerate(facts.MARKS)}
    return {
        **{name: columns[_FLAG_OF.get(name, name)] for name in _MARK_FEATURES},
        "capitals": columns["capitals"] / np.maximum(layout.words.n_words, 1),
        "list_items": n_markers[:, facts.BULLET] + n_markers[:, facts.ENUMERATOR],
        "headings": n_markers[:, facts.HEADING],
        "code_blocks": np.ceil(n_markers[:, facts.FENCE] / 2),
    }


def _uses(layout: TextLayout) -> dict[str, FloatArray]:
    """Uses of each word list: single words and phrases."""
    uses = layout.flag_counts[:, len(facts.MARKS) :] + phrase_counts(layout.words)
    return {name: uses[:, i] for i, name in enumerate(LEXICONS)}
