"""E14, rubrics: one checklist for every question, or each question's own."""

from __future__ import annotations

from functools import cache

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.closed_form import closed_form
from rewardlab.rewards.rubric import RubricReward
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, gold_line, other_line, place
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
        score, gold = float(at.proxy_reward[-1]), float(at.gold_reward[-1])
        said = f"{name}: names a doctor"
        quantities += [
            Quantity(f"doctor_{name}_at_first", f"{said} at first", before, "share"),
            Quantity(f"doctor_{name}", said, _end(at, "doctor"), "share"),
            Quantity(f"correct_{name}", f"{name}: correct", _end(at, "correct"), "share"),
            Quantity(f"score_{name}", f"{name}: score by the rubric", score),
            Quantity(f"gold_{name}", f"{name}: true quality", gold),
        ]
    doctor = {name: _end(chosen[name], "doctor") for name in NAMES}
    return Result(
        sentence=(
            f"With {_SCOPES[scope]} and beta {beta:.3g}, {doctor['urgent']:.0%} of the answers "
            f"about chest pain name a doctor and {doctor['definition']:.0%} of the definitions; "
            f"their true quality is {chosen['definition'].gold_reward[-1]:.2f} of 1.5."
        ),
        quantities=tuple(quantities),
        chart=_chart(sweeps, doctor_weight, beta),
        table=column_table(
            {
                "1 / beta": sweeps[NAMES[0]].strength[::6],
                **{
                    f"{name}: {what}": values[::6]
                    for name, sweep in sweeps.items()
                    for what, values in (
                        ("doctor", sweep.tracked["doctor"]),
                        ("quality", sweep.gold_reward),
                    )
                },
            }
        ),
    )


@cache
def _path(name: str, doctor_weight: float, betas: tuple[float, ...]) -> OptimizationPath:
    reward = RubricReward(rubric(doctor_weight))
    return closed_form(medical_question(name), reward, betas=betas).path


def _end(path: OptimizationPath, feature: str) -> float:
    return float(path.tracked[feature][-1])


def _chart(sweeps: dict[str, OptimizationPath], doctor_weight: float, beta: float) -> LineChart:
    x = sweeps["urgent"].strength
    definition, urgent = (sweeps[name].tracked["doctor"] for name in ("definition", "urgent"))
    shared, own = (
        _path("definition", weight, _SWEEP).gold_reward for weight in (doctor_weight, _PITFALL)
    )
    return LineChart(
        panels=(
            Panel(
                "share of answers that name a doctor",
                (
                    other_line("chest pain", x, urgent, "solid"),
                    Line("definition", x, definition, stroke="dashed"),
                ),
                percent=True,
            ),
            Panel(
                "true quality of the definitions",
                (gold_line("own rubric", x, own, "solid"), gold_line("shared rubric", x, shared)),
                height=90,
            ),
        ),
        x_label="1 / beta (optimised harder to the right)",
        log_x=True,
        mark=place(1 / beta, f"beta {beta:.3g}"),
    )


def _tighter_leash() -> Answer:
    half, full = run(beta=0.2).value("doctor_definition"), run().value("doctor_definition")
    own = run("own").value("doctor_definition")
    first = run().value("doctor_definition_at_first")
    return Answer(
        0 if half < 2 * first else 1,
        f"At first {first:.0%} of the definitions name a doctor, at beta 0.1 {full:.0%}, and at "
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
