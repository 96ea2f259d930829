"""What the four programs really do on the six tests."""

from __future__ import annotations

import numpy as np
import pytest

from rewardlab.errors import InputError, RewardLabError
from rewardlab.sandbox.limited_process import CallResult, Ending
from rewardlab.worlds import reversing
from rewardlab.worlds.reversing import N_VISIBLE, passed_tests, reversing_world


def test_each_program_fails_as_its_code_says() -> None:
    passed = passed_tests()
    right, sorts, short, special = passed
    assert right.all()
    assert sorts[0] and not sorts[:N_VISIBLE].all()
    assert np.flatnonzero(short).tolist() == [2]  # only the empty string has no last character
    assert special[:N_VISIBLE].all() and not special.all()


def test_only_the_right_program_is_gold() -> None:
    assert reversing_world((0.1, 0.5, 0.3, 0.1)).gold.tolist() == [1, 0, 0, 0]


def test_a_program_that_could_not_be_run_is_not_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = CallResult(Ending.KILLED, error="no memory")
    monkeypatch.setattr(reversing, "call_function", lambda *_: (lost,) * 6)
    with pytest.raises(RewardLabError, match="program A: killed: no memory"):
        passed_tests.__wrapped__()


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.5, 0.5, 0.0)])
def test_shares_that_do_not_fit_the_programs_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="3 or 4 numbers above 0"):
        reversing_world(shares)
