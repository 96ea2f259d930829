"""What a file's voters agree on: hand-computed cases, what is left out, and real crowd votes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from rewardlab.audit.agreement_verdict import accuracy_finding
from rewardlab.audit.vote_agreement import Ties, VoteAgreement, measure_agreement
from rewardlab.errors import EstimationError, InputError
from rewardlab.preferences.formats import read_preferences
from rewardlab.preferences.options import ReadOptions
from rewardlab.stats.intervals import Estimate
from rewardlab.types import LABEL_OF_OUTCOME, Outcome, Preferences, Status


def preferences_of(
    rows: Sequence[tuple[int, str | None, Outcome]], *, per_prompt: int = 1
) -> Preferences:
    """Votes as (pair, annotator, outcome), without texts: pairs are told by items."""
    n = len(rows)
    outcome = np.array([row[2] for row in rows], dtype=np.int8)
    return Preferences(
        prompt=[""] * n,
        response_a=[None] * n,
        response_b=[None] * n,
        outcome=outcome,
        label=LABEL_OF_OUTCOME[outcome],
        margin=np.full(n, np.nan),
        annotator=[row[1] for row in rows],
        id=[str(i) for i in range(n)],
        prompt_id=[str(row[0] // per_prompt) for row in rows],
        split=[None] * n,
        item_a=[f"x{row[0]}" for row in rows],
        item_b=[f"y{row[0]}" for row in rows],
        line=np.arange(1, n + 1),
        source=["votes.csv"] * n,
        sides_recorded=True,
    )


def crowd(n_pairs: int, votes: int, seed: int, *, spread: float = 1.998) -> Preferences:
    """Bradley-Terry votes: of spread 1.998, two voters agree 69.7%, the ceiling is 77.8%."""
    rng = np.random.default_rng(seed)
    q = special.expit(spread * rng.standard_normal(n_pairs))
    return preferences_of(
        [
            (i, f"w{k}", Outcome.A if rng.random() < q[i] else Outcome.B)
            for i in range(n_pairs)
            for k in range(votes)
        ]
    )


def by_ties(found: VoteAgreement, ties: Ties) -> float:
    choice = next(c for c in found.choices if c.ties is ties)
    assert choice.agreement is not None
    return choice.agreement.value


def test_each_way_to_count_ties_is_what_it_says() -> None:
    a, b, tie = Outcome.A, Outcome.B, Outcome.TIE
    rows = [(0, "x", a), (0, "y", a), (1, "x", a), (1, "y", tie), (2, "x", tie), (2, "y", tie)]
    rows += [(3, "x", a), (3, "y", b)]
    found = measure_agreement(preferences_of(rows))
    # Set aside: pairs 0 and 3 remain, on which 2 of 4 votes meet the same.
    assert by_ties(found, Ties.ASIDE) == pytest.approx(1 / 2)
    # An answer: pairs 0 and 2 agree, 1 and 3 do not.
    assert by_ties(found, Ties.ANSWER) == pytest.approx(2 / 4)
    # Half: 1, 1/2, 1/2 and 0, as if a coin broke the ties.
    assert by_ties(found, Ties.HALF) == pytest.approx(2 / 4)
    aside = found.choices[0]
    assert (aside.n_votes, aside.n_pairs, aside.n_single) == (4, 2, 1)
    assert found.n_ties == 3
    assert found.ceiling is None  # 20 pairs are the least.


def test_votes_that_cannot_count_are_counted() -> None:
    rows = [(0, "x", Outcome.A), (0, "x", Outcome.B), (0, "y", Outcome.B), (0, None, Outcome.A)]
    found = measure_agreement(preferences_of([*rows, (1, "x", Outcome.A)]))
    assert (found.n_votes, found.n_repeated, found.n_unnamed) == (5, 1, 1)
    assert by_ties(found, Ties.ASIDE) == 1.0  # The last vote of x counts.
    assert found.choices[0].n_single == 1


def test_a_swapped_pair_is_the_same_pair() -> None:
    votes = preferences_of([(0, "x", Outcome.A), (0, "y", Outcome.B)])
    votes.item_a[1], votes.item_b[1] = votes.item_b[1], votes.item_a[1]
    assert by_ties(measure_agreement(votes), Ties.ASIDE) == 1.0


def test_bradley_terry_votes_have_a_ceiling_that_excludes_equal_noise() -> None:
    found = measure_agreement(crowd(2500, 4, 0))
    assert found.ceiling is not None
    assert found.ceiling.possible.n_narrowing == 2500
    assert found.ceiling.possible.outer_low < 0.778 < found.ceiling.possible.outer_high < 0.814
    beta, normal = found.ceiling.models
    # 2,500 pairs of four votes: one standard error is .005.
    assert beta.ceiling.value == pytest.approx(0.776, abs=0.015)
    assert normal.ceiling.value == pytest.approx(0.778, abs=0.015)
    three, five = found.ceiling.majorities[3], found.ceiling.majorities[5]
    assert found.ceiling.possible.high < three.high < five.high


def test_an_accuracy_above_the_ceiling_is_a_leak_and_one_at_it_is_not() -> None:
    found = measure_agreement(crowd(1500, 4, 1))

    def judged(value: float, half: float) -> Status:
        estimate = Estimate(value, half / 2, value - half, value + half, 900, 900, 0.95, "given")
        return accuracy_finding(estimate, found).status

    assert judged(0.90, 0.02) is Status.FAIL
    assert judged(0.778, 0.02) in (Status.PASS, Status.CANNOT_SAY)
    assert judged(0.55, 0.02) is Status.WARN
    few = measure_agreement(crowd(10, 2, 2))
    unknown = Estimate(0.7, 0.01, 0.68, 0.72, 900, 900, 0.95, "given")
    assert accuracy_finding(unknown, few).status is Status.CANNOT_SAY


def test_pairs_of_annotators_have_their_names_and_shared_pairs() -> None:
    found = measure_agreement(crowd(50, 3, 3), most_pairs=2)
    assert [(p.first, p.second, p.n_shared) for p in found.pairs] == [
        ("w0", "w1", 50),
        ("w0", "w2", 50),
    ]


def test_what_cannot_be_measured_is_refused_with_its_remedy() -> None:
    nobody = preferences_of([(0, None, Outcome.A), (0, None, Outcome.A)])
    with pytest.raises(EstimationError, match="no vote names its annotator") as refused:
        measure_agreement(nobody)
    assert "--column annotator" in refused.value.told
    nameless = preferences_of([(0, "x", Outcome.A)])
    nameless.item_a[0] = None
    with pytest.raises(InputError, match="names of the items"):
        measure_agreement(nameless)
    with pytest.raises(InputError, match="most_pairs"):
        measure_agreement(crowd(3, 2, 0), most_pairs=-1)


def test_real_crowd_votes_agree_as_often_as_was_counted_apart(data_dir: Path) -> None:
    votes = read_preferences(
        data_dir / "llmfao_battles.csv.gz", ReadOptions(where={"judge_kind": "crowd"})
    )
    found = measure_agreement(votes)
    # Counted apart over all two votes on a pair, to three digits.
    aside, answer, _ = found.choices
    assert aside.by_vote_pairs == pytest.approx(0.701, abs=5e-4)
    assert answer.by_vote_pairs == pytest.approx(0.532, abs=5e-4)
    assert found.n_ties == 3471
    assert found.n_repeated == found.n_unnamed == 0
    assert found.ceiling is not None
    assert found.ceiling.possible.n_narrowing == 666
    assert found.ceiling.possible.low > found.ceiling.from_agreement.low + 0.02
