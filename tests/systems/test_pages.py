"""The pages in docs/systems are what the declarations say now; ``make pages`` writes them anew."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rewardlab.cli.pages import page_and_plot, write_pages
from rewardlab.systems import catalogue
from rewardlab.systems.catalogue import all_systems
from rewardlab.systems.declaration import System
from rewardlab.systems.pages import index_text

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "systems"
SYSTEMS = all_systems()
NUMBER = re.compile(r"[-−]?\d[\d,]*\.?\d*(?:e-?\d+)?")


def same_up_to_rounding(text: str, other: str) -> bool:
    """The same words, and numbers that another processor's last digits may have rounded apart."""
    words, other_words = (" ".join(NUMBER.sub("#", t).split()) for t in (text, other))
    values, other_values = (
        [float(n.replace("−", "-").replace(",", "")) for n in NUMBER.findall(t)]
        for t in (text, other)
    )
    return words == other_words and all(
        math.isclose(a, b, rel_tol=2e-3, abs_tol=1e-9)
        for a, b in zip(values, other_values, strict=True)
    )


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_page_is_up_to_date_and_its_plot_is_there(system: System) -> None:
    page = FOLDER / f"{system.name}.md"
    assert page.is_file(), "run make pages"
    wanted, _ = page_and_plot(system)
    assert same_up_to_rounding(page.read_text(encoding="utf-8"), wanted), "run make pages"
    root = ElementTree.parse(FOLDER / f"{system.name}.svg").getroot()
    assert root.findtext("{*}title") == system.title


def test_the_index_names_every_system_in_teaching_order_and_no_page_is_left_over() -> None:
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == index_text(SYSTEMS)
    names = {system.name for system in SYSTEMS}
    assert {path.stem for path in FOLDER.iterdir()} == names | {"README"}


def test_pages_hold_the_question_before_the_answer_and_name_strays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalogue, "_MODULES", ("leash",))
    (tmp_path / "gone.md").write_text("")
    write_pages(tmp_path)
    assert "belongs to no system" in capsys.readouterr().out
    page = (tmp_path / "leash.md").read_text(encoding="utf-8")
    order = ["# The leash", "leash.svg", "$ rewardlab reproduce leash", "| `beta` |",
             "c) It collapses", "<details>", "run(beta=0.5", "arXiv:2210.10760"]  # fmt: skip
    places = [page.index(part) for part in order]
    assert places == sorted(places)
    assert "](leash.md)" in (tmp_path / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("p is 0.1234", "p  is 0.1235", True),
        ("p is 0.1234", "p is 0.1334", False),
        ("p is 0.1", "q is 0.1", False),
        ("x −1,234.5", "x 1,234.5", False),
        ("x 3e-17", "x 0", True),
    ],
)
def test_only_rounding_is_forgiven(text: str, other: str, same: bool) -> None:
    assert same_up_to_rounding(text, other) == same
