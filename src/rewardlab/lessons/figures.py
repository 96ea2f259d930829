"""Single figures of formulas and flashcards: the library's functions, asked with plain numbers.

Each returns the figures of one sentence, in its order.
"""

from __future__ import annotations

import math

import numpy as np

from rewardlab.audit.ceiling import equal_noise_ceiling
from rewardlab.audit.law_points import refreshed
from rewardlab.audit.scaling_laws import Law
from rewardlab.audit.shrinkage import expected_max_normal, shrinkage
from rewardlab.audit.vote_noise import two_kinds
from rewardlab.policies.best_of_n import kl_bound, n_of_kl
from rewardlab.policies.closed_form import closed_form, gibbs
from rewardlab.policies.direct import dpo
from rewardlab.policies.distributions import kl_nats, total_variation
from rewardlab.policies.exact_best_of_n import best_of_n_logprobs, levels
from rewardlab.policies.natural_gradient import natural_gradient_step
from rewardlab.rewards.losses import Link, logistic, noise_floor, pair_loss, probit
from rewardlab.types import FloatArray
from rewardlab.worlds.leash import BEST_FIX, NAMES, NONSENSE, leash_reward, leash_world
from rewardlab.worlds.sycophancy import sycophancy_world, taste_reward

Figures = tuple[float, ...]


def win_chance(delta: float, link: Link = logistic) -> Figures:
    """The chance that a link gives the response that is ahead by delta."""
    return (float(np.exp(-link(np.array([delta])).loss[0])),)


def probit_chance(delta: float, sigma: float) -> Figures:
    """The same with Gaussian noise of deviation sigma on each response."""
    return win_chance(delta, probit(sigma))


def floored_chance(delta: float, eps: float) -> Figures:
    """The same where a share eps of votes is a coin."""
    return win_chance(delta, noise_floor(eps))


def loss_of(delta: float, margin: float = 0.0, label: float = 1.0) -> Figures:
    """Loss of a pair and its slope in delta."""
    at = pair_loss(np.array([delta]), margin=margin, label=label)
    return float(at.loss[0]), float(at.gradient[0])


def ceiling_of(agreement: float) -> Figures:
    """Ceiling at an agreement if all pairs are equally noisy, and the share of flipped votes."""
    return float(equal_noise_ceiling(agreement)), two_kinds(agreement).flip_rate


def majority_of(agreement: float, votes: int) -> Figures:
    """How often a perfect reward agrees with a majority of votes."""
    return (two_kinds(agreement).against_majority(votes),)


def two_answer_kl(share: float, start: float) -> Figures:
    """KL of two answers with odds of share from those of start."""
    moved, was = (np.log([p, 1 - p]) for p in (share, start))
    return (kl_nats(moved, was),)


def taste_share(taste: float, beta: float) -> Figures:
    """Share of agreeable answers after training on a taste, and the odds for them."""
    world = sycophancy_world()
    share = float(np.exp(gibbs(world.ref_logprobs, taste_reward(taste), beta))[0])
    return share, share / (1 - share)


def leash_odds(beta: float) -> Figures:
    """Odds of the nonsense against the best fix on the leash."""
    optimum = gibbs(leash_world().ref_logprobs, leash_reward(), beta)
    lead = optimum[NAMES.index(NONSENSE)] - optimum[NAMES.index(BEST_FIX)]
    return math.exp(lead), math.exp(-lead)


def leash_point(beta: float) -> Figures:
    """J, mean reward, KL and true quality of the leash's optimum."""
    path = closed_form(leash_world(), leash_reward(), betas=[beta]).path
    reward, kl = float(path.proxy_reward[0]), float(path.kl_nats[0])
    return reward - beta * kl, reward, kl, float(path.gold_reward[0])


def distance_after_step(beta: float, step_size: float) -> Figures:
    """How far one natural-gradient step from the reference is from the leash's optimum."""
    reference, reward = leash_world().ref_logprobs, leash_reward()
    moved = natural_gradient_step(reference, reference, reward, beta=beta, step_size=step_size)
    return (total_variation(moved, gibbs(reference, reward, beta)),)


def best_of_two_outcomes(n: int) -> Figures:
    """Two equal outcomes: share of the better one among the best of n, and the true KL."""
    reference, reward = np.log([0.5, 0.5]), np.array([0.0, 1.0])
    share = float(np.exp(best_of_n_logprobs(reference, reward, n))[1])
    return share, levels(reference, reward).kl_nats(n)


def bound_of(n: int) -> Figures:
    """The bound on the KL of the best of n."""
    return (float(kl_bound(np.array([n]))[0]),)


def n_for(kl: float) -> Figures:
    """The n at which the bound reaches a KL."""
    return (n_of_kl(kl),)


def rare_win_rate(n: int) -> Figures:
    """How often the best of n beats one more sample where no answer is likely."""
    m = 20_000
    return (levels(np.full(m, -math.log(m)), np.arange(m, dtype=np.float64)).win_rate(n),)


def dpo_terms(beta: float, chosen: float, rejected: float) -> Figures:
    """DPO's margin in reward, the chance that it implies, and its loss."""
    margin = np.array([chosen - rejected])
    loss = float(dpo(beta).terms(margin, np.ones(1))[0][0])
    return beta * float(margin[0]), math.exp(-loss), loss


def law_peak(law: Law, a: float, b: float) -> Figures:
    """Distance and KL at a law's peak, and the gain there."""
    d = float(law.peak_d(np.array(a), np.array(b)))
    return d, d**2, float(law.gain(a, b, np.array([d]))[0])


def refreshed_peak(a: float, b: float, rounds: int) -> Figures:
    """How many times further the RL law peaks after rounds with fresh rewards, in d and in KL."""
    further = law_peak(Law.RL, refreshed(a, b, rounds), b)[0] / law_peak(Law.RL, a, b)[0]
    return further, further**2


def shrunken(gold_variance: float, noise_variance: float) -> Figures:
    """Share of a proxy's gain that is gold."""
    return (shrinkage(gold_variance, noise_variance),)


def best_normal(n: int) -> Figures:
    """Mean of the highest of n standard normals."""
    return (float(expected_max_normal(np.array([float(n)]))[0]),)


def ranking_chance(rewards: FloatArray, losses: FloatArray) -> Figures:
    """The chance of a ranking from its loss, and that of its first place."""
    first = float(np.exp(rewards[0]) / np.exp(rewards).sum())
    return float(np.exp(-losses)), first
