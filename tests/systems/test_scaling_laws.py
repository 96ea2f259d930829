"""The trend of the laws' coefficients with the size of the reward model."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.audit.scaling_laws import Law
from rewardlab.errors import InputError
from rewardlab.systems.scaling_laws import LARGEST, SMALLEST, illustrative_coefficients


@pytest.mark.parametrize("law", list(Law))
def test_a_larger_model_peaks_further_out_and_higher(law: Law) -> None:
    a, b = np.array([illustrative_coefficients(law, size) for size in (SMALLEST, 30.0, LARGEST)]).T
    peak_d = law.peak_d(a, b)
    height = [
        law.gain(*each, peak_d[i : i + 1])[0] for i, each in enumerate(zip(a, b, strict=True))
    ]
    assert np.all(np.diff(peak_d) > 0)
    assert np.all(np.diff(height) > 0)


@pytest.mark.parametrize("size", [1.0, 1e4, np.nan])
def test_sizes_that_were_not_trained_are_refused(size: float) -> None:
    with pytest.raises(InputError, match="size_millions: expected 3 to 3000"):
        illustrative_coefficients(Law.RL, size)
