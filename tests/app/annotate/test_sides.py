"""Left and right from what somebody is shown to every figure: no side is turned on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.app.annotate.admin.summary import Summary, asked_pairs, summarised
from rewardlab.app.annotate.exports.judgements import write_labels
from rewardlab.app.annotate.judging.views import pair_view
from rewardlab.app.annotate.store.contents import Content, Pair
from rewardlab.app.database import open_database
from rewardlab.preferences.doctor.diagnosis import examine
from rewardlab.preferences.formats import ReadOptions, open_preferences, read_preferences
from rewardlab.rewards.feature_fit import fit_text_feature_reward
from rewardlab.types import Status
from tests.app.annotate.people import Bench

WORDS = ("plum", "apple", "pear", "quince", "cherry", "fig", "date")
N_PAIRS, N_CHECKS = 80, 20


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Summary, Path]:
    """What an admin sees and what is exported where one takes the left and two the longer."""
    folder: Path = tmp_path_factory.mktemp("sides")
    engine = open_database(f"sqlite:///{folder / 'lab.sqlite'}")
    bench = Bench(engine, pairs(), overlap=3, known_every=3)
    for who in ("lefty", "ann", "ben"):
        while lent := bench.take(who, 1).pairs:
            seen = pair_view(lent[0])
            longer = "left" if length(seen["left"]) > length(seen["right"]) else "right"
            choice = "left" if who == "lefty" else longer
            bench.send(who, bench.label(lent[0].pair, choice, duration_s=9.0))
    summary = summarised(engine, bench.project, bench.now, asked=asked_pairs(engine, "demo"))
    write_labels(engine, "demo", folder / "labels.jsonl")
    engine.dispose()
    return summary, folder / "labels.jsonl"


def pairs() -> list[Pair]:
    """Short and long answers, of which b is always the long one; repeats and known pairs."""
    rng = np.random.default_rng(0)
    texts = [
        Content(
            f"p{i}",
            f"q{i}",
            f"prompt {i}",
            " ".join(rng.choice(WORDS, 5 + i % 4)),
            " ".join(rng.choice(WORDS, 20 + i % 7)),
        )
        for i in range(N_PAIRS + N_CHECKS)
    ]
    made = [Pair(i, "pair", texts[i], place=float(i)) for i in range(N_PAIRS)]
    made += [Pair(N_PAIRS + i, "repeat", texts[i], of=i) for i in range(N_CHECKS)]
    first = len(made)
    known = texts[N_PAIRS:]
    return made + [Pair(first + i, "known", text, known="b") for i, text in enumerate(known)]


def length(turns: list[dict[str, Any]]) -> int:
    """Characters of a text as it is shown."""
    return sum(len(turn["text"]) for turn in turns)


def test_each_figure_says_who_goes_by_the_side_and_who_reads(judged: tuple[Summary, Path]) -> None:
    people = {person.annotator: person for person in judged[0].report.annotators}
    assert "goes-by-the-side" in people["lefty"].flags
    for name in ("lefty", "ann", "ben"):
        person, reads = people[name], name != "lefty"
        assert person.left is not None
        assert person.known is not None
        assert person.repeats is not None
        # Repeats have their sides exchanged: who takes the left contradicts themself.
        assert person.repeats.value == (1 if reads else 0)
        assert person.repeats.n > 5
        if reads:
            assert person.flags == ()
            # About 110 sides drawn anew each time: four standard errors.
            assert person.left.value == pytest.approx(0.5, abs=0.2)
            assert person.known.value == 1
        else:
            assert person.left.value == 1
            assert 0 < person.known.value < 1
    # Two who always agree, and one who agrees half of the time: (1 + .5 + .5) / 3.
    agreement = judged[0].report.overall.agreement
    assert agreement is not None
    assert agreement.value == pytest.approx(2 / 3, abs=0.15)


def test_the_export_has_the_side_as_a_and_teaches_what_readers_prefer(
    judged: tuple[Summary, Path],
) -> None:
    preferences = read_preferences(judged[1])
    mine = [name == "lefty" for name in preferences.annotator]
    assert set(preferences.label[mine].tolist()) == {1.0}
    reward = fit_text_feature_reward(preferences, rng=np.random.default_rng(0)).reward
    short, long = reward(["?", "?"], ["plum " * 6, "plum " * 22])
    assert long > short


def test_an_audit_of_the_export_finds_the_side_bias_and_whose_it_is(
    judged: tuple[Summary, Path],
) -> None:
    diagnosis = examine(open_preferences(judged[1], ReadOptions(on_bad="count")))
    assert diagnosis["side-bias"].status in (Status.WARN, Status.FAIL)
    assert diagnosis["one-sided-annotators"].details["annotators"] == ["lefty"]
