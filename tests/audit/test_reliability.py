"""What of the judgements goes into flip rates; the estimates are tested where they are made."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from rewardlab.audit.annotators import measure_annotators
from rewardlab.audit.judgements import judgements_of
from rewardlab.audit.reliability import measure_reliability
from rewardlab.errors import InputError
from tests.audit.annotation_worlds import Habits, annotation


def test_every_judgement_is_used_or_counted_as_left_out() -> None:
    judgements = judgements_of(
        pair=["p", "p", "p", "q", "q", "g", "h", "r", "p"],
        annotator=["ann", "ben", "cem", "ann", "ben", "ann", "ann", "ann", None],
        outcome=["a", "a", "b", "tie", "skip", "b", "tie", "b", "a"],
        asked=["pair"] * 5 + ["known", "known", "repeat", "pair"],
        of=[None] * 7 + ["p", None],
        known=[None] * 5 + ["b", "tie", None, None],
    )
    found = measure_reliability(judgements)
    ann, ben, cem = found.annotators
    assert (ann.n_votes, ann.n_known) == (1, 1)
    assert (ben.n_votes, cem.n_votes) == (1, 1)
    left_out = (found.n_undecided, found.n_skipped, found.n_repeats, found.n_unnamed)
    assert left_out == (2, 1, 1, 1)
    used = sum(person.n_votes + person.n_known for person in found.annotators)
    assert used + sum(left_out) == len(judgements)


def test_who_guesses_has_the_flip_rate_of_a_coin() -> None:
    judgements = annotation(
        np.random.default_rng(0),
        n_pairs=300,
        n_known=20,
        odd={0: Habits(flip=0.5), 1: Habits(flip=0.0)},
    )
    found = {person.annotator: person for person in measure_reliability(judgements).annotators}
    coin, careful = found["person 0"], found["person 1"]
    assert coin.low > careful.high
    assert coin.low <= 0.5 <= coin.high
    assert careful.low == pytest.approx(0, abs=0.02)


def test_who_has_a_taste_of_their_own_is_named_by_no_finding() -> None:
    """Three prefer long answers and one short ones; all else they judge alike."""
    rng = np.random.default_rng(4)
    pairs, people = np.repeat(np.arange(300), 3), np.tile(np.arange(4), 225)
    longer, rest = rng.normal(0, 2, 300), rng.normal(0, 1.5, 300)
    margin = rest[pairs] + np.where(people == 3, -1, 1) * longer[pairs]
    judgements = judgements_of(
        pair=pairs.tolist(),
        annotator=[f"person {k}" for k in people],
        outcome=np.where(rng.random(900) < expit(margin), "a", "b").tolist(),
        a_first=(rng.random(900) < 0.5).tolist(),
    )
    assert all(person.flags == () for person in measure_annotators(judgements).annotators)
    # Votes alone cannot tell them from somebody who errs; the page says so.
    flips = [person.flip_rate for person in measure_reliability(judgements).annotators]
    assert flips[3] > max(flips[:3]) + 0.2


def test_features_belong_to_pairs_by_their_code() -> None:
    judgements = annotation(np.random.default_rng(1), n_pairs=30)
    n_pairs = int(judgements.pair.max()) + 1
    features = np.random.default_rng(2).normal(size=(n_pairs, 2))
    assert measure_reliability(judgements, features=features).fit.weights.shape == (2,)
    with pytest.raises(InputError, match=f"expected a row for {n_pairs} pairs"):
        measure_reliability(judgements, features=features[:5])


def test_without_a_decided_judgement_there_is_nothing_to_estimate() -> None:
    with pytest.raises(InputError, match="prefers a side, got none"):
        measure_reliability(judgements_of(pair=["p"], annotator=["ann"], outcome=["tie"]))
