"""``rewardlab annotate export``: what annotators said, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rewardlab.cli.annotate_options import Name, named_project
from rewardlab.cli.lab_database import Db, Folder, lab_engine
from rewardlab.counting import counted
from rewardlab.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from rewardlab.app.annotate.exports.judgements import Written


def export(
    name: Name,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to write: .jsonl or .parquet, also .gz; NAME-labels.jsonl by default.",
        ),
    ] = None,
    checks: Annotated[
        bool,
        typer.Option("--checks", help="Take planted repeats and pairs with a known answer, too."),
    ] = False,
    record: Annotated[
        bool,
        typer.Option("--record", help="Write every event as it came, also what was undone."),
    ] = False,
    samples: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write this file of 'rewardlab curve --choose' again, its gold filled in.",
        ),
    ] = None,
    gold: Annotated[
        str, typer.Option(metavar="COLUMN", help="With --samples: the column to fill in.")
    ] = "gold",
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Write what annotators said to a file.

    All judgements that stand, one a line, with annotator, sides as shown, strength, reason and
    time: 'rewardlab audit FILE' takes it as it is. Or, with --record, the whole record; or, with
    --samples, the samples that a curve asked for, with their gold.

    Example: rewardlab annotate export helpfulness --out labels.jsonl

    Example: rewardlab annotate export curve-1 --samples samples-to-label.jsonl --out labelled.jsonl
    """
    if sum((checks, record, samples is not None)) > 1:
        raise InputError("--checks, --record and --samples exclude each other; give one of them")
    with lab_engine(db, folder) as engine:
        named_project(engine, name)
        if samples is not None:
            _write_samples(engine, name, samples, out or _filled_name(samples), gold)
        elif record:
            _write_record(engine, name, out or Path(f"{name}-record.jsonl"))
        else:
            _write_labels(engine, name, out or Path(f"{name}-labels.jsonl"), checks=checks)


def _write_labels(engine: Engine, name: str, out: Path, *, checks: bool) -> None:
    from rewardlab.app.annotate.exports.judgements import write_labels

    written = write_labels(engine, name, out, checks=checks)
    typer.echo(f"Wrote {written.n:,} judgements to {out}.")
    _say_left_out(written)
    typer.echo(f"Next: rewardlab audit {out}")


def _write_record(engine: Engine, name: str, out: Path) -> None:
    from rewardlab.app.annotate.exports.judgements import write_record

    typer.echo(f"Wrote the record of {write_record(engine, name, out).n:,} events to {out}.")


def _write_samples(engine: Engine, name: str, samples: Path, out: Path, gold: str) -> None:
    from rewardlab.app.annotate.exports.sample_gold import write_samples

    filled = write_samples(engine, name, samples, out, gold=gold)
    typer.echo(
        f"Wrote {counted(filled.n_rows, 'sample')} to {out}; "
        f"{filled.n_filled:,} have {gold} from judgements."
    )
    if filled.n_settled:
        typer.echo(f"{filled.n_settled:,} more tie: the response drawn for them reads the same.")
    if filled.n_waiting:
        typer.echo(f"Nobody has judged {filled.n_waiting:,} more that were asked for.")
    if filled.n_kept:
        typer.echo(
            f"{filled.n_kept:,} more had {gold} in the file, and keep it; --gold names another "
            "column where that is another goal."
        )
    typer.echo(
        f"Next: rewardlab curve {out} --group PROMPT_COLUMN --proxy REWARD_COLUMN "
        f"--gold {gold} --probability probability"
    )


def _say_left_out(written: Written) -> None:
    if written.left_out:
        typer.echo(written.left_out_sentence)


def _filled_name(samples: Path) -> Path:
    stem, dot, rest = samples.name.partition(".")
    return Path(f"{stem}-labelled{dot}{rest}")
