"""Cards on learning from comparisons, and on how good the labels are."""

from __future__ import annotations

import numpy as np

from rewardlab.audit.ceiling import equal_noise_ceiling
from rewardlab.audit.vote_noise import TwoKinds, two_kinds
from rewardlab.lessons.cards.card import Card
from rewardlab.lessons.figures import (
    ceiling_of,
    floored_chance,
    loss_of,
    majority_of,
    probit_chance,
    ranking_chance,
    win_chance,
)
from rewardlab.rewards.elo import expected_score, gradient_step
from rewardlab.rewards.linear import fit
from rewardlab.rewards.losses import (
    all_pairs,
    davidson,
    logistic,
    noise_floor,
    pair_loss,
    plackett_luce,
    probit,
)
from rewardlab.rewards.ranking_errors import ranking_errors
from rewardlab.rewards.tie_counting import vote_shares
from rewardlab.types import Outcome
from rewardlab.worlds import six_responses
from rewardlab.worlds.tiny_rater import chosen_differences


def _first_pair_weights() -> tuple[float, ...]:
    differences = chosen_differences("careful", 1)
    weights = fit(differences, np.ones(len(differences)), l2=1.0).weights
    return float(weights[0]), float(weights[2])


def _shifted(points: float) -> tuple[float, ...]:
    before = loss_of(2.0 - 1.0)[0]
    return before, loss_of((2.0 + points) - (1.0 + points))[0]


def _ranking(*rewards: float) -> tuple[float, ...]:
    values = np.array(rewards)
    return ranking_chance(values, plackett_luce(values).loss)


def _pairs_loss(*rewards: float) -> tuple[float, ...]:
    return (float(all_pairs(np.array(rewards)).loss),)


def _worth(k: float) -> tuple[float, ...]:
    found = ranking_errors(np.zeros(int(k)))
    n_pairs = k * (k - 1) / 2
    return n_pairs, n_pairs / found.overstated**2


def _elo(ahead: float) -> tuple[float, ...]:
    return (float(expected_score(np.array([ahead]))[0]),)


def _elo_step(k: float) -> tuple[float, ...]:
    return (gradient_step(k),)


def _tie_chance(nu: float) -> tuple[float, ...]:
    outcome = np.array([Outcome.TIE])
    return (float(np.exp(-davidson(np.zeros(1), outcome, nu=nu).loss[0])),)


def _tie_gap(ties: float) -> tuple[float, ...]:
    shares = vote_shares(np.ones(1), model="davidson", ties=ties)
    return float(shares.gap_with_halves()[0]), float(shares.gap_without_ties()[0])


def _six(flips: float) -> tuple[float, ...]:
    return (six_responses.ceiling(flips),)


COMPARISONS = (
    Card(
        "win-chance",
        "Bradley-Terry: one response leads by {0:g} (in logits). How often is it preferred?",
        "{0:.1%} of the time: the logistic function of the difference.",
        logistic,
        win_chance,
        ((1.0,), (2.0,), (0.5,)),
    ),
    Card(
        "pair-loss",
        "Chosen less rejected is {0:g} (in logits). What is the loss of the pair?",
        "{0:.3f} nats: −log of the chance that the model gave the vote.",
        pair_loss,
        lambda delta: loss_of(delta),
        ((0.0,), (1.0,), (3.0,), (-2.0,)),
    ),
    Card(
        "pair-gradient",
        "Chosen less rejected is {0:g} (in logits). How hard does the pair pull?",
        "By {0:.3f}: the chance that the model has the pair wrong.",
        pair_loss,
        lambda delta: (-loss_of(delta)[1],),
        ((0.0,), (2.0,), (-2.0,)),
    ),
    Card(
        "shift",
        "All responses to one prompt get {0:g} points more. What happens to a pair's loss?",
        "Nothing: {0:.3f} nats before and {1:.3f} after. Only differences count.",
        pair_loss,
        _shifted,
        ((5.0,), (100.0,)),
    ),
    Card(
        "margin-card",
        "The chosen response leads by {0:g}; a margin of {1:g} is asked for. What is the loss?",
        "{0:.3f} nats: the loss of a pair that is ahead by the difference only.",
        pair_loss,
        lambda delta, margin: loss_of(delta, margin=margin),
        ((2.0, 1.0), (2.0, 3.0), (1.0, 1.0)),
    ),
    Card(
        "soft-label",
        "Two responses have equal rewards; the label says {0:.0%}. What is the loss's slope?",
        "{0:+.2f}: half less the label, so that a tie at 50% leaves equal rewards alone.",
        pair_loss,
        lambda label: (loss_of(0.0, label=label)[1],),
        ((0.5,), (0.8,), (1.0,)),
    ),
    Card(
        "noise-floor-card",
        "A loss takes {0:.0%} of votes for coins. Which chance of a vote is its highest?",
        "{0:.1%}: one minus half the share of coins.",
        noise_floor,
        lambda eps: floored_chance(60.0, eps),
        ((0.1,), (0.2,)),
    ),
    Card(
        "probit-card",
        "Thurstone, noise of {1:g} on each response: one is ahead by {0:g}. How often preferred?",
        "{0:.1%} of the time.",
        probit,
        probit_chance,
        ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0)),
    ),
    Card(
        "ranking",
        "Rewards {0:g}, {1:g} and {2:g}. How likely is just this ranking?",
        "{0:.1%}: {1:.1%} for the first place, then a choice between the other two.",
        plackett_luce,
        _ranking,
        ((2.0, 1.0, 0.0), (1.0, 1.0, 1.0), (3.0, 1.0, 0.0)),
    ),
    Card(
        "all-pairs",
        "Three responses with equal rewards are ranked and taken apart into pairs. Mean loss?",
        "{0:.3f} nats, that of a coin: every pair is even.",
        all_pairs,
        lambda: _pairs_loss(0.0, 0.0, 0.0),
    ),
    Card(
        "ranking-worth",
        "A ranking of {0:g} equal responses is taken apart into its pairs. What is it worth?",
        "{0:.0f} pairs, but as sure as only {1:.1f} independent ones.",
        ranking_errors,
        _worth,
        ((4.0,), (6.0,)),
    ),
    Card(
        "elo-chance",
        "Elo: {0:g} points ahead. What is the chance to win?",
        "{0:.1%}. 400 points are odds of ten to one.",
        expected_score,
        _elo,
        ((400.0,), (200.0,)),
    ),
    Card(
        "elo-step",
        "Elo's K is {0:g}. Which step on the log-likelihood, in points, is that?",
        "{0:,.0f}: K × 400 / ln 10.",
        gradient_step,
        _elo_step,
        ((32.0,), (16.0,)),
    ),
    Card(
        "tie-chance",
        "Davidson's model with ν = {0:g}: how often do equal responses tie?",
        "{0:.1%}: ν / (2 + ν).",
        davidson,
        _tie_chance,
        ((1.0,), (2.0,)),
    ),
    Card(
        "tie-gap",
        "A gap of one logit; equal responses would tie {0:.0%} of the time (Davidson). Ties are "
        "counted as half a win. Which gap is fitted?",
        "{0:.2f} logits. Dropping the ties gives {1:.2f}.",
        vote_shares,
        _tie_gap,
        ((0.5,), (0.2,)),
    ),
    Card(
        "first-pair",
        "One pair: a short right answer beats a wrong flattering one. Which weights follow?",
        "Equal and opposite ones: {0:+.2f} for being right, {1:+.2f} for praise. The vote cannot "
        "tell which of the two it was about.",
        fit,
        _first_pair_weights,
    ),
)

LABELS = (
    Card(
        "ceiling-card",
        "Raters agree on {0:.1%} of pairs, all equally noisy. Which accuracy is the ceiling?",
        "{0:.1%}; {1:.1%} of votes go against the better response.",
        equal_noise_ceiling,
        ceiling_of,
        ((0.726,), (0.7,), (0.63,), (0.81,)),
    ),
    Card(
        "ceiling-lowest",
        "Agreement is {0:.0%}. What is the lowest that the ceiling can be, if pairs differ?",
        "{0:.0%}, the agreement itself: some pairs are sure, the others coins.",
        TwoKinds,
        lambda agreement: (two_kinds(agreement, 1.0).ceiling,),
        ((0.7,), (0.8,)),
    ),
    Card(
        "majority",
        "Raters agree on {0:.1%} of pairs, all equally noisy. How often does a perfect reward "
        "agree with a majority of {1:g}?",
        "{0:.1%}, more often than with any single vote.",
        TwoKinds.against_majority,
        lambda agreement, votes: majority_of(agreement, int(votes)),
        ((0.726, 3.0), (0.7, 5.0)),
    ),
    Card(
        "six-ceiling",
        "Six responses of qualities 1.6, 1, 0.4, −0.2, −1 and −1.8 (in logits); {0:.0%} of votes "
        "are turned round. What can the true qualities predict?",
        "{0:.1%} of fresh votes, and nothing can do better.",
        six_responses.ceiling,
        _six,
        ((0.0,), (0.1,), (0.3,)),
    ),
)
