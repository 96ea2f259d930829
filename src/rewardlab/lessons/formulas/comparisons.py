"""Formulas of learning from comparisons and of the noise in them."""

from __future__ import annotations

import numpy as np

from rewardlab.audit.ceiling import equal_noise_ceiling
from rewardlab.lessons.computed import Computed
from rewardlab.lessons.figures import (
    ceiling_of,
    floored_chance,
    loss_of,
    probit_chance,
    ranking_chance,
    win_chance,
)
from rewardlab.lessons.formula import Formula, Term
from rewardlab.lessons.mathml import call, frac, lines, paren, root, row, sub, sup, term, under_over
from rewardlab.rewards.elo import expected_score, play
from rewardlab.rewards.losses import logistic, noise_floor, pair_loss, plackett_luce, probit

_WINNER = term("rw", sub("r", "w"))
_LOSER = term("rl", sub("r", "l"))
_SIGMA = term("sigma", "σ")
_DELTA = term("delta", "Δ")
_P = term("p", "P")
_LOSS = term("loss", "L")

_SAID_WINNER = Term(_WINNER, "Reward of the response that was chosen, in logits.")
_SAID_LOSER = Term(_LOSER, "Reward of the one that was rejected. Only the difference matters.")
_SAID_DELTA = Term(_DELTA, "Reward of the chosen response less that of the rejected one.")


def _ranking_values() -> tuple[float, ...]:
    rewards = np.array([2.0, 1.0, 0.0])
    return ranking_chance(rewards, plackett_luce(rewards).loss)


def _elo_values() -> tuple[float, ...]:
    ratings = np.array([1400.0, 1000.0])
    after = play(ratings, np.array([0]), np.array([1]), k=32.0)
    return float(expected_score(np.array([400.0]))[0]), float(after[0] - ratings[0])


BRADLEY_TERRY = Formula(
    name="bradley-terry",
    title="Bradley-Terry",
    math=row(
        _P, "=", call(_SIGMA, _WINNER, "−", _LOSER), "=",
        frac("1", row("1", "+", sup("e", row("−", paren(_WINNER, "−", _LOSER))))),
    ),
    reading="P equals sigma of r w minus r l, which is one over one plus e to the minus r w minus "
    "r l",
    terms=(
        Term(_P, "The chance that a rater prefers the one response to the other."),
        Term(_SIGMA, "The logistic function: turns any number into a chance."),
        _SAID_WINNER,
        _SAID_LOSER,
    ),
    worked=Computed(
        "One logit ahead wins {0:.1%} of the time.", logistic, lambda: win_chance(1.0)
    ),
    source="Bradley and Terry (1952), Biometrika 39",
)  # fmt: skip

LOSS = Formula(
    name="bradley-terry-loss",
    title="The loss of a pair",
    math=row(_LOSS, "=", "−", call("log", call(_SIGMA, _WINNER, "−", _LOSER))),
    reading="L equals minus log sigma of r w minus r l",
    terms=(
        Term(_LOSS, "How surprised the model is by the vote, in nats. Training makes it small."),
        Term(_SIGMA, "The logistic function, so that σ is the chance given to the vote."),
        _SAID_WINNER,
        _SAID_LOSER,
    ),
    worked=Computed(
        "A pair in order by one logit costs {0:.3f} nats.", pair_loss, lambda: loss_of(1.0)
    ),
    source="Bradley and Terry (1952), Biometrika 39",
)

GRADIENT = Formula(
    name="bradley-terry-gradient",
    title="What a pair teaches",
    math=row(
        frac(row("d", _LOSS), row("d", _DELTA)), "=", "−", call(_SIGMA, "−", _DELTA)
    ),
    reading="d L by d delta equals minus sigma of minus delta",
    terms=(
        Term(_LOSS, "The loss of the pair."),
        _SAID_DELTA,
        Term(_SIGMA, "σ of −Δ is the chance that the model has the pair wrong."),
    ),
    worked=Computed(
        "In order by one logit: a slope of {0:.3f}. The wrong way round by as much: {1:.3f}.",
        pair_loss,
        lambda: (loss_of(1.0)[1], loss_of(-1.0)[1]),
    ),
    source="Bradley and Terry (1952), Biometrika 39",
)  # fmt: skip

_MARGIN = term("m", "m")
MARGIN = Formula(
    name="margin-loss",
    title="A margin for strong votes",
    math=row(_LOSS, "=", "−", call("log", call("σ", _DELTA, "−", _MARGIN))),
    reading="L equals minus log sigma of delta minus m",
    terms=(
        Term(_LOSS, "The loss of the pair."),
        _SAID_DELTA,
        Term(_MARGIN, "How far ahead the chosen one should be: more for 'much better'."),
    ),
    worked=Computed(
        "Two logits ahead where one was asked for: {0:.3f} nats.",
        pair_loss,
        lambda: loss_of(2.0, margin=1.0),
    ),
    source="Touvron et al. (2023), arXiv:2307.09288",
)

_EPS = term("eps", "ε")
NOISE_FLOOR = Formula(
    name="noise-floor",
    title="A floor for noise",
    math=row(_P, "=", frac(_EPS, "2"), "+", paren("1", "−", _EPS), call("σ", _DELTA)),
    reading="P equals epsilon over two plus one minus epsilon times sigma of delta",
    terms=(
        Term(_P, "The chance of the vote. It never passes 1 − ε/2, so that no vote is absurd."),
        Term(_EPS, "The share of votes that are a coin."),
        _SAID_DELTA,
    ),
    worked=Computed(
        "With one vote in ten a coin, one logit ahead wins {0:.1%} of the time.",
        noise_floor,
        lambda: floored_chance(1.0, 0.1),
    ),
    source="Christiano et al. (2017), arXiv:1706.03741",
)

_NOISE = term("noise", "s")
PROBIT = Formula(
    name="probit",
    title="Thurstone's link",
    math=row(_P, "=", call(term("phi", "Φ"), frac(_DELTA, row(root("2"), _NOISE)))),
    reading="P equals capital phi of delta over root two s",
    terms=(
        Term(_P, "The chance that the one ahead is preferred."),
        Term(term("phi", "Φ"), "The normal distribution function, in place of the logistic."),
        _SAID_DELTA,
        Term(_NOISE, "Spread of the noise with which each response is seen."),
    ),
    worked=Computed(
        "One ahead, with a noise of one: preferred {0:.1%} of the time.",
        probit,
        lambda: probit_chance(1.0, 1.0),
    ),
    source="Thurstone (1927), Psychological Review 34",
)

_RANKED = term("ranked", sub("r", "k"))
_REST = term("rest", under_over("∑", row("j", "=", "k"), "K"), sup("e", sub("r", "j")))
PLACKETT_LUCE = Formula(
    name="plackett-luce",
    title="Plackett-Luce",
    math=row(
        _P, "=", under_over("∏", row("k", "=", "1"), row("K", "−", "1")),
        frac(sup("e", _RANKED), _REST),
    ),
    reading="P equals the product over places k of e to the r k over the sum from j equal k to K "
    "of e to the r j",
    terms=(
        Term(_P, "The chance of a whole ranking of K responses, best first."),
        Term(_RANKED, "Reward of the response in place k."),
        Term(_REST, "All that are not placed yet: each place is a choice among the rest."),
    ),
    worked=Computed(
        "Rewards 2, 1, 0: this order comes up {0:.1%} of the time.",
        plackett_luce,
        _ranking_values,
    ),
    source="Luce (1959); Plackett (1975), Applied Statistics 24",
)  # fmt: skip

_RATING = term("rating", "R")
_K = term("k", "K")
_EXPECTED = term("expected", "E")
_AHEAD = term("ahead", "d")
ELO = Formula(
    name="elo",
    title="Elo's update",
    math=lines(
        row(_RATING, "←", _RATING, "+", _K, paren("1", "−", _EXPECTED)),
        row(_EXPECTED, "=", frac("1", row("1", "+", sup("10", row("−", _AHEAD, "/", "400"))))),
    ),
    reading="R becomes R plus K times one minus E, where E is one over one plus ten to the minus "
    "d over four hundred",
    terms=(
        Term(_RATING, "Rating of the winner, in points. The loser's falls by as much."),
        Term(_K, "Points at stake in a game: the size of the gradient step."),
        Term(_EXPECTED, "The chance that the winner was given before the game."),
        Term(_AHEAD, "Points that the winner was ahead."),
    ),
    worked=Computed(
        "400 points ahead, a win was {0:.1%} likely; at K = 32 it is worth {1:.1f} points.",
        play,
        _elo_values,
    ),
    source="Elo (1978), The Rating of Chessplayers",
)  # fmt: skip

_CEILING = term("ceiling", "c")
_AGREEMENT = term("agreement", "a")
CEILING = Formula(
    name="ceiling",
    title="The ceiling of accuracy",
    math=row(_CEILING, "=", frac(row("1", "+", root("2", _AGREEMENT, "−", "1")), "2")),
    reading="c equals one plus the root of two a minus one, all over two",
    terms=(
        Term(_CEILING, "How often a perfect reward can agree with single votes, at most."),
        Term(
            _AGREEMENT,
            "How often two raters agree. The formula takes all pairs to be equally noisy; where "
            "noise differs from pair to pair the ceiling lies lower.",
        ),
    ),
    worked=Computed(
        "Raters who agree on 72.6% of pairs leave a ceiling of {0:.1%}.",
        equal_noise_ceiling,
        lambda: ceiling_of(0.726),
    ),
    source="Agreement of 72.6%: Ouyang et al. (2022), arXiv:2203.02155",
)

FORMULAS = (
    BRADLEY_TERRY,
    LOSS,
    GRADIENT,
    MARGIN,
    NOISE_FLOOR,
    PROBIT,
    PLACKETT_LUCE,
    ELO,
    CEILING,
)
