"""E18, the loop: from a prompt to a better policy and back, as RLHF, DPO, RLAIF or RLVR."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from rewardlab.experiments.feedback_loop import (
    Feedback,
    LoopRound,
    checked_rounds,
    feedback_rounds,
    held_out,
    judge,
    order_accuracy,
    people,
    rater_agreement,
    right_labels,
)
from rewardlab.policies.distributions import kl_nats
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System, Table
from rewardlab.systems.loop_words import (
    ANSWERS,
    FEEDBACK,
    N_STATIONS,
    POLICY,
    QUALITY,
    REWARD,
    Method,
    Seen,
    loop_chart,
    loop_sentence,
    station_rows,
)
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world, word_counts

_ROUNDS = 3
_SEEDS = 20
"""Runs over which a question's answer takes the median."""


def run(
    method: Method = "rlhf",
    stage: int = N_STATIONS,
    n_labels: int = 100,
    beta: float = 0.25,
    length_points: float = 4.0,
    *,
    rng: np.random.Generator,
) -> Result:
    """Where a loop stands after a number of stages, six to a round.

    Args:
        method: "rlhf", "dpo", "rlaif" or "rlvr".
        stage: 1 to 18.
        n_labels: Comparisons a round; RLVR needs none.
        beta: Price of a nat of KL.
        length_points: What the AI judge gives for length; RLAIF alone has one.
        rng: Source of pairs and labels.
    """
    turn, station = (stage - 1) // N_STATIONS + 1, (stage - 1) % N_STATIONS + 1
    feedback, rounds = _turned(method, turn, n_labels, beta, length_points, rng)
    seen = _seen(method, feedback, rounds, length_points)
    rows = [
        (k, name, said if k <= station or said.startswith("none") else None)
        for k, (name, said) in enumerate(station_rows(seen), start=1)
    ]
    return Result(
        sentence=loop_sentence(seen, station),
        quantities=_quantities(seen, station),
        chart=loop_chart(seen, station),
        table=Table(("stage", "station", f"in round {turn}"), tuple(rows)),
    )


def _turned(
    method: Method,
    n_rounds: int,
    n_labels: int,
    beta: float,
    length_points: float,
    rng: np.random.Generator,
) -> tuple[Feedback | None, tuple[LoopRound, ...]]:
    world = lab_world()
    if method == "rlvr":
        return None, checked_rounds(world, world.feature("correct"), n_rounds=n_rounds, beta=beta)
    feedback = (
        judge(world, length_points) if method == "rlaif" else people(world, fresh=method == "rlhf")
    )
    return feedback, feedback_rounds(
        world, feedback, n_rounds=n_rounds, n_labels=n_labels, beta=beta, rng=rng
    )


def _seen(
    method: Method,
    feedback: Feedback | None,
    rounds: tuple[LoopRound, ...],
    length_points: float,
) -> Seen:
    """The last of the rounds."""
    world, last = lab_world(), rounds[-1]
    before = rounds[-2].policy if len(rounds) > 1 else world.ref_logprobs
    return Seen(
        method=method,
        turn=len(rounds),
        words=float(np.exp(last.writer) @ word_counts()),
        correct=float(np.exp(last.writer) @ world.feature("correct")),
        n_new=len(last.new),
        right_labels=right_labels(world, last.new) if feedback else math.nan,
        agreement=rater_agreement(feedback, last.new) if feedback else math.nan,
        n_so_far=len(last.so_far),
        held_out=held_out(world, last),
        accuracy_judged=order_accuracy(last.reward, world.gold, last.writer),
        accuracy_own=order_accuracy(last.reward, world.gold, last.policy),
        gain=float((np.exp(last.policy) - world.ref_probs) @ last.reward),
        kl_nats=kl_nats(last.policy, world.ref_logprobs),
        quality_before=_quality(before),
        quality=_quality(last.policy),
        length_points=length_points,
    )


def _quality(logprobs: FloatArray) -> float:
    return float(np.exp(logprobs) @ lab_world().gold)


def _quantities(seen: Seen, station: int) -> tuple[Quantity, ...]:
    """What is known at a station; what comes later is a dash."""

    def known(
        since: int, name: str, label: str, value: float, unit: str = "", **interval: float
    ) -> Quantity:
        if station < since:
            return Quantity(name, label, math.nan, unit)
        return Quantity(name, label, value, unit, **interval)

    held = seen.held_out.accuracy if seen.held_out else None
    tested = (held.value, held.low, held.high) if held else (math.nan,) * 3
    before = seen.n_so_far - seen.n_new
    labels = seen.n_so_far if station >= FEEDBACK else before
    asks = seen.method in ("rlhf", "dpo")
    return (
        Quantity("quality_before", "true quality before the round", seen.quality_before),
        known(QUALITY, "quality", "true quality after it", seen.quality),
        known(ANSWERS, "words", "mean words of the answers judged", seen.words),
        known(ANSWERS, "correct", "of them right", seen.correct, "share"),
        Quantity("labels", "comparisons so far", labels),
        known(
            FEEDBACK, "right_labels", "new labels for the better one", seen.right_labels, "share"
        ),
        known(FEEDBACK, "agreement", "second labels that agree", seen.agreement, "share"),
        known(
            REWARD,
            "held_out",
            "held-out comparisons foretold",
            tested[0],
            "share",
            low=tested[1],
            high=tested[2],
        ),
        known(
            REWARD,
            "accuracy_judged",
            "answers judged: ranked rightly",
            seen.accuracy_judged,
            "share",
        ),
        known(POLICY, "accuracy_own", "policy's own: ranked rightly", seen.accuracy_own, "share"),
        known(POLICY, "gain", "rise of the reward it is given", seen.gain),
        known(POLICY, "kl", "distance from the reference", seen.kl_nats, "nats"),
        Quantity("people", "people compare", float(asks), YES_NO),
        Quantity(
            "reward_model", "has a reward model", float(seen.method in ("rlhf", "rlaif")), YES_NO
        ),
        Quantity("fresh", "later rounds judge fresh answers", float(seen.method != "dpo"), YES_NO),
    )


@cache
def _medians(method: Method, turn: int) -> dict[str, float]:
    """Median of each figure at the end of a round over several seeds, at the defaults."""
    ends = [
        run(method, turn * N_STATIONS, rng=np.random.default_rng(seed)) for seed in range(_SEEDS)
    ]
    names = [quantity.name for quantity in ends[0].quantities]
    return {name: float(np.median([end.value(name) for end in ends])) for name in names}


def _on_its_own() -> Answer:
    found = _medians("rlhf", 1)
    old, new = found["accuracy_judged"], found["accuracy_own"]
    return Answer(
        0 if new > old + 0.05 else 1 if new > old - 0.05 else 2,
        f"It ranks {old:.0%} of pairs of the reference's answers rightly and {new:.0%} of pairs of "
        f"the policy's own (medians of {_SEEDS} runs). It was fitted to the first, and the second "
        "are chosen where it scores highest: what it gets wrong is over-represented there.",
    )


def _judged_twice() -> Answer:
    first, second = _medians("rlaif", 1), _medians("rlaif", 2)
    start = first["quality_before"]
    low = [found["quality"] < start for found in (first, second)]
    return Answer(
        0 if low == [True, False] else 1 if low == [True, True] else 2,
        f"From {start:.2f} to {first['quality']:.2f} points after the first round, and to "
        f"{second['quality']:.2f} after the second (medians of {_SEEDS} runs): the first reward "
        "model takes longer for better without end, and fresh answers show even this judge that "
        "it is not.",
    )


SYSTEM = System(
    row="E18",
    name="the-loop",
    title="The whole loop",
    sentence="From a question to a better model and back: four ways to learn what is good.",
    paragraph=(
        "A model answers, somebody judges the answers, and the model learns to be judged well. In "
        "RLHF people compare pairs, a reward model learns from them, and the policy is optimised "
        "for it. DPO fits the policy to the pairs and skips the reward model. RLAIF lets an AI "
        "judge compare. RLVR has a program check the answers, and needs neither people nor a "
        "reward model. Here all four work in one world of 576 answers whose true quality is known "
        "by a rubric. The people go by the rubric, with some noise; the AI judge is steadier, and "
        "likes length as much as you let it. Step through three rounds: first the reference's "
        "answers are judged, later those of the policy, except in DPO as it is mostly run. From "
        "the same pairs RLHF and DPO come to the same policy here, where every answer can be "
        "listed; fresh answers part them. RLVR's later rounds change nothing, as its check stays "
        "the same."
    ),
    controls=(
        Choice(
            "method",
            "who or what judges, and what learns",
            "rlhf",
            {
                "rlhf": "RLHF: people, reward model, RL",
                "dpo": "DPO: people, and no reward model",
                "rlaif": "RLAIF: AI judge, reward model, RL",
                "rlvr": "RLVR: a program checks, then RL",
            },
        ),
        Slider(
            "stage",
            "stage, six to a round",
            N_STATIONS,
            1,
            _ROUNDS * N_STATIONS,
            whole=True,
            plays=True,
        ),
        Slider("n_labels", "comparisons a round (not in RLVR)", 100, 10, 400, log=True, whole=True),
        Slider("beta", "beta, the price of a nat of KL", 0.25, 0.05, 2.0, log=True),
        Slider(
            "length_points",
            "points for length by the AI judge (RLAIF only)",
            4.0,
            0.0,
            8.0,
            step=0.5,
        ),
    ),
    run=run,
    questions=(
        Question(
            "A reward model learns from pairs of the reference's answers, and a policy from the "
            "reward model. How often does it rank two of that policy's answers rightly, compared "
            "with two of the reference's?",
            ("More often", "About as often", "Much less often"),
            _on_its_own,
        ),
        Question(
            "An AI judge knows the rubric, but gives 4 points for length. Where does true quality "
            "end after a round, and after a second one on fresh answers?",
            (
                "Below the start, and then above it",
                "Below the start both times",
                "Above the start both times",
            ),
            _judged_twice,
        ),
    ),
    sources=(
        "Ouyang et al. (2022), arXiv:2203.02155",
        "Rafailov et al. (2023), arXiv:2305.18290",
        "Bai et al. (2022), arXiv:2212.08073",
        "Lambert et al. (2024), arXiv:2411.15124",
    ),
)
