"""`haul.spark.download`, with Spark in this process."""

from __future__ import annotations

import datetime
import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import KEY, Site, digest, picture

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession

import haul.spark

COUNT = 600


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """Spark with two cores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[2]").config("spark.driver.bindAddress", "127.0.0.1")
        session = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4").getOrCreate()
        yield session
        session.stop()


def rows(site: Site) -> list[tuple[Any, ...]]:
    """Return rows of two hosts, one of them with most of the rows; every tenth fails."""
    found: list[tuple[Any, ...]] = []
    for number in range(COUNT):
        url = site.url(f"f/{number}" if number % 10 else "none", "127.0.0.1" if number % 4 else "localhost")
        when = datetime.datetime(2026, 1, 1, 0, 0, 0, number)
        found.append((url, f"no. {number}", number, when, [number], {"a": number}, number / 3))
    found.append((None, "no URL", COUNT, None, None, None, None))
    return found


def test_every_row_has_a_result(site: Site, spark: SparkSession, tmp_path: Path) -> None:
    site.delay = 0.002
    df = spark.createDataFrame(rows(site), ["link", "caption", "n", "when", "list", "map", "third"])
    found = haul.spark.download(df, str(tmp_path / "out"), url="link", rows_per_part=100, retries=0, per_host=3)
    lines = {each["n"]: each for each in found.collect()}
    assert len(lines) == COUNT + 1 == found.count()
    for number, row in enumerate(rows(site)):
        line = lines[number]
        assert tuple(line[name] for name in ("caption", "n", "when", "list", "map", "third")) == row[1:]
        state = "refused" if number == COUNT else "ok" if number % 10 else "failed"
        assert (line["url"] or None, line["state"]) == (row[0], state)
        if state == "ok":
            tar = (tmp_path / "out" / f"{line['part']}.tar").read_bytes()
            assert tar[line["offset"] : line["offset"] + 2008][:4] == b"\x89PNG"
            assert line["sha256"] == digest(number)
    assert max(site.most.values()) <= 3
    # Both hosts have more rows than a sixth of all.
    job = json.loads((tmp_path / "out/_haul/job.json").read_text())
    assert job["big"] == {"127.0.0.1": 3, "localhost": 2}
    assert not [*(tmp_path / "out/_haul").glob("*.lock")]

    before = site.requests.copy()
    again = haul.spark.download(df, str(tmp_path / "out"), url="link", rows_per_part=100, retries=0, per_host=3)
    assert again.count() == COUNT + 1
    # After the results were lost, they are made of the parts.
    (tmp_path / "out/results/_SUCCESS").unlink()
    again = haul.spark.download(df, str(tmp_path / "out"), url="link", rows_per_part=100, retries=0, per_host=3)
    assert again.count() == COUNT + 1
    assert site.requests == before
    with pytest.raises(ValueError, match="rows"):
        haul.spark.download(df.where("n > 0"), str(tmp_path / "out"), url="link", per_host=3)


def test_numbers_that_json_lacks(site: Site, spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([(site.url("f/1"), math.nan), (site.url("f/2"), -math.inf)], "url string, score double")
    found = haul.spark.download(df, str(tmp_path / "out"), shards=1)
    lines = {each["url"]: each for each in found.collect()}
    assert [each["state"] for each in lines.values()] == ["ok", "ok"]
    assert math.isnan(lines[site.url("f/1")]["score"])
    assert lines[site.url("f/2")]["score"] == -math.inf


def test_a_row_without_an_id(site: Site, spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([("a", site.url("f/1")), (None, site.url("f/2"))], "id string, url string")
    found = haul.spark.download(df, str(tmp_path / "out"), shards=1)
    assert {each["id"]: each["state"] for each in found.collect()} == {"a": "ok", None: "ok"}


def test_ids(site: Site, spark: SparkSession, tmp_path: Path) -> None:
    texts = [json.dumps({"id": f"row-{number}", "url": site.url(f"f/{number}")}) for number in range(40)]
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("\n".join(texts) + "\n")
    df = spark.read.json(str(manifest))
    found = haul.spark.download(df, str(tmp_path / "out"), shards=5)
    assert {each["id"]: each["sha256"] for each in found.collect()} == {f"row-{n}": digest(n) for n in range(40)}
    assert haul.check_batch(manifest, tmp_path / "out", deep=True).ok == 40
    with pytest.raises(haul.BatchError, match=re.escape("shards: use the same number")):
        haul.batch(manifest, tmp_path / "out")


def test_the_name_of_the_folder_is_no_pattern(site: Site, spark: SparkSession, tmp_path: Path) -> None:
    for name, number in (("set1", 1), ("set[12]", 2), ("a{b,c}*?\\d", 3)):
        df = spark.createDataFrame([(site.url(f"f/{number}"),)], "url string")
        found = haul.spark.download(df, str(tmp_path / name), shards=1)
        assert [each["url"] for each in found.collect()] == [site.url(f"f/{number}")]


def test_results_that_are_lost_are_made_again(site: Site, spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([(site.url(f"f/{number}"),) for number in range(20)], "url string")
    haul.spark.download(df, str(tmp_path / "out"), shards=2)
    before = site.requests.copy()
    # Some shards have no rows.
    max((tmp_path / "out/results").glob("part-*.parquet"), key=lambda it: it.stat().st_size).unlink()
    with pytest.raises(RuntimeError, match="20 rows"):
        haul.spark.download(df, str(tmp_path / "out"), shards=2)
    assert haul.spark.download(df, str(tmp_path / "out"), shards=2).count() == 20
    assert site.requests == before


def test_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([], "url string, caption string")
    found = haul.spark.download(df, str(tmp_path / "out"))
    assert found.count() == 0
    assert "caption" in found.columns


def test_an_object_store(site: Site, spark: SparkSession, endpoint: str, tmp_path: Path) -> None:
    s3fs = pytest.importorskip("s3fs")
    system = s3fs.S3FileSystem(key=KEY, secret=KEY, endpoint_url=endpoint)
    items = [(f"row-{number}", site.url(f"f/{number}")) for number in range(60)]
    df = spark.createDataFrame(items, "id string, url string")
    found = haul.spark.download(
        df,
        "s3://bucket/job",
        shards=5,
        filesystem=system,
        results_path=f"file://{tmp_path}/results",
        scratch=str(tmp_path / "scratch"),
    )
    lines = {each["id"]: each for each in found.collect()}
    assert {name: each["sha256"] for name, each in lines.items()} == {f"row-{n}": digest(n) for n in range(60)}
    parts = {name.rpartition("/")[2] for name in system.find("bucket/job", refresh=True) if name.endswith(".tar")}
    assert parts == {each["part"] + ".tar" for each in lines.values()}
    line = lines["row-7"]
    assert system.cat_file(f"bucket/job/{line['part']}.tar", start=line["offset"], end=line["end"])[:2008] == picture(7)
    assert not [*(tmp_path / "scratch").glob("0*/*")]
