"""``rewardlab curve``: what optimising against a proxy does to gold, from recorded samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rewardlab.errors import InputError

if TYPE_CHECKING:
    from rewardlab.audit.curves import CurveReport
    from rewardlab.types import ScoredSamples

_CHOOSING = "Without gold"
SamplesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SAMPLES",
        help="Several samples a prompt, one a row: JSONL, CSV or Parquet, each also .gz.",
        show_default=False,
    ),
]
MissingGold = Literal["error", "restrict"]
ShortPrompts = Literal["error", "drop"]
Ties = Literal["average", "first", "last"]


def curve(
    samples: SamplesArgument,
    group: Annotated[str, typer.Option(metavar="COLUMN", help="The prompt's id.")],
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A reward that picks the best. Repeatable."),
    ] = None,
    minimise: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="The same, lower being better. Repeatable."),
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The real goal: a score, or win, loss and tie."),
    ] = None,
    missing_gold: Annotated[
        MissingGold, typer.Option(help="Samples without gold: refuse them, or leave them out.")
    ] = "error",
    n_max: Annotated[
        int | None, typer.Option(help="Largest n; else the fewest samples that a prompt has.")
    ] = None,
    short_prompts: Annotated[
        ShortPrompts, typer.Option(help="Prompts with fewer samples: refuse, or leave out.")
    ] = "error",
    ties: Annotated[
        Ties, typer.Option(help="Of tied samples: their average, or the first or last recorded.")
    ] = "average",
    smallest_gain: Annotated[
        float | None,
        typer.Option(help="Smallest gain in gold that matters; else .1 of its deviation."),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples of prompts.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
    choose: Annotated[
        int | None,
        typer.Option(
            metavar="K", help="Name the K samples to label first.", rich_help_panel=_CHOOSING
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where --choose writes.", rich_help_panel=_CHOOSING),
    ] = None,
    probability: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that --choose wrote, once its samples are labelled.",
            rich_help_panel=_CHOOSING,
        ),
    ] = None,
) -> None:
    """See where gold peaks along best-of-n.

    Does it rise with optimisation against a proxy, and when to stop? Gives the exact expectation
    for every n up to the samples recorded, intervals over prompts, the peak, both laws of over-
    optimisation, and a verdict. Exit code 1 if a proxy never helped.

    Example: rewardlab curve samples.csv --group prompt_id --proxy reward --gold judged

    Example: rewardlab curve samples.csv --group prompt_id --proxy reward --choose 500
    """
    maximise, minimise = proxy or [], minimise or []
    if not maximise and not minimise:
        raise InputError("curve: expected --proxy COLUMN (or --minimise COLUMN), got neither")
    if choose is not None:
        _check_choosing(len(maximise) + len(minimise), probability)
        pool = _read(samples, group, maximise, minimise, None, None, "keep")
        columns = f"--group {group} " + (
            f"--proxy {maximise[0]}" if maximise else f"--minimise {minimise[0]}"
        )
        _choose(samples, pool, choose, gold or "gold", out, n_max, short_prompts, seed, columns)
        return
    if out is not None:
        raise InputError("--out: it is the file that --choose writes; give --choose K too")
    if gold is None:
        raise InputError(
            "curve: expected --gold COLUMN; where there is no gold yet, --choose K names the "
            "samples to label first"
        )
    if probability is not None and missing_gold == "restrict":
        raise InputError(
            "--missing-gold restrict: with --probability the rows without gold are needed too; "
            "leave one of the two out"
        )
    missing: Literal["error", "restrict", "keep"] = "keep" if probability else missing_gold
    read = _read(samples, group, maximise, minimise, gold, probability, missing, as_json)
    _report(read, n_max, level, resamples, smallest_gain, short_prompts, ties, seed, as_json)


def _check_choosing(n_proxies: int, probability: str | None) -> None:
    if n_proxies > 1:
        raise InputError("--choose: expected one proxy, since what to label depends on it")
    if probability is not None:
        raise InputError("--choose: it writes the probabilities; leave --probability out")


def _read(
    path: Path,
    group: str,
    maximise: list[str],
    minimise: list[str],
    gold: str | None,
    probability: str | None,
    missing_gold: Literal["error", "restrict", "keep"],
    quiet: bool = False,
) -> ScoredSamples:
    """The samples, what was left out said aloud; minimised proxies negated and renamed."""
    from dataclasses import replace

    from rewardlab.preferences.samples import read_samples

    read = read_samples(
        path,
        group=group,
        proxies=list(dict.fromkeys([*maximise, *minimise])),
        gold=gold,
        probability=probability,
        missing_gold=missing_gold,
    )
    for sentence in read.sentences:
        typer.echo(sentence, err=quiet)
    values = read.samples.proxy
    named = {name: values[name] for name in maximise}
    return replace(read.samples, proxy=named | {f"-{name}": -values[name] for name in minimise})


def _report(
    samples: ScoredSamples,
    n_max: int | None,
    level: float,
    resamples: int,
    smallest_gain: float | None,
    short_prompts: ShortPrompts,
    ties: Ties,
    seed: int,
    as_json: bool,
) -> None:
    import numpy as np

    from rewardlab.audit.curves import CurveOptions, curve_report
    from rewardlab.cli.curve_tables import print_report
    from rewardlab.cli.showing import stdout_console
    from rewardlab.report.as_json import findings_as_json, json_text, to_json
    from rewardlab.types import Status

    options = CurveOptions(n_max, level, resamples, smallest_gain, short_prompts, ties)
    report: CurveReport = curve_report(
        samples, tuple(samples.proxy), options, rng=np.random.default_rng(seed)
    )
    if as_json:
        plain = {**to_json(report), "findings": findings_as_json(report.findings)}
        typer.echo(json_text(plain))
    else:
        print_report(report, stdout_console())
    if any(finding.status is Status.FAIL for finding in report.findings):
        raise typer.Exit(1)


def _choose(
    path: Path,
    pool: ScoredSamples,
    k: int,
    gold: str,
    out: Path | None,
    n_max: int | None,
    short_prompts: ShortPrompts,
    seed: int,
    columns: str,
) -> None:
    import numpy as np

    from rewardlab.audit.choosing import choose
    from rewardlab.preferences.sample_pool import write_with_columns

    (proxy,) = pool.proxy
    chosen = choose(
        pool, proxy, k, n_max=n_max, short_prompts=short_prompts, rng=np.random.default_rng(seed)
    )
    target = out or Path(_labelling_name(path))
    in_pool = ~np.isnan(chosen.probability)
    added: dict[str, list[Any]] = {
        "ask": [int(asked) for asked in chosen.asked],
        "probability": [float(p) for p in chosen.probability],
        gold: [None] * len(pool),
    }
    n_rows = write_with_columns(path, target, added, keep=in_pool)
    if chosen.n_dropped_prompts:
        typer.echo(
            f"Left out {chosen.n_dropped_prompts:,} prompts ({int((~in_pool).sum()):,} rows) with "
            f"fewer than {chosen.n_max} samples."
        )
    typer.echo(
        f"Wrote {n_rows:,} samples of {chosen.n_prompts:,} prompts to {target}; {chosen.n_asked:,} "
        f"of them, in {chosen.n_prompts_asked:,} prompts, have ask = 1.\n"
        f"Fill in {gold} for exactly these, keep the other rows as they are, and run:\n"
        f"  rewardlab curve {target} {columns} --gold {gold} --probability probability"
    )


def _labelling_name(path: Path) -> str:
    stem = path.name.removesuffix(".gz")
    suffix = Path(stem).suffix if Path(stem).suffix in (".csv", ".parquet") else ".jsonl"
    return f"{Path(stem).stem}-to-label{suffix}"
