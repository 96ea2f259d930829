"""What a program may not do from inside a limited process, and what comes back when it tries."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from rewardlab.errors import InputError, RewardLabError
from rewardlab.sandbox.limited_process import CallResult, Ending, Limits, call_function

QUICK = Limits(wall_s=5.0, cpu_s=1)


def call(body: str, *calls: list[Any], limits: Limits = QUICK) -> tuple[CallResult, ...]:
    return call_function(f"def f(x):\n    {body}\n", "f", calls or [[0]], limits=limits)


def test_values_come_back_in_order_and_a_raising_call_spoils_no_other() -> None:
    good, bad, last = call("return [1 / x, str(x)]", [2], [0], [4])
    assert good == CallResult(Ending.RETURNED, [0.5, "2"])
    assert (bad.ending, bad.error) == (Ending.RAISED, "ZeroDivisionError: division by zero")
    assert last.value == [0.25, "4"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return {1}", "TypeError"),
        ("return float('nan')", "ValueError"),
        ("return 'x' * 10**6", "longer"),
        ("return f(x)", "RecursionError"),
        ("return bytearray(2**30)", "MemoryError"),
        ("import os; os.fork()", "BlockingIOError"),
        ("import threading; threading.Thread(target=print).start()", "RuntimeError"),
        ("open('f', 'wb').write(b'x' * 2**21)", "OSError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("return np", "NameError"),
        ("import numpy", "ModuleNotFoundError"),
    ],
)
def test_what_a_program_may_not_do_is_an_error_that_is_named(body: str, said: str) -> None:
    (result,) = call(body)
    assert result.ending is Ending.RAISED
    assert said in result.error


def test_a_source_without_the_function_fails_every_call_with_its_reason() -> None:
    broken = call_function("def f(:", "f", [[1], [2]])
    assert [r.ending for r in broken] == [Ending.RAISED] * 2
    assert broken[0].error.startswith("SyntaxError")
    assert "KeyError" in call_function("x = 1", "f", [[1]])[0].error


def test_an_endless_loop_keeps_the_results_before_it() -> None:
    results = call("\n    while x:\n        pass\n    return x", [0], [1], [0])
    assert [r.ending for r in results] == [Ending.RETURNED, Ending.TIMEOUT, Ending.TIMEOUT]


def test_sleeping_is_ended_by_the_clock() -> None:
    (result,) = call("import time; time.sleep(60)", limits=Limits(wall_s=0.3))
    assert (result.ending, result.error) == (Ending.TIMEOUT, "no result within 0.3 s")


def test_leaving_without_a_result_is_said_and_is_no_value() -> None:
    (result,) = call("import os; os._exit(0)")
    assert (result.ending, result.value) == (Ending.KILLED, None)


def test_the_program_sees_no_environment_and_an_empty_folder_of_its_own() -> None:
    (result,) = call("import os; return [dict(os.environ), os.listdir('.'), os.getcwd()]")
    environment, files, folder = result.value
    # Python sets LC_CTYPE itself where no locale is given.
    assert set(environment) <= {"LC_CTYPE"}
    assert not files
    assert Path(folder) != Path.cwd()
    assert not Path(folder).exists()


def test_a_program_started_by_root_is_nobody() -> None:
    (result,) = call("import os; return os.getuid()")
    assert result.value == (os.getuid() or 65534)


def test_a_program_that_empties_the_files_it_holds_only_loses_its_own_results() -> None:
    body = "import os\n    for h in range(1, 32):\n        try: os.ftruncate(h, 0)"
    (result,) = call(f"{body}\n        except OSError: pass\n    os._exit(0)")
    assert (result.ending, result.value) == (Ending.KILLED, None)


def test_folders_of_any_depth_and_without_rights_are_removed_afterwards() -> None:
    body = "import os; folder = os.getcwd(); os.mkdir('k'); os.mkdir('k/k'); os.chmod('k', 0)"
    deeper = "for _ in range(3000): os.mkdir('d'); os.chdir('d')"
    (result,) = call(f"{body}; os.symlink('/', 'l')\n    {deeper}\n    return folder")
    assert result.ending is Ending.RETURNED
    assert not Path(result.value).exists()


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("")
    body = (
        f"import os; folder = os.getcwd(); os.rmdir(folder); os.symlink({str(tmp_path)!r}, folder)"
    )
    (result,) = call(f"{body}; return folder")
    assert kept.exists()
    assert not Path(result.value).is_symlink()


def test_an_error_without_words_spoils_no_other_call() -> None:
    body = "    def __str__(self): raise SystemExit\ndef f(x):\n    if x: raise E\n    return x\n"
    results = call_function(f"class E(Exception):\n{body}", "f", [[1], [0]], limits=QUICK)
    assert results == (CallResult(Ending.RAISED, error="E"), CallResult(Ending.RETURNED, 0))


def test_an_error_cannot_steer_the_terminal_it_is_shown_on() -> None:
    (result,) = call("raise ValueError('\\x1b[2J\\ud800 over')")
    assert result.error == "ValueError: \ufffd[2J\ufffd over"


def test_printing_is_no_result() -> None:
    (result,) = call("import os; print(7); os.write(1, b'7'); return 8")
    assert result.value == 8


@pytest.mark.parametrize(
    "line", [b"[1]", b'{"value": NaN}', b'{"value": 1e999}', b'{"value": 1, "x": 2}', b"[" * 9999]
)
def test_forged_results_are_refused(line: bytes) -> None:
    body = f"import os\n    for h in range(3, 9):\n        try: os.write(h, {line!r} + b'\\n')"
    (result,) = call(f"{body}\n        except OSError: pass\n    os._exit(0)")
    assert result.ending in (Ending.RAISED, Ending.KILLED)
    assert result.value is None


def test_more_results_than_calls_are_refused() -> None:
    body = "import os\n    for h in range(3, 9):\n        try: os.write(h, b'{\"value\": 1}\\n')"
    (result,) = call(f"{body}\n        except OSError: pass\n    return 1")
    assert result.error == "wrote 2 results for 1 calls"


def test_arguments_that_json_cannot_hold_are_refused() -> None:
    with pytest.raises(InputError, match="JSON"):
        call("return x", [float("nan")])


def test_limits_that_cannot_be_put_in_force_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="cpu_s: expected a positive number, got 0"):
        Limits(cpu_s=0)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(RewardLabError, match=r"set up: .*/nowhere/python"):
        call("return x")


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(RewardLabError, match="needs Linux"):
        call("return x")
