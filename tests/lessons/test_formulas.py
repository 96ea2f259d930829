from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from rewardlab.lessons.computed import Shown, filled
from rewardlab.lessons.formula import Formula
from rewardlab.lessons.formulas import FORMULAS
from rewardlab.lessons.mathml import block, call, frac, node, row, term

E = math.e

NAMED = {formula.name: formula for formula in FORMULAS}

HAND = {
    "bradley-terry": (1 / (1 + 1 / E),),
    "bradley-terry-loss": (math.log(1 + 1 / E), -1 / (1 + E)),
    "bradley-terry-gradient": (-1 / (1 + E), -1 / (1 + 1 / E)),
    "margin-loss": (math.log(1 + 1 / E), -1 / (1 + E)),
    "noise-floor": (0.05 + 0.9 / (1 + 1 / E),),
    "probit": (0.5 * (1 + math.erf(0.5)),),
    "plackett-luce": (E**2 / (E**2 + E + 1) * E / (E + 1), E**2 / (E**2 + E + 1)),
    "elo": (10 / 11, 32 / 11),
    "ceiling": ((1 + math.sqrt(0.452)) / 2, (1 - math.sqrt(0.452)) / 2),
    "kl": (0.6 * math.log(1.2) + 0.4 * math.log(0.8),),
    "gibbs": (1.5**10 / (1 + 1.5**10), 1.5**10),
    "best-of-n": (15 / 16, 15 / 16 * math.log(15 / 8) + 1 / 16 * math.log(1 / 8)),
    "kl-bound": (math.log(16) - 15 / 16,),
    "dpo": (0.3, 1 / (1 + math.exp(-0.3)), math.log(1 + math.exp(-0.3))),
    "implicit-reward": (0.1 * math.log(10),),
    "group-advantage": (1.0, -1.0),
    "signal-probability": (1 - 0.02**8 - 0.98**8,),
    "ppo-clip": (1.2, -1.5),
    "law-best-of-n": (2.0, 4.0, 1.0),
    "law-rl": (E, E**2, E / 2),
    "shrinkage": (2 / 3,),
    "length-shift": (1.0, 0.58**2, (1 + 0.58**2) / 2),
    "conservative-reward": (2 - 0.5 * 2 / 3, 1.0),
    "rubric": (0.25,),
    "process-reward": (0.36, 0.5, 2.2 / 3),
    "hard-label": (1 - (7 / 8) ** 8,),
}
"""Figures worked out by hand, apart from the library."""


@pytest.mark.parametrize("name", HAND)
def test_a_worked_figure_is_the_one_worked_out_by_hand(name: str) -> None:
    # Sums of at most a dozen terms of size one: rounding stays far below 1e-9.
    assert NAMED[name].worked.values() == pytest.approx(HAND[name], abs=1e-9)


def test_a_round_of_reinforce_gives_the_published_shares() -> None:
    shares = NAMED["reinforce"].worked.values()[3:]
    assert [round(100 * share) for share in shares] == [33, 42, 25]


def test_the_leash_at_half_a_point_a_nat_has_the_best_answers() -> None:
    objective, reward, kl, gold = NAMED["objective"].worked.values()
    assert objective == pytest.approx(reward - 0.5 * kl, abs=1e-12)
    assert gold == pytest.approx(0.79, abs=0.005)


def test_a_step_of_one_over_beta_arrives() -> None:
    there, short = NAMED["natural-gradient"].worked.values()
    assert there < 1e-12 < 0.1 < short


def test_the_pooled_reward_counts_comparisons_won() -> None:
    assert NAMED["borda"].worked.values() == pytest.approx((0.6, 0.5, 0.4), abs=0.002)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda one: one.name)
def test_every_marked_part_is_explained_and_every_explanation_marks_a_part(
    formula: Formula,
) -> None:
    marked = {dict(part.attributes).get("data-term") for part in formula.math.walk()} - {None}
    assert [one.key for one in formula.terms] == list(dict.fromkeys(o.key for o in formula.terms))
    assert marked == {one.key for one in formula.terms}


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda one: one.name)
def test_a_formula_is_well_formed_and_can_be_read_aloud(formula: Formula) -> None:
    tree = ElementTree.fromstring(formula.markup)
    assert tree.tag == "math"
    assert tree.attrib["alttext"] == tree.attrib["aria-label"] == formula.reading
    assert formula.reading.isascii()
    for one in formula.terms:
        assert ElementTree.fromstring(one.markup).tag == "math"


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda one: one.name)
def test_a_worked_figure_names_a_function_of_the_library(formula: Formula) -> None:
    assert formula.worked.path.startswith("rewardlab.")
    assert "{" not in formula.worked.text
    assert "nan" not in formula.worked.text


def test_names_are_unique() -> None:
    assert len(NAMED) == len(FORMULAS)


def test_texts_become_numbers_operators_and_names() -> None:
    assert [node(part).tag for part in ("2", ".5", "−", "x", "KL")] == [
        "mn",
        "mn",
        "mo",
        "mi",
        "mi",
    ]
    assert row("a", "+", "1").markup() == "<mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow>"
    assert "<mfrac><mi>a</mi><mi>b</mi></mfrac>" in call("log", frac("a", "b")).markup()


def test_markup_is_escaped() -> None:
    said = block(term("k", "<script>"), 'a "quoted" <reading>')
    assert "<script>" not in said
    assert "&quot;quoted&quot; &lt;reading&gt;" in said


def test_negative_figures_have_a_true_minus_and_zero_none() -> None:
    assert filled("{0:.2f} {1:+.2f} {2:.0f} {3:+.2f}", (-1.5, -2.0, -0.1, 0.0)) == (
        "−1.50 −2.00 0 0.00"
    )
    assert f"{Shown(-3):g} of best-of-16" == "−3 of best-of-16"
