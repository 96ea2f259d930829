"""Options by which scored samples are read and their curves made, the same in every command."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from rewardlab.cli.option_groups import Command, takes
from rewardlab.errors import FormatError, InputError

if TYPE_CHECKING:
    from rewardlab.audit.curves import CurveOptions, CurveReport
    from rewardlab.audit.reward_choice import RewardChoice
    from rewardlab.types import FloatArray, ScoredSamples

MissingGold = Literal["error", "restrict"]
ShortPrompts = Literal["error", "drop"]
Ties = Literal["average", "first", "last"]

SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of folds and resampling.")]
_FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SAMPLES",
        help="Several samples a prompt, one a row: JSONL, CSV or Parquet, each also .gz.",
        show_default=False,
    ),
]
_FileOption = Annotated[
    Path | None,
    typer.Option("--samples", metavar="FILE", help="Several samples a prompt, scored and judged."),
]


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """Where samples are, which columns to read, and what curves to make of them.

    Attributes:
        path: The file.
        group: Column of the prompt's id.
        maximise: Columns of rewards that pick the highest.
        minimise: Columns of rewards that pick the lowest.
        gold: Column of gold; None where it is not known yet.
        probability: Column of the probability with which gold was asked for.
        missing_gold: What to do with samples without gold; with ``probability`` they are kept.
        curve: Options of the curves.
    """

    path: Path
    group: str
    maximise: tuple[str, ...]
    minimise: tuple[str, ...]
    gold: str | None
    probability: str | None
    missing_gold: MissingGold
    curve: CurveOptions

    @property
    def n_proxies(self) -> int:
        """How many rewards are named."""
        return len(self.maximise) + len(self.minimise)


def _sample_options(
    *,
    samples: Path,
    group: Annotated[str, typer.Option(metavar="COLUMN", help="The prompt's id.")] = "prompt_id",
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
        MissingGold, typer.Option(help="Without gold: refuse, or leave out and count.")
    ] = "error",
    probability: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that 'curve --choose' wrote, once these are labelled."
        ),
    ] = None,
    n_max: Annotated[
        int | None, typer.Option(help="Largest n; else the fewest samples that a prompt has.")
    ] = None,
    short_prompts: Annotated[
        ShortPrompts, typer.Option(help="Prompts with fewer: refuse, or leave out and count.")
    ] = "error",
    ties: Annotated[
        Ties, typer.Option(help="Of tied ones: their average, or the first or last recorded.")
    ] = "average",
    smallest_gain: Annotated[
        float | None,
        typer.Option(help="Smallest gain in gold that matters; else .1 of its deviation."),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the curve.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples of prompts.")] = 2000,
) -> SampleOptions:
    """The command line's options as ``SampleOptions``.

    Raises:
        InputError: Options exclude each other, or one is out of range.
    """
    from rewardlab.audit.curves import CurveOptions

    if probability is not None and missing_gold == "restrict":
        raise InputError(
            "--missing-gold restrict: with --probability the rows without gold are needed too; "
            "leave one of the two out"
        )
    return SampleOptions(
        path=samples,
        group=group,
        maximise=tuple(dict.fromkeys(proxy or ())),
        minimise=tuple(dict.fromkeys(minimise or ())),
        gold=gold,
        probability=probability,
        missing_gold=missing_gold,
        curve=CurveOptions(n_max, level, resamples, smallest_gain, short_prompts, ties),
    )


def reads_samples(*, beside_preferences: bool) -> Callable[[Command], Command]:
    """Give a command the options by which samples are read and curves made.

    The command has a keyword ``samples: SampleOptions``.

    Args:
        beside_preferences: True for commands whose file is another one: the samples are then an
            option, and the keyword is None where it is not given.
    """
    parameters = dict(signature(_sample_options, eval_str=True).parameters)
    path = parameters.pop("samples")
    if not beside_preferences:
        first = {"samples": path.replace(annotation=_FileArgument)}
        return takes("samples", _sample_options, first | parameters)
    optional = path.replace(annotation=_FileOption, default=None)
    shared = {"samples": optional} | {name: _of_samples(p) for name, p in parameters.items()}
    return takes("samples", _optional_samples, shared)


def _of_samples(parameter: Parameter) -> Parameter:
    """The same option with a help text that says what it is about."""
    kind, option = get_args(parameter.annotation)
    option = copy.copy(option)
    option.help = f"Samples: {option.help[0].lower()}{option.help[1:]}"
    return parameter.replace(annotation=Annotated[kind, option])


def _optional_samples(*, samples: Path | None, **given: Any) -> SampleOptions | None:
    if samples is not None:
        return _sample_options(samples=samples, **given)
    default = {name: p.default for name, p in signature(_sample_options).parameters.items()}
    named = [name.replace("_", "-") for name, value in given.items() if value != default[name]]
    if named:
        options = ", ".join(f"--{name}" for name in named)
        raise InputError(f"{options}: this is about samples; give --samples FILE too")
    return None


def read_scored(
    options: SampleOptions, *, scored: dict[str, FloatArray] | None = None, quiet: bool = False
) -> ScoredSamples:
    """The samples, what was left out said aloud; minimised rewards negated and renamed.

    Args:
        options: Where and what to read.
        scored: Rewards that are not in the file: name -> shape [n], one for each row.
        quiet: Say it on standard error, so that standard output can be read by machines.
    """
    from rewardlab.preferences.samples import read_samples

    read = read_samples(
        options.path,
        group=options.group,
        proxies=list(dict.fromkeys([*options.maximise, *options.minimise])),
        gold=options.gold,
        scored=scored,
        probability=options.probability,
        missing_gold="keep" if options.probability else options.missing_gold,
    )
    for sentence in read.sentences:
        typer.echo(sentence, err=quiet)
    values = read.samples.proxy
    named = {name: values[name] for name in (*options.maximise, *(scored or ()))}
    negated = {f"-{name}": -values[name] for name in options.minimise}
    return replace(read.samples, proxy=named | negated)


def curves_of(
    options: SampleOptions,
    *,
    seed: int,
    rewards: Sequence[RewardChoice] = (),
    quiet: bool = False,
) -> CurveReport:
    """Read the samples, say what was left out, and make one curve for each reward.

    Args:
        options: Where and what to read.
        seed: Seed of critical values, resamples and folds.
        rewards: The rewards of the command. Where no column is named, they score the samples.
        quiet: See ``read_scored``.

    Raises:
        InputError: No column of gold or of a reward is named, and the command's rewards cannot
            score the samples.
    """
    import numpy as np

    from rewardlab.audit.curves import curve_report

    if options.gold is None:
        raise InputError(
            "samples: expected --gold COLUMN; where there is no gold yet, 'rewardlab curve "
            "--choose K' names the samples to label first"
        )
    scored = None if options.n_proxies else _scored_here(options.path, rewards, quiet)
    samples = read_scored(options, scored=scored, quiet=quiet)
    rng = np.random.default_rng(seed)
    return curve_report(samples, tuple(samples.proxy), options.curve, rng=rng)


def _scored_here(path: Path, rewards: Sequence[RewardChoice], quiet: bool) -> dict[str, FloatArray]:
    """The rewards of every row from the command's own saved models, by their folders' names."""
    from rewardlab.audit.reward_choice import SavedModel
    from rewardlab.preferences.samples import read_sample_texts
    from rewardlab.preferences.tables import read_rows
    from rewardlab.rewards.saving import load
    from rewardlab.rewards.scoring import sample_rewards

    folders = [choice.folder for choice in rewards if isinstance(choice, SavedModel)]
    if not folders or len(folders) < len(rewards):
        raise InputError(
            f"{path}: expected --proxy COLUMN (or --minimise COLUMN), got neither; without it only "
            "models saved by 'rewardlab fit' can score the samples"
        )
    next(read_rows(path), None)  # A file that cannot be read is refused as such.
    try:
        next(read_sample_texts(path, chunk_rows=1), None)
    except FormatError as error:
        raise InputError(
            f"{path}: there are no columns prompt and response for {folders[0]} to score; name "
            "the column that holds its reward with --proxy COLUMN (or --minimise COLUMN)"
        ) from error
    names = [folder.resolve().name for folder in folders]
    if len(set(names)) < len(names):
        names = [str(folder) for folder in folders]
    typer.echo(f"The samples' rewards are those of {' and '.join(names)}.", err=quiet)
    return {
        name: sample_rewards(load(folder), path)
        for name, folder in zip(names, folders, strict=True)
    }
