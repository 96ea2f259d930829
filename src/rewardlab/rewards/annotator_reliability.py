"""How often each annotator says the opposite of what they would prefer, with the rewards.

Pair p has a margin m_p in logits, m_p ~ N(w . d_p, tau^2): what features explain, and the rest. An
annotator who never flips says a with chance sigma(m_p); annotator k flips a share e_k of their
answers, whatever the pair. A close pair makes everybody disagree, a flip rate one person with all
others: that is how the two are told apart. They are told apart only up to one number. Where at most
three people judge a pair and nothing is known of it, a world of clear pairs and careless people
gives the same votes as one of close pairs and careful people. The likelihood is therefore followed
along the scale of the margins, and each interval takes in all of what it leaves open. Known pairs,
features, or more people on a pair narrow it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, special

from rewardlab.errors import ConvergenceError, InputError
from rewardlab.rewards.flip_model import At, FlipData, model_at
from rewardlab.types import BoolArray, FloatArray, IntArray

SCALES: FloatArray = 0.25 * np.sqrt(2.0) ** np.arange(11)
"""Scales of the margins that are considered, in logits: .25 (all pairs are close) to 8."""

USUAL_SCALE, SCALE_SPREAD = 2.0, 0.7
"""The prior of log scale, a normal. At 2, two people who never flip agree on 70% of pairs. It
chooses a point where the likelihood does not; the intervals do not use it."""

WIDEST = 0.3
"""Of a flip rate with a wider interval nothing can be said that would be of use."""

EDGE = 1e-6
"""Flip rates stay this far from 0 and 1, where a known answer would be impossible."""

FAR_BELOW = 12.0
"""Scales whose log likelihood is this much below the best weigh nothing."""

STEEP, MOST_REFINEMENTS = 1.0, 3
"""Scales are added between neighbours of which the best is higher by more than this."""

MAX_ITERATIONS = 500
MOST_STARTS = 3
"""How often the solver is started anew where its steps ended too early."""

GAIN_LEFT = 1e-3
"""A fit has ended when no step would raise the log likelihood by more."""

_FLIPS: FloatArray = (1 - np.cos(np.linspace(0, np.pi, 121))) / 2
"""Flip rates at which profiles are computed; closest near 0 and 1."""


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


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The best flip rates and weights at one scale."""

    scale: float
    flip: FloatArray
    v: FloatArray
    at: At
    iterations: int


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
    half the chi-squared quantile; at each scale the likelihood of one rate is exact, and is
    flattened by what estimating the others costs to second order.
    """
    known = _known(n_known, n_right, n_annotators)
    _check(pair, annotator, for_a, n_annotators, n_pairs, features, l2, level)
    spread = _spread(features)
    data, row = _prepared(pair, annotator, for_a, n_pairs, features, spread, known, l2)
    fits = _along_scales(data)
    likelihood = np.array([fitted.at.objective for fitted in fits])
    scales = np.array([fitted.scale for fitted in fits])
    posterior = _scale_weights(fits)
    drop = special.chdtri(1, 1 - level) / 2
    low, high = _intervals(_profile(data, fits), drop)
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


def _along_scales(data: FlipData) -> list[_Fitted]:
    """The best fit at each scale that matters, in rising order.

    From the usual scale up and down until the likelihood has fallen too far to return; then between
    them, where it falls so steeply that two neighbours would miss its peak.
    """
    start = int(np.argmin(np.abs(SCALES - USUAL_SCALE)))
    careful = np.full(data.n_annotators, 0.1)
    fits = [_fitted(data, float(SCALES[start]), careful, np.zeros(data.features.shape[1]))]
    for onward in (range(start + 1, len(SCALES)), range(start - 1, -1, -1)):
        near = fits[0] if onward.step > 0 else min(fits, key=lambda fitted: fitted.scale)
        for i in onward:
            near = _fitted(data, float(SCALES[i]), _inner(near.flip), near.v)
            fits.append(near)
            if near.at.objective < max(f.at.objective for f in fits) - FAR_BELOW:
                break
    fits.sort(key=lambda fitted: fitted.scale)
    for _ in range(MOST_REFINEMENTS):
        between = _between(fits)
        if not len(between):
            break
        near = max(fits, key=lambda fitted: fitted.at.objective)
        fits += [_fitted(data, float(x), _inner(near.flip), near.v) for x in between]
        fits.sort(key=lambda fitted: fitted.scale)
    return fits


def _inner(flip: FloatArray) -> FloatArray:
    """Flip rates to start from, off the bounds."""
    return np.clip(flip, 0.02, 0.98)


def _between(fits: list[_Fitted]) -> FloatArray:
    """Scales to add about the peak of a parabola through the best fit and its neighbours."""
    log_scale = np.log([fitted.scale for fitted in fits])
    height = np.array([fitted.at.objective for fitted in fits])
    i = int(np.argmax(height))
    if i in (0, len(fits) - 1) or height[i] - max(height[i - 1], height[i + 1]) < STEEP:
        return np.zeros(0)
    curvature, slope, _ = np.polyfit(
        log_scale[i - 1 : i + 2] - log_scale[i], height[i - 1 : i + 2], 2
    )
    peak, spread = -slope / (2 * curvature), 1 / np.sqrt(-2 * curvature)
    added = log_scale[i] + peak + spread * np.arange(-2, 3)
    inside = (added > log_scale[i - 1]) & (added < log_scale[i + 1])
    return np.asarray(np.exp(added[inside & (np.abs(added - log_scale[i]) > 1e-6)]))


def _scale_weights(fits: list[_Fitted]) -> FloatArray:
    """Posterior weight of each scale: likelihood and prior, by the trapezoid rule in log scale."""
    log_scale = np.log([fitted.scale for fitted in fits])
    height = np.array([fitted.at.objective for fitted in fits])
    prior = ((log_scale - np.log(USUAL_SCALE)) / SCALE_SPREAD) ** 2 / 2
    gaps = np.diff(log_scale)
    width = (np.append(gaps, 0.0) + np.insert(gaps, 0, 0.0)) / 2 if len(fits) > 1 else np.ones(1)
    return np.asarray(special.softmax(height - prior + np.log(width)))


def _fitted(data: FlipData, scale: float, flip: FloatArray, v: FloatArray) -> _Fitted:
    """Flip rates and weights that maximise the penalised likelihood at one scale.

    Were all who flip honest and all who are honest flipping, and all margins turned round, the
    votes would be as likely. Of the two, that is meant in which most votes are honest, unless
    known pairs say otherwise.
    """
    fitted = _climbed(data, scale, flip, v)
    n_votes = np.bincount(
        data.annotator, weights=data.weight[data.pair], minlength=data.n_annotators
    )
    if n_votes @ (1 - 2 * fitted.flip) >= 0:
        return fitted
    turned = _climbed(data, scale, _inner(1 - fitted.flip), -fitted.v)
    tolerance = 2 * GAIN_LEFT * len(fitted.flip)
    return turned if turned.at.objective > fitted.at.objective - tolerance else fitted


def _climbed(data: FlipData, scale: float, flip: FloatArray, v: FloatArray) -> _Fitted:
    """A maximum of the penalised likelihood, from a start."""
    k, n = data.n_annotators, max(1.0, float(data.weight.sum()))

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        at = model_at(data, x[:k], x[k:], scale=scale)
        return -at.objective / n, -at.gradient / n

    bounds = [(EDGE, 1 - EDGE)] * k + [(None, None)] * len(v)
    x, iterations, gain = np.concatenate([flip, v]), 0, np.inf
    for _ in range(MOST_STARTS):
        found = optimize.minimize(
            loss,
            x,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": MAX_ITERATIONS, "gtol": 1e-7, "ftol": 1e-13, "maxcor": 20},
        )
        x, iterations = np.asarray(found.x, dtype=np.float64), iterations + int(found.nit)
        at = model_at(data, x[:k], x[k:], scale=scale)
        gain = _gain_left(x, at, k)
        if gain <= GAIN_LEFT:
            return _Fitted(scale, x[:k], x[k:], at, iterations)
    raise ConvergenceError(
        f"flip rates: a step could still raise the log likelihood by {gain:.2g} after "
        f"{iterations} iterations at scale {scale:.2g}"
    )


def _gain_left(x: FloatArray, at: At, k: int) -> float:
    """What a step in one coordinate would gain at most, to second order and within bounds."""
    slope, curvature = np.abs(at.gradient), np.maximum(np.diag(at.information), 1e-9)
    step = slope / curvature
    room = np.where(at.gradient[:k] > 0, 1 - EDGE - x[:k], x[:k] - EDGE)
    step[:k] = np.minimum(step[:k], np.maximum(room, 0.0))
    return float(np.max(slope * step - curvature * step**2 / 2, initial=0.0))


def _profile(data: FlipData, fits: list[_Fitted]) -> FloatArray:
    """Shape [K, F]: log likelihood of each rate in ``_FLIPS``, the best over scales."""
    best = np.full((data.n_annotators, len(_FLIPS)), -np.inf)
    for fitted in fits:
        flatter = _share_left(fitted.at.information)[: data.n_annotators]
        change = _alone(data, fitted)
        best = np.maximum(best, fitted.at.objective + flatter[:, None] * change)
    return best


def _share_left(information: FloatArray) -> FloatArray:
    """Of each parameter's information, the share that is left once the others are estimated."""
    diagonal = np.maximum(np.diag(information), 1e-12)
    scaled = information / np.sqrt(np.outer(diagonal, diagonal))
    inverse = np.linalg.pinv(scaled + 1e-8 * np.eye(len(scaled)), hermitian=True)
    return np.asarray(np.clip(1 / np.maximum(np.diag(inverse), 1e-12), 0.0, 1.0))


def _alone(data: FlipData, fitted: _Fitted) -> FloatArray:
    """Shape [K, F]: by how much the log likelihood changes when one rate alone moves."""
    agrees, weight = fitted.at.left_out, data.weight[data.pair]
    result = np.empty((data.n_annotators, len(_FLIPS)))
    here = fitted.flip[data.annotator]
    before = np.bincount(
        data.annotator,
        weights=weight * np.log(here + (1 - 2 * here) * agrees),
        minlength=data.n_annotators,
    )
    before += data.n_right * np.log1p(-fitted.flip) + data.n_wrong * np.log(fitted.flip)
    for j, e in enumerate(np.clip(_FLIPS, EDGE, 1 - EDGE)):
        each = weight * np.log(e + (1 - 2 * e) * agrees)
        now = np.bincount(data.annotator, weights=each, minlength=data.n_annotators)
        result[:, j] = now + data.n_right * np.log1p(-e) + data.n_wrong * np.log(e) - before
    return result


def _intervals(profile: FloatArray, drop: float) -> tuple[FloatArray, FloatArray]:
    """Shape [K] each: where the profile crosses its maximum less ``drop``."""
    low, high = np.zeros(len(profile)), np.ones(len(profile))
    for k, row in enumerate(profile):
        above = row - (row.max() - drop)
        inside = np.flatnonzero(above >= 0)
        first, last = int(inside[0]), int(inside[-1])
        if first > 0:
            low[k] = _crossing(first - 1, first, above)
        if last < len(_FLIPS) - 1:
            high[k] = _crossing(last + 1, last, above)
    return low, high


def _crossing(outside: int, inside: int, above: FloatArray) -> float:
    share = above[inside] / (above[inside] - above[outside])
    return float(_FLIPS[inside] + share * (_FLIPS[outside] - _FLIPS[inside]))


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
