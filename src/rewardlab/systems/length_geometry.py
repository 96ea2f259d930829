"""E10, length geometry: why a policy pads its answers, and what dropping the length part does."""

from __future__ import annotations

import math

import numpy as np

from rewardlab.plots.chart import PlaneChart
from rewardlab.plots.plane_chart import Shape
from rewardlab.plots.series import Tone
from rewardlab.policies.gaussian_mean import equal_kl_ellipse, optimal_shift, shift_kl_nats
from rewardlab.systems.controls import Slider, Switch
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.systems.drawing import row_table
from rewardlab.types import FloatArray
from rewardlab.worlds.length_quality import LengthQuality, best_multiple, true_gain

_SHOWN = (4.0, 2.0, 1.0, 0.7, 0.5, 0.35, 0.25)
_ELLIPSES = (0.5, 2.0, 4.5)
_OTHER = {False: "without the length part", True: "with the length part"}


def run(
    beta: float = 0.5,
    length_weight: float = 1.0,
    length_sd: float = 1.0,
    quality_sd: float = 0.58,
    correlation: float = 0.0,
    odin: bool = False,
) -> Result:
    """Where the optimal policy goes, and what of the reward's gain is length.

    Args:
        beta: Price of a nat of KL.
        length_weight: a in the reward quality + a x log2(length).
        length_sd: Spread of the reference's length, in doublings.
        quality_sd: Spread of its quality.
        correlation: Of length and quality in the reference.
        odin: Train with the part of the reward that pays for length left out.
    """
    world = LengthQuality(length_sd, quality_sd, correlation, length_weight)
    covariance = world.covariance
    shift = optimal_shift(covariance, world.reward_gradient(drop_length=odin), beta)
    other = optimal_shift(covariance, world.reward_gradient(drop_length=not odin), beta)
    by_length, by_quality = world.reward_gradient() * shift
    share = float(by_length / (by_length + by_quality)) if by_length + by_quality else 0.0
    best = best_multiple(shift)
    best_beta = beta / best if best else math.inf
    gain, other_gain = float(true_gain(shift)), float(true_gain(other))
    quantities = (
        Quantity("length_share", "share of the reward's gain that is length", share, "share"),
        Quantity("reward_gain", "gain of the reward model's score", float(by_length + by_quality)),
        Quantity("true_gain", "gain of true quality", gain),
        Quantity("times_longer", "how many times as long answers are", float(2 ** shift[0])),
        Quantity("quality_shift", "gain of quality itself", float(shift[1])),
        Quantity("kl", "KL", shift_kl_nats(covariance, shift), "nats"),
        Quantity("best_beta", "best beta for true quality (0: ever less, ∞: ever more)", best_beta),
        Quantity("other_true_gain", f"gain of true quality {_OTHER[odin]}", other_gain),
    )
    return Result(
        sentence=_sentence(beta, quantities, odin),
        quantities=quantities,
        chart=_chart(covariance, shift, other, odin),
        table=_table(world, shift * beta),
    )


def _sentence(beta: float, quantities: tuple[Quantity, ...], odin: bool) -> str:
    value = {q.name: q.value for q in quantities}
    share, gain = value["length_share"], value["reward_gain"]
    if 0 <= share <= 1:
        split = f"length is {share:z.0%} of the reward's gain of {gain:.2f}"
    else:
        rest = gain - share * gain
        split = f"the reward gains {share * gain:+.2f} by length and {rest:+.2f} by quality"
    times = value["times_longer"]
    longer = f"{times:,.0f}" if times > 99.5 else f"{times:.1f}"
    return (
        f"At beta {beta:.3g} answers are {longer} times as long, and {split}; true quality changes "
        f"by {value['true_gain']:+.2f}, and {_OTHER[odin]} by {value['other_true_gain']:+.2f}."
    )


def _chart(covariance: FloatArray, shift: FloatArray, other: FloatArray, odin: bool) -> PlaneChart:
    with_length, without = (other, shift) if odin else (shift, other)
    shapes = [
        Shape(f"KL {kl:g}", points[:, 0], points[:, 1], tone="other", stroke="dashed")
        for kl, points in ((kl, equal_kl_ellipse(covariance, kl)) for kl in _ELLIPSES)
    ]
    shapes += _way("length left out", without, "gold", trained=odin)
    shapes += _way("whole reward", with_length, "proxy", trained=not odin)
    return PlaneChart(
        shapes=tuple(shapes),
        x_label="length, in doublings of the usual",
        y_label="quality, from the usual",
        equal=True,
    )


def _way(label: str, end: FloatArray, tone: Tone, *, trained: bool) -> list[Shape]:
    """From the reference to where the policy ends."""
    line = np.array([np.zeros(2), end])
    return [
        Shape("", line[:, 0], line[:, 1], tone=tone, stroke="solid" if trained else "dotted"),
        Shape(label, end[:1], end[1:], tone=tone, points=True),
    ]


def _table(world: LengthQuality, at_beta_1: FloatArray) -> Table:
    shifts = ((beta, at_beta_1 / beta) for beta in _SHOWN)
    return row_table(
        ("beta", "KL (nats)", "times as long", "quality", "reward gain", "true gain"),
        (
            (
                *(beta, shift_kl_nats(world.covariance, shift), 2 ** shift[0], shift[1]),
                *(world.reward_gradient() @ shift, float(true_gain(shift))),
            )
            for beta, shift in shifts
        ),
    )


def _from_length() -> Answer:
    result = run()
    share = result.value("length_share")
    return Answer(
        0 if share < 0.4 else 1 if share < 0.6 else 2,
        f"{share:.0%}. A nat of KL buys distance in proportion to the reference's own spread, and "
        "lengths vary by a factor of two where quality varies little.",
    )


def _without_length() -> Answer:
    whole, without = run(), run(odin=True)
    change = without.value("true_gain") - whole.value("true_gain")
    return Answer(
        0 if change > 0.05 else 1 if change > -0.05 else 2,
        f"At beta 0.5 true quality gains {without.value('true_gain'):+.2f} instead of "
        f"{whole.value('true_gain'):+.2f}, at {without.value('kl'):.2f} nats instead of "
        f"{whole.value('kl'):.2f}.",
    )


SYSTEM = System(
    row="E10",
    name="length-geometry",
    title="Length geometry",
    sentence="Length is cheap in KL, so most of the reward that a policy gains is length.",
    paragraph=(
        "The reward model scores quality plus a times log2(length). True quality gains a little "
        "from extra length and then pays for padding. The reference's answers vary in length by a "
        "factor of two or more, but little in quality. KL counts distance in units of that spread "
        "(the ellipses), so the optimum moves by covariance x gradient / beta: furthest where the "
        "reference already varies. Even with equal weights the policy buys mostly length. ODIN "
        "learns the part that pays for length as a head of its own and drops it in training."
    ),
    controls=(
        Slider("beta", "beta, the price of a nat of KL", 0.5, 0.2, 4.0, log=True),
        Slider("length_weight", "reward of a doubling of length, a", 1.0, 0.0, 2.0, step=0.05),
        Slider(
            "length_sd", "spread of length in the reference, doublings", 1.0, 0.2, 2.0, step=0.05
        ),
        Slider("quality_sd", "spread of quality in the reference", 0.58, 0.1, 2.0, step=0.01),
        Slider("correlation", "correlation of the two", 0.0, -0.8, 0.8, step=0.05),
        Switch("odin", "drop the length part in training (ODIN)", False),
    ),
    run=run,
    questions=(
        Question(
            "The reward pays as much for a doubling of length as for a unit of quality. How much "
            "of what the policy gains is length?",
            ("Less than 40%", "About half", "More than 60%"),
            _from_length,
        ),
        Question(
            "The length part is dropped in training. What happens to true quality?",
            ("It ends higher", "It stays the same", "It ends lower"),
            _without_length,
        ),
    ),
    sources=(
        "Singhal et al. (2023), arXiv:2310.03716",
        "Chen et al. (2024), arXiv:2402.07319 (ODIN)",
    ),
)
