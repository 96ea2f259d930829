"""Clean data gets no warning: over all checks together at most 5% of files have one."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.types import Outcome, Status
from tests.preferences.doctor.planting import Given, clean_rows, diagnose


def clean_file(seed: int) -> list[Given]:
    """A file of one of three kinds, drawn at random: pairs, several votes a pair, or two splits.

    Raters vote by a coin that leans, pair by pair, to either side, so that votes on one pair
    depend on each other as they do in real data; annotators are alike.
    """
    rng = np.random.default_rng(seed)
    n, n_votes = int(rng.integers(150, 400)), int(rng.integers(1, 4))
    pairs = clean_rows(n, seed=seed)
    lean = rng.beta(2, 2, n)
    for_b = (rng.random((n, n_votes)) > lean[:, None]).tolist()
    has_splits = rng.random() < 0.5
    return [
        Given(
            prompt=pair.prompt,
            a=pair.a,
            b=pair.b,
            id=str(i),
            outcome=Outcome.B if for_b[i][k] else Outcome.A,
            annotator=f"w{(i + k * 3) % 12}",
            split=("train" if i < n // 2 else "test") if has_splits else None,
        )
        for i, pair in enumerate(pairs)
        for k in range(n_votes)
    ]


def false_findings(seeds: range, *, chunk_rows: int) -> list[tuple[int, str]]:
    return [
        (seed, finding.name)
        for seed in seeds
        for finding in diagnose(clean_file(seed), chunk_rows=chunk_rows).findings
        if finding.status in (Status.WARN, Status.FAIL)
    ]


def test_few_of_sixty_clean_files_get_a_warning() -> None:
    # Three checks are statistical, at 1% each. With 3% a file, more than 6 of 60 have a chance
    # of 0.3%; any warning of another check would be a fault of that check.
    found = false_findings(range(60), chunk_rows=64)
    assert {name for _, name in found} <= {"side-bias", "length-bias", "one-sided-annotators"}
    assert len({seed for seed, _ in found}) <= 6


@pytest.mark.slow
def test_at_most_one_clean_file_in_twenty_gets_a_warning() -> None:
    n_files = 1000
    found = false_findings(range(1000, 1000 + n_files), chunk_rows=20_000)
    assert len({seed for seed, _ in found}) / n_files <= 0.05
