"""E6, the laws of over-optimisation: where gold peaks, and whether the data reach that far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.law_points import PointFit, fit_points, refreshed
from rewardlab.audit.peak import Where
from rewardlab.audit.scaling_laws import Law
from rewardlab.errors import InputError
from rewardlab.plots.chart import PlaneChart
from rewardlab.plots.plane_chart import Shape
from rewardlab.plots.series import Tone
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import row_table

SMALLEST, LARGEST = 3.0, 3000.0
"""Millions of parameters: the sizes that the source trained."""

_SLOPE = 0.7
_BEND = {Law.BEST_OF_N: (0.21, 0.045), Law.RL: (0.32, 0.036)}
"""b at the smallest size, and what each factor of ten takes from it."""
_N_POINTS = 24
_NOISE = 0.03
_NAMES = {Law.BEST_OF_N: ("best_of_n", "best-of-n"), Law.RL: ("rl", "RL")}


@dataclass(frozen=True, slots=True)
class _Curve:
    """One law at the settings: its coefficients, its peak, and what was measured of it."""

    law: Law
    a: float
    b: float
    d: np.ndarray
    measured: np.ndarray
    fit: PointFit

    @property
    def peak_d(self) -> float:
        return float(self.law.peak_d(np.array([self.a]), np.array([self.b]))[0])

    def gain(self, d: float) -> float:
        return float(self.law.gain(self.a, self.b, np.array([d]))[0])


def run(
    size_millions: float = 100.0,
    refreshes: int = 1,
    budget_nats: float = 12.0,
    *,
    rng: np.random.Generator,
) -> Result:
    """Both laws for one size of reward model, and the fits to points measured up to a KL budget.

    Args:
        size_millions: Parameters of the reward model, in millions; sets illustrative coefficients.
        refreshes: Rounds of RL, each with a fresh reward model.
        budget_nats: KL up to which gold is measured, and to which the policy is driven.
        rng: Source of the noise of the measured points.
    """
    curves = [_curve(law, size_millions, refreshes, budget_nats, rng) for law in Law]
    end, rl = float(np.sqrt(budget_nats)), curves[1]
    lowest = -0.3 * rl.gain(rl.peak_d)
    return Result(
        sentence=_sentence(size_millions, refreshes, budget_nats, *curves),
        quantities=tuple(q for curve in curves for q in _quantities(curve, end)),
        chart=PlaneChart(
            shapes=tuple(s for curve in curves for s in _shapes(curve, end, rl.peak_d, lowest)),
            x_label="d = square root of KL (root nats); dots are the noisy measurements",
            y_label="gain in gold",
        ),
        table=row_table(
            ("method", "a", "b", "a fitted", "b fitted", "peak KL", "peak gold", "fitted peak KL"),
            (
                (
                    *(_NAMES[c.law][1], c.a, c.b, c.fit.a.value, c.fit.b.value),
                    *(c.peak_d**2, c.gain(c.peak_d), _seen(c)),
                )
                for c in curves
            ),
        ),
    )


def illustrative_coefficients(law: Law, size_millions: float) -> tuple[float, float]:
    """(a, b) of a law for a reward model of this size, in units of gold.

    b falls with the logarithm of the size, a stays. The source shows its coefficients in figures
    only: these follow their trend and put the peaks at the KL seen there (a few nats for the
    smallest model under best-of-n, dozens for the largest), and are no measurement.

    Args:
        law: Which form.
        size_millions: Parameters of the reward model, in millions, 3 to 3,000.

    Raises:
        InputError: The size is outside that range.

    Source: figure 3 of Gao, Schulman and Hilton (2022), arXiv 2210.10760, for the trend.
    """
    if not SMALLEST <= size_millions <= LARGEST:
        raise InputError(
            f"size_millions: expected {SMALLEST:g} to {LARGEST:g}, got {size_millions:g}"
        )
    at_smallest, per_decade = _BEND[law]
    return _SLOPE, float(at_smallest - per_decade * np.log10(size_millions / SMALLEST))


def _curve(
    law: Law, size: float, refreshes: int, budget_nats: float, rng: np.random.Generator
) -> _Curve:
    a, b = illustrative_coefficients(law, size)
    if law is Law.RL:
        a = refreshed(a, b, refreshes)
    d = np.sqrt(budget_nats) * np.arange(1, _N_POINTS + 1) / _N_POINTS
    measured = law.gain(a, b, d) + _NOISE * rng.standard_normal(_N_POINTS)
    fit = fit_points(law, d, measured, n_resamples=1000, rng=rng)
    return _Curve(law, a, b, d, measured, fit)


def _quantities(curve: _Curve, end: float) -> tuple[Quantity, ...]:
    slug, name = _NAMES[curve.law]
    fit, peak = curve.fit, curve.peak_d
    beyond = float(fit.where is Where.BEYOND)
    fitted = (
        ("a", f"{name}: a as fitted", fit.a, ""),
        ("b", f"{name}: b as fitted", fit.b, ""),
        ("peak", f"{name}: d of the fitted peak, or the last d", fit.peak_d, "root nats"),
    )
    return (
        Quantity(f"a_{slug}", f"{name}: a", curve.a),
        Quantity(f"b_{slug}", f"{name}: b", curve.b),
        Quantity(f"peak_d_{slug}", f"{name}: d at which gold peaks", peak, "root nats"),
        Quantity(f"peak_kl_{slug}", f"{name}: KL there", peak**2, "nats"),
        Quantity(f"peak_gain_{slug}", f"{name}: gain in gold there", curve.gain(peak)),
        Quantity(f"gain_at_budget_{slug}", f"{name}: gain in gold at the budget", curve.gain(end)),
        *(
            Quantity(f"fitted_{what}_{slug}", said, f.value, unit, f.low, f.high)
            for what, said, f, unit in fitted
        ),
        Quantity(f"beyond_{slug}", f"{name}: it is beyond the data", beyond, YES_NO),
    )


def _shapes(curve: _Curve, end: float, rl_peak: float, lowest: float) -> tuple[Shape, ...]:
    bends = curve.law is Law.BEST_OF_N
    tone: Tone = "other" if bends else "gold"
    d = np.linspace(0.01, max(1.25 * rl_peak, end), 400)
    gain = curve.law.gain(curve.a, curve.b, d)
    # The best-of-n law plunges where RL's still rises: drawn in full it would flatten all else.
    drawn, seen = gain >= lowest, curve.measured >= lowest
    return (
        Shape("", curve.d[seen], curve.measured[seen], tone=tone, points=True),
        Shape(
            f"gold, {_NAMES[curve.law][1]}",
            d[drawn],
            gain[drawn],
            tone=tone,
            stroke="dashed" if bends else "solid",
        ),
    )


def _sentence(size: float, refreshes: int, budget: float, best_of_n: _Curve, rl: _Curve) -> str:
    rounds = f"{refreshes} rounds of RL" if refreshes > 1 else "RL"
    seen = [_seen(best_of_n), _seen(rl)]
    which = "both peaks" if seen[0] == seen[1] else "these peaks"
    places = seen[0] if seen[0] == seen[1] else " and ".join(seen)
    return (
        f"With a reward model of {_short(size)} million parameters gold peaks at a KL of "
        f"{_short(best_of_n.peak_d**2)} nats under best-of-n and {_short(rl.peak_d**2)} under "
        f"{rounds}; points up to a KL of {_short(budget)} put {which} {places}."
    )


def _short(value: float) -> str:
    """Three digits, or all of a number from a thousand on."""
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.3g}"


def _seen(curve: _Curve) -> str:
    fit = curve.fit
    if fit.where is not Where.INSIDE:
        return "beyond the data" if fit.where is Where.BEYOND else "at the start"
    if fit.misses:
        return f"at {fit.peak_d.value**2:.3g} (without an interval: this law misses them)"
    high = f"{fit.peak_d.high**2:.3g}" if np.isfinite(fit.peak_d.high) else "beyond the data"
    return f"at {fit.peak_d.value**2:.3g} ({fit.peak_d.low**2:.3g} to {high})"


def _grown() -> Answer:
    peaks = [
        float(Law.RL.peak_d(np.array([a]), np.array([b]))[0])
        for a, b in (illustrative_coefficients(Law.RL, size) for size in (SMALLEST, LARGEST))
    ]
    choice = 1 if peaks[1] <= peaks[0] else (2 if np.isinf(peaks[1]) else 0)
    return Answer(
        choice,
        f"From {SMALLEST:g} to {LARGEST:,.0f} million parameters b falls and the peak under RL "
        f"moves from {peaks[0] ** 2:.3g} to {peaks[1] ** 2:.3g} nats: later, but still there.",
    )


def _refreshed() -> Answer:
    a, b = illustrative_coefficients(Law.RL, 100.0)
    slopes = np.array([a, refreshed(a, b, 4)])
    first, last = Law.RL.peak_d(slopes, np.full(2, b)) ** 2
    ratio = float(last / first)
    choice = int(np.argmin(np.abs(np.log(ratio / np.array([np.log(4) + 1, 4.0, 16.0])))))
    return Answer(
        choice,
        f"The gain is b d log 4, yet the peak moves from {first:.3g} to {last:.3g} nats, "
        f"{ratio:.3g} times as far: its d is 4 exp(a/b - 1), and KL is the square of d.",
    )


SYSTEM = System(
    row="E6",
    name="scaling-laws",
    title="Laws of over-optimisation",
    sentence="Gold rises and falls by two simple laws; a peak is only known once the data pass it.",
    paragraph=(
        "Let d be the square root of the KL divergence from the starting policy. In published "
        "experiments gold follows d (a - b d) under best-of-n and d (a - b log d) under RL: a "
        "says how fast it rises, b how fast it bends. So it peaks at a / 2b and at "
        "exp(a/b - 1). A larger reward model has a smaller b and peaks later; each fresh reward "
        "model adds to the RL curve. The coefficients here only follow the published trend. The "
        "dots are noisy measurements up to your KL budget, and both laws are fitted to them: where "
        "the budget ends before the peak, the honest answer is that it lies beyond the data."
    ),
    controls=(
        Slider(
            "size_millions",
            "size of the reward model (million parameters)",
            100.0,
            SMALLEST,
            LARGEST,
            log=True,
        ),
        Slider(
            "refreshes",
            "rounds of RL, each with a fresh reward model",
            1,
            1,
            10,
            whole=True,
            plays=True,
        ),
        Slider("budget_nats", "KL budget (nats)", 12.0, 1.0, 400.0, log=True),
    ),
    run=run,
    questions=(
        Question(
            "The reward model grows a thousandfold. What happens to the peak of gold under RL?",
            ("It comes later", "It comes earlier", "It disappears"),
            _grown,
        ),
        Question(
            "RL runs in 4 rounds, each with a fresh reward model. How much further, in KL, does "
            "gold peak?",
            ("About 2.4 times (1 + log 4)", "4 times", "16 times"),
            _refreshed,
        ),
    ),
    sources=("Gao, Schulman and Hilton (2022), arXiv:2210.10760",),
)
