"""The command line: one file per command, errors turned into one line and an exit code.

Command modules import the library inside their function, so that ``--help`` stays quick.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Annotated

import typer

from rewardlab import __version__
from rewardlab.cli.agreement import agreement
from rewardlab.cli.annotate import annotate
from rewardlab.cli.audit import audit
from rewardlab.cli.compare import compare
from rewardlab.cli.convert import convert
from rewardlab.cli.curve import curve
from rewardlab.cli.database import database
from rewardlab.cli.doctor import doctor
from rewardlab.cli.fit import fit
from rewardlab.cli.lab import lab
from rewardlab.cli.rank import rank
from rewardlab.cli.reproduce import reproduce
from rewardlab.cli.score import score
from rewardlab.cli.systems import systems
from rewardlab.errors import RewardLabError

app = typer.Typer(
    name="rewardlab",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"rewardlab {__version__}")
        raise typer.Exit


@app.callback()
def rewardlab(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """The reward goes up; is the model getting better, and when does that stop?"""


for command in (
    doctor,
    convert,
    agreement,
    fit,
    score,
    curve,
    audit,
    compare,
    rank,
    reproduce,
    lab,
):
    app.command()(command)
app.add_typer(systems, name="systems")
app.add_typer(annotate, name="annotate")
app.add_typer(database, name="database")


_PLAIN = {"−": "-", "–": "-", "∞": "inf", "±": "+-", "…": "...", "·": "-", "×": "x"}


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Near characters in place of those that the output's encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c, "?") for c in missing), error.end


def run() -> None:
    """Run the command line; a ``RewardLabError`` becomes one line and exit code 2."""
    codecs.register_error("plain-letters", _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plain-letters")
    # Our matrices are tall and thin: on two cores, threads doubled the processor time of a fit.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except RewardLabError as error:
        typer.echo(f"rewardlab: {error.told}", err=True)
        sys.exit(2)
