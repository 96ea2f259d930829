"""Small preference files and random preferences, for the tests of reading and writing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from rewardlab.types import LABEL_OF_OUTCOME, Preferences


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows as JSON Lines; gzipped if the name says so."""
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return path


def same(a: Any, b: Any) -> bool:
    """Equality by which NaN equals NaN, and 1, 1.0 and True differ."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a == b or (a != a and b != b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def differences(a: Preferences, b: Preferences) -> list[str]:
    """Fields in which two sets of preferences differ, ``line`` and ``source`` apart."""
    lists = [
        "prompt",
        "response_a",
        "response_b",
        "annotator",
        "id",
        "prompt_id",
        "split",
        "item_a",
        "item_b",
        "extra",
    ]
    found = [name for name in lists if not same(getattr(a, name), getattr(b, name))]
    for name in ("outcome", "label", "margin"):
        if not np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name == "margin"):
            found.append(name)
    return found + (["sides_recorded"] if a.sides_recorded != b.sides_recorded else [])


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.none() | texts
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": texts},
        optional={"name": texts, "weight": st.integers(0, 1)},
    ),
    min_size=1,
    max_size=3,
)
prompts_or_responses = texts | messages
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=True)
    | texts
    | st.binary(max_size=4)
    | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
extra_names = texts | st.sampled_from(
    [
        "label",
        "id",
        "winner",
        "prompt",
        "chosen",
        "margin",
        "output_1",
        "rewardlab.extra.id",
        "$rewardlab",
        "split",
    ]
)


@st.composite
def preferences(
    draw: st.DrawFn, *, with_ties: bool = True, with_texts: bool = False
) -> Preferences:
    """Random preferences: texts and messages mixed, soft labels, gaps, odd extra columns."""
    n = draw(st.integers(1, 5))

    def column(strategy: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(strategy, min_size=n, max_size=n))

    outcome = np.array(column(st.integers(0, 3 if with_ties else 1)), dtype=np.int8)
    soft = column(st.none() | st.floats(0, 1))
    given = np.array([np.nan if x is None else x for x in soft], dtype=float)
    label = np.where(np.isnan(given), LABEL_OF_OUTCOME[outcome], given)
    margins = st.none() | st.floats(-1e300, 1e300)
    margin = np.array([np.nan if m is None else m for m in column(margins)], dtype=float)
    response = prompts_or_responses if with_texts else st.none() | prompts_or_responses
    response_a, response_b = column(response), column(response)
    item = names if with_texts else texts
    extra = draw(st.lists(extra_names, unique=True, max_size=3))
    return Preferences(
        prompt=column(prompts_or_responses),
        response_a=response_a,
        response_b=response_b,
        outcome=outcome,
        label=label,
        margin=margin,
        annotator=column(names) if draw(st.booleans()) else [None] * n,
        id=column(texts),
        prompt_id=column(texts),
        split=column(names) if draw(st.booleans()) else [None] * n,
        item_a=column(item),
        item_b=column(item),
        line=np.arange(1, n + 1),
        source=["made"] * n,
        sides_recorded=draw(st.booleans()),
        extra={name: column(json_values) for name in extra},
    )
