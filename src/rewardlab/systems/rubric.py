"""E14, rubrics: one checklist for every question, or each question's own."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Mark, Panel
from rewardlab.policies.closed_form import closed_form
from rewardlab.rewards.rubric import RubricReward
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.types import OptimizationPath
from rewardlab.worlds.medical_questions import NAMES, medical_question, rubric

_PITFALL = -1.0
"""Weight of naming a doctor in the definition's own rubric."""
_SCOPES = {"shared": "one rubric for both questions", "own": "a rubric for each question"}
_SWEEP = tuple(np.geomspace(2.0, 0.02, 61).tolist())


def run(scope: str = "shared", doctor_weight: float = 3.0, beta: float = 0.1) -> Result:
    """What the optimal policy writes to both questions.

    Args:
        scope: "shared" scores both by one rubric; "own" makes the doctor a pitfall where the
            question is a definition.
        doctor_weight: Weight of naming a doctor.
        beta: Price of a nat of KL.
    """
    weights = dict.fromkeys(NAMES, doctor_weight)
    if scope == "own":
        weights["definition"] = _PITFALL
    sweeps = {name: _path(name, weights[name], _SWEEP) for name in NAMES}
    chosen = {name: _path(name, weights[name], (beta,)) for name in NAMES}
    quantities = []
    for name in NAMES:
        world, at = medical_question(name), chosen[name]
        before = float(world.ref_probs @ world.feature("doctor"))
        quantities += [
            Quantity(
                f"doctor_{name}_at_first", f"{name}: names a doctor at first", before, "share"
            ),
            Quantity(f"doctor_{name}", f"{name}: names a doctor", _end(at, "doctor"), "share"),
            Quantity(f"correct_{name}", f"{name}: correct", _end(at, "correct"), "share"),
            Quantity(f"score_{name}", f"{name}: score by the rubric", float(at.proxy_reward[-1])),
            Quantity(f"gold_{name}", f"{name}: true quality", float(at.gold_reward[-1])),
        ]
    doctor = {name: _end(chosen[name], "doctor") for name in NAMES}
    return Result(
        sentence=(
            f"With {_SCOPES[scope]} and beta {beta:g}, a doctor is named in {doctor['urgent']:.0%} "
            f"of the answers about chest pain and in {doctor['definition']:.0%} of the "
            f"definitions, whose true quality is {chosen['definition'].gold_reward[-1]:.2f} of 1.5."
        ),
        quantities=tuple(quantities),
        chart=_chart(sweeps, doctor_weight, beta),
        table=Table(
            ("1 / beta", *(f"{name}: {what}" for name in NAMES for what in ("doctor", "quality"))),
            tuple(
                (
                    float(sweeps[NAMES[0]].strength[i]),
                    *(
                        float(value[i])
                        for name in NAMES
                        for value in (sweeps[name].tracked["doctor"], sweeps[name].gold_reward)
                    ),
                )
                for i in range(0, len(_SWEEP), 6)
            ),
        ),
    )


@cache
def _path(name: str, doctor_weight: float, betas: tuple[float, ...]) -> OptimizationPath:
    reward = RubricReward(rubric(doctor_weight))
    return closed_form(medical_question(name), reward, betas=betas).path


def _end(path: OptimizationPath, feature: str) -> float:
    return float(path.tracked[feature][-1])


def _chart(sweeps: dict[str, OptimizationPath], doctor_weight: float, beta: float) -> LineChart:
    definition, urgent = sweeps["definition"], sweeps["urgent"]
    shared, own = (_path("definition", weight, _SWEEP) for weight in (doctor_weight, _PITFALL))
    return LineChart(
        panels=(
            Panel(
                "share of answers that name a doctor",
                (
                    Line("chest pain", urgent.strength, urgent.tracked["doctor"], tone="other"),
                    Line(
                        "definition",
                        definition.strength,
                        definition.tracked["doctor"],
                        stroke="dashed",
                    ),
                ),
                percent=True,
            ),
            Panel(
                "true quality of the definitions",
                (
                    Line("own rubric", own.strength, own.gold_reward, tone="gold"),
                    Line(
                        "shared rubric",
                        shared.strength,
                        shared.gold_reward,
                        tone="gold",
                        stroke="dashed",
                    ),
                ),
                height=90,
            ),
        ),
        x_label="1 / beta (optimised harder to the right)",
        log_x=True,
        mark=Mark(1 / beta, math.nan, math.nan, f"beta {beta:g}"),
    )


def _tighter_leash() -> Answer:
    half, full = run(beta=0.2).value("doctor_definition"), run().value("doctor_definition")
    own = run("own").value("doctor_definition")
    first = run().value("doctor_definition_at_first")
    return Answer(
        0 if half < 2 * first else 1,
        f"At first {first:.0%} of the definitions name a doctor, at beta .1 {full:.0%}, and at "
        f"twice the beta still {half:.0%}: a tighter leash only slows the drift. Under the "
        f"question's own rubric it is {own:.0%}.",
    )


SYSTEM = System(
    row="E14",
    name="rubric",
    title="Rubric rewards",
    sentence="A rubric for all questions teaches a phrase everywhere; a rubric for each does not.",
    paragraph=(
        "A rubric scores an answer by weighted criteria: the weights of those it meets, added and "
        "divided by the sum of their sizes. Programs decide some criteria, judgements others; a "
        "pitfall has a negative weight. Here one rubric for medical answers gives weight 3 to "
        "naming a doctor, which is right for chest pain and out of place in a textbook "
        "definition. The phrase goes with good advice in some questions and is idle in others, but "
        "the policy is paid for it in all of them. A rubric written for each question is not "
        "fooled."
    ),
    controls=(
        Choice(
            "scope",
            "which rubric scores an answer",
            "shared",
            {"shared": "one for all questions", "own": "each question's own, with a pitfall"},
        ),
        Slider("doctor_weight", "weight of naming a doctor", 3.0, 0.0, 5.0, step=0.5),
        Slider("beta", "beta, the price of a nat of KL", 0.1, 0.02, 2.0, log=True),
    ),
    run=run,
    questions=(
        Question(
            "Definitions begin to end in 'please consult a doctor'. Does twice the beta fix it?",
            ("Yes, they go back to about where they were", "No, it only slows the drift"),
            _tighter_leash,
        ),
    ),
    sources=(
        "Gunjal et al. (2025), arXiv:2507.17746",
        "Viswanathan et al. (2025), arXiv:2507.18624",
    ),
)
