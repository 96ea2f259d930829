"""A slow twin of the text features: one readable function a feature, no arrays."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise

from rewardlab.rewards.lexicons import ABBREVIATIONS, FUNCTION_WORDS, LEXICONS

BULLETS = set("-*+•–—·◦‣▪●")


@dataclass
class Token:
    """One token as it stands in its text."""

    text: str
    starts_line: bool
    blank_line_after: bool
    marker: str = ""
    core: str = ""
    tail: str = ""

    @property
    def is_word(self) -> bool:
        return bool(self.core) and not self.marker


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    pieces = re.findall(r"[^\x00-\x20]+|[\x00-\x20]+", text)
    for i, piece in enumerate(pieces):
        if piece[0] <= " ":
            continue
        before = pieces[i - 1] if i else ""
        is_first = not found
        after = pieces[i + 1] if i + 1 < len(pieces) else ""
        token = Token(piece, is_first or "\n" in before, after.count("\n") > 1)
        alnum = [k for k, c in enumerate(piece) if c.isalnum()]
        token.core = piece[alnum[0] : alnum[-1] + 1] if alnum else ""
        token.tail = piece[alnum[-1] + 1 :] if alnum else piece
        if token.starts_line:
            token.marker = marker(piece)
        found.append(token)
    return found


def marker(text: str) -> str:
    if text in BULLETS or re.fullmatch(r"(\*\*)?\(?([0-9]{1,3}|[A-Za-z])[.):]{1,2}(\*\*)?", text):
        return "item"
    if re.fullmatch("#{1,6}", text):
        return "heading"
    return "fence" if text[:3] in ("```", "~~~") else ""


def lower(core: str) -> str:
    return core.lower().replace("’", "'")


def ends_sentence(token: Token) -> bool:
    marks = {c for c in token.tail if c in ".!?…。！？"}
    if token.marker or not marks:
        return False
    if marks == {"."}:
        initial = len(token.core) == 1 and token.core.isalpha() and token.core not in "iI"
        return not initial and lower(token.core) not in ABBREVIATIONS
    return True


def stretches(tokens: list[Token], is_end: list[bool]) -> int:
    count, has_word = 0, False
    for token, end in zip(tokens, is_end, strict=True):
        has_word |= token.is_word
        if end:
            count, has_word = count + has_word, False
    return count


def uses(words: list[str], name: str) -> int:
    count = sum(word in LEXICONS[name].words for word in words)
    for phrase in LEXICONS[name].phrases:
        n = len(phrase)
        count += sum(tuple(words[i : i + n]) == phrase for i in range(len(words) - n + 1))
    return count


def variety(words: list[str]) -> float:
    if not words:
        return 0.0
    width = min(50, len(words))
    windows = [words[i : i + width] for i in range(len(words) - width + 1)]
    return sum(len(set(w)) / width for w in windows) / len(windows)


def repetition(words: list[str]) -> float:
    pairs = list(pairwise(words))
    return (len(pairs) - len(set(pairs))) / len(pairs) if pairs else 0.0


def overlap(words: list[str], request: list[str]) -> float:
    content = [w for w in words if w not in FUNCTION_WORDS]
    return sum(w in request for w in content) / len(content) if content else 0.0


def features(request: str, response: str) -> dict[str, float]:
    """Every feature of a response to a plain request."""
    found = tokens(response)
    words = [t for t in found if t.is_word]
    names = [lower(t.core) for t in words]
    asked = [lower(t.core) for t in tokens(request) if t.is_word]
    counted = [t for t in found if not t.marker]
    n = len(words)
    last = [i == len(found) - 1 for i in range(len(found))]
    blank = [t.blank_line_after or is_last for t, is_last in zip(found, last, strict=True)]
    ends = [
        ends_sentence(t) or blank[i] or (i + 1 < len(found) and found[i + 1].marker != "")
        for i, t in enumerate(found)
    ]
    n_sentences = stretches(found, ends)
    letters = sum(sum(c.isalnum() for c in t.core) for t in words)
    grade = 4.71 * letters / n + 0.5 * n / n_sentences - 21.43 if n else 0.0
    has_view = uses(asked, "stated_view") > 0
    opening = r"[(\[\"'“‘]*"
    lexical = {k: float(uses(names, k)) for k in LEXICONS if k != "stated_view"}
    return {
        "n_words": n,
        "log_words": math.log(1 + n),
        "n_sentences": n_sentences,
        "words_per_sentence": n / n_sentences if n else 0.0,
        "paragraphs": stretches(found, blank),
        "list_items": sum(t.marker == "item" for t in found),
        "headings": sum(t.marker == "heading" for t in found),
        "code_blocks": math.ceil(sum(t.marker == "fence" for t in found) / 2),
        "inline_code": sum(bool(re.match(opening + "`{1,2}[^`]", t.text)) for t in counted),
        "emphasis": sum(
            bool(re.match(opening + r"(\*{1,3}|_{1,3})[^\W_]", t.text)) for t in counted
        ),
        "links": sum(
            "://" in t.core or "](" in t.core or t.core.lower().startswith("www.") for t in counted
        ),
        "numbers": sum(any(c.isdecimal() for c in t.core) for t in words),
        "capitals": sum(t.core.isupper() and sum(c.isalpha() for c in t.core) > 1 for t in words)
        / max(n, 1),
        "questions": sum(any(c in "?？" for c in t.tail) for t in counted),
        "exclamations": sum(any(c in "!！" for c in t.tail) for t in counted),
        **lexical,
        "agreement": lexical["agreement"] * has_view,
        "pushback": lexical["pushback"] * has_view,
        "variety": variety(names),
        "repetition": repetition(names),
        "reading_grade": grade,
        "prompt_overlap": overlap(names, asked),
    }
