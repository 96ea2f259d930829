"""Bradley-Terry by other libraries, each from arrays of integer codes in its fastest public way.

All are asked for a gradient of about 1e-6 of an item's votes, by tolerances of their own; each
returns strengths, by which that is checked. Not here: arena-rank, which allows one release of numpy
and of JAX only and so does not install beside the others, and took 7 to 50 times as long as the
fastest of these; and crowd-kit, whose Bradley-Terry stops after two iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import choix
import evalica
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from rewardlab.preferences.battles import Battles
from rewardlab.types import FloatArray, Outcome

EVALICA_WINNERS = (evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw)
TIGHT = 1e-6
DENSE_KEYS = 4_000_000


def peers(battles: Battles, winners: list[Any]) -> Mapping[str, Callable[[], FloatArray]]:
    """Name -> fit of each library.

    Args:
        battles: To fit, ties as half wins.
        winners: The outcomes as evalica reads them, made beforehand.
    """
    return {
        "scikit-learn on rows": partial(sklearn_on_rows, battles),
        "scikit-learn on counts": partial(sklearn_on_counts, battles),
        "evalica": partial(evalica_fit, battles, winners),
        "choix": partial(choix_fit, battles),
    }


def evalica_winners(battles: Battles) -> list[Any]:
    """The outcomes as evalica reads them."""
    return [EVALICA_WINNERS[o] for o in battles.outcome.tolist()]


def sklearn_on_rows(battles: Battles) -> FloatArray:
    """A sparse row a battle; a tie is two rows of half a vote."""
    tie = battles.outcome == Outcome.TIE
    a = np.concatenate([battles.a, battles.a[tie]])
    b = np.concatenate([battles.b, battles.b[tie]])
    label = np.concatenate([battles.outcome != Outcome.B, np.zeros(tie.sum(), dtype=bool)])
    weight = np.where(np.concatenate([tie, tie[tie]]), 0.5, 1.0)
    return _logistic(a, b, label, weight, battles.n_items)


def sklearn_on_counts(battles: Battles) -> FloatArray:
    """Two sparse rows a distinct pair, weighted by the wins of either."""
    winner, loser, votes = _wins(battles)
    low, high = np.minimum(winner, loser), np.maximum(winner, loser)
    return _logistic(low, high, winner == low, votes, battles.n_items)


def _wins(battles: Battles) -> tuple[Any, Any, FloatArray]:
    """Distinct (winner, loser) and how often, a tie being half a win for each."""
    m, a, b = battles.n_items, battles.a.astype(np.int64), battles.b
    won_twice = np.array([2, 0, 1])[battles.outcome]
    if 3 * m * m <= DENSE_KEYS:
        table = np.bincount((a * m + b) * 3 + battles.outcome, minlength=3 * m * m)
        won, lost, tied = table.reshape(m, m, 3).transpose(2, 0, 1)
        wins = won + lost.T + (tied + tied.T) / 2
        winner, loser = np.nonzero(wins)
        return winner, loser, wins[winner, loser]
    forward = (a * m + b)[won_twice > 0]
    backward = (b.astype(np.int64) * m + a)[won_twice < 2]
    votes = np.concatenate([won_twice[won_twice > 0], 2 - won_twice[won_twice < 2]]) / 2
    keys, of_row = np.unique(np.concatenate([forward, backward]), return_inverse=True)
    return keys // m, keys % m, np.bincount(of_row, votes).astype(float)


def _logistic(a: Any, b: Any, label: Any, weight: FloatArray, m: int) -> FloatArray:
    n = len(a)
    index = np.empty(2 * n, dtype=np.int32)
    index[0::2], index[1::2] = a, b
    rows = sparse.csr_matrix(
        (np.tile([1.0, -1.0], n), index, np.arange(0, 2 * n + 1, 2, dtype=np.int32)), shape=(n, m)
    )
    model = LogisticRegression(
        C=np.inf, fit_intercept=False, solver="lbfgs", tol=TIGHT * 2 / m, max_iter=1000
    )
    model.fit(rows, label, sample_weight=weight)
    return np.asarray(model.coef_[0])


def evalica_fit(battles: Battles, winners: list[Any]) -> FloatArray:
    """Zermelo's iteration in Rust."""
    index = pd.Index(range(battles.n_items))
    result = evalica.bradley_terry(
        battles.a, battles.b, winners, index=index, tie_weight=0.5, tolerance=1e-4, limit=10_000
    )
    return np.asarray(np.log(result.scores.sort_index().to_numpy()))


def choix_fit(battles: Battles) -> FloatArray:
    """Iterated Luce spectral ranking on a matrix of wins."""
    winner, loser, votes = _wins(battles)
    wins = np.zeros((battles.n_items,) * 2)
    wins[winner, loser] = votes
    return np.asarray(choix.ilsr_pairwise_dense(wins, tol=1e-4, max_iter=1000))
