"""The contracts hold their shapes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.types import Finding, Preferences, ScoredSamples, Status, as_text, concat


def preferences(n: int, **changes: Any) -> Preferences:
    columns: dict[str, Any] = {
        "prompt": [f"p{i}" for i in range(n)],
        "response_a": ["a"] * n,
        "response_b": ["b"] * n,
        "outcome": np.zeros(n, dtype=np.int8),
        "label": np.ones(n),
        "margin": np.full(n, np.nan),
        "annotator": [None] * n,
        "id": [str(i) for i in range(n)],
        "prompt_id": [f"p{i}" for i in range(n)],
        "split": [None] * n,
        "item_a": [None] * n,
        "item_b": [None] * n,
        "line": np.arange(1, n + 1),
        "source": ["f"] * n,
        "sides_recorded": True,
    }
    return Preferences(**(columns | changes))


def test_columns_of_unequal_length_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="annotator: expected length 2, got 1"):
        preferences(2, annotator=["x"])
    with pytest.raises(InputError, match=r"extra\['k'\]: expected length 2, got 3"):
        preferences(2, extra={"k": [1, 2, 3]})


def test_a_label_outside_the_unit_interval_is_refused() -> None:
    with pytest.raises(InputError, match="probabilities"):
        preferences(1, label=np.array([1.5]))
    with pytest.raises(InputError, match="probabilities"):
        preferences(1, label=np.array([np.nan]))


def test_take_by_mask_and_by_position_agree() -> None:
    rows = preferences(4, extra={"k": [0, 1, 2, 3]})
    mask = np.array([False, True, False, True])
    assert rows.take(mask).extra == rows.take([1, 3]).extra == {"k": [1, 3]}
    assert rows.take(mask).location(1) == "f:4"


def test_concat_keeps_rows_and_fills_missing_columns_with_none() -> None:
    joined = concat([preferences(1, extra={"k": [7]}), preferences(2)])
    assert len(joined) == 3
    assert joined.extra == {"k": [7, None, None]}
    with pytest.raises(InputError, match="recorded sides"):
        concat([preferences(1), preferences(1, sides_recorded=False)])


def test_messages_become_text_and_none_becomes_empty() -> None:
    turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}]
    assert as_text(turns) == "hi\n\nyo"
    assert as_text(None) == ""


def test_samples_need_a_proxy() -> None:
    one = np.ones(1)
    with pytest.raises(InputError, match="at least one proxy"):
        ScoredSamples(["p"], ["0"], {}, one, one, np.ones(1, dtype=np.int64), "f")


def test_the_share_of_a_finding_needs_rows() -> None:
    finding = Finding("n", Status.WARN, "t", "m", "a", count=1, total=4)
    assert finding.share == 0.25
    assert Finding("n", Status.PASS, "t", "m", "a").share is None


def test_importing_rewardlab_is_quiet_and_light() -> None:
    code = (
        "import sys, rewardlab; "
        "heavy = {'torch', 'numpy', 'scipy', 'pyarrow', 'typer'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
