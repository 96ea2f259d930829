"""Topics and phrases that the replies of the sample data are composed from, as read from files.

A topic file holds, for each topic, prompts (``?2`` is answered by fact 2; ``?2+`` and ``?2-``
state its true or false version as the user's view), facts (``+``; ``[right|wrong]`` marks what an
error changes, ``{one|another}`` a free choice of words), on-topic sentences without content
(``~``) and a code block (``|``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

TOPICS_DIR = Path(__file__).parent / "demo_topics"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question.

    Attributes:
        text: As the user wrote it.
        fact: Position of the fact that answers it.
        view_is_right: Whether the view that the user states is right; None without a view.
    """

    text: str
    fact: int
    view_is_right: bool | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """What can be asked and said about one subject."""

    category: str
    name: str
    prompts: list[Prompt] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    padding: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


def read_topics() -> list[Topic]:
    """All topics, by file name and then in file order."""
    topics: list[Topic] = []
    for path in sorted(TOPICS_DIR.glob("[a-z]*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            mark, _, rest = line.partition(" ")
            if mark == "==":
                topics.append(Topic(path.stem, rest))
            elif mark == "+":
                topics[-1].facts.append(rest)
            elif mark == "~":
                topics[-1].padding.append(rest)
            elif mark == "|":
                topics[-1].code.append(rest)
            else:
                view_is_right = {"+": True, "-": False}.get(mark[2:])
                topics[-1].prompts.append(Prompt(rest, int(mark[1]) - 1, view_is_right))
    return topics


def read_phrases() -> dict[str, list[str]]:
    """Sentences that fit every topic, by kind; ``{topic}`` stands for the topic's name."""
    phrases: dict[str, list[str]] = {}
    for line in (TOPICS_DIR / "_phrases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            kind = line[3:]
        else:
            phrases.setdefault(kind, []).append(line)
    return phrases
