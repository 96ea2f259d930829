"""The lab's HTML: one template environment, and the data that a page starts with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rewardlab import __version__
from rewardlab.app.assets import version
from rewardlab.app.wire import json_bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is served from, so that the same templates work on any file server.

    Attributes:
        static: Address of the folder of scripts and styles, without a slash at the end.
        home: Address of the lab's first page; "" where there is none, as in a static copy.
        systems: Address of the list of systems.
        system: Address of a system, with {name} in it.
        learn: Address of the lessons; "" where there are none.
        reports: Address of the audits; "" where there are none.
        annotate: Address of the projects to label; "" where there are none.
    """

    static: str
    home: str = "/"
    systems: str = "/systems"
    system: str = "/systems/{name}"
    learn: str = "/learn"
    reports: str = "/reports"
    annotate: str = "/annotate"


def served() -> Place:
    """The pages of a running lab."""
    return Place(static=f"/static/{version()}")


def render(template: str, *, place: Place, boot: Any = None, **context: Any) -> str:
    """A whole page.

    Args:
        template: File name in this package's templates.
        place: Where it is served from.
        boot: Data that its scripts start with, so that they need not ask first.
        **context: What the template prints, escaped.
    """
    data = Markup(_harmless(json_bytes(boot))) if boot is not None else None
    page = _environment().get_template(template)
    return page.render(place=place, boot=data, app_version=__version__, **context)


def _harmless(json: bytes) -> str:
    """JSON that can stand in a page: no text in it can end its element or open a comment."""
    text = json.decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("rewardlab.app", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
