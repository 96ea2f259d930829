"""The whole audit on small files: every part is there, refusals clear, nothing false is found."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from rewardlab.audit import running
from rewardlab.audit.curves import curve
from rewardlab.audit.result import AuditResult
from rewardlab.audit.reward_choice import FittedHere, RecordedScores, SavedModel
from rewardlab.audit.running import audit
from rewardlab.audit.scoring import score_votes
from rewardlab.data import demo_path
from rewardlab.errors import InputError
from rewardlab.preferences.formats import open_preferences
from rewardlab.preferences.samples import read_samples
from rewardlab.rewards.feature_fit import fit_text_feature_reward
from rewardlab.rewards.saving import save
from rewardlab.rewards.training_prompts import prompt_digests, save_training_prompts
from rewardlab.types import Finding, Status

WORDS = ("apple", "bridge", "candle", "door", "engine", "forest", "glass", "house", "lamp")


def write_votes(
    path: Path,
    n_prompts: int,
    *,
    seed: int,
    n_voters: int = 1,
    pays: float = 0.0,
    pairs_a_prompt: int = 1,
) -> Path:
    """Votes of named annotators on random texts of plain words; quality is unseen by features."""
    rng = np.random.default_rng(seed)
    with path.open("w") as file:
        for p in range(n_prompts):
            for k in range(pairs_a_prompt):
                sizes = rng.integers(20, 60, 2)
                texts = [" ".join(rng.choice(WORDS, size=s)) + "." for s in sizes]
                delta = rng.normal() + pays * np.log(sizes[0] / sizes[1])
                for voter in range(n_voters):
                    row = {
                        "id": f"{p}-{k}",
                        "prompt_id": str(p),
                        "prompt": f"Tell me about {rng.choice(WORDS)} number {p}.",
                        "response_a": texts[0],
                        "response_b": texts[1],
                        "outcome": "a" if rng.random() < expit(delta) else "b",
                        "annotator": f"w{voter}",
                        "reward_a": float(delta),
                        "reward_b": 0.0,
                    }
                    file.write(json.dumps(row) + "\n")
    return path


def findings(result: AuditResult) -> dict[str, Finding]:
    return {f.name: f for f in (*result.findings, *result.doctor)}


@pytest.fixture(scope="module")
def demo() -> AuditResult:
    read = read_samples(
        demo_path("demo_samples"), group="prompt_id", proxies=["proxy_reward"], gold="gold"
    )
    curves = [curve(read.samples, "proxy_reward", rng=np.random.default_rng(0))]
    return audit(open_preferences(demo_path("demo_preferences")), curves=curves)


def test_the_demo_holds_every_planted_finding_and_no_other(demo: AuditResult) -> None:
    to_look_at = {f.name for f in findings(demo).values() if f.status in (Status.FAIL, Status.WARN)}
    assert to_look_at == {
        "identical-sides",
        "whitespace-sides",
        "inline-role-markers",
        "self-contradictions",
        "length-bias",
        "length-alone",
        "votes-pay-for",
        "optimisation-curve",
    }
    assert sorted(findings(demo)["votes-pay-for"].details["features"]) == ["flattery", "log_words"]


def test_the_same_seed_gives_the_same_audit(demo: AuditResult) -> None:
    again = audit(open_preferences(demo_path("demo_preferences")))
    assert again.accuracy == demo.accuracy
    assert again.raters_pay == demo.raters_pay
    assert again.reading == demo.reading


def test_every_row_is_accounted_for(demo: AuditResult) -> None:
    assert demo.data.n_rows == demo.data.n_votes == 1265
    assert demo.accuracy.overall.n + demo.accuracy.n_undecided == 1265


@pytest.mark.parametrize(
    ("name", "refused", "remedied"),
    [
        ("votes-pay-for", {"n_prompts": 60}, {"n_prompts": 900}),
        ("length-alone", {"n_prompts": 60, "pays": 0.0}, None),
    ],
)
def test_each_refusal_clears_when_its_remedy_is_applied(
    name: str,
    refused: dict[str, int],
    remedied: dict[str, int] | None,
    tmp_path: Path,
) -> None:
    write: Callable[..., Path] = write_votes
    before = findings(audit(open_preferences(write(tmp_path / "v.jsonl", seed=1, **refused))))[name]
    assert before.status is Status.CANNOT_SAY
    assert before.action
    if remedied is None:
        # The remedy is a reward that differs from length, or more prompts: recorded scores do.
        path = write(tmp_path / "w.jsonl", seed=1, n_prompts=400)
        reader = open_preferences(path)
        after = findings(audit(reader, reward=RecordedScores("reward_a", "reward_b")))[name]
    else:
        after = findings(audit(open_preferences(write(tmp_path / "w.jsonl", seed=1, **remedied))))[
            name
        ]
    assert after.status is not Status.CANNOT_SAY


def test_no_samples_cannot_say_and_samples_clear_it(demo: AuditResult, tmp_path: Path) -> None:
    without = audit(open_preferences(write_votes(tmp_path / "v.jsonl", 60, seed=2)))
    refused = findings(without)["optimisation-curve"]
    assert refused.status is Status.CANNOT_SAY
    assert "--samples" in refused.action
    assert findings(demo)["optimisation-curve"].status is Status.WARN


def test_too_few_prompts_for_the_features_are_refused_and_fewer_features_clear_it(
    tmp_path: Path,
) -> None:
    text = gzip.decompress(demo_path("demo_preferences").read_bytes()).decode()
    rows = [json.loads(line) for line in text.splitlines()]
    prompts = list(dict.fromkeys(row["prompt_id"] for row in rows))[:20]
    path = tmp_path / "v.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows if r["prompt_id"] in prompts))
    refused = audit(open_preferences(path))
    assert refused.raters_pay is None
    finding = findings(refused)["votes-pay-for"]
    assert finding.status is Status.CANNOT_SAY
    assert "--features" in finding.action
    cleared = audit(open_preferences(path), features=("log_words", "flattery"))
    assert cleared.raters_pay is not None


def test_a_recorded_reward_that_knows_the_quality_beats_the_features(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.jsonl", 400, seed=4, n_voters=2)
    reader = open_preferences(path)
    result = audit(reader, reward=RecordedScores("reward_a", "reward_b"))
    assert result.accuracy.overall.low > audit(reader).accuracy.overall.high
    assert findings(result)["ceiling"].status in (Status.PASS, Status.CANNOT_SAY)
    assert result.overpaid is not None
    assert not result.overpaid.named


def save_length_model(folder: Path, weight: float) -> SavedModel:
    """A saved reward of the log of the length alone, trained on prompts found nowhere else."""
    fit = fit_text_feature_reward(
        open_preferences(write_votes(folder / "train.jsonl", 150, seed=50, pays=2.0)),
        rng=np.random.default_rng(0),
        features=["log_words"],
    )
    path = save(fit, folder / "model")
    record = json.loads(path.read_text())
    record["features"][0]["weight_per_sd"] = weight
    path.write_text(json.dumps(record))
    save_training_prompts(prompt_digests(["another prompt"]), folder / "model")
    return SavedModel(folder / "model")


def test_a_saved_model_of_the_wrong_sign_fails(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.jsonl", 400, seed=51, pays=2.5)
    found = findings(audit(open_preferences(path), reward=save_length_model(tmp_path, -1.0)))
    assert found["held-out-accuracy"].status is Status.FAIL
    assert found["unlikely-labels"].status is Status.CANNOT_SAY
    assert "sign" in found["calibration"].action


def test_a_saved_model_that_pays_too_much_is_told_so(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.jsonl", 600, seed=52, pays=1.5)
    found = findings(audit(open_preferences(path), reward=save_length_model(tmp_path, 2.0)))
    assert found["reward-overpays"].status is Status.WARN
    assert found["reward-overpays"].details["over"] == ["log_words"]


def test_shared_folds_widen_every_interval_of_a_reward_fitted_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = open_preferences(write_votes(tmp_path / "v.jsonl", 120, seed=53, n_voters=2))
    (scored,) = score_votes(reader, [FittedHere()], 0)

    def with_widening(factor: float) -> AuditResult:
        again = (replace(scored, widening=factor),)
        monkeypatch.setattr(running, "score_votes", lambda *_args, **_options: again)
        return audit(reader)

    plain, wide = with_widening(1.0), with_widening(1.5)
    assert plain.ceiling is not None
    assert wide.ceiling is not None
    for before, after in (
        (plain.accuracy.overall, wide.accuracy.overall),
        (plain.length_alone.gain, wide.length_alone.gain),
        (plain.ceiling.accuracy, wide.ceiling.accuracy),
    ):
        assert after.std_error == pytest.approx(1.5 * before.std_error)


def test_votes_that_one_feature_nearly_decides_name_it(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.jsonl", 120, seed=54, pays=60.0)
    finding = findings(audit(open_preferences(path)))["votes-pay-for"]
    assert finding.status in (Status.CANNOT_SAY, Status.WARN)
    if finding.status is Status.CANNOT_SAY:
        assert "Collect votes on about" not in finding.action
    without = audit(open_preferences(path), features=("variety", "capitals", "prompt_overlap"))
    assert without.raters_pay is not None


def test_only_ties_are_refused(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.jsonl", 12, seed=5)
    rows = [json.loads(line) | {"outcome": "tie"} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=r"no tie|all are ties"):
        audit(open_preferences(path))


@pytest.mark.slow
def test_clean_votes_raise_a_finding_on_the_reward_in_few_runs(tmp_path: Path) -> None:
    """Votes that pay for nothing measurable: warn or fail on the reward in about 5% of runs."""
    names = ("held-out-accuracy", "votes-pay-for", "calibration", "unlikely-labels")
    n_runs, alarms = 120, 0
    for seed in range(n_runs):
        path = write_votes(tmp_path / "v.jsonl", 150, seed=100 + seed, n_voters=2)
        found = findings(audit(open_preferences(path)))
        alarms += any(found[name].status in (Status.WARN, Status.FAIL) for name in names)
    # Four checks at 5% or less each, correlated; three Monte Carlo errors above 5% is 11%.
    assert alarms / n_runs <= 0.11
