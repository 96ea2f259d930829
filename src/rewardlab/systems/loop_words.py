"""The stations of the loop in words: who does what, with which figure, and what it led to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewardlab.experiments.lab_reward import HeldOut
from rewardlab.plots.chart import DiagramChart
from rewardlab.plots.diagram_chart import Arrow, State, Station
from rewardlab.plots.series import Tone

Method = Literal["rlhf", "dpo", "rlaif", "rlvr"]

NAMES: dict[Method, str] = {"rlhf": "RLHF", "dpo": "DPO", "rlaif": "RLAIF", "rlvr": "RLVR"}

STATIONS = ("prompt", "answers", "feedback", "reward", "policy", "true quality")
"""What a round goes through."""
N_STATIONS = len(STATIONS)
PROMPT, ANSWERS, FEEDBACK, REWARD, POLICY, QUALITY = range(1, N_STATIONS + 1)

_PLACES = ((0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1))
_TONES: tuple[Tone, ...] = ("other", "other", "other", "proxy", "proxy", "gold")


@dataclass(frozen=True, slots=True)
class Seen:
    """One round as it will have been when it is over.

    Attributes:
        method: Which loop.
        turn: The round, from 1.
        words: Mean words of the answers that are judged.
        correct: Share of them that are right.
        n_new: Comparisons of this round; 0 where there are none.
        right_labels: Share of these that prefer the answer with more points.
        agreement: Chance that a second label of a pair is the same.
        n_so_far: Comparisons of all rounds up to this one.
        held_out: How the reward foretells those held back; None without comparisons.
        accuracy_judged: Chance that the reward names the better of two answers that were judged.
        accuracy_own: The same for two answers of the policy that was optimised for it.
        gain: Rise of that reward from the reference to the policy.
        kl_nats: KL of the policy from the reference.
        quality_before: True quality of the policy before the round.
        quality: True quality after it.
        length_points: What the judge gives for length.
    """

    method: Method
    turn: int
    words: float
    correct: float
    n_new: int
    right_labels: float
    agreement: float
    n_so_far: int
    held_out: HeldOut | None
    accuracy_judged: float
    accuracy_own: float
    gain: float
    kl_nats: float
    quality_before: float
    quality: float
    length_points: float

    @property
    def n_held(self) -> int:
        """Comparisons held back."""
        return self.held_out.n if self.held_out else 0

    @property
    def writer(self) -> str:
        """Whose answers are judged."""
        if self.turn == 1 or self.method == "dpo":
            return "the reference"
        return f"the policy of round {self.turn - 1}"


def station_rows(seen: Seen) -> tuple[tuple[str, str], ...]:
    """Name and figure of each station, in order."""
    feedback = {
        "rlhf": "People",
        "dpo": "People",
        "rlaif": "AI judge",
        "rlvr": "Checker",
    }[seen.method]
    judged = (
        f"{seen.correct:.0%} of the answers are right"
        if seen.method == "rlvr"
        else f"{seen.n_new:,} pairs, {seen.right_labels:.0%} labelled rightly"
    )
    return (
        ("Prompt", "one question"),
        ("Answers", f"by {_by(seen)}, {seen.words:.0f} words"),
        (feedback, judged),
        ("Reward model", _reward_figure(seen)),
        ("Policy", f"{seen.kl_nats:.2f} nats from the reference"),
        ("True quality", f"{seen.quality_before:.2f}, then {seen.quality:.2f} points"),
    )


def _by(seen: Seen) -> str:
    """The writer, short enough for a box."""
    own = seen.turn > 1 and seen.method != "dpo"
    return f"policy {seen.turn - 1}" if own else "the reference"


def _reward_figure(seen: Seen) -> str:
    if seen.method == "dpo":
        return "none: the policy is fitted itself"
    if seen.held_out is None:
        return "none: the check is the reward"
    if not seen.n_held:
        return "nothing held back to test it"
    return f"foretells {seen.held_out.accuracy.value:.0%} of {seen.n_held} held back"


def loop_chart(seen: Seen, station: int) -> DiagramChart:
    """The loop as boxes and arrows, at one of its stations.

    Args:
        seen: The round.
        station: Where it stands, 1 to 6.
    """
    without = seen.method in ("dpo", "rlvr")
    states = [_state(k, station, absent=without and k == REWARD) for k in range(1, N_STATIONS + 1)]
    waits = ("", "", "", "", "", f"{seen.quality_before:.2f} points so far")
    boxes = tuple(
        Station(name, waiting if state == "to come" else text, column, row, state=state, tone=tone)
        for (name, text), waiting, (column, row), state, tone in zip(
            station_rows(seen), waits, _PLACES, states, _TONES, strict=True
        )
    )
    return DiagramChart(boxes, tuple(_arrows(seen, station, without)))


def _arrows(seen: Seen, station: int, without: bool) -> list[Arrow]:
    """The ways of this method; the one into the present station is under way."""
    what = "labels" if seen.method != "rlvr" else "pass or fail"
    ways = [(PROMPT, ANSWERS, "ask"), (ANSWERS, FEEDBACK, "judge")]
    ways += (
        [(FEEDBACK, POLICY, what)]
        if without
        else [(FEEDBACK, REWARD, what), (REWARD, POLICY, "score")]
    )
    ways.append((POLICY, QUALITY, "test"))
    arrows = [Arrow(a - 1, b - 1, label, _state(b, station)) for a, b, label in ways]
    if seen.method == "dpo":
        return arrows
    back: State = "now" if station == ANSWERS and seen.turn > 1 else "past"
    used = seen.turn > 1 and station >= ANSWERS
    return [*arrows, Arrow(POLICY - 1, ANSWERS - 1, "fresh answers", back if used else "to come")]


def _state(k: int, station: int, *, absent: bool = False) -> State:
    if absent:
        return "absent"
    return "now" if k == station else "past" if k < station else "to come"


def loop_sentence(seen: Seen, station: int) -> str:
    """What happens at a station, with its figures."""
    name = NAMES[seen.method]
    said = {
        PROMPT: _prompt,
        ANSWERS: _answers,
        FEEDBACK: _feedback,
        REWARD: _reward,
        POLICY: _policy,
        QUALITY: _quality,
    }[station](seen)
    return f"{name}, round {seen.turn}: {said}"


def _prompt(seen: Seen) -> str:
    return (
        "one question is asked of the model, whose answers are worth "
        f"{seen.quality_before:.2f} points by the rubric so far."
    )


def _answers(seen: Seen) -> str:
    again = (
        "; DPO learns from pairs as they were collected and asks for none of the policy's own"
        if seen.method == "dpo" and seen.turn > 1
        else ""
    )
    return (
        f"{seen.writer} writes the answers, {seen.words:.0f} words long on average; "
        f"{seen.correct:.0%} of them are right{again}."
    )


def _feedback(seen: Seen) -> str:
    if seen.method == "rlvr":
        return (
            f"a program checks whether an answer is right, and {seen.correct:.0%} pass; it sees "
            "nothing else, and nobody compares anything."
        )
    who = (
        f"an AI judge that gives {seen.length_points:g} points for length compares"
        if seen.method == "rlaif"
        else "people compare"
    )
    return (
        f"{who} {seen.n_new:,} pairs; {seen.right_labels:.0%} of the labels prefer the better "
        f"answer, and a second label of the same pair would agree in {seen.agreement:.0%}."
    )


def _reward(seen: Seen) -> str:
    if seen.held_out is None:
        return "there is no reward model: a pass is worth 1 and a failure 0."
    tested = (
        f"foretells {seen.held_out.accuracy.value:.0%} of the {seen.n_held} held back"
        if seen.n_held
        else "cannot be tested, as nothing is held back"
    )
    fitted = f"{seen.n_so_far - seen.n_held:,} comparisons"
    if seen.method == "dpo":
        return (
            f"there is no reward model: the policy is fitted to {fitted} itself, and the reward "
            f"that it implies {tested}."
        )
    return f"a reward model fitted to {fitted} {tested}."


def _policy(seen: Seen) -> str:
    how = {
        "rlhf": "the policy is optimised for the reward model's score, which ends",
        "rlaif": "the policy is optimised for the reward model's score, which ends",
        "dpo": "one loss on the pairs has moved the policy, without sampling; its implied reward "
        "ends",
        "rlvr": "the policy is optimised for the check, and the share that passes ends",
    }[seen.method]
    return (
        f"{how} {seen.gain:.2f} higher than under the reference, at a distance of "
        f"{seen.kl_nats:.2f} nats from it."
    )


def _quality(seen: Seen) -> str:
    before, after = f"{seen.quality_before:.2f}", f"{seen.quality:.2f}"
    moved = "rises" if seen.quality > seen.quality_before else "falls"
    went = f"stays at {after}" if before == after else f"{moved} from {before} to {after}"
    what = {"rlvr": "the check", "dpo": "the implied reward"}.get(seen.method, "the reward model")
    return (
        f"true quality {went}; of two answers that were judged, {what} ranks "
        f"{seen.accuracy_judged:.0%} rightly, and of two of the new policy's own "
        f"{seen.accuracy_own:.0%}."
    )
