"""The command line: one file per command, errors turned into one line and an exit code.

Command modules import the library inside their function, so that ``--help`` stays quick.
"""

from __future__ import annotations

import codecs
import errno
import gc
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


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"rewardlab {__version__}")
        raise typer.Exit


def rewardlab(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """The reward goes up; is the model getting better, and when does that stop?"""


_COMMANDS = (
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
)
_GROUPS = {"systems": systems, "annotate": annotate, "database": database}


def _command_line(only: str = "") -> typer.Typer:
    """The command line with all commands, or with one of them, which is built in a tenth."""
    built = typer.Typer(
        name="rewardlab",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback()(rewardlab)
    for command in _COMMANDS:
        if only in ("", command.__name__):
            built.command()(command)
    for name, group in _GROUPS.items():
        if only in ("", name):
            built.add_typer(group, name=name)
    return built


app = _command_line()


YOUNG_OBJECTS = 50_000
"""New objects after which Python looks for garbage; its own 700 suit short programs."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_PLAIN = {"−": "-", "–": "-", "∞": "inf", "±": "+-", "…": "...", "·": "-", "×": "x"}


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Near characters in place of those that the output's encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c, "?") for c in missing), error.end


def _keep_quiet_at_exit() -> None:
    """Send what is still buffered for standard output nowhere: writing it would fail once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def run() -> None:
    """Run the command line; a ``RewardLabError``, or a full disk, is one line and exit code 2."""
    codecs.register_error("plain-letters", _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plain-letters")
    # Our matrices are tall and thin: on two cores, threads doubled the processor time of a fit.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    names = {*_GROUPS, *(command.__name__ for command in _COMMANDS)}
    usual = gc.get_threshold()
    # Loading modules makes objects by the ten thousand and no garbage: 30 ms were spent looking.
    # A server lives long and answers many at once: there Python's own number stays.
    if lab.__name__ not in sys.argv:
        gc.set_threshold(YOUNG_OBJECTS)
    try:
        (_command_line(asked) if asked in names else app)()
    except RewardLabError as error:
        typer.echo(f"rewardlab: {error.told}", err=True)
        sys.exit(2)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        typer.echo(f"rewardlab: the output cannot be written: {error.strerror}", err=True)
        _keep_quiet_at_exit()
        sys.exit(2)
    finally:
        gc.set_threshold(*usual)
