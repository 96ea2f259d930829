"""Uploads: taken whole or not at all, within bounds, read in a process of their own."""

from __future__ import annotations

import gzip
import io
import json
import resource
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from rewardlab.app.config import MEGABYTE, Limits
from rewardlab.app.uploads.process import UploadWork
from rewardlab.app.uploads.routes import AT_ONCE
from rewardlab.app.uploads.store import UploadFolder, file_name, label
from rewardlab.data import demo_path
from rewardlab.errors import InputError
from rewardlab.preferences.formats import open_preferences
from rewardlab.rewards.feature_fit import fit_text_feature_reward
from tests.app.uploads.sending import DEMO, client, left_behind, upload, votes

SMALL = {
    "upload_bytes": 50_000,
    "unpacked_bytes": 100_000,
    "upload_rows": 100,
    "uploads_bytes": 60_000,
}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path) as started:
        yield started


@pytest.fixture
def small(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path, **SMALL) as started:
        yield started


def refusal(lab: TestClient, body: bytes, name: str, status: int = 422) -> str:
    response = lab.post("/api/uploads", params={"name": name}, content=body)
    assert response.status_code == status, response.text
    return str(response.json()["error"])


def test_an_upload_says_how_it_was_read(lab: TestClient, tmp_path: Path) -> None:
    said = upload(lab, DEMO, "demo.jsonl.gz")
    reader = open_preferences(demo_path("demo_preferences"))
    assert said["sentence"] == f"Read as {reader.layout.sentence}."
    assert said["n_votes"] == len(reader.read()) == 1265
    assert said["n_bytes"] == len(DEMO)
    kept = tmp_path / "uploads" / said["upload"] / said["file"]
    assert kept.read_bytes() == DEMO
    assert lab.get("/api/uploads").json()["uploads"] == [said]


def test_rows_that_cannot_be_read_are_counted(lab: TestClient) -> None:
    said = upload(lab, votes(10) + b'{"prompt": 3}\nnot json\n')
    assert said["n_rows"] == 12
    assert said["n_votes"] == 10
    assert "1 row left out: not valid JSON." in said["left_out"]


def test_the_sample_file_can_be_taken(lab: TestClient) -> None:
    response = lab.post("/api/uploads/sample")
    assert response.status_code == 201
    assert response.json()["name"] == "demo_preferences.jsonl.gz"


@pytest.mark.parametrize(
    ("body", "name", "said"),
    [
        (b"", "a.jsonl", "the file is empty"),
        (b"   \n", "a.jsonl", "a.jsonl: the file holds no rows"),
        (b"PK\x03\x04 and so on", "a.jsonl", "a.jsonl: the file is a zip archive"),
        (b'{"x": 1}\n', "b.jsonl", "b.jsonl"),
        (gzip.compress(votes())[:-20], "c.jsonl.gz", "c.jsonl.gz"),
        (b"PAR1 is not all there is to it", "d.parquet", "d.parquet: is truncated or damaged"),
    ],
)
def test_what_cannot_be_read_is_refused_in_the_librarys_words(
    lab: TestClient, tmp_path: Path, body: bytes, name: str, said: str
) -> None:
    error = refusal(lab, body, name)
    assert error.startswith(said) or said in error
    assert str(tmp_path) not in error
    assert left_behind(tmp_path) == []


def test_votes_without_texts_are_refused_with_what_to_do(lab: TestClient, tmp_path: Path) -> None:
    battles = b"prompt_id,model_a,model_b,winner\n" + b"1,x,y,model_a\n" * 5
    error = refusal(lab, battles, "battles.csv")
    assert "rewards and audits need their texts" in error
    assert "--join" in error
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("name", ["upload.json", "-record.json"])
def test_no_name_lets_the_record_replace_the_file(
    lab: TestClient, tmp_path: Path, name: str
) -> None:
    said = upload(lab, votes(30), name)
    assert (tmp_path / "uploads" / said["upload"] / said["file"]).read_bytes() == votes(30)
    assert lab.get("/api/uploads").json()["uploads"] == [said]


def test_a_refusal_calls_the_file_what_its_sender_does(lab: TestClient) -> None:
    error = refusal(lab, b"name,age\nA,3\n", "my notes.txt")
    assert error.startswith("my notes.txt: the layout is not recognised")
    assert ".data" not in error
    assert "here, rename the columns" in error


def test_too_many_bytes_are_refused_declared_or_not(small: TestClient, tmp_path: Path) -> None:
    body = b"x" * 50_001
    declared = refusal(small, body, "a.jsonl", 413)
    streamed = small.post(
        "/api/uploads", content=(body[k : k + 9999] for k in range(0, 50001, 9999))
    )
    assert streamed.status_code == 413
    for said in (declared, streamed.json()["error"]):
        assert "50,000 bytes" in said
        assert "'rewardlab audit FILE' on the command line has no such limit" in said
    assert left_behind(tmp_path) == []


def test_too_many_rows_are_refused_with_what_to_do(small: TestClient, tmp_path: Path) -> None:
    upload(small, votes(100))
    assert "more than 100 votes" in refusal(small, votes(101), "a.jsonl")
    blank = votes(3) + b"{}\n" * 98
    assert "more than 100 rows" in refusal(small, blank, "a.jsonl")
    assert len(left_behind(tmp_path)) == 1


def test_parquet_is_judged_by_its_metadata_also_inside_gzip(
    small: TestClient, tmp_path: Path
) -> None:
    rows = [{"prompt": "q", "chosen": "yes", "rejected": "no"}] * 1000
    many = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), many)
    assert "more than 100 rows" in refusal(small, many.getvalue(), "a.parquet")
    assert "more than 100 rows" in refusal(small, gzip.compress(many.getvalue()), "a.parquet.gz")
    wide = io.BytesIO()
    texts = [{**row, "chosen": "x" * 40_000 + str(k)} for k, row in enumerate(rows[:9])]
    pq.write_table(pa.Table.from_pylist(texts), wide, compression="zstd", use_dictionary=False)
    assert len(wide.getvalue()) < 50_000
    assert "unpacks to more than 100,000 bytes" in refusal(small, wide.getvalue(), "a.parquet")
    assert left_behind(tmp_path) == []


def test_a_file_that_unpacks_to_a_gigabyte_is_refused_without_being_unpacked(
    lab: TestClient, tmp_path: Path
) -> None:
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(1 << 20)
    bomb = b"".join(packer.compress(zeros) for _ in range(1024)) + packer.flush()
    assert len(bomb) < 1_100_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = refusal(lab, bomb, "bomb.jsonl.gz")
    assert "unpacks to more than 512,000,000 bytes" in said
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # in KB
    assert left_behind(tmp_path) == []


def test_what_needs_more_memory_than_there_is_is_refused(tmp_path: Path) -> None:
    # A dictionary holds one long text once; a table of it takes 1,000 times as much.
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1000, np.int32)), ["x" * 10_000_000])
    short = pa.array(["y"] * 1000)
    file = tmp_path / "wide.parquet"
    table = pa.table({"prompt": short, "chosen": text, "rejected": short})
    pq.write_table(table, file, compression="zstd")
    work = UploadWork(
        "inspect",
        file,
        {"unpacked_bytes": 10**9, "rows": 10**6},
        limit_s=60,
        memory_bytes=3 * 10**9,
    )
    with pytest.raises(InputError, match=r"wide.parquet.*needs more .*memory"):
        work.run()


def test_work_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "votes.jsonl"
    file.write_bytes(votes())
    with pytest.raises(InputError, match=r"took more than 0.01 s and was given up"):
        UploadWork("audit", file, {"seed": 0}, limit_s=0.01).run()


def test_uploads_together_are_bounded(small: TestClient, tmp_path: Path) -> None:
    first = upload(small, votes(90, note="x" * 300))
    said = refusal(small, votes(90, note="y" * 300), "more.jsonl")
    assert "together may hold 60,000 bytes" in said
    assert small.delete(f"/api/uploads/{first['upload']}").status_code == 200
    upload(small, votes(90, note="y" * 300), "more.jsonl")
    assert len(left_behind(tmp_path)) == 1


def test_two_uploads_at_once_are_both_kept(lab: TestClient, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(lambda n: upload(lab, votes(n), "same.jsonl"), (20, 30)))
    assert [one["n_rows"] for one in taken] == [20, 30]
    assert left_behind(tmp_path) == sorted(one["upload"] for one in taken)


def test_room_for_all_uploads_is_looked_at_while_they_arrive(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path / "uploads", Limits(uploads_bytes=10 * MEGABYTE))
    piece = bytes(4 * MEGABYTE)
    with folder.incoming("a.jsonl") as first, folder.incoming("b.jsonl") as second:
        first.write(piece)
        second.write(piece)
        with pytest.raises(InputError, match="no room left"):
            first.write(piece)
        with pytest.raises(InputError, match="no room left"), folder.incoming("c.jsonl"):
            pass
    assert left_behind(tmp_path) == []


def test_only_a_few_files_are_read_side_by_side(
    lab: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, most = set[int](), 0

    def run(work: UploadWork) -> dict[str, object]:
        nonlocal most
        reading.add(id(work))
        most = max(most, len(reading))
        time.sleep(0.05)
        reading.remove(id(work))
        return {"sentence": "Read.", "n_rows": 1, "n_votes": 1, "left_out": []}

    monkeypatch.setattr(UploadWork, "run", run)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: upload(lab, votes(n)), range(1, 7)))
    assert most == AT_ONCE


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path / "uploads", Limits())
    with pytest.raises(RuntimeError), folder.incoming("a.jsonl") as incoming:
        incoming.write(votes())
        assert len(left_behind(tmp_path)) == 1
        raise RuntimeError
    assert left_behind(tmp_path) == []


def test_a_start_sweeps_away_what_a_crash_left(tmp_path: Path) -> None:
    left = tmp_path / "uploads" / "0123456789abcdef.part"
    left.mkdir(parents=True)
    (left / "a.jsonl").write_bytes(votes())
    with client(tmp_path) as lab:
        assert lab.get("/api/uploads").json()["uploads"] == []
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "shown", "file"),
    [
        ("votes.jsonl", "votes.jsonl", "votes.jsonl"),
        ("../../etc/passwd", "passwd", "passwd.data"),
        ("..\\..\\boot.ini", "boot.ini", "boot.ini.data"),
        ("/", "upload", "upload.data"),
        ("", "upload", "upload.data"),
        (".", ".", "upload.data"),
        ("...jsonl", "...jsonl", "jsonl.data"),
        ("numpy.py", "numpy.py", "numpy.py.data"),
        ("a\x00b\x1b[31m\r\n.csv", "a⟨U+0000⟩b⟨U+001B⟩[31m .csv", "a_b__31m.csv"),
        ("‮lnosj.csv", "⟨U+202E⟩lnosj.csv", "lnosj.csv"),
        ("投票 🗳.JSONL.GZ", "投票 🗳.JSONL.GZ", "投票.jsonl.gz"),
        ("<script>.csv", "<script>.csv", "script.csv"),
        ("x" * 5000 + ".csv", "x" * 119 + "…", "x" * 60 + ".csv"),
        ("é" * 500, "é" * 119 + "…", "é" * 30 + ".data"),
        ("a.gz.gz.gz.gz.gz.gz.gz", "a.gz.gz.gz.gz.gz.gz.gz", "a.gz.gz.gz.gz.gz.gz.gz"),
    ],
)
def test_names_are_labels_and_files_are_named_harmlessly(name: str, shown: str, file: str) -> None:
    assert label(name) == shown
    assert file_name(name) == file


def test_a_hostile_name_reaches_no_other_folder(lab: TestClient, tmp_path: Path) -> None:
    said = upload(lab, votes(), "../../../escaped.jsonl")
    assert said["name"] == "escaped.jsonl"
    assert left_behind(tmp_path) == [said["upload"]]
    for upload_id in ("..", "%2e%2e", "0123456789abcdef", "../reports", "A" * 16):
        assert lab.post(f"/api/uploads/{upload_id}/fit").status_code in (404, 405)
        assert lab.delete(f"/api/uploads/{upload_id}").status_code in (404, 405)
    assert left_behind(tmp_path) == [said["upload"]]


def test_the_fit_is_the_librarys(lab: TestClient) -> None:
    said = lab.post(f"/api/uploads/{upload(lab, DEMO)['upload']}/fit").json()
    reader = open_preferences(demo_path("demo_preferences"))
    fitted = fit_text_feature_reward(reader, rng=np.random.default_rng(0))
    found = fitted.inference
    assert found is not None
    by_name = {weight["name"]: weight for weight in said["weights"]}
    assert set(by_name) == set(found.names)
    for k, name in enumerate(found.names):
        weight = by_name[name]
        # The numerical libraries may use other numbers of threads there, and sum in another order.
        assert weight["value"] == pytest.approx(found.weight[k], rel=1e-6, abs=1e-9)
        assert weight["low"] == pytest.approx(found.low[k], rel=1e-6, abs=1e-9)
        assert weight["named"] == (name in found.significant())
    assert said["accuracy"]["value"] == pytest.approx(fitted.accuracy.value, rel=1e-6)
    assert said["accuracy"]["n"] == fitted.accuracy.n
    assert "72.3% (95% interval 69.0% to 75.3%) of 1,148 decided votes" in said["sentence"]
    assert "the votes pay for log length (+0.98) and flattery (+0.65)" in said["sentence"]
    bars = said["chart"]["bars"]
    assert said["chart"]["kind"] == "BarChart"
    assert len(bars) == 12
    sizes = [abs(bar["value"]) for bar in bars]
    assert sizes == sorted(sizes, reverse=True)


def test_a_fit_that_does_not_exist_is_refused_in_words(lab: TestClient) -> None:
    ties = [
        json.dumps({"prompt": f"q{k}", "response_a": "a b", "response_b": "c", "outcome": "tie"})
        for k in range(9)
    ]
    taken = upload(lab, "\n".join(ties).encode())
    response = lab.post(f"/api/uploads/{taken['upload']}/fit")
    assert response.status_code == 422
    assert "all 9 comparisons are ties" in response.json()["error"]


def test_a_fit_without_intervals_says_so(lab: TestClient) -> None:
    few = b"\n".join(gzip.decompress(DEMO).splitlines()[:60])
    said = lab.post(f"/api/uploads/{upload(lab, few)['upload']}/fit").json()
    assert said["sentence"].endswith("so what the votes pay for cannot be said.")
    assert all(weight["low"] is None for weight in said["weights"])
    assert said["weights"][0]["text"].endswith("(no interval)")
    assert any(note.startswith("No intervals: 15 clusters") for note in said["notes"])


def test_an_upload_with_a_report_goes_only_with_it(lab: TestClient) -> None:
    taken = upload(lab, votes())
    report = lab.post("/api/audits", json={"upload": taken["upload"]}).json()["report"]
    response = lab.delete(f"/api/uploads/{taken['upload']}")
    assert response.status_code == 422
    assert "delete that" in response.json()["error"]
    assert lab.delete(f"/api/audits/{report}").status_code == 200
    assert lab.get("/api/uploads").json()["uploads"] == []
