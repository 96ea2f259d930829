"""Texts of prompts and responses, shortened for reading with the whole text at hand."""

from __future__ import annotations

from dataclasses import dataclass

from rewardlab.plots.text import visible

PREVIEW = 480
"""Characters shown at first."""

LONGEST = 20_000
"""Characters of one text that a report holds; beyond them it names what is left out."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text as the page shows it.

    Attributes:
        preview: What is seen at first, with "…" where something is left out; "(empty)" or
            "(white space only)" where there is nothing to see.
        whole: The whole text (up to ``LONGEST``) if the preview is shorter; else "".
        n_characters: Length of the text.
        n_left_out: Characters beyond ``LONGEST``, which the page does not hold.
    """

    preview: str
    whole: str
    n_characters: int
    n_left_out: int


def excerpt(text: str, *, from_end: bool = False, preview: int = PREVIEW) -> Excerpt:
    """The first (or last) characters of a text, cut at a blank where one is near.

    Args:
        text: Any text; control characters are written out.
        from_end: True for prompts, whose last turn is what the response answers.
        preview: Characters to show at first.
    """
    n_left_out = max(0, len(text) - LONGEST)
    kept = text[-LONGEST:] if from_end else text[:LONGEST]
    stripped = kept.strip()
    if len(stripped) <= preview * 1.25 and not n_left_out:
        return Excerpt(visible(stripped) or unseen(text), "", len(text), 0)
    if from_end:
        short = "… " + _from_blank(stripped[-preview:])
    else:
        short = _to_blank(stripped[:preview]) + " …"
    return Excerpt(visible(short), visible(kept), len(text), n_left_out)


def unseen(text: str) -> str:
    """Words for a text without anything to see."""
    return "(white space only)" if text else "(empty)"


def _to_blank(text: str) -> str:
    cut = max(text.rfind(" "), text.rfind("\n"))
    return text[:cut].rstrip() if cut > len(text) * 0.8 else text


def _from_blank(text: str) -> str:
    cuts = [cut for cut in (text.find(" "), text.find("\n")) if cut >= 0]
    cut = min(cuts, default=len(text))
    return text[cut:].lstrip() if cut < len(text) * 0.2 else text
