"""Shards that are started several times, killed, and uploaded."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import haul
from conftest import Site, digest, wait_for
from test_batch import check
from test_batch import rows as manifest

pytest.importorskip("pyarrow")

from haul._results import RESULT_SCHEMA, results
from haul._shards import HOST, Division, Records, ShardJob, _Counted, check_columns, find_columns

fork = multiprocessing.get_context("fork")


def lines(site: Site, count: int) -> list[bytes]:
    return [json.dumps(row).encode() for row in manifest(site, count)]


def table(job: ShardJob, record: Any) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.concat_tables([results(part, content) for part, content in job.results(record)])


def test_a_shard(site: Site, tmp_path: Path) -> None:
    job = ShardJob(str(tmp_path), {"rows_per_part": 20})
    record = job.run(17, lines(site, 50), 4)
    assert (record.shard, record.rows, record.repeated) == (17, 50, 0)
    check(tmp_path, 50)
    assert {each.name[:15] for each in tmp_path.glob("part-*")} == {f"part-00017-000{part}" for part in range(3)}
    assert not (tmp_path / "_haul/00017").exists()
    found = table(job, record)
    assert found.schema == RESULT_SCHEMA
    by_id = {row["id"]: row for row in found.to_pylist()}
    assert by_id["row-3"]["sha256"] == digest(3)
    assert json.loads(by_id["row-3"]["columns"]) == {"caption": "no. 3"}
    assert (tmp_path / (by_id["row-3"]["part"] + ".tar")).exists()
    assert by_id["row-10"]["error"] == "notFound"


@pytest.mark.parametrize("name", ["acept", "shard", "url_column"])
def test_an_unknown_option_is_refused_before_a_task_starts(tmp_path: Path, name: str) -> None:
    with pytest.raises(TypeError, match=f"unknown options: {name}"):
        ShardJob(str(tmp_path), {"accept": "image/*", name: "x"})


def test_failed_rows_are_not_retried_in_place(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="retry_failed is not possible"):
        ShardJob(str(tmp_path), {"retry_failed": True})
    ShardJob(str(tmp_path), {"retry_failed": False})


def test_results_that_are_incomplete_are_not_used(site: Site, tmp_path: Path) -> None:
    job = ShardJob(str(tmp_path))
    record = job.run(0, lines(site, 20), 4)
    path = tmp_path / "part-00000-0000.results.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(OSError, match="shard 0 has 20 results, but 19 were read"):
        table(job, record)


def test_a_shard_that_is_done_is_not_read_again(site: Site, tmp_path: Path) -> None:
    job = ShardJob(str(tmp_path))
    first = job.run(0, lines(site, 20), 4)
    before = site.requests.copy()

    def rows() -> Iterator[bytes]:
        raise AssertionError("it was read")
        yield b""

    assert job.run(0, rows(), 4) == first
    assert site.requests == before


def test_two_attempts_at_the_same_time_fetch_every_row_once(site: Site, tmp_path: Path) -> None:
    site.delay = 0.01
    texts = lines(site, 100)
    attempts = [fork.Process(target=ShardJob(str(tmp_path)).run, args=(0, texts, 3)) for _ in range(3)]
    for attempt in attempts:
        attempt.start()
    for attempt in attempts:
        attempt.join()
        assert attempt.exitcode == 0
    check(tmp_path, 100)
    assert {path: count for path, count in site.requests.items() if count > 1 and path != "/none"} == {}
    assert max(site.most.values()) <= 3


def test_a_killed_attempt_is_continued(site: Site, tmp_path: Path) -> None:
    site.delay = 0.02
    texts = lines(site, 200)
    job = ShardJob(str(tmp_path))
    attempt = fork.Process(target=job.run, args=(0, texts, 4))
    attempt.start()
    wait_for(lambda: site.requests.total() > 60)
    assert attempt.pid
    os.kill(attempt.pid, signal.SIGKILL)
    attempt.join()
    job.run(0, texts, 4)
    check(tmp_path, 200)
    # Only what was on its way at the kill.
    again = sum(count - 1 for path, count in site.requests.items() if path != "/none")
    assert again <= 8
    assert max(site.most.values()) <= 4


def test_an_attempt_that_was_killed_before_its_record_is_completed(site: Site, tmp_path: Path) -> None:
    job = ShardJob(str(tmp_path), {"rows_per_part": 10})
    texts = lines(site, 40)
    (tmp_path / "_haul").mkdir()
    job._fetch(_Counted(texts), tmp_path, 3, 4)
    before = site.requests.copy()
    record = job.run(3, texts, 4)
    assert sorted(record.names) == sorted(each.name for each in tmp_path.glob("part-00003-*"))
    check(tmp_path, 40)
    assert site.requests == before


def test_shards_share_a_folder(site: Site, tmp_path: Path) -> None:
    job = ShardJob(str(tmp_path), {"rows_per_part": 10})
    texts = lines(site, 60)
    found = [job.run(shard, texts[shard::3], 4) for shard in range(3)]
    check(tmp_path, 60)
    for shard, record in enumerate(found):
        assert {name[:11] for name in record.names} == {f"part-{shard:05}-"}
    assert json.loads((tmp_path / "batch.json").read_text())["shardBy"] == "name"


def test_repeated_ids_are_counted(site: Site, tmp_path: Path) -> None:
    job = ShardJob(str(tmp_path))
    records = Records(job)
    records.begin(Division(1, {}, 4), 25, "0", has_shards=True)
    record = job.run(0, lines(site, 20) + lines(site, 5), 4)
    assert (record.rows, record.repeated) == (25, 5)
    assert table(job, record).num_rows == 20
    records.finish(25, 1, "spark", {"ok": 18, "failed": 2}, {"part-00000-0000"})
    assert json.loads((tmp_path / "batch.json").read_text())["shardBy"] == "spark"
    with pytest.raises(RuntimeError, match="26 rows"):
        records.finish(26, 1, "spark", {"ok": 18, "failed": 2}, set())
    with pytest.raises(RuntimeError, match="19 results"):
        records.finish(25, 1, "spark", {"ok": 18, "failed": 1}, set())
    with pytest.raises(RuntimeError, match="no shard has recorded"):
        records.finish(25, 1, "spark", {"ok": 18, "failed": 2}, {"part-00000-0001"})


def test_another_job_needs_another_folder(tmp_path: Path) -> None:
    records = Records(ShardJob(str(tmp_path)))
    first = Division(6, {"big": 2}, 4)
    assert records.begin(first, 100, "1", has_shards=False) == first
    assert records.begin(Division(9, {}, 4), 100, "1", has_shards=False) == first
    for division, rows, checksum, word in [
        (Division(9, {}, 4), 100, "1", "shards"),
        (first, 101, "1", "rows"),
        (first, 100, "2", "content"),
        (Division(6, {}, 5), 100, "1", "per_host"),
    ]:
        with pytest.raises(ValueError, match=word):
            records.begin(division, rows, checksum, has_shards=True)


def test_the_output_of_haul_batch_is_not_continued(site: Site, tmp_path: Path) -> None:
    haul.batch(manifest(site, 5), tmp_path)
    before = sorted(each.name for each in tmp_path.iterdir())
    with pytest.raises(ValueError, match="has the output of another job, or of haul batch"):
        Records(ShardJob(str(tmp_path))).begin(Division(1, {}, 4), 2, "1", has_shards=False)
    assert sorted(each.name for each in tmp_path.iterdir()) == before


def test_big_hosts_are_divided() -> None:
    hosts = {"a": 1000, "b": 200, "c": 99}
    assert Division.divided(hosts, 1000, 10, 4) == {"a": 4, "b": 2}
    division = Division(10, {"a": 4, "b": 2}, 4)
    assert division.count == 16
    assert division.starts == {"a": 10, "b": 14}


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://example.org/a", "example.org"),
        ("https://user:pass@Example.org:8080?x", "Example.org"),
        (" http://[::1]:80/", "[::1]"),
        ("http://example.org", "example.org"),
        ("http://example.org#a@b", "example.org"),
    ],
)
def test_hosts(url: str, host: str) -> None:
    found = re.match(HOST, url)
    assert found
    assert found[1] == host


def test_columns() -> None:
    assert check_columns(["link", "id", "caption"], "link", "id") == ["caption"]
    with pytest.raises(ValueError, match='no column "url"'):
        check_columns(["link"], "url", None)
    with pytest.raises(ValueError, match="bytes, status"):
        check_columns(["url", "status", "bytes"], "url", None)


def test_columns_in_any_letter_case() -> None:
    assert find_columns(["URL", "ID"], "url", None) == ("URL", "ID")
    assert find_columns(["URL", "url", "id", "Id"], "url", None) == ("url", "id")
    assert find_columns(["LINK", "Key"], "link", "key") == ("LINK", "Key")
    assert find_columns(["link"], "url", "key") == ("url", "key")
    assert find_columns(["url"], "url", None) == ("url", None)


def test_a_result_whose_strings_look_like_columns() -> None:
    line = {**dict.fromkeys(RESULT_SCHEMA.names[:-2]), "id": 'x","columns":{', "state": "ok", "row": 1, "attempts": 1}
    text = json.dumps({**line, "columns": {"a": {"b": [1, "}"]}}}, separators=(",", ":"))
    (row,) = results("part-00000-0000", text.encode() + b"\n").to_pylist()
    assert row["id"] == 'x","columns":{'
    assert row["columns"] == '{"a":{"b":[1,"}"]}}'
