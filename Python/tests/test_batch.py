"""`haul.batch` and `haul.check_batch`."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import haul
from conftest import Frame, Site, digest, wait_for
from haul import _program, _storage


def rows(site: Site, count: int) -> list[dict[str, Any]]:
    """Return rows of which every tenth fails."""
    paths = [f"f/{number}" if number % 10 else "none" for number in range(count)]
    return [
        {"id": f"row-{number}", "url": site.url(path), "caption": f"no. {number}"} for number, path in enumerate(paths)
    ]


def results(folder: Path) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for path in folder.glob("*.results.jsonl") for line in path.read_text().splitlines()]
    found = {line["id"]: line for line in lines}
    assert len(found) == len(lines)
    return found


def check(folder: Path, count: int) -> None:
    found = results(folder)
    assert set(found) == {f"row-{number}" for number in range(count)}
    for number in range(count):
        line = found[f"row-{number}"]
        assert line["state"] == ("ok" if number % 10 else "failed")
        if number % 10:
            assert line["sha256"] == digest(number)
    files = 0
    for path in folder.glob("*.tar"):
        with tarfile.open(path) as tar:
            for member in tar.getmembers():
                if member.name.endswith(".png"):
                    content = tar.extractfile(member)
                    assert content
                    number = int(member.name.split("-")[1].split(".")[0])
                    assert hashlib.sha256(content.read()).hexdigest() == digest(number)
                    files += 1
    assert files == sum(1 for number in range(count) if number % 10)


def test_rows_from_memory(site: Site, tmp_path: Path) -> None:
    reports: list[haul.BatchReport] = []
    report = haul.batch(rows(site, 50), tmp_path / "out", on_report=reports.append, rows_per_part=20)
    assert (report.ok, report.failed, report.refused) == (45, 5, 0)
    assert report.failed_by == {"notFound": 5}
    assert report.bytes == 45 * 2008
    assert reports[-1] == report
    check(tmp_path / "out", 50)
    assert len([*(tmp_path / "out").glob("*.tar")]) == 3


def test_urls_and_lines_of_json_are_rows(site: Site, tmp_path: Path) -> None:
    given: list[str | bytes] = [
        site.url("f/1"),
        json.dumps({"url": site.url("f/2")}),
        f' {{"url": "{site.url("f/3")}"}}'.encode(),
        site.url("f/4").encode() + b"\r\n",
    ]
    assert haul.batch(given, tmp_path / "out").ok == 4


def test_a_manifest_and_its_check(site: Site, tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows(site, 30)))
    haul.batch(manifest, tmp_path / "out")
    check(tmp_path / "out", 30)
    found = haul.check_batch(manifest, tmp_path / "out", deep=True)
    assert (found.rows, found.ok, found.failed, found.missing) == (30, 27, 3, 0)
    with manifest.open("a") as file:
        file.write(json.dumps({"id": "more", "url": site.url("f/1")}) + "\n")
    with pytest.raises(haul.BatchError) as caught:
        haul.check_batch(manifest, tmp_path / "out")
    error = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert (error.code, error.exit_code) == ("incomplete", 1)
    assert str(error) == "the folder is incomplete: 31 rows = 27 ok + 3 failed + 0 refused + 1 missing\nmissing: more"
    assert (error.check.ok, error.check.missing, error.check.missing_ids) == (27, 1, ["more"])
    assert error.check.raw["complete"] is False


def test_the_check_of_rows_and_of_a_folder_without_a_run(site: Site, tmp_path: Path) -> None:
    haul.batch(rows(site, 30), tmp_path / "out")
    assert haul.check_batch(rows(site, 30), tmp_path / "out").ok == 27
    (tmp_path / "empty").mkdir()
    with pytest.raises(haul.BatchError) as caught:
        haul.check_batch(rows(site, 30), tmp_path / "empty")
    assert caught.value.check is None


def test_a_second_call_fetches_nothing_again(site: Site, tmp_path: Path) -> None:
    haul.batch(rows(site, 30), tmp_path)
    before = site.requests.copy()
    report = haul.batch(rows(site, 30), tmp_path)
    assert (report.ok, report.earlier) == (0, 30)
    assert site.requests == before


@pytest.mark.parametrize("codes", [True, "notFound", ["timedOut", "notFound"]])
def test_failed_rows_are_fetched_again(site: Site, tmp_path: Path, codes: bool | str | list[str]) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows(site, 30)))
    haul.batch(manifest, tmp_path / "out")
    before = site.requests.total()
    report = haul.batch(manifest, tmp_path / "out", retry_failed=codes)
    assert (report.failed, report.earlier) == (3, 27)
    assert site.requests.total() == before + 3
    assert haul.batch(manifest, tmp_path / "out", retry_failed="timedOut").earlier == 30


def test_refused_rows_are_fetched_again(site: Site, tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows(site, 30)))
    report = haul.batch(manifest, tmp_path / "out", accept="image/webp")
    assert (report.ok, report.refused, report.failed) == (0, 27, 3)
    assert haul.batch(manifest, tmp_path / "out", retry_failed="tooLarge").earlier == 30
    report = haul.batch(manifest, tmp_path / "out", accept="image/png", retry_failed="refused")
    assert (report.ok, report.earlier) == (27, 3)
    assert haul.check_batch(manifest, tmp_path / "out").ok == 27


@pytest.mark.parametrize("options", [{"url_column": "link"}, {"id_column": "key"}, {"name_column": "title"}])
@pytest.mark.parametrize("kind", ["rows", "file"])
def test_a_wrong_column_is_an_error(site: Site, tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows(site, 30)))
    (name,) = options.values()
    with pytest.raises(haul.BatchError, match=f'has a column "{name}"') as caught:
        haul.batch(rows(site, 30) if kind == "rows" else manifest, tmp_path / "out", **options)
    assert (caught.value.code, caught.value.exit_code) == ("invalidRequest", 2)
    assert not list((tmp_path / "out").glob("part-*"))
    haul.batch(manifest, tmp_path / "out")
    check(tmp_path / "out", 30)


@pytest.mark.parametrize("error", [LookupError, BrokenPipeError, ConnectionResetError])
def test_an_error_of_the_iterator_ends_the_run_and_the_next_continues(
    site: Site, tmp_path: Path, error: type[Exception]
) -> None:
    def torn() -> Iterator[dict[str, Any]]:
        yield from rows(site, 20)
        raise error("the end")

    with pytest.raises(error):
        haul.batch(torn(), tmp_path)
    haul.batch(rows(site, 40), tmp_path)
    check(tmp_path, 40)


def test_nothing_is_left_running_after_an_interruption(site: Site, tmp_path: Path) -> None:
    def interrupted(_: haul.BatchReport) -> None:
        if not is_over:
            is_over.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    is_over: list[bool] = []
    manifest = tmp_path / "rows.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows(site, 3000)))
    with pytest.raises(KeyboardInterrupt):
        haul.batch(manifest, tmp_path / "out", on_report=interrupted)
    haul.batch(manifest, tmp_path / "out")
    check(tmp_path / "out", 3000)


def test_a_busy_shard_is_an_error(site: Site, tmp_path: Path) -> None:
    def slow() -> Iterator[dict[str, Any]]:
        yield from rows(site, 5)
        # It is written when the shard is locked.
        wait_for((tmp_path / "batch.json").exists)
        with pytest.raises(haul.BatchError) as caught:
            haul.batch(rows(site, 5), tmp_path)
        assert (caught.value.code, caught.value.exit_code) == ("destinationBusy", 20)

    assert haul.batch(slow(), tmp_path).ok == 4


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (Frame(), r'a pandas DataFrame: pass df.to_dict\("records"\), or save it as a Parquet file'),
        ({"url": "http://127.0.0.1:1/"}, "a list of rows, not a value of the type dict"),
        (b"http://127.0.0.1:1/", "not a value of the type bytes"),
        (17, "not a value of the type int"),
    ],
)
def test_a_manifest_of_another_type_is_an_error(manifest: Any, message: str, tmp_path: Path) -> None:
    for call in (haul.batch, haul.check_batch):
        with pytest.raises(TypeError, match=message):
            call(manifest, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("row", [("http://127.0.0.1:1/", "name"), 17, None])
def test_a_row_of_another_type_is_an_error(row: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=f"a URL, or a line of JSON, not a value of the type {type(row).__name__}"):
        haul.batch([row], tmp_path / "out")


def test_a_table_is_not_a_manifest(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match=r"a pyarrow Table: pass table.to_pylist\(\)"):
        haul.batch(pa.table({"url": ["http://127.0.0.1:1/"]}), tmp_path / "out")


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    # Python's way of saying that a module is not there.
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r'Parquet needs the package .* pip install "haul-dl\[arrow\]"'):
        haul.batch(tmp_path / "m.parquet", tmp_path / "out")
    with pytest.raises(ModuleNotFoundError, match=r'an object store needs .* pip install "haul-dl\[storage\]"'):
        haul.batch([], "s3://bucket/pictures", scratch=tmp_path)


def test_an_invalid_option_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(haul.BatchError) as caught:
        haul.batch([], tmp_path, accept="pictures")
    assert (caught.value.code, caught.value.exit_code) == ("invalidRequest", 2)


def test_values_that_json_lacks(site: Site, tmp_path: Path) -> None:
    row = {"id": "a", "url": site.url("f/1"), "nan": math.nan, "list": [1.5, {"inf": math.inf}], "raw": b"\0\xff"}
    report = haul.batch([{**row, "when": datetime.date(2026, 1, 2)}], tmp_path)
    assert (report.ok, report.refused) == (1, 0)
    expected = {"nan": None, "list": [1.5, {"inf": None}], "raw": "AP8=", "when": "2026-01-02"}
    assert results(tmp_path)["a"]["columns"] == expected


def test_standard_input_is_not_a_manifest(tmp_path: Path) -> None:
    for call in (haul.batch, haul.check_batch):
        with pytest.raises(ValueError, match='the manifest "-" is not a file: pass the rows'):
            call("-", tmp_path / "out")


def test_a_run_that_has_ended_takes_no_more_rows(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def many() -> Iterator[dict[str, Any]]:
        for row in rows(site, 1000):
            taken.append(row)
            yield row
            wait_for(lambda: processes[0].poll() is not None)

    def recorded(line: Sequence[str]) -> subprocess.Popen[bytes]:
        processes.append(real(line))
        return processes[0]

    taken: list[dict[str, Any]] = []
    processes: list[subprocess.Popen[bytes]] = []
    real = _program.start
    monkeypatch.setattr(_program, "start", recorded)
    with pytest.raises(haul.BatchError) as caught:
        haul.batch(many(), tmp_path, accept="pictures")
    assert caught.value.code == "invalidRequest"
    assert len(taken) <= 2


def test_a_check_that_is_interrupted_leaves_nothing_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_other(_: Sequence[str]) -> subprocess.Popen[bytes]:
        made.append(real(["sleep", "60"]))
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return made[0]

    made: list[subprocess.Popen[bytes]] = []
    real = _program._open
    monkeypatch.setattr(_program, "_open", open_other)
    with pytest.raises(KeyboardInterrupt):
        haul.check_batch(tmp_path / "m.jsonl", tmp_path)
    try:
        assert made[0].returncode == -signal.SIGKILL
    finally:
        made[0].kill()


@pytest.mark.parametrize("place", [_storage.RemoteFolder, _storage.Uploads])
@pytest.mark.parametrize("problem", [ValueError("no such protocol"), RuntimeError(), OSError("away")])
def test_errors_of_a_store_have_one_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: type, problem: Exception
) -> None:
    def broken(*_: object) -> None:
        raise problem

    monkeypatch.setattr(place, "__init__", broken)
    if place is _storage.Uploads:
        monkeypatch.setattr(_storage.RemoteFolder, "__init__", lambda *_: None)
    with pytest.raises(haul.BatchError, match=f"foo://x/y: {problem or 'RuntimeError'}") as caught:
        haul.batch([], "foo://x/y", scratch=tmp_path)
    assert (caught.value.code, caught.value.exit_code) == ("fileFailed", 18)
    assert caught.value.__cause__ is problem


@pytest.mark.parametrize("name", ["begin", "finish"])
@pytest.mark.parametrize("problem", [RuntimeError("no credentials"), ImportError("no s3fs"), KeyboardInterrupt()])
def test_only_errors_of_a_store_are_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, problem: BaseException
) -> None:
    def broken(*_: object) -> None:
        raise problem

    monkeypatch.setattr(_storage.RemoteFolder, "__init__", lambda *_: None)
    monkeypatch.setattr(_storage.Uploads, "begin", lambda *_: None)
    monkeypatch.setattr(_storage.Uploads, name, broken)
    with pytest.raises(haul.BatchError if isinstance(problem, RuntimeError) else type(problem)):
        haul.batch([], "foo://x/y", scratch=tmp_path)


def test_a_url_in_a_path_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ValueError, match="s3:/bucket/pictures is a URL that has lost a slash as a Path: pass out as text"
    ):
        haul.batch([], Path("s3://bucket/pictures"))
    assert not [*tmp_path.iterdir()]
    assert haul.batch([], Path("a:b")).ok == 0


@pytest.mark.parametrize("options", [{"url_column": "link"}, {"id_column": "key"}, {"name_column": "title"}])
def test_a_wrong_column_of_parquet_is_an_error(site: Site, tmp_path: Path, options: dict[str, Any]) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.Table.from_pylist(rows(site, 30)), tmp_path / "m.parquet")
    (name,) = options.values()
    for call in (haul.batch, haul.check_batch):
        with pytest.raises(ValueError, match=f'has no column "{name}", only id, url, caption'):
            call(tmp_path / "m.parquet", tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["m.parquet", "folder"])
def test_parquet(site: Site, tmp_path: Path, name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    manifest = tmp_path / name
    if name == "folder":
        manifest.mkdir()
        parquet.write_table(pa.Table.from_pylist(rows(site, 30)[:10]), manifest / "1.parquet")
        parquet.write_table(pa.Table.from_pylist(rows(site, 30)[10:]), manifest / "2.parquet")
    else:
        parquet.write_table(pa.Table.from_pylist(rows(site, 30)), manifest)
    haul.batch(manifest, tmp_path / "out", per_host=8)
    check(tmp_path / "out", 30)
    assert results(tmp_path / "out")["row-1"]["columns"] == {"caption": "no. 1"}
    assert haul.check_batch(manifest, tmp_path / "out", deep=True).ok == 27


@pytest.mark.parametrize("shard_by", ["host", "row"])
def test_shards_of_rows_and_of_parquet(site: Site, tmp_path: Path, shard_by: str) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.Table.from_pylist(rows(site, 30)), tmp_path / "m.parquet")
    haul.batch(rows(site, 30), tmp_path / "out", shard="0/2", shard_by=shard_by)
    haul.batch(tmp_path / "m.parquet", tmp_path / "out", shard="1/2", shard_by=shard_by)
    check(tmp_path / "out", 30)
    assert haul.check_batch(tmp_path / "m.parquet", tmp_path / "out").missing == 0
