"""The lab's states, cards and runs as the page gets them."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np

from rewardlab.app.lab.kept import fit_of, run_of
from rewardlab.experiments.lab_history import History
from rewardlab.experiments.lab_learning import Learned
from rewardlab.experiments.lab_policies import RunSettings
from rewardlab.policies.recording import ENTROPY, Optimised
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.lab_changes import accuracy_text, change_sentence, weight_text
from rewardlab.systems.lab_controls import THUMBS, rater_choice
from rewardlab.systems.lab_features import FEATURES, levels_of, rubric_rows
from rewardlab.systems.lab_guide import EXPERIMENTS, N_LABELS, PROMPT, Guided
from rewardlab.systems.lab_methods import METHODS, method_of
from rewardlab.systems.lab_story import Ends, run_sentence
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.lab import FEATURE_NAMES, lab_world
from rewardlab.worlds.lab_prompts import PROMPTS
from rewardlab.worlds.lab_texts import n_words

MOST_CARDS = 60
_SAID_OF_GUIDED = ("number", "title", "does", "look_at", "stage", "reseeds")


@cache
def start_data() -> dict[str, Any]:
    """What the page starts with: everything that does not depend on the visitor."""
    rater = rater_choice("hurried")
    n = Slider("n", "how many pairs", N_LABELS, 1, 2_000, log=True, whole=True)
    thumbs = replace(THUMBS, label="thumbs-up for pleasing")
    return {
        "prompts": [{"key": key, "question": p.question} for key, p in PROMPTS.items()],
        "features": [{"name": f.name, "label": f.label, "about": f.about} for f in FEATURES],
        "raters": _control(rater),
        "labelling": [_control(control) for control in (rater, thumbs, n)],
        "methods": [_method(method.key) for method in METHODS],
        "experiments": [_experiment(guided) for guided in EXPERIMENTS],
        "defaults": {**_start(EXPERIMENTS[0]), **_run(EXPERIMENTS[0].run)},
    }


def _control(control: Choice | Slider) -> dict[str, Any]:
    return {"kind": type(control).__name__.lower(), **asdict(control)}


def _method(key: str) -> dict[str, Any]:
    method = method_of(key)
    return {
        "key": method.key,
        "label": method.label,
        "about": method.about,
        "controls": [_control(control) for control in method.controls],
    }


def _experiment(guided: Guided) -> dict[str, Any]:
    return {
        **{name: getattr(guided, name) for name in _SAID_OF_GUIDED},
        "settings": {**_start(guided), **_run(guided.run)},
        "beside": {
            "name": guided.beside.name,
            "run": _run(guided.beside.run),
            "rater": guided.beside.rater,
        }
        if guided.beside
        else None,
        "by_hand": guided.labels_by_hand,
    }


def _start(guided: Guided) -> dict[str, Any]:
    return {
        "prompt": PROMPT,
        "writer": "reference",
        "rater": guided.rater,
        "thumbs_weight": 0.0,
        "n": guided.n,
    }


def _run(run: RunSettings) -> dict[str, Any]:
    return {name: value for name, value in asdict(run).items() if name != "stop"}


def card(world: AnswerSet, answer: int) -> dict[str, Any]:
    """An answer to read, with its features in words."""
    levels = levels_of(answer)
    text = world.texts[answer]
    return {
        "answer": answer,
        "text": text,
        "words": n_words(text),
        "features": [
            {
                "name": f.name,
                "label": f.label,
                "value": levels[f.name],
                "level": float(world.features[answer, i]),
            }
            for i, f in enumerate(FEATURES)
        ],
    }


def state(history: History) -> dict[str, Any]:
    """What was said so far, and what is learned from it."""
    votes = history.votes()
    counts = votes.counts()
    before, now = fit_of(history.votes_before()), fit_of(votes)
    return {
        "revision": history.n_events,
        "n_labels": len(votes) - counts["skip"],
        "outcomes": counts,
        "n_fitted": now.n_fitted if now else 0,
        "n_held_out": now.held.n + now.held.n_ties if now else 0,
        "weights": _weights(before, now),
        "accuracy": _accuracy(now),
        "sentence": change_sentence(history, before, now),
    }


def _weights(before: Learned | None, now: Learned | None) -> list[dict[str, Any]]:
    rows = []
    for i, feature in enumerate(FEATURES):
        row: dict[str, Any] = {"name": feature.name, "label": feature.label}
        if now is None:
            row |= {"value": None, "low": None, "high": None, "text": "nothing learned yet"}
        else:
            value, low, high = (float(v[i]) for v in (now.weights, now.low, now.high))
            row |= {"value": value, "low": low, "high": high}
            row["text"] = weight_text(value, low, high)
        row["before"] = float(before.weights[i]) if before else None
        rows.append(row)
    return rows


def _accuracy(now: Learned | None) -> dict[str, Any]:
    figure = now.held.accuracy if now else None
    return {
        "value": figure.value if figure else None,
        "low": figure.low if figure else None,
        "high": figure.high if figure else None,
        "n": now.held.n if now else 0,
        "text": accuracy_text(now),
    }


def run_view(reward: FloatArray, settings: RunSettings, prompt: str) -> dict[str, Any]:
    """A run as the page draws it, with the answers that are likeliest on the way."""
    world, run = lab_world(prompt), run_of(reward, settings)
    path, ends = run.path, Ends.of(run.path)
    return {
        "path": {
            "strength": path.strength,
            "kl": path.kl_nats,
            "proxy": path.proxy_reward,
            "gold": path.gold_reward,
            "features": {name: path.tracked[name] for name in FEATURE_NAMES},
            "entropy": path.tracked[ENTROPY],
            "likeliest": run.likeliest,
            "likeliest_share": run.likeliest_share,
        },
        "strength_label": method_of(settings.method).strength_label,
        "peak": {
            "index": ends.peak,
            "gold": ends.peak_gold,
            "sqrt_kl": ends.sqrt_kl,
            "strength": float(path.strength[ends.peak]),
        },
        "sentence": run_sentence(path, settings),
        "answers": {str(answer): _scored(world, reward, answer) for answer in _shown_answers(run)},
        "best": _scored(world, reward, int(np.argmax(world.gold))),
        "start": _point(run, 0),
        "end": _point(run, -1),
    }


def _shown_answers(run: Optimised) -> list[int]:
    """Answers that are likeliest somewhere, at most 60: those that lead longest, and the last."""
    answers, counts = np.unique(run.likeliest, return_counts=True)
    ranked = answers[np.argsort(-counts, kind="stable")].tolist()
    last = int(run.likeliest[-1])
    return [last, *(answer for answer in ranked if answer != last)][:MOST_CARDS]


def _scored(world: AnswerSet, reward: FloatArray, answer: int) -> dict[str, Any]:
    scores = {"learned": float(reward[answer]), "gold": float(world.gold[answer])}
    return {**card(world, answer), **scores}


def _point(run: Optimised, at: int) -> dict[str, float]:
    path = run.path
    kl = float(path.kl_nats[at])
    return {
        "learned": float(path.proxy_reward[at]),
        "gold": float(path.gold_reward[at]),
        "kl": kl,
        "sqrt_kl": math.sqrt(kl),
    }


def rubric_view(learned: Learned | None) -> dict[str, Any]:
    """The hidden rubric beside what was learned."""
    points = rubric_rows()
    rows = [
        {
            "name": feature.name,
            "label": feature.label,
            "learned": float(learned.weights[i]) if learned else None,
            "rubric": points[feature.name][-1].points - points[feature.name][0].points,
            "levels": points[feature.name],
        }
        for i, feature in enumerate(FEATURES)
    ]
    return {
        "sentence": (
            "The rubric gives most points for a right answer. Length earns points up to about 150 "
            "words and then costs them, which six weights cannot hold: a weight can only say "
            "longer or shorter."
        ),
        "rows": rows,
    }
