"""What several commands of ``rewardlab annotate`` take, and the project that one names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rewardlab.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from rewardlab.app.annotate.store.contents import Project

Name = Annotated[str, typer.Argument(metavar="NAME", help="The project.")]
ModelOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR", help="A saved reward for the order undecided. Repeatable: an ensemble."
    ),
]
SeedOption = Annotated[int, typer.Option(help="Seed of all randomness.")]


def named_project(engine: Engine, name: str) -> Project:
    """The project of that name.

    Raises:
        InputError: There is none.
    """
    from rewardlab.app.annotate.store.projects import find_project

    found = find_project(engine, name)
    if found is None:
        raise InputError(
            f"NAME: there is no project {name[:60]!r}; 'rewardlab annotate list' names them"
        )
    return found


def read_text(path: Path) -> str:
    """A text file as one string.

    Raises:
        InputError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
