"""``rewardlab curve``: what optimising against a proxy does to gold, from recorded samples."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from rewardlab.cli.sampling import SampleOptions, curves_of, read_scored, reads_samples
from rewardlab.counting import counted
from rewardlab.errors import InputError

_ASK = "ask"
_PROBABILITY = "probability"


@reads_samples(beside_preferences=False)
def curve(
    choose: Annotated[
        int | None,
        typer.Option(metavar="K", help="Without gold: name the K samples to label first."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Without gold: where --choose writes.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")] = False,
    *,
    samples: SampleOptions,
) -> None:
    """See where gold peaks along best-of-n.

    Does it rise with optimisation against a proxy, and when to stop? Gives the exact expectation
    for every n up to the samples recorded, intervals over prompts, the peak, both laws of
    over-optimisation, and a verdict. Exit code 1 if a proxy never helped.

    Example: rewardlab curve samples.csv --group prompt_id --proxy reward --gold judged

    Example: rewardlab curve samples.csv --group prompt_id --proxy reward --choose 500
    """
    if not samples.n_proxies:
        raise InputError("curve: expected --proxy COLUMN (or --minimise COLUMN), got neither")
    if choose is not None:
        _choose(samples, choose, out, seed)
        return
    if out is not None:
        raise InputError("--out: it is the file that --choose writes; give --choose K too")
    _report(samples, seed, as_json)


def _report(options: SampleOptions, seed: int, as_json: bool) -> None:
    from rewardlab.cli.curve_tables import print_report
    from rewardlab.cli.showing import stdout_console
    from rewardlab.report.as_json import findings_as_json, json_text, to_json
    from rewardlab.types import Status

    report = curves_of(options, seed=seed, quiet=as_json)
    if as_json:
        plain = {**to_json(report), "findings": findings_as_json(report.findings)}
        typer.echo(json_text(plain))
    else:
        print_report(report, stdout_console())
    if any(finding.status is Status.FAIL for finding in report.findings):
        raise typer.Exit(1)


def _choose(options: SampleOptions, k: int, out: Path | None, seed: int) -> None:
    """Choose samples to label: the first, or (with --probability) more beside those labelled."""
    import numpy as np

    from rewardlab.audit.choosing import choose
    from rewardlab.preferences.sample_pool import write_with_columns

    if options.n_proxies > 1:
        raise InputError("--choose: expected one proxy, since what to label depends on it")
    if options.probability is not None and options.gold is None:
        raise InputError(
            "--choose with --probability goes on from labels: name their column with --gold"
        )
    goes_on = options.probability is not None
    gold, probability = options.gold or "gold", options.probability or _PROBABILITY
    pool = read_scored(options if goes_on else replace(options, gold=None))
    (proxy,) = pool.proxy
    chosen = choose(
        pool,
        proxy,
        k,
        labelled=~np.isnan(pool.gold) if goes_on else None,
        n_max=options.curve.n_max,
        short_prompts=options.curve.short_prompts,
        rng=np.random.default_rng(seed),
    )
    target = out or Path(_labelling_name(options.path))
    in_pool = ~np.isnan(chosen.probability)
    added: dict[str, list[Any]] = {
        _ASK: [int(asked) for asked in chosen.asked],
        probability: [float(p) for p in chosen.probability],
    }
    if not goes_on:
        added[gold] = [None] * len(pool)
    renewed = (_ASK, probability) if goes_on else ()
    n_rows = write_with_columns(options.path, target, added, keep=in_pool, renewed=renewed)
    if chosen.n_dropped_prompts:
        typer.echo(
            f"Left out {counted(chosen.n_dropped_prompts, 'prompt')} "
            f"({counted(int((~in_pool).sum()), 'row')}) with fewer than "
            f"{counted(chosen.n_max, 'sample')}."
        )
    typer.echo(
        f"Wrote {n_rows:,} samples of {chosen.n_prompts:,} prompts to {target}; {chosen.n_asked:,} "
        f"of them, in {chosen.n_prompts_asked:,} prompts, have {_ASK} = 1.\n"
        f"Fill in {gold} for exactly these, keep the other rows as they are, and run:\n"
        f"  {_come_back(options, target, gold, probability)}"
    )


def _come_back(options: SampleOptions, target: Path, gold: str, probability: str) -> str:
    """The command that reads the file once it is labelled."""
    words = ["rewardlab", "curve", str(target), "--group", options.group]
    words += [word for name in options.maximise for word in ("--proxy", name)]
    words += [word for name in options.minimise for word in ("--minimise", name)]
    return shlex.join([*words, "--gold", gold, "--probability", probability])


def _labelling_name(path: Path) -> str:
    stem = path.name.removesuffix(".gz")
    suffix = Path(stem).suffix if Path(stem).suffix in (".csv", ".parquet") else ".jsonl"
    return f"{Path(stem).stem}-to-label{suffix}"
