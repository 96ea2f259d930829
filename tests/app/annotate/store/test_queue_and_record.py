"""Anything that annotators may do, in any order: what is counted and what stands stay true."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from rewardlab.app.annotate.store.contents import Label
from rewardlab.app.annotate.store.models import AnyEvent, LabelEvent
from rewardlab.app.annotate.store.queue import HOLDING
from rewardlab.app.annotate.store.record import labels_of, standing
from rewardlab.app.database import open_database
from tests.app.annotate.people import LEASE_S, Bench, pairs

OVERLAP, N_PAIRS, REPEATED = 2, 5, (0, 3)

people = st.sampled_from(["ann", "bob", "cy", "dee"])
outcomes = st.sampled_from(["left", "right", "tie", "both_bad", "skip"])
numbers = st.integers(0, N_PAIRS + len(REPEATED))


class Annotating(RuleBasedStateMachine):
    """Four people, eight pairs, and browsers that send again, late and in any order."""

    sent = Bundle("sent")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "lab.sqlite"
        made = pairs(N_PAIRS, repeated=REPEATED, n_known=1)
        self.engine = open_database(f"sqlite:///{file}")
        self.bench = Bench(self.engine, made, overlap=OVERLAP, known_every=3)
        self.kinds = {pair.pair: pair.kind for pair in made}
        self.excused: Counter[int] = Counter()
        self.acknowledged: set[tuple[str, str]] = set()

    def teardown(self) -> None:
        """Leave nothing behind."""
        self.engine.dispose()
        self.folder.cleanup()

    @rule(who=people, n=st.integers(1, 6), have=st.lists(numbers, max_size=4, unique=True))
    def take(self, who: str, n: int, have: list[int]) -> None:
        """Pairs that are lent are theirs; those that are dropped are not."""
        said = {pair for (w, pair), s in self.bench.states().items() if w == who and s != "leased"}
        returned = {p for (w, p), s in self.bench.states().items() if w == who and s == "returned"}
        lent = self.bench.take(who, n, have=have)
        states = self.bench.states()
        assert all(states[who, pair.pair] == "leased" for pair in lent.pairs)
        assert all(states.get((who, pair)) != "leased" for pair in lent.dropped)
        assert not {pair.pair for pair in lent.pairs} & (said - returned)
        assert not set(have) & {pair.pair for pair in lent.pairs}

    @rule(target=sent, who=people, pair=numbers, outcome=outcomes)
    def judge(self, who: str, pair: int, outcome: str) -> tuple[str, AnyEvent]:
        """Judge any pair, also one that is not theirs (any more)."""
        event = self.bench.label(pair, outcome)
        self._send(who, event)
        return who, event

    @rule(target=sent, one=sent)
    def undo(self, one: tuple[str, AnyEvent]) -> object:
        """Take back a label of any age."""
        who, event = one
        if not isinstance(event, LabelEvent):
            return multiple()
        taken_back = self.bench.undo(event)
        self._send(who, taken_back)
        return who, taken_back

    @rule(one=sent)
    def send_again(self, one: tuple[str, AnyEvent]) -> None:
        """What was acknowledged is so again, and changes nothing."""
        who, event = one
        before = labels_of(self.engine, "demo")
        states = self.bench.states()
        if (who, event.id) in self.acknowledged:
            assert self.bench.send(who, event).acknowledged == (event.id,)
            assert labels_of(self.engine, "demo") == before
            assert self.bench.states() == states

    @rule(who=people)
    def release(self, who: str) -> None:
        """Close the browser."""
        self.bench.release(who)
        assert "leased" not in [s for (w, _), s in self.bench.states().items() if w == who]

    @rule(part=st.sampled_from([0.05, 0.5, 1.5]))
    def wait(self, part: float) -> None:
        """Let time pass."""
        self.bench.wait(part * LEASE_S)

    @invariant()
    def counts_are_true(self) -> None:
        """``taken`` counts who holds a pair, ``open`` says whether one more may."""
        states = self.bench.states()
        held = Counter(pair for (_, pair), state in states.items() if state in HOLDING)
        for pair, (taken, is_open) in self.bench.taken().items():
            assert taken == held[pair]
            assert is_open == (self.kinds[pair] != "pair" or taken < OVERLAP)
            if self.kinds[pair] == "pair":
                assert taken <= OVERLAP + self.excused[pair]

    @invariant()
    def the_record_is_true(self) -> None:
        """It holds what was acknowledged, once, and what stands is as the slow twin says."""
        labels = labels_of(self.engine, "demo")
        assert [label.number for label in labels] == list(range(len(labels)))
        assert sorted((label.annotator, label.id) for label in labels) == sorted(self.acknowledged)
        stands = standing(labels)
        assert stands == _slowly_standing(labels)
        states = self.bench.states()
        said = {key for key, state in states.items() if state in ("judged", "skipped")}
        assert said == {(label.annotator, label.pair) for label in stands}

    def _send(self, who: str, event: AnyEvent) -> None:
        before = self.bench.states().get((who, event.pair))
        stored = self.bench.send(who, event)
        assert len(stored.acknowledged) + len(stored.refused) == 1
        self.acknowledged |= {(who, id_) for id_ in stored.acknowledged}
        if stored.acknowledged and before not in HOLDING:
            self.excused[event.pair] += 1  # A late label, or a skip that is undone.


def _slowly_standing(labels: list[Label]) -> list[Label]:
    """What stands, by undoing one after the other."""
    left: list[Label] = []
    for label in labels:
        if label.did == "label":
            left.append(label)
        else:
            keep = (label.annotator, label.undone)
            left = [one for one in left if (one.annotator, one.id) != keep]
    return [
        one
        for i, one in enumerate(left)
        if all((one.annotator, one.pair) != (o.annotator, o.pair) for o in left[i + 1 :])
    ]


Annotating.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
TestAnnotating = Annotating.TestCase
