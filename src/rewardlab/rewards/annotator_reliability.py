"""How often each annotator says the opposite of what they would prefer, with the rewards.

Pair p has a margin m_p in logits, m_p ~ N(w . d_p, tau^2): what features explain, and the rest. An
annotator who never flips says a with chance sigma(m_p); annotator k flips a share e_k of their
answers, whatever the pair. A close pair makes everybody disagree, a flip rate one person with all
others: that is how the two are told apart. They are told apart only up to one number. Where at most
three people judge a pair and nothing is known of it, a world of clear pairs and careless people
gives the same votes as one of close pairs and careful people. The likelihood is therefore followed
along the scale of the margins, and each interval takes in all of what it leaves open. Known pairs,
features, or more people on a pair narrow it.

Margins are everybody's: somebody of another taste goes against them as somebody does who errs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rewardlab.errors import InputError
from rewardlab.rewards.flip_fitting import along_scales, scale_weights
from rewardlab.rewards.flip_model import FlipData
from rewardlab.rewards.flip_profile import flip_intervals, likelihood_drop
from rewardlab.types import BoolArray, FloatArray, IntArray

WIDEST = 0.3
"""Of a flip rate with a wider interval nothing can be said that would be of use."""


@dataclass(frozen=True, slots=True)
class ReliabilityFit:
    """Flip rates of K annotators on P pairs.

    Attributes:
        flip_rate: Shape [K], in [0, 1]; 0 never flips, .5 is a coin, 1 always says the opposite.
            NaN where somebody judged nothing.
        low: Shape [K]; lower end of the interval.
        high: Shape [K]; upper end.
        n_votes: Shape [K]; decided votes used.
        n_shared: Shape [K]; of these, on pairs that another annotator decided too.
        n_known: Shape [K]; answers used on known pairs.
        why_not: Length K; why nothing useful can be said of an annotator, "" where it can. The
            figures are given all the same.
        chance_a: Shape [P]; chance that someone who never flips prefers a, given all votes; NaN
            for a pair without a decided vote.
        weights: Shape [d]; logits per unit of each feature.
        scale: tau; by the posterior of its logarithm.
        scale_low: Least scale that the votes leave open; the least considered is .25.
        scale_high: Largest; the largest considered is 8.
        level: Confidence level.
        iterations: Steps of the solver over all scales.
        l2: Penalty of the weights.
    """

    flip_rate: FloatArray
    low: FloatArray
    high: FloatArray
    n_votes: IntArray
    n_shared: IntArray
    n_known: IntArray
    why_not: tuple[str, ...]
    chance_a: FloatArray
    weights: FloatArray
    scale: float
    scale_low: float
    scale_high: float
    level: float
    iterations: int
    l2: float


def fit_reliability(
    pair: IntArray,
    annotator: IntArray,
    for_a: BoolArray,
    *,
    n_annotators: int,
    n_pairs: int,
    features: FloatArray | None = None,
    n_known: IntArray | None = None,
    n_right: IntArray | None = None,
    l2: float = 1.0,
    level: float = 0.95,
) -> ReliabilityFit:
    """Flip rates, each with an interval from the profile likelihood, and what the pairs are worth.

    Args:
        pair: Shape [n], int64 codes 0..P-1; decided votes only.
        annotator: Shape [n], int64 codes 0..K-1.
        for_a: Shape [n]; True where a was preferred.
        n_annotators: K.
        n_pairs: P.
        features: Shape [P, d], finite; features of a less features of b. None for none.
        n_known: Shape [K]; answers on pairs whose right answer is beyond doubt. None for none.
        n_right: Shape [K]; of these, the right ones.
        l2: Ridge penalty on the weights, features scaled to mean square 1 and the weights in units
            of the scale; > 0.
        level: Confidence level.

    Raises:
        InputError: Shapes disagree, a code is out of range, or an argument is outside its range.
        ConvergenceError: The likelihood was not maximised.

    Source: the mixture of an honest and a flipped vote is that of Chen, Bennett, Collins-Thompson
    and Horvitz (2013), *Pairwise Ranking Aggregation in a Crowdsourced Setting* (Crowd-BT). Here
    margins are of pairs rather than of items, and are integrated out; flip rates have a flat prior,
    Beta(1, 1), as a prior on each would weigh K times on the one number that votes leave open.
    An interval holds the rates whose profile likelihood, by scale and given the others, is within
    half the chi-squared quantile, widened (``flip_profile.SLACK``); at each scale the likelihood of
    one rate is exact, and is flattened by what estimating the others costs to second order. An
    interval always holds its estimate, an average over scales.
    """
    known = _known(n_known, n_right, n_annotators)
    _check(pair, annotator, for_a, n_annotators, n_pairs, features, l2, level)
    spread = _spread(features)
    data, row = _prepared(pair, annotator, for_a, n_pairs, features, spread, known, l2)
    fits = along_scales(data)
    likelihood = np.array([fitted.at.objective for fitted in fits])
    scales = np.array([fitted.scale for fitted in fits])
    posterior = scale_weights(fits)
    drop = likelihood_drop(level)
    low, high = flip_intervals(data, fits, level=level)
    flip = posterior @ np.array([fitted.flip for fitted in fits])
    chance = np.full(n_pairs, np.nan)
    voted = row >= 0
    chance[voted] = (posterior @ np.array([fitted.at.chance_a for fitted in fits]))[row[voted]]
    open_scales = scales[likelihood >= likelihood.max() - drop]
    weights = posterior @ np.array([fitted.scale * fitted.v for fitted in fits]) / spread
    votes = np.bincount(annotator, minlength=n_annotators)
    judged = votes + known.sum(axis=0) > 0
    result = ReliabilityFit(
        flip_rate=np.where(judged, flip, np.nan),
        low=np.where(judged, np.minimum(low, flip), 0.0),
        high=np.where(judged, np.maximum(high, flip), 1.0),
        n_votes=votes,
        n_shared=_n_shared(pair, annotator, n_annotators),
        n_known=known.sum(axis=0),
        why_not=(),
        chance_a=chance,
        weights=weights,
        scale=float(np.exp(posterior @ np.log(scales))),
        scale_low=float(open_scales.min()),
        scale_high=float(open_scales.max()),
        level=level,
        iterations=sum(fitted.iterations for fitted in fits),
        l2=l2,
    )
    return replace(result, why_not=tuple(_why_not(result, k) for k in range(n_annotators)))


def _why_not(fit: ReliabilityFit, k: int) -> str:
    if fit.n_votes[k] + fit.n_known[k] == 0:
        return "judged no pair by preferring a side"
    if fit.high[k] - fit.low[k] <= WIDEST:
        return ""
    if fit.n_shared[k] + fit.n_known[k] == 0:
        return "judged no pair that somebody else judged, and no known pair"
    return (
        f"anything from {fit.low[k]:.0%} to {fit.high[k]:.0%} fits; more pairs that two others "
        "judge too, or more known pairs, would tell"
    )


def _n_shared(pair: IntArray, annotator: IntArray, k: int) -> IntArray:
    """Shape [K]: votes on pairs that another annotator voted on."""
    _, inverse = np.unique(pair, return_inverse=True)
    each = np.unique(np.column_stack([inverse, annotator]), axis=0)
    people = np.bincount(each[:, 0])
    return np.bincount(annotator[people[inverse] > 1], minlength=k)


def _prepared(
    pair: IntArray,
    annotator: IntArray,
    for_a: BoolArray,
    n_pairs: int,
    features: FloatArray | None,
    spread: FloatArray,
    known: IntArray,
    l2: float,
) -> tuple[FlipData, IntArray]:
    """The votes in order, and for each pair its row there (-1 for pairs without votes).

    Without features, pairs that got the same votes share a row.
    """
    order = np.lexsort((2 * annotator + for_a, pair))
    vote = (2 * annotator + for_a)[order]
    codes, first = np.unique(pair[order], return_index=True)
    ends = np.append(first[1:], len(vote))
    rows = np.arange(len(codes)) if features is not None else _alike(vote, first, ends)
    row = np.full(n_pairs, -1)
    row[codes] = rows
    _, kept = np.unique(rows, return_index=True)
    n_votes = ends[kept] - first[kept]
    start = np.concatenate([[0], np.cumsum(n_votes)])[:-1]
    picked = np.repeat(first[kept] - start, n_votes) + np.arange(int(n_votes.sum()))
    x = np.zeros((len(kept), 0)) if features is None else features[codes[kept]] / spread
    n_known, n_right = known.sum(axis=0), known[0]
    data = FlipData(
        pair=np.repeat(np.arange(len(kept)), n_votes),
        first=start.astype(np.int64),
        annotator=vote[picked] // 2,
        for_a=vote[picked] % 2 == 1,
        weight=np.bincount(rows).astype(np.float64),
        features=x,
        n_right=n_right.astype(np.float64),
        n_wrong=(n_known - n_right).astype(np.float64),
        l2=l2,
    )
    return data, row


def _alike(vote: IntArray, first: IntArray, ends: IntArray) -> IntArray:
    """Shape [P]; the same code for pairs with the same votes, in order of first appearance."""
    seen: dict[bytes, int] = {}
    each = (vote[i:j].tobytes() for i, j in zip(first, ends, strict=True))
    return np.fromiter((seen.setdefault(key, len(seen)) for key in each), np.int64, len(first))


def _spread(features: FloatArray | None) -> FloatArray:
    """Shape [d]: root mean square of each feature; 1 where it is 0 everywhere."""
    if features is None:
        return np.zeros(0)
    size = np.sqrt(np.mean(features**2, axis=0))
    return np.where(size > 0, size, 1.0)


def _known(n_known: IntArray | None, n_right: IntArray | None, k: int) -> IntArray:
    """Shape [2, K]: right and wrong answers on known pairs."""
    if n_known is None or n_right is None:
        if n_known is not n_right:
            raise InputError("n_known, n_right: expected both or neither")
        return np.zeros((2, k), dtype=np.int64)
    if n_known.shape != (k,) or n_right.shape != (k,):
        raise InputError(f"n_known, n_right: expected shape ({k},), got {n_known.shape}")
    if np.any(n_right < 0) or np.any(n_right > n_known):
        raise InputError("n_right: expected counts from 0 to n_known")
    return np.stack([n_right, n_known - n_right]).astype(np.int64)


def _check(
    pair: IntArray,
    annotator: IntArray,
    for_a: BoolArray,
    k: int,
    n_pairs: int,
    features: FloatArray | None,
    l2: float,
    level: float,
) -> None:
    if not pair.shape == annotator.shape == for_a.shape or pair.ndim != 1:
        raise InputError(
            f"pair, annotator, for_a: expected shape [n] each, got {pair.shape}, "
            f"{annotator.shape}, {for_a.shape}"
        )
    if not len(pair):
        raise InputError("pair: expected at least one decided vote, got none")
    for name, codes, n in (("pair", pair, n_pairs), ("annotator", annotator, k)):
        if codes.min() < 0 or codes.max() >= n:
            raise InputError(f"{name}: expected codes from 0 to {n - 1}, got {codes.max()}")
    if features is not None and (features.ndim != 2 or len(features) != n_pairs):
        raise InputError(f"features: expected shape [{n_pairs}, d], got {features.shape}")
    if features is not None and not bool(np.all(np.isfinite(features))):
        raise InputError("features: expected finite numbers")
    if not l2 > 0:
        raise InputError(f"l2: expected a number above 0, got {l2:g}")
    if not 0 < level < 1:
        raise InputError(f"level: expected a number between 0 and 1, got {level:g}")
