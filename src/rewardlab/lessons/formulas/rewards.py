"""Formulas of rewards under pressure, of rewards that can be checked, and of pooled votes."""

from __future__ import annotations

import numpy as np

from rewardlab.audit.scaling_laws import Law
from rewardlab.audit.shrinkage import shrinkage
from rewardlab.lessons.computed import Computed
from rewardlab.lessons.figures import law_peak, shrunken
from rewardlab.lessons.formula import Formula, Term
from rewardlab.lessons.mathml import (
    call,
    frac,
    lines,
    paren,
    row,
    sub,
    sup,
    term,
    under,
    under_over,
    words,
)
from rewardlab.policies.gaussian_mean import optimal_shift, shift_kl_nats
from rewardlab.rewards.ensemble import uncertainty_weighted_score, worst_case_score
from rewardlab.rewards.process import hard_label_chance, solution_score
from rewardlab.rewards.rubric import Criterion, RubricReward
from rewardlab.rewards.voting_rules import borda
from rewardlab.worlds.annotator_groups import two_groups
from rewardlab.worlds.length_quality import LengthQuality

_GAIN = term("gain", "R")
_D = term("d", "d")
_A = term("a", "a")
_B = term("b", "b")
_SAID_GAIN = Term(_GAIN, "Gain in the real goal over the reference policy.")
_SAID_D = Term(_D, "Distance travelled: the square root of the KL, in root nats.")
_SAID_A = Term(_A, "How fast the goal rises at first.")
_SAID_B = Term(_B, "How fast it bends down. Larger reward models have a smaller b.")


def conservative(scores: tuple[float, ...], penalty: float) -> tuple[float, ...]:
    """Mean less variance, and the least, of an ensemble's scores."""
    column = np.array(scores)[:, None]
    weighted = float(uncertainty_weighted_score(column, penalty)[0])
    return weighted, float(worst_case_score(column)[0])


def length_shift(beta: float) -> tuple[float, ...]:
    """Shift of length and quality at a beta, and its KL."""
    world = LengthQuality()
    shift = optimal_shift(world.covariance, world.reward_gradient(), beta)
    return float(shift[0]), float(shift[1]), shift_kl_nats(world.covariance, shift)


def rubric_score(met: tuple[float, ...], weights: tuple[float, ...]) -> tuple[float, ...]:
    """Score of an answer that meets some criteria of a rubric."""
    names = [f"criterion {k}" for k in range(len(weights))]
    rubric = tuple(Criterion(name, weight) for name, weight in zip(names, weights, strict=True))
    judged = {name: [degree] for name, degree in zip(names, met, strict=True)}
    return (float(RubricReward(rubric)([""], [""], **judged)[0]),)


def step_scores(*scores: float) -> tuple[float, ...]:
    """Product, least and mean of the scores of steps."""
    return tuple(solution_score(scores, scheme) for scheme in ("product", "min", "mean"))


def hard_label(value: float, rollouts: int) -> tuple[float, ...]:
    """How often a hard label calls a step good."""
    return (hard_label_chance(value, rollouts),)


def borda_scores() -> tuple[float, ...]:
    """Mean win rates of A, B and C in the two groups, 60 to 40."""
    return tuple(float(score) for score in borda(two_groups().win_rates()))


BEST_OF_N_LAW = Formula(
    name="law-best-of-n",
    title="The law of best-of-n",
    math=lines(
        row(_GAIN, "=", _D, paren(_A, "−", _B, _D)),
        row(sup(_D, "∗"), "=", frac(_A, row("2", _B))),
    ),
    reading="R equals d times a minus b d; the peak is at d star equals a over two b",
    terms=(_SAID_GAIN, _SAID_D, _SAID_A, _SAID_B),
    worked=Computed(
        "a = 1, b = 0.25: the goal peaks at d = {0:.1f}, a KL of {1:.1f} nats, {2:.1f} above the "
        "start.",
        Law.BEST_OF_N.peak_d,
        lambda: law_peak(Law.BEST_OF_N, 1.0, 0.25),
    ),
    source="Gao, Schulman and Hilton (2022), arXiv:2210.10760",
)  # fmt: skip

RL_LAW = Formula(
    name="law-rl",
    title="The law of RL",
    math=lines(
        row(_GAIN, "=", _D, paren(_A, "−", _B, call("log", _D))),
        row(sup(_D, "∗"), "=", sup("e", row(_A, "/", _B, "−", "1"))),
    ),
    reading="R equals d times a minus b log d; the peak is at d star equals e to the a over b "
    "minus one",
    terms=(_SAID_GAIN, _SAID_D, Term(_A, "The gain one root nat away: R is a at d = 1."), _SAID_B),
    worked=Computed(
        "a = 1, b = 0.5: the goal peaks at d = {0:.3f}, a KL of {1:.2f} nats, {2:.3f} above the "
        "start.",
        Law.RL.peak_d,
        lambda: law_peak(Law.RL, 1.0, 0.5),
    ),
    source="Gao, Schulman and Hilton (2022), arXiv:2210.10760",
)  # fmt: skip

_GOLD_VAR = term("gold", call("Var", "X"))
_NOISE_VAR = term("noise", call("Var", "Z"))
SHRINKAGE = Formula(
    name="shrinkage",
    title="Regressional shrinkage",
    math=row(
        frac(term("gained", words("gold gained")), term("proxy", words("proxy gained"))), "=",
        frac(_GOLD_VAR, row(_GOLD_VAR, "+", _NOISE_VAR)),
    ),
    reading="gold gained over proxy gained equals the variance of X over the variance of X plus "
    "that of Z",
    terms=(
        Term(term("gained", words("gold gained")), "What selection gains in the real goal."),
        Term(term("proxy", words("proxy gained")), "What it gains in the score it selects by."),
        Term(_GOLD_VAR, "Variance of the real goal among answers; goal and error are normal."),
        Term(_NOISE_VAR, "Variance of its error, independent of it: what looks best is part luck."),
    ),
    worked=Computed(
        "An error with half the variance of the goal leaves {0:.1%} of the gain.",
        shrinkage,
        lambda: shrunken(1.0, 0.5),
    ),
    source="Gao, Schulman and Hilton (2022), arXiv:2210.10760, equation 1",
)  # fmt: skip

LENGTH_SHIFT = Formula(
    name="length-shift",
    title="Where a policy moves",
    math=row(
        term("shift", "δ"), "=", frac(row(term("cov", "Σ"), "∇", term("r", "r")), term("beta", "β"))
    ),
    reading="delta equals sigma times the gradient of r, over beta",
    terms=(
        Term(term("shift", "δ"), "How far the mean answer moves, trait by trait."),
        Term(
            term("cov", "Σ"),
            "How much the reference varies in each: what varies most is cheapest to change.",
        ),
        Term(term("r", "r"), "The reward; ∇r is what it pays for a unit of each trait."),
        Term(term("beta", "β"), "The price of a nat of KL."),
    ),
    worked=Computed(
        "Length and quality pay the same. At β = 1 length moves {0:.2f} and quality {1:.2f}, for "
        "{2:.2f} nats.",
        optimal_shift,
        lambda: length_shift(1.0),
    ),
    source="The Gaussian case of the optimum π_ref exp(r/β)/Z",
)  # fmt: skip

_SCORE = term("ri", sub("r", "i"))
CONSERVATIVE = Formula(
    name="conservative-reward",
    title="A cautious reward",
    math=row(
        term("r", "r"), "=", term("mean", call("mean", sub("r", "i"))), "−", term("lambda", "λ"),
        term("var", call("Var", sub("r", "i"))), words("\u2003or\u2003"),
        under("min", "i"), _SCORE,
    ),
    reading="r equals the mean of r i minus lambda times the variance of r i, or the least r i",
    terms=(
        Term(term("r", "r"), "What is optimised in place of one reward."),
        Term(term("mean", call("mean", sub("r", "i"))), "Mean of the ensemble's scores."),
        Term(term("lambda", "λ"), "How much disagreement costs."),
        Term(term("var", call("Var", sub("r", "i"))), "How much the members disagree."),
        Term(_SCORE, "Score by member i; the worst case takes the least."),
    ),
    worked=Computed(
        "Scores 1, 2 and 3 with λ = 0.5: {0:.3f} by variance, {1:.0f} in the worst case.",
        uncertainty_weighted_score,
        lambda: conservative((1.0, 2.0, 3.0), 0.5),
    ),
    source="Coste et al. (2023), arXiv:2310.02743",
)  # fmt: skip

_WEIGHT = term("w", sub("w", "j"))
_MET = term("c", sub("c", "j"))
RUBRIC = Formula(
    name="rubric",
    title="A rubric's score",
    math=row(
        term("r", "r"), "=",
        frac(row(under("∑", "j"), _WEIGHT, _MET), row(under("∑", "j"), "|", _WEIGHT, "|")),
    ),
    reading="r equals the sum of w j c j over the sum of the sizes of w j",
    terms=(
        Term(term("r", "r"), "The reward, from −1 to 1."),
        Term(_WEIGHT, "Weight of criterion j; negative for a pitfall."),
        Term(_MET, "1 if the answer meets it, 0 if not."),
    ),
    worked=Computed(
        "Weights 2, 1 and −1; the first and the pitfall are met: {0:.2f}.",
        RubricReward,
        lambda: rubric_score((1, 0, 1), (2, 1, -1)),
    ),
    source="Gunjal et al. (2025), arXiv:2507.17746",
)  # fmt: skip

_STEP = term("s", sub("s", "k"))
PROCESS = Formula(
    name="process-reward",
    title="Steps made one score",
    math=row(
        term("product", under_over("∏", row("k", "=", "1"), "K"), _STEP), words("\u2003or\u2003"),
        term("min", under("min", "k"), _STEP),
    ),
    reading="the product of s k over the K steps, or the least s k",
    terms=(
        Term(_STEP, "Score of step k: how likely it is to be right."),
        Term(
            term("product", words("product")),
            "The chance that all steps are right, if they fail independently. Falls with length.",
        ),
        Term(term("min", words("least")), "Looks at the weakest step alone."),
    ),
    worked=Computed(
        "Steps of 0.9, 0.8 and 0.5: product {0:.2f}, least {1:.2f}, mean {2:.2f}.",
        solution_score,
        lambda: step_scores(0.9, 0.8, 0.5),
    ),
    source="Lightman et al. (2023), arXiv:2305.20050",
)  # fmt: skip

_VALUE = term("v", "v")
_ROLLOUTS = term("n", "n")
HARD_LABEL = Formula(
    name="hard-label",
    title="Labels by completion",
    math=row("1", "−", sup(paren("1", "−", _VALUE), _ROLLOUTS)),
    reading="one minus one minus v to the n",
    terms=(
        Term(_VALUE, "Chance that a completion from this step reaches the right answer."),
        Term(_ROLLOUTS, "Completions tried. One success is enough for a hard label of 'good'."),
    ),
    worked=Computed(
        "A wrong step that is rescued one time in eight, eight tries: called good {0:.1%} of the "
        "time.",
        hard_label_chance,
        lambda: hard_label(1 / 8, 8),
    ),
    source="Wang et al. (2023), arXiv:2312.08935",
)

BORDA = Formula(
    name="borda",
    title="What a pooled reward ranks by",
    math=row(
        term("borda", sub("B", "i")), "=", frac("1", row("m", "−", "1")),
        under("∑", row("j", "≠", "i")), term("p", sub("P", row("i", "j"))),
    ),
    reading="B i equals one over m minus one times the sum over other options j of P i j",
    terms=(
        Term(term("borda", sub("B", "i")), "Borda score of option i among m."),
        Term(term("p", sub("P", row("i", "j"))), "Share of all voters who prefer i to j."),
    ),
    worked=Computed(
        "60% want A, 40% want C, both like B well: {0:.2f} for A, {1:.2f} for B, {2:.2f} for C.",
        borda,
        borda_scores,
    ),
    source="Siththaranjan et al. (2023), arXiv:2312.08358",
)  # fmt: skip

UNDER_PRESSURE = (BEST_OF_N_LAW, RL_LAW, SHRINKAGE, LENGTH_SHIFT, CONSERVATIVE)
CHECKED = (RUBRIC, PROCESS, HARD_LABEL)
POOLED = (BORDA,)
FORMULAS = (*UNDER_PRESSURE, *CHECKED, *POOLED)
