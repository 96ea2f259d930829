"""The static copy: written, resumed, and used in a browser from a plain file server."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from rewardlab.app.systems import static_copy
from rewardlab.app.systems.static_copy import MARKER, Progress, state_name, write_copy
from rewardlab.errors import EstimationError, InputError
from rewardlab.systems.catalogue import find_system
from rewardlab.systems.declaration import Result, System
from rewardlab.systems.stops import stops_within
from rewardlab.systems.words import figure_text
from tests.app.browser import Watch, visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ("the-loop", "leash", "method-memory")
SYSTEMS = tuple(find_system(name) for name in NAMES)
LEASH = find_system("leash")
N_STATES = 75


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a copy that lies two folders deep on a plain file server."""
    root = tmp_path_factory.mktemp("files")
    write_copy(root / "a" / "b", SYSTEMS, n_states=N_STATES)
    handler = functools.partial(_Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/a/b"
        server.shutdown()
        thread.join()


def figures(page: Page) -> list[str]:
    return page.locator(".figures dd").all_inner_texts()


def wanted(result: Result) -> list[str]:
    return [figure_text(quantity) for quantity in result.quantities]


def stripped(texts: list[str]) -> list[str]:
    return ["".join(text.split()) for text in texts]


@pytest.mark.parametrize("system", SYSTEMS, ids=NAMES)
def test_figures_in_a_browser_are_the_librarys_at_the_default(
    served: str, page: Page, system: System
) -> None:
    visit(page, f"{served}/{system.name}.html")
    result = system.evaluate()
    assert stripped(figures(page)) == stripped(wanted(result))
    assert result.sentence in page.inner_text("main")


def test_a_dragged_slider_shows_the_librarys_figures_at_its_stop(served: str, page: Page) -> None:
    visit(page, f"{served}/leash.html")
    slider = page.locator("input[type=range][name=beta]")
    values = stops_within(LEASH, N_STATES).values["beta"]
    assert slider.get_attribute("max") == str(len(values) - 1)
    slider.focus()
    slider.press("Home")
    result = LEASH.evaluate({"beta": values[0]})
    page.get_by_text(result.sentence).first.wait_for()
    assert stripped(figures(page)) == stripped(wanted(result))


def test_a_typed_value_goes_to_the_nearest_stop(served: str, page: Page) -> None:
    visit(page, f"{served}/leash.html")
    values = stops_within(LEASH, N_STATES).values["beta"]
    field = page.locator("input[name=beta-exact]")
    field.fill("3.99")
    field.press("Enter")
    page.get_by_text(LEASH.evaluate({"beta": 4.0}).sentence).first.wait_for()
    assert values[-1] == 4.0
    assert field.input_value() == "4"


def test_a_choice_shows_the_librarys_figures(served: str, page: Page) -> None:
    visit(page, f"{served}/the-loop.html")
    page.get_by_label("RLAIF").check()
    result = find_system("the-loop").evaluate({"method": "rlaif"})
    page.get_by_text(result.sentence).first.wait_for()
    assert stripped(figures(page)) == stripped(wanted(result))


def test_an_address_names_a_state_and_an_unknown_one_is_the_nearest(
    served: str, page: Page
) -> None:
    visit(page, f"{served}/the-loop.html?method=rlvr&stage=3&beta=nonsense")
    result = find_system("the-loop").evaluate({"method": "rlvr", "stage": 3})
    page.get_by_text(result.sentence).first.wait_for()
    assert "it has no beta nonsense, but 0.25." in page.locator(".copy-note").inner_text()


def test_a_question_is_answered_from_a_file(served: str, page: Page) -> None:
    visit(page, f"{served}/leash.html")
    page.get_by_role("button", name="It collapses").click()
    page.get_by_text(LEASH.questions[0].answer().because).wait_for()


def test_what_is_fixed_is_said_and_cannot_be_moved(served: str, page: Page) -> None:
    visit(page, f"{served}/the-loop.html")
    fixed = stops_within(find_system("the-loop"), N_STATES).fixed
    assert fixed
    for control in find_system("the-loop").controls:
        said = page.locator(".copy-note").inner_text()
        assert (control.label in said) == (control.name in fixed)
    assert page.locator(".control.fixed").count() == len(fixed)
    assert page.get_by_role("button", name="Draw again").count() == 0


def test_the_list_leads_to_each_page_and_on_to_the_next(served: str, page: Page) -> None:
    visit(page, f"{served}/index.html")
    assert page.get_by_text("3 systems").count() == 1
    page.get_by_role("link", name="The whole loop").click()
    page.wait_for_selector("html[data-ready]", state="attached")
    page.get_by_role("link", name="The leash").click()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.url == f"{served}/leash.html"


def test_an_embedded_page_has_the_widget_alone(served: str, page: Page) -> None:
    visit(page, f"{served}/leash.html?embed=1")
    assert page.locator("header.site, footer.site, .sources").count() == 0
    assert page.get_by_role("slider").count() >= 1


def test_opened_as_a_plain_file_it_shows_the_default_and_says_what_helps(
    tmp_path: Path, watch: Watch
) -> None:
    write_copy(tmp_path / "copy", (LEASH,), n_states=1)
    for expected in ("file:///", "ERR_FAILED"):
        watch.allow(expected)
    page = watch.open()
    page.goto((tmp_path / "copy" / "leash.html").as_uri())
    page.get_by_text("Any file server helps").wait_for()
    assert page.locator("#plain .sentence").inner_text() == LEASH.evaluate().sentence
    drawing = page.locator("#plain img")
    drawing.wait_for()
    assert drawing.get_attribute("alt") == LEASH.evaluate().sentence
    assert drawing.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300


def test_a_state_that_was_made_is_kept_and_a_missing_one_made(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    first = write_copy(folder, (LEASH,), n_states=4)
    paths = sorted((folder / "data" / "leash").glob("[0-9]*.json"))
    assert len(paths) == first.n_states and first.n_kept == 0
    before = paths[1].read_bytes()
    paths[1].unlink()
    paths[0].write_bytes(b"{}")
    again = write_copy(folder, (LEASH,), n_states=4)
    assert again.n_kept == first.n_states - 1
    assert paths[1].read_bytes() == before
    assert paths[0].read_bytes() == b"{}"
    write_copy(folder, (LEASH,), n_states=4, force=True)
    assert orjson.loads(paths[0].read_bytes())["sentence"]


def test_an_interrupted_export_goes_on_where_it_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "copy"

    def interrupt(progress: Progress) -> None:
        if progress.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_copy(folder, (LEASH,), n_states=30, tell=interrupt)
    assert not (folder / "leash.html").exists()
    made = list((folder / "data" / "leash").glob("*.json"))
    assert len(made) == 5
    assert write_copy(folder, (LEASH,), n_states=30).n_kept == 5


def test_states_of_another_version_are_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    write_copy(folder, (LEASH,), n_states=4)
    (folder / MARKER).write_text('{"made_by": "rewardlab 0.0.1", "fingerprint": "other"}')
    assert write_copy(folder, (LEASH,), n_states=4).n_kept == 0
    (folder / MARKER).write_text("broken")
    assert write_copy(folder, (LEASH,), n_states=4).n_kept == 0


def test_the_copy_holds_the_systems_and_states_asked_for_and_no_others(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    write_copy(folder, SYSTEMS[1:], n_states=12)
    write_copy(folder, (LEASH,), n_states=4)
    assert sorted(page.name for page in folder.glob("*.html")) == ["index.html", "leash.html"]
    assert [own.name for own in (folder / "data").iterdir()] == ["leash"]
    names = {path.stem for path in (folder / "data" / "leash").glob("[0-9]*.json")}
    assert names == {state_name(state) for state in stops_within(LEASH, 4).states()}


def test_only_what_the_pages_use_is_copied(tmp_path: Path) -> None:
    write_copy(tmp_path / "copy", (LEASH,), n_states=1)
    copied = {path.name for path in (tmp_path / "copy" / "static").rglob("*.js")}
    assert {"static_page.js", "chart.js", "uPlot.iife.min.js"} <= copied
    assert not (tmp_path / "copy" / "static" / "js" / "lab").exists()
    page = (tmp_path / "copy" / "leash.html").read_text()
    assert 'href="/' not in page and 'src="/' not in page


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="expected a new or empty folder, or an earlier copy"):
        write_copy(tmp_path, (LEASH,), n_states=1)
    with pytest.raises(InputError, match="expected a new or empty folder"):
        write_copy(tmp_path, (LEASH,), n_states=1, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_stray_file_is_left_and_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    write_copy(tmp_path / "copy", (LEASH,), n_states=1)
    stray = tmp_path / "copy" / "data" / ".DS_Store"
    stray.write_bytes(b"left by a desktop")
    write_copy(tmp_path / "copy", (LEASH,), n_states=1)
    assert stray.is_file()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / MARKER).write_text("{}")
    (tmp_path / "other" / "data").write_text("a file")
    with pytest.raises(InputError, match="cannot be written to"):
        write_copy(tmp_path / "other", (LEASH,), n_states=1)


def test_settings_without_a_result_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise EstimationError("nothing\nto fit")

    monkeypatch.setattr(static_copy, "system_state", refuse)
    body = static_copy._state(LEASH, LEASH.settings())
    assert orjson.loads(body) == {"error": "nothing to fit"}
