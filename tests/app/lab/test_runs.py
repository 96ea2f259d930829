"""Runs, pairs, sweeps and the rubric, as the lab's page gets them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.experiments.lab_runs import lab_run
from rewardlab.systems.lab_methods import METHODS
from rewardlab.worlds.lab import FEATURE_NAMES, lab_world, rubric_points
from rewardlab.worlds.lab_prompts import PROMPTS
from rewardlab.worlds.lab_raters import rater_utility
from tests.app.lab.client import CLEAR, UNDO, URL, Visitor, auto, client_in, label

WORLD = lab_world()
SINGLE = 1e-6
"""Arrays travel in single precision."""


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    """A visitor of a lab with an empty database."""
    with client_in(tmp_path) as client:
        yield Visitor(client)


def test_a_run_is_the_librarys_on_the_same_labels(visitor: Visitor) -> None:
    visitor.do(auto(100))
    expected = lab_run(WORLD, rater_utility(WORLD, "hurried"), rng=np.random.default_rng(3))
    for method, path in (("natural_gradient", expected.rl), ("best_of_n", expected.best_of_n)):
        got = visitor.ask("run", {"method": method})
        for name, values in (
            ("strength", path.strength),
            ("kl", path.kl_nats),
            ("proxy", path.proxy_reward),
            ("gold", path.gold_reward),
        ):
            np.testing.assert_allclose(got["path"][name], values, rtol=SINGLE, atol=SINGLE)
        assert list(got["path"]["features"]) == list(FEATURE_NAMES)
        assert got["peak"]["gold"] == path.gold_reward.max()
        assert got["end"]["gold"] == path.gold_reward[-1]


@pytest.mark.parametrize("method", [method.key for method in METHODS])
def test_every_likeliest_answer_comes_with_its_text_and_scores(
    visitor: Visitor, method: str
) -> None:
    visitor.do(auto(100))
    beta = 0.02 if method == "closed_form" else 0.0
    got = visitor.ask("run", {"method": method, "beta": beta, "step_size": 0.1, "n_steps": 60})
    assert {str(i) for i in got["path"]["likeliest"]} == set(got["answers"])
    assert len(got["path"]["likeliest"]) == len(got["path"]["gold"])
    for key, card in got["answers"].items():
        assert card["text"] == WORLD.texts[int(key)]
        assert card["gold"] == WORLD.gold[int(key)]
        assert [f["name"] for f in card["features"]] == list(FEATURE_NAMES)
    assert got["best"]["gold"] == WORLD.gold.max()
    assert "true quality" in got["sentence"]


def test_a_stopped_run_is_the_beginning_of_the_whole_one(visitor: Visitor) -> None:
    visitor.do(auto(100))
    settings = {"method": "grpo", "step_size": 0.3, "n_steps": 60, "seed": 4}
    whole, part = visitor.ask("run", settings), visitor.ask("run", settings | {"stop": 20})
    assert part["path"]["gold"] == whole["path"]["gold"][:21]
    assert part["path"]["likeliest"] == whole["path"]["likeliest"][:21]
    assert part["sentence"].startswith("Stopped after 20 steps.")
    assert "0 to 60" in visitor.refused("run", settings | {"stop": 61})


def test_a_run_can_name_the_labels_of_an_earlier_time(visitor: Visitor) -> None:
    visitor.do(auto(100))
    settings = {"method": "natural_gradient", "n_steps": 30}
    first = visitor.ask("run", settings)
    visitor.do(CLEAR, auto(100, seed=8))
    assert visitor.ask("run", settings)["path"] != first["path"]
    assert visitor.ask("run", settings | {"revision": 1})["path"] == first["path"]
    assert "at most 3" in visitor.refused("run", settings | {"revision": 4})


def test_without_a_usable_label_there_is_no_run_and_the_reason_is_said(visitor: Visitor) -> None:
    visitor.do(label("skip"), label("both_bad"))
    for path in ("run", "path.csv"):
        told = visitor.refused(path, {"method": "natural_gradient"})
        assert told.startswith("there is no label to learn from yet")
    assert "no label" in visitor.refused("sweep", {"run": None})


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"method": "magic"}, "method"),
        ({"method": "natural_gradient", "n_steps": 10_000}, "n_steps: expected a number from 1"),
        ({"method": "natural_gradient", "beta": -1}, "beta: expected a number from 0"),
        ({"method": "natural_gradient", "step_size": 0}, "step_size: expected a number from"),
        ({"method": "best_of_n", "n_max": 10**9}, "n_max: expected a number from 2"),
        ({"method": "closed_form", "beta": 0}, "beta: expected a number from 0.02"),
        ({"method": "natural_gradient", "seed": 10**12}, "seed"),
        ({"method": "natural_gradient", "stepsize": 0.1}, "not permitted"),
        ({"method": "natural_gradient", "prompt": "nothing"}, "prompt"),
    ],
)
def test_settings_outside_their_range_are_refused(
    visitor: Visitor, settings: dict[str, Any], why: str
) -> None:
    visitor.do(auto(20))
    assert why in visitor.refused("run", settings)


def test_steps_that_diverge_are_said_to_and_break_nothing(visitor: Visitor) -> None:
    visitor.do(auto(100))
    settings = {"method": "natural_gradient", "beta": 2.0, "step_size": 1.0, "n_steps": 600}
    assert "overshoot" in visitor.ask("run", settings)["sentence"]


def test_pairs_are_the_same_however_they_are_asked_for(visitor: Visitor) -> None:
    wanted = {"prompt": "money", "seed": 5, "start": 0, "n": 6}
    whole = visitor.ask("pairs", wanted)["pairs"]
    part = visitor.ask("pairs", wanted | {"start": 4, "n": 2})["pairs"]
    assert whole[4:] == part
    assert [pair["index"] for pair in whole] == list(range(6))
    assert all(pair["a"]["answer"] != pair["b"]["answer"] for pair in whole)
    assert whole[0]["a"]["text"] == lab_world("money").texts[whole[0]["a"]["answer"]]
    assert visitor.ask("pairs", wanted | {"seed": 6})["pairs"] != whole
    assert "less than or equal to 20" in visitor.refused("pairs", wanted | {"n": 21})


def test_pairs_and_batches_of_the_policy_are_written_by_the_policy(visitor: Visitor) -> None:
    visitor.do(auto(100))
    run = {"method": "natural_gradient", "n_steps": 400}
    wanted = {"prompt": "coding", "seed": 5, "start": 0, "n": 20, "writer": "policy", "run": run}
    words = [pair[side]["words"] for pair in visitor.ask("pairs", wanted)["pairs"] for side in "ab"]
    assert np.median(words) > 350
    at_start = visitor.ask("pairs", wanted | {"run": run | {"stop": 0}})
    reference = visitor.ask("pairs", wanted | {"writer": "reference", "run": None})
    assert at_start == reference
    before = visitor.state()["n_labels"]
    assert visitor.do(auto(50, writer="policy", run=run))["n_labels"] == before + 50
    assert "run" in visitor.refused("pairs", wanted | {"run": None})


def test_a_batch_of_a_runs_policy_is_that_runs_whatever_was_labelled_since(
    visitor: Visitor,
) -> None:
    revision = visitor.do(auto(100))["revision"]
    batch = auto(50, writer="policy", run={"method": "natural_gradient", "revision": revision})
    at_once = visitor.do(CLEAR, batch)["weights"]
    visitor.do(UNDO, UNDO, auto(40, rater="careful", seed=9))
    later = visitor.do(CLEAR, batch)["weights"]
    assert [w["value"] for w in later] == [w["value"] for w in at_once]
    ahead = batch | {"run": batch["run"] | {"revision": 99}}
    assert "revision: expected at most" in visitor.refused(
        "events", {"events": [ahead | {"id": "ahead"}]}
    )


def test_the_sweep_marks_the_best_beta(visitor: Visitor) -> None:
    visitor.do(auto(100))
    got = visitor.ask("sweep", {"run": {"method": "natural_gradient"}})
    chart = got["chart"]
    assert (chart["kind"], chart["log_x"]) == ("LineChart", True)
    proxy, gold = chart["panels"][0]["lines"]
    best = int(np.argmax(gold["y"]))
    assert gold["x"][best] == pytest.approx(1 / got["best_beta"], rel=SINGLE)
    assert chart["mark"]["x"] == pytest.approx(1 / got["best_beta"])
    assert (np.diff(proxy["y"]) > 0).all()
    assert len(got["table"]["rows"]) == 13


def test_the_rubric_lies_beside_what_was_learned(visitor: Visitor) -> None:
    rows = visitor.ask("rubric")["rows"]
    assert [row["name"] for row in rows] == list(FEATURE_NAMES)
    assert all(row["learned"] is None for row in rows)
    weights = [w["value"] for w in visitor.do(auto(100))["weights"]]
    rows = visitor.ask("rubric")["rows"]
    assert [row["learned"] for row in rows] == weights
    assert [level["points"] for level in rows[0]["levels"]] == [0.0, 4.0]
    assert rows[1]["rubric"] == pytest.approx(rubric_points()[:, 1].min())


def test_the_page_starts_with_everything_but_the_rubric(visitor: Visitor) -> None:
    page = visitor.client.get("/")
    assert page.status_code == 200
    for prompt in PROMPTS.values():
        assert prompt.question.replace("'", "&#39;") in page.text or prompt.question in page.text
    assert "Watch a reward get hacked" in page.text
    boot = page.text.split('id="boot"')[1].split("</script>")[0]
    assert '"defaults"' in boot
    assert '"points"' not in boot
    assert visitor.client.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert visitor.client.base_url == URL
