"""What annotators' pages get: texts to show, what they said, and how far things are."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from rewardlab.app.annotate.judging.differences import Part, differences
from rewardlab.app.annotate.judging.markdown import markdown_tree
from rewardlab.app.annotate.judging.reading import Judged
from rewardlab.app.annotate.store.contents import Assigned, Project, Who
from rewardlab.types import Text

_SHOWN_OF_HISTORY = 160
"""Characters of a text in the list of what was judged."""


def start_view(project: Project, who: Who) -> dict[str, Any]:
    """What the page starts with."""
    nodes, _ = markdown_tree(project.guidelines)
    return {
        "project": project.project,
        "made": project.made_at.isoformat(),
        "annotator": who.annotator,
        "guidelines": [{"role": "", "text": project.guidelines, "nodes": nodes}]
        if project.guidelines.strip()
        else None,
        "edition": sha256(project.guidelines.encode()).hexdigest()[:12],
    }


def pair_view(assigned: Assigned) -> dict[str, Any]:
    """A pair as an annotator sees it: blind, its sides as they were drawn."""
    left, right = _sides(assigned)
    return {
        "pair": assigned.pair,
        "prompt": text_view(assigned.content.prompt),
        "left": text_view(left),
        "right": text_view(right),
    }


def text_view(text: Text) -> list[dict[str, Any]]:
    """A text as turns: who speaks ("" for a plain text), what is said, and as Markdown if it is."""
    return [_turn_view(role, said) for role, said in _turns(text)]


def diff_view(assigned: Assigned) -> dict[str, Any]:
    """Both sides in stretches, and which of them the other side has not."""
    left, right = (_flat(text) for text in _sides(assigned))
    ours, theirs = differences(left, right)
    return {"left": _parts(ours), "right": _parts(theirs)}


def judged_view(judged: Judged) -> dict[str, Any]:
    """One judgement in the list of an annotator's own."""
    assigned, label = judged.assigned, judged.label
    left, right = (_excerpt(text) for text in _sides(assigned))
    shown = {"a": "left", "b": "right"} if not label.flipped else {"a": "right", "b": "left"}
    outcome = str(label.outcome)
    return {
        "id": label.id,
        "pair": assigned.pair,
        "outcome": shown.get(outcome, outcome),
        "strength": label.strength,
        "reason": label.reason,
        "judged_at": label.judged_at,
        "prompt": _excerpt(assigned.content.prompt),
        "left": left,
        "right": right,
    }


def _sides(assigned: Assigned) -> tuple[Text, Text]:
    """The responses, that which is shown on the left first."""
    a, b = assigned.content.response_a, assigned.content.response_b
    return (b, a) if assigned.flipped else (a, b)


def _turns(text: Text) -> list[tuple[str, str]]:
    if isinstance(text, str):
        return [("", text)]
    return [(str(turn.get("role") or ""), str(turn.get("content") or "")) for turn in text]


def _turn_view(role: str, text: str) -> dict[str, Any]:
    nodes, note = markdown_tree(text)
    shown: dict[str, Any] = {"role": role, "text": text}
    if nodes is not None:
        shown["nodes"] = nodes
    if note:
        shown["note"] = note
    return shown


def _flat(text: Text) -> str:
    return "\n\n".join(f"{role}:\n{said}" if role else said for role, said in _turns(text))


def _excerpt(text: Text) -> str:
    flat = " ".join(_flat(text)[: 4 * _SHOWN_OF_HISTORY].split())
    return flat if len(flat) <= _SHOWN_OF_HISTORY else f"{flat[:_SHOWN_OF_HISTORY]}…"


def _parts(parts: list[Part]) -> list[Any]:
    return [[part.text, 1] if part.own else part.text for part in parts]
