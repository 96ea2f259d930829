"""The page's frame: one template environment that escapes everything, and its filters."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from rewardlab.audit.curve_findings import peak_words
from rewardlab.plots.style import FIGURE_CSS
from rewardlab.plots.text import interval, number, share, signed, signed_interval, visible
from rewardlab.report.excerpt import excerpt, unseen
from rewardlab.report.naming import difference_text, figure_text
from rewardlab.rewards.text_features import title_of
from rewardlab.types import Finding, Status


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding with the id by which the page links to it."""

    id: str
    finding: Finding


class _HasInterval(Protocol):
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def numbered(findings: tuple[Finding, ...]) -> tuple[Shown, ...]:
    """Findings with ids that are unique on the page, whatever their names."""
    return tuple(Shown(f"finding-{k}", f) for k, f in enumerate(findings, 1))


def file_names(paths: Sequence[str]) -> str:
    """What a page is called: its files without their folders."""
    return ", ".join(PurePath(path).name for path in paths) or "preferences"


def render_page(template: str, **context: Any) -> str:
    """A whole page from a template of this folder, with the styles inlined.

    Characters that UTF-8 cannot write are shown as code points, so the result can always be saved.
    """
    return _environment().get_template(template).render(css=Markup(_styles()), **context)


@cache
def _styles() -> str:
    page = files("rewardlab.report").joinpath("page.css").read_text(encoding="utf-8")
    return page + FIGURE_CSS


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("rewardlab", "report"),
        autoescape=True,
        finalize=_writable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "clipped": _clipped,
        "count": _count,
        "difference": difference_text,
        "excerpt": lambda text, from_end=False: excerpt(text, from_end=from_end),
        "feature": title_of,
        "figure": figure_text,
        "number": number,
        "opening": _opening,
        "peak": peak_words,
        "percent": _percent,
        "placed": _placed,
        "plain": _plain,
        "prose": _prose,
        "pvalue": _pvalue,
        "share": share,
        "signed": signed,
        "span": _span,
        "tone": _tone,
        "words": _words,
    }
    return environment


def _writable(value: Any) -> Any:
    """Applied to all that templates print: no control character or surrogate gets through."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*(?:[ =](?:[a-z_]+=)?[A-Z]+(?:,[A-Z]+)*\b)?)")


_N_EQUALS = re.compile(r"\bn = (?=\d)")


def _prose(text: str) -> Markup:
    """A sentence with options of the command line set as code; these and "n = 4" never break."""
    escaped = _N_EQUALS.sub("n\u00a0=\u00a0", str(escape(visible(text))))
    return Markup(_OPTION.sub(r'<code class="option">\1</code>', escaped))


def _tone(status: str) -> str:
    return "unsaid" if status == Status.CANNOT_SAY else str(status)


def _count(n: int) -> str:
    return f"{n:,}"


def _percent(value: float) -> str:
    """A probability without false precision at either end."""
    if 0 < value < 0.001:
        return "under 0.1%"
    if 0.999 < value < 1:
        return "over 99.9%"
    return share(value, decimals=1 if min(value, 1 - value) < 0.1 else 0)


def _span(estimate: _HasInterval, percent: bool = True) -> str:
    if percent:
        return interval(estimate.low, estimate.high, percent=True)
    return signed_interval(estimate.low, estimate.high)


def _pvalue(p: float) -> str:
    if math.isnan(p):
        return "–"
    return "under 0.001" if p < 0.001 else f"{p:.3f}"


def _placed(location: str, files: Sequence[str]) -> str:
    """A "FILE:LINE" without the folders, unless two files share their name."""
    names = {name: PurePath(name).name for name in files}
    if len(set(names.values())) == len(names):
        for path, name in names.items():
            if location.startswith(f"{path}:"):
                return name + location.removeprefix(path)
    return location


def _clipped(text: str, length: int = 160) -> str:
    shown = visible(text)
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def _opening(text: str) -> str:
    """The first words of a text on one line."""
    return _clipped(" ".join(text[:400].split()) or unseen(text), 110)


def _words(name: str) -> str:
    return visible(name.replace("_", " "))


def _plain(value: Any) -> str:
    """A figure or setting as text: numbers rounded, structures as JSON."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value, digits=4)
    if isinstance(value, str):
        return visible(value)
    return visible(json.dumps(value, ensure_ascii=False, default=str))
