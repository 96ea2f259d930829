"""Comparisons of listed answers: those given, or every pair as raters would label it on average."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from rewardlab.errors import InputError
from rewardlab.policies.arguments import check_indices, check_numbers
from rewardlab.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Pairs:
    """Comparisons of listed answers.

    Attributes:
        n_answers: n; how many answers there are, in pairs or not.
        first_idx: Shape [k], int64; index of an answer.
        second_idx: Shape [k], int64; of another.
        label: Shape [k], in [0, 1]; the probability that the first is better.
        weight: Shape [k], summing to 1; how often the pair turns up.
    """

    n_answers: int
    first_idx: IntArray
    second_idx: IntArray
    label: FloatArray
    weight: FloatArray

    def __post_init__(self) -> None:
        if not len(self.first_idx):
            raise InputError("Pairs: expected at least one pair, got none")
        for name in ("first_idx", "second_idx"):
            check_indices(f"Pairs.{name}", getattr(self, name), self.n_answers)
        for name in ("second_idx", "label", "weight"):
            if getattr(self, name).shape != self.first_idx.shape:
                raise InputError(f"Pairs.{name}: expected as many as first_idx")
        if (self.first_idx == self.second_idx).any():
            raise InputError("Pairs: expected two different answers in every pair")
        if not ((self.label >= 0) & (self.label <= 1)).all():
            raise InputError("Pairs.label: expected probabilities in [0, 1]")
        if not (self.weight >= 0).all() or abs(self.weight.sum() - 1) > 1e-9:
            raise InputError("Pairs.weight: expected shares that sum to 1")

    @property
    def chosen_share(self) -> FloatArray:
        """Shape [n], summing to 1; how often each answer is the one that was chosen."""
        chosen = self.weight * self.label
        return self.summed(chosen, self.weight - chosen)

    @property
    def rejected_share(self) -> FloatArray:
        """Shape [n], summing to 1; how often each answer is the one that was rejected."""
        chosen = self.weight * self.label
        return self.summed(self.weight - chosen, chosen)

    def summed(self, of_first: FloatArray, of_second: FloatArray) -> FloatArray:
        """Shape [n]; each answer's total of a value of first and one of second answers."""
        idx = np.concatenate([self.first_idx, self.second_idx])
        values = np.concatenate([of_first, of_second])
        total = np.zeros(self.n_answers)
        np.add.at(total, idx, values)
        return total

    def smoothed(self, epsilon: float) -> Pairs:
        """The pairs as if a share ``epsilon`` of the labels were flipped.

        Raises:
            InputError: ``epsilon`` is outside [0, 0.5].

        Source: conservative DPO, a note by Mitchell (2023); Chowdhury et al. (2024),
        arXiv:2403.00409.
        """
        if not 0 <= epsilon <= 0.5:
            raise InputError(f"epsilon: expected a share from 0 to .5, got {epsilon:g}")
        return replace(self, label=epsilon + (1 - 2 * epsilon) * self.label)


def given_pairs(n_answers: int, winner_idx: IntArray, loser_idx: IntArray) -> Pairs:
    """Pairs with known winners, each as frequent as the other.

    Args:
        n_answers: n.
        winner_idx: Shape [k], int64.
        loser_idx: Shape [k], int64.
    """
    winner_idx, loser_idx = np.asarray(winner_idx), np.asarray(loser_idx)
    k = len(winner_idx)
    return Pairs(n_answers, winner_idx, loser_idx, np.ones(k), np.full(k, 1 / max(k, 1)))


def population_pairs(probs: FloatArray, reward: FloatArray) -> Pairs:
    """Every two different answers, drawn from ``probs``, with Bradley-Terry labels.

    Args:
        probs: Shape [n]; the distribution that both answers are drawn from.
        reward: Shape [n]; P(a is better than b) = sigma(r_a - r_b).

    Raises:
        InputError: Fewer than two answers can be drawn, shapes disagree, or a number is not finite.
    """
    check_numbers("probs", probs)
    check_numbers("reward", reward, probs.shape)
    first, second = np.triu_indices(len(probs), k=1)
    weight = probs[first] * probs[second]
    if not weight.sum() > 0:
        raise InputError("probs: expected at least two answers with some probability")
    label = special.expit(reward[first] - reward[second])
    return Pairs(len(probs), first, second, label, weight / weight.sum())
