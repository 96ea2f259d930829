"""``rewardlab score``: the rewards of a file's responses, added as columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rewardlab.cli.reading import progress_bar, reads_preferences
from rewardlab.preferences.options import ReadOptions


@reads_preferences()
def score(
    model: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder written by 'rewardlab fit'.")
    ],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Preferences (two responses a row) or samples (prompt and response columns).",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="FILE", help="File to write: .jsonl, .csv or .parquet, also .gz."
        ),
    ],
    name: Annotated[
        str, typer.Option(help="Name of the new column, or beginning of the two names.")
    ] = "reward",
    *,
    reading: ReadOptions,
) -> None:
    """Add a saved reward's scores to a file.

    All rows and columns are kept. Preferences get reward_a and reward_b (reward_chosen and
    reward_rejected where the columns are so named), samples get reward. An empty response is
    scored; a missing one is refused, or with --skip-bad kept with null, never 0, and counted.
    Rows on prompts that the reward was fitted on are counted too: their scores are not held out.

    Example: rewardlab score model pairs.jsonl --out scored.jsonl

    Example: rewardlab score model samples.csv --column response=answer --out scored.csv
    """
    from rewardlab.preferences.table_writing import require_other_file
    from rewardlab.rewards.saving import load
    from rewardlab.rewards.scoring import open_pairs, score_preferences, score_samples
    from rewardlab.rewards.training_prompts import known_training_prompts

    require_other_file(out, [file, *reading.files_besides])
    reward, trained = load(model), known_training_prompts(model)
    reader = open_pairs(file, reading)
    if reader is None:
        columns = reading.columns
        report = score_samples(
            reward,
            file,
            out,
            prompt=columns.get("prompt"),
            response=columns.get("response"),
            name=name,
            trained_prompts=trained,
            on_bad=reading.on_bad,
        )
    else:
        with progress_bar("Scoring") as on_progress:
            report = score_preferences(
                reward,
                reader,
                file,
                out,
                name=name,
                trained_prompts=trained,
                on_progress=on_progress,
            )
    for sentence in report.sentences:
        typer.echo(sentence)
