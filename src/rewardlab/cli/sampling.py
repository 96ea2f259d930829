"""Options shared by the commands that read scored samples beside preferences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rewardlab.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from rewardlab.audit.curves import CurveResult

MissingGold = Literal["error", "restrict"]

SamplesOption = Annotated[
    Path | None,
    typer.Option("--samples", metavar="FILE", help="Several samples a prompt, scored and judged."),
]
GroupOption = Annotated[
    str, typer.Option("--group", metavar="COLUMN", help="Samples: the prompt's id.")
]
ProxyOption = Annotated[
    list[str] | None,
    typer.Option("--proxy", metavar="COLUMN", help="Samples: a reward to optimise. Repeatable."),
]
GoldOption = Annotated[
    str | None,
    typer.Option("--gold", metavar="COLUMN", help="Samples: the real goal, a score or win/loss."),
]
ProbabilityOption = Annotated[
    str | None,
    typer.Option(
        "--probability", metavar="COLUMN", help="Samples: chance with which gold was asked for."
    ),
]
MissingGoldOption = Annotated[
    MissingGold,
    typer.Option("--missing-gold", help="Samples without gold: refuse them, or leave them out."),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of folds and resampling.")]


@dataclass(frozen=True, slots=True)
class SampleColumns:
    """Where the samples are and which columns to read."""

    path: Path
    group: str
    proxies: tuple[str, ...]
    gold: str
    probability: str | None
    missing_gold: MissingGold


def sample_columns(
    samples: Path | None,
    group: str,
    proxy: list[str] | None,
    gold: str | None,
    probability: str | None,
    missing_gold: MissingGold,
) -> SampleColumns | None:
    """The columns, or None where no samples are given.

    Raises:
        InputError: Samples are given without --proxy or --gold, or the other way round.
    """
    if samples is None:
        if proxy or gold:
            raise InputError("--proxy and --gold are columns of samples: give --samples FILE too")
        return None
    if not proxy or gold is None:
        raise InputError(
            "--samples: name its columns too: --proxy COLUMN (the reward) and --gold COLUMN"
        )
    return SampleColumns(samples, group, tuple(proxy), gold, probability, missing_gold)


def curves_of(columns: SampleColumns, rng: np.random.Generator) -> tuple[CurveResult, ...]:
    """Read the samples, say what was left out, and make one curve for each proxy."""
    from rewardlab.audit.curves import curve
    from rewardlab.preferences.samples import read_samples

    read = read_samples(
        columns.path,
        group=columns.group,
        proxies=columns.proxies,
        gold=columns.gold,
        probability=columns.probability,
        missing_gold="keep" if columns.probability else columns.missing_gold,
    )
    for sentence in read.sentences:
        typer.echo(sentence)
    return tuple(curve(read.samples, proxy, rng=rng) for proxy in columns.proxies)
