"""``rewardlab reproduce``: what is shown, what can be set, what a check says, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.systems import catalogue
from rewardlab.systems.controls import Choice, Slider, Switch
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from tests.cli.running import Done, Run, ran

ROOT = Path(__file__).resolve().parents[2]


def toy_run(
    size: float = 2.0, rater: str = "careful", noisy: bool = False, *, rng: np.random.Generator
) -> Result:
    n_rows = 3 if size > 3 else 43
    value = size + (float(rng.normal()) if noisy else 0.0) + (rater == "hurried")
    return Result(
        sentence=f"The size is {value:.3f} with [brackets] kept.",
        quantities=(
            Quantity("value", "what came out", value, "nats", value - 1, value + 1),
            Quantity("half", "half of it as a share", value / 10, "share"),
            Quantity("none", "not known", float("nan")),
        ),
        chart=BarChart((Bar("value", value),), "size"),
        table=Table(
            ("n", "share", "ok", "name", "p"),
            (
                *((k, k / 8, k > 1, f"row {k}", None if k else 1e-7) for k in range(n_rows)),
                (n_rows, 0.0, True, "long " * 50, None),
            ),
        ),
    )


TOY = System(
    row="Z9",
    name="toy",
    title="A toy",
    sentence="A system that only tests know.",
    paragraph="What it is about. " * 20,
    controls=(
        Slider("size", "how large", 2.0, 0.5, 4.0),
        Choice("rater", "who rates", "careful", {"careful": "Careful", "hurried": "Hurried"}),
        Switch("noisy", "noise is added", False),
    ),
    run=toy_run,
    questions=(Question("Larger?", ("Yes", "No"), lambda: Answer(0, "It is 3, not 2.")),),
    sources=("Nobody (2020)",),
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a folder of its own, with the leash and the toy as the only systems."""
    leash = catalogue.find_system("leash")
    monkeypatch.setattr(catalogue, "_MODULES", ("leash", "toy"))
    monkeypatch.setattr(catalogue, "_declared", {"leash": leash, "toy": TOY}.__getitem__)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")

    def call(*arguments: str) -> Done:
        return ran(["reproduce", *arguments], monkeypatch, capsys)

    return call


def test_the_list_names_each_system_on_one_line(run: Run) -> None:
    done = run("--list")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == "Z9  toy    A system that only tests know."


def test_a_system_is_found_by_name_and_by_row_and_introduced(run: Run) -> None:
    done = run("toy")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("z9").stdout
    words = " ".join(done.stdout.split())
    for part in (
        "A toy (Z9) size=2 rater=careful noisy=off What it is about.",
        "The size is 2.000 with [brackets] kept.",
        "size=2 how large: 0.5 to 4",
        "rater=careful who rates: careful, hurried",
        "noisy=off noise is added: on or off",
        "Larger? a) Yes b) No (answer: rewardlab reproduce toy --answer)",
    ):
        assert part in words


def test_figures_stand_with_their_decimal_points_in_one_column(run: Run) -> None:
    lines = run("toy").stdout.splitlines()
    value, share, none = (next(x for x in lines if x.startswith(s)) for s in ("what", "half", "no"))
    assert value.endswith("2 (1 to 3) nats")
    assert share.endswith("20.0%") and none.endswith("–")
    assert value.index("2 ") + 1 == share.index(".")


def test_tables_share_decimals_say_words_and_count_what_is_left_out(run: Run) -> None:
    out = run("toy").stdout
    assert " 0.125  no   row 1" in out
    assert " 0.250  yes  row 2" in out
    assert "1e-7" in out
    assert "and 4 more rows; --json holds all" in out


def test_long_texts_are_cut_and_said_to_be(run: Run) -> None:
    done = run("toy", "--set", "size=4")
    assert done.stdout.count("long ") < 45
    assert "long texts are cut; --json holds all" in done.stdout
    assert run("toy", "--set", "size=4", "--json").stdout.count("long ") == 50


def test_no_line_is_wider_than_the_terminal_or_ends_in_blanks(run: Run) -> None:
    for line in (*run("toy").stdout.splitlines(), *run("leash", "--answer").stdout.splitlines()):
        assert len(line) <= 90
        assert line == line.rstrip()


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ("size=3.5", "size=3.5  rater=careful  noisy=off"),
        ("rater=hurried", "size=2  rater=hurried  noisy=off"),
        ("noisy=yes", "size=2  rater=careful  noisy=on"),
    ],
)
def test_each_kind_of_control_can_be_set(run: Run, setting: str, shown: str) -> None:
    done = run("toy", "--set", setting)
    assert done.returncode == 0
    assert shown in done.stdout
    assert "What it is about" not in done.stdout and "Larger?" not in done.stdout


def test_the_seed_decides_what_is_drawn(run: Run) -> None:
    first, again, other = (run("toy", "--set", "noisy=on", "--seed", s).stdout for s in "112")
    assert first == again != other
    assert run("toy", "--seed", "-1").returncode == 2


def test_json_is_all_of_standard_output_and_holds_settings_and_answers(run: Run) -> None:
    done = run("toy", "--set", "size=3", "--json", "--answer", "--plot", "toy.svg")
    data = json.loads(done.stdout)
    assert data["settings"] == {"size": 3.0, "rater": "careful", "noisy": False}
    assert data["quantities"][0]["value"] == 3.0
    assert data["quantities"][2]["value"] is None
    assert len(data["table"]["rows"]) == 44
    (question,) = data["questions"]
    assert question["choices"] == ["Yes", "No"]
    assert question["answer"] == {"choice": 0, "because": "It is 3, not 2."}
    assert "answer" not in json.loads(run("toy", "--json").stdout)["questions"][0]
    assert [control["kind"] for control in data["controls"]] == ["slider", "choice", "switch"]
    assert data["quantities"][0]["text"] == "3 (2 to 4) nats"


def test_the_plot_is_a_described_svg_file(run: Run) -> None:
    done = run("toy", "--plot", "toy.svg")
    assert done.stdout.endswith("Written: toy.svg\n")
    root = ElementTree.parse("toy.svg").getroot()
    assert root.findtext("{*}title") == "A toy"
    assert root.findtext("{*}desc") == "The size is 2.000 with [brackets] kept."


def test_the_answer_is_shown_only_when_asked_for(run: Run) -> None:
    assert "It is 3" not in run("toy").stdout
    assert "Answer: a) Yes. It is 3, not 2." in run("toy", "--answer").stdout


def test_the_question_comes_before_what_happened(run: Run) -> None:
    out = run("toy").stdout
    assert out.index("Larger?") < out.index("The size is")


def test_systems_are_found_by_any_word_that_they_speak_of(run: Run) -> None:
    assert run("toy", "--list").stdout.startswith("Z9")
    assert run("NAT OF KL", "--list").stdout.startswith("D3")
    assert run("zebra", "--list").returncode == run("onsense", "--list").returncode == 2
    assert "did you mean leash" in run("nonsense").stderr


def test_an_output_that_lacks_a_character_gets_a_near_one(run: Run) -> None:
    run("toy")
    assert "−2 to ∞…".encode("ascii", "plain-letters") == b"-2 to inf..."


def test_the_list_as_json_describes_every_system(run: Run) -> None:
    names = [system["name"] for system in json.loads(run("--list", "--json").stdout)]
    assert "toy" in names


EXPECTED = """
[[figure]]
name = "value"
value = 2.0
tolerance = 0.1

[[figure]]
name = "value"
settings = { size = 3.0, noisy = true }
seed = 3
low = {low}
"""


@pytest.fixture
def expected(tmp_path: Path) -> Callable[[float], Path]:
    """Writes a folder of expected figures, whose second must be at least so much."""

    def write(low: float) -> Path:
        folder = tmp_path / "expected"
        folder.mkdir()
        (folder / "toy.toml").write_text(EXPECTED.replace("{low}", str(low)))
        leash = (ROOT / "tests/systems/expected/leash.toml").read_text()
        (folder / "leash.toml").write_text(leash)
        return folder

    return write


def test_a_passing_check_names_the_system_on_each_line(
    run: Run, expected: Callable[[float], Path]
) -> None:
    done = run("all", "--check", "--expected", str(expected(-9.0)))
    assert done.returncode == 0
    header, *lines, last = done.stdout.splitlines()
    assert header.split() == ["system", "figure", "value", "expected"]
    assert [line.split()[:2] for line in lines] == [["ok", "leash"]] * 8 + [["ok", "toy"]] * 2
    assert "value at size=3 noisy=on seed 3" in lines[-1]
    assert last == "10 of 10 figures are as expected."


def test_a_failing_check_ends_in_one_and_names_again_what_failed(
    run: Run, expected: Callable[[float], Path]
) -> None:
    done = run("toy", "--check", "--expected", str(expected(100.0)))
    assert done.returncode == 1
    *_, failed, repeated, last = done.stdout.splitlines()
    assert failed.startswith("FAIL  toy") and failed.endswith("at least 100")
    assert repeated.startswith("not as expected: toy value at size=3")
    assert last == "1 of 2 figures are as expected."


def test_a_check_as_json_holds_every_figure_beside_its_range(
    run: Run, expected: Callable[[float], Path]
) -> None:
    done = run("toy", "--check", "--json", "--expected", str(expected(100.0)))
    assert done.returncode == 1
    first, second = json.loads(done.stdout)
    assert (first["system"], first["passed"], second["passed"]) == ("toy", True, False)
    assert second["expected"]["low"] == 100.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("toy", "--set", "size=5"), "size: expected a number from 0.5 to 4, got 5"),
        (("toy", "--set", "size=big"), "size: expected a number, got 'big'"),
        (("toy", "--set", "rater=lazy"), "rater: expected one of careful, hurried, got 'lazy'"),
        (("toy", "--set", "noisy=maybe"), "noisy: expected on or off, got 'maybe'"),
        (("toy", "--set", "hue=red"), "toy has the controls size, rater, noisy, not 'hue'"),
        (("toy", "--set", "size"), "--set: expected CONTROL=VALUE, got 'size'"),
        (("toy", "--set", "size=1", "--set", "size=2"), "size is set twice"),
        (("leash", "--seed", "1"), "leash draws nothing at random"),
        (("toy", "--plot", "toy.png"), "expected a name that ends in .svg, got toy.png"),
        (("leesh",), "did you mean leash"),
        ((), "expected the name of a system, or --list"),
        (("all",), "expected --check with it"),
        (("toy", "--check"), "tests/systems/expected is no folder here"),
        (("toy", "--check", "--set", "size=1"), "its figures name their own settings"),
        (("toy", "--plot", "nowhere/toy.svg"), "nowhere/toy.svg: cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_the_help_shows_examples(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "Example: rewardlab reproduce leash --set beta=0.1" in " ".join(done.stdout.split())
