"""What every declaration must hold, whoever draws it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from rewardlab.plots.chart import draw
from rewardlab.report.as_json import json_text
from rewardlab.systems.catalogue import all_systems, find_system
from rewardlab.systems.controls import Choice, Slider, Switch
from rewardlab.systems.declaration import System

SYSTEMS = all_systems()
each_system = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


def other_setting(system: System) -> dict[str, float | int | str | bool]:
    """The first control at another value."""
    control = system.controls[0]
    match control:
        case Slider():
            wanted = control.high if control.default < control.high else control.low
            return {control.name: int(wanted) if control.whole else wanted}
        case Choice():
            return {control.name: next(o for o in control.options if o != control.default)}
        case Switch():
            return {control.name: not control.default}


def test_names_and_rows_are_unique_and_found() -> None:
    assert len({s.name for s in SYSTEMS}) == len({s.row for s in SYSTEMS}) == len(SYSTEMS)
    for system in SYSTEMS:
        assert find_system(system.name) is system
        assert find_system(system.row.lower()) is system
        assert system.module == f"rewardlab.systems.{system.name.replace('-', '_')}"


@each_system
def test_controls_are_the_arguments_of_run_with_the_same_defaults(system: System) -> None:
    arguments = dict(inspect.signature(system.run).parameters)
    arguments.pop("rng", None)
    assert {name: a.default for name, a in arguments.items()} == system.settings()


@each_system
def test_words_are_there_and_short_enough_to_read(system: System) -> None:
    assert 20 <= len(system.sentence) <= 110
    assert system.sentence.endswith(".")
    assert 150 <= len(system.paragraph) <= 900
    assert system.sources
    assert system.questions
    for question in system.questions:
        assert 2 <= len(question.choices) <= 4


@each_system
def test_results_can_be_drawn_and_written_at_defaults_and_elsewhere(system: System) -> None:
    sentences = set()
    for settings in ({}, other_setting(system)):
        result = system.evaluate(settings)
        sentences.add(result.sentence)
        assert len({q.name for q in result.quantities}) == len(result.quantities)
        assert draw(result.chart, title=system.title, description=result.sentence)
        assert draw(result.chart, title=system.title, description=result.sentence, width=320)
        assert json_text(result)
        assert result.table.rows
    assert len(sentences) == 2


@each_system
def test_answers_are_computed_and_name_a_choice(system: System) -> None:
    for question in system.questions:
        answer = question.answer()
        assert 0 <= answer.choice < len(question.choices)
        assert any(c.isdigit() for c in answer.because)


@each_system
def test_the_same_seed_gives_the_same_figures(system: System) -> None:
    first, again = (system.evaluate(seed=3).quantities for _ in range(2))
    np.testing.assert_equal([q.value for q in first], [q.value for q in again])
