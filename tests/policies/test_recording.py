"""What every method records of its path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.policies.closed_form import closed_form, gibbs
from rewardlab.policies.exact_best_of_n import best_of_n, best_of_n_logprobs
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet, normalised


def world_of(ref: FloatArray) -> AnswerSet:
    """Answers with nothing but a reference."""
    names = [str(i) for i in range(len(ref))]
    return AnswerSet("", names, np.zeros((len(ref), 0)), (), ref, np.zeros(len(ref)))


def test_the_likeliest_answer_moves_from_the_common_to_the_rewarded() -> None:
    # ref 1/2, 1/4, 1/4 and rewards 0, log 3, 0: the optimum at beta 1 is 2/6, 3/6, 1/6 by hand.
    world = world_of(np.log([0.5, 0.25, 0.25]))
    run = closed_form(world, np.array([0.0, np.log(3), 0.0]), betas=[np.inf, 1.0])
    assert run.likeliest.tolist() == [0, 1]
    np.testing.assert_allclose(run.likeliest_share, [0.5, 0.5])


answers = st.lists(st.tuples(st.floats(0.01, 1.0), st.integers(-3, 3)), min_size=1, max_size=9)


@settings(deadline=None)
@given(drawn=answers, n=st.integers(1, 5000))
def test_best_of_n_finds_the_likeliest_as_its_whole_distribution_does(
    drawn: list[tuple[float, int]], n: int
) -> None:
    ref = normalised(np.log([p for p, _ in drawn]))
    reward = np.array([float(r) for _, r in drawn])
    run = best_of_n(world_of(ref), reward, n=[1, n])
    for at, count in enumerate((1, n)):
        whole = best_of_n_logprobs(ref, reward, count)
        assert run.likeliest_share[at] == pytest.approx(np.exp(whole.max()), rel=1e-9)
        assert whole[run.likeliest[at]] == pytest.approx(whole.max(), abs=1e-9)


def test_among_equals_the_first_answer_is_named() -> None:
    ref = np.log(np.full(4, 0.25))
    assert best_of_n(world_of(ref), np.zeros(4), n=[1, 9]).likeliest.tolist() == [0, 0]
    assert closed_form(world_of(ref), np.zeros(4), betas=[1.0]).likeliest.tolist() == [0]
    assert np.argmax(gibbs(ref, np.zeros(4), 1.0)) == 0
