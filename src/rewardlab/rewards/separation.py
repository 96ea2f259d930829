"""Is there a direction of features that predicts every outcome, and which features make it?

If some combination of features is never negative for a winner, not zero for all pairs, and zero
for every pair with a soft label, then scaling it up always improves the likelihood: no finite fit
exists. This is decided exactly by a linear program; the sparsest direction names the features.

Source: Albert and Anderson (1984), *Biometrika* 71 (definition); Konis (2007), thesis, Oxford
(linear program). Soft labels and ties as equalities, and the smallest |direction|_1, are ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from rewardlab.errors import EstimationError, SeparationError
from rewardlab.types import FloatArray

INFEASIBLE = 2
SMALLEST_SHARE = 1e-6
"""Entries of a direction below this share of the largest are rounding."""


def separating_direction(differences: FloatArray, label: FloatArray) -> FloatArray | None:
    """A sparse direction that predicts every outcome, or None if there is none.

    Args:
        differences: Shape [n, d]; features of a less features of b.
        label: Shape [n], in [0, 1].

    Returns:
        Shape [d], in units of the features, largest entry (times its feature's scale) 1; or None.

    Raises:
        EstimationError: The linear program was not solved.
    """
    scale = np.sqrt(np.mean(differences**2, axis=0))
    moving = scale > 0
    if not moving.any():
        return None
    x = differences[:, moving] / scale[moving]
    hard = (label == 0) | (label == 1)
    signed = x[hard] * np.where(label[hard] == 1, 1.0, -1.0)[:, None]
    found = sparsest_direction(signed, x[~hard])
    if found is None:
        return None
    direction = np.zeros(len(scale))
    direction[moving] = found / scale[moving]
    return direction


def sparsest_direction(
    above: FloatArray | scipy.sparse.csr_matrix, level: FloatArray | scipy.sparse.csr_matrix
) -> FloatArray | None:
    """A v of least |v|_1 with above v >= 0, not all of them 0, and level v = 0; None if none is.

    Args:
        above: Shape [p, d], dense or sparse; columns of about one size.
        level: Shape [q, d], likewise.

    Returns:
        Shape [d], largest entry 1 in size; or None.

    Raises:
        EstimationError: The linear program was not solved.
    """
    from scipy.optimize import linprog

    if not above.shape[0]:
        return None
    # v = u - w with u, w >= 0, so that the sum of both is its L1 norm.
    both = scipy.sparse.hstack([above, scipy.sparse.csr_matrix(-above)], format="csr")
    equal = scipy.sparse.hstack([level, scipy.sparse.csr_matrix(-level)], format="csr")
    solution = linprog(
        np.ones(both.shape[1]),
        A_ub=-both,
        b_ub=np.zeros(both.shape[0]),
        A_eq=scipy.sparse.vstack([scipy.sparse.csr_matrix(both.mean(axis=0)), equal]),
        b_eq=np.append(1.0, np.zeros(equal.shape[0])),
        method="highs",
    )
    if solution.status == INFEASIBLE:
        return None
    if solution.x is None:
        raise EstimationError(f"separation: the linear program ended with: {solution.message}")
    half = len(solution.x) // 2
    found: FloatArray = solution.x[:half] - solution.x[half:]
    found /= np.max(np.abs(found))
    found[np.abs(found) < SMALLEST_SHARE] = 0.0
    return found if _holds(above @ found, level @ found) else None


def check_not_separated(
    differences: FloatArray, label: FloatArray, *, names: Sequence[str] = ()
) -> None:
    """Raise if a combination of features predicts every outcome.

    Args:
        differences: Shape [n, d].
        label: Shape [n].
        names: Length d; "feature j" where not given.

    Raises:
        SeparationError: There is one; it names the features, strongest first.
        EstimationError: The linear program was not solved.
    """
    direction = separating_direction(differences, label)
    if direction is None:
        return
    size = np.abs(direction) * np.sqrt(np.mean(differences**2, axis=0))
    order = [int(j) for j in np.argsort(-size) if size[j] > 0]
    parts = [names[j] if names else f"feature {j}" for j in order]
    verb = "predicts" if len(parts) == 1 else "together predict"
    raise SeparationError(
        f"the data are separable: {', '.join(parts)} {verb} every outcome it bears on, so no "
        "finite weight exists; leave these features out, or add comparisons where they are wrong",
        parts,
    )


def _holds(above: FloatArray, level: FloatArray) -> bool:
    """Whether the direction does what was asked, up to the solver's tolerance."""
    most = float(np.max(np.abs(level), initial=0.0))
    bound = SMALLEST_SHARE * max(float(np.max(np.abs(above))), most)
    return bool(np.min(above) >= -bound and np.max(above) > 0 and most <= bound)
