"""`haul.ray.download`, with Ray on this machine."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import KEY, Site, digest, picture

ray: Any = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import haul.ray

COUNT = 600


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Ray with two cores."""
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    yield
    ray.shutdown()


def rows(site: Site) -> list[dict[str, Any]]:
    """Return rows of two hosts, one of them with most of the rows; every tenth fails."""
    hosts = ["localhost", "127.0.0.1", "127.0.0.1", "127.0.0.1"]
    return [
        {
            "link": site.url(f"f/{number}" if number % 10 else "none", hosts[number % 4]),
            "caption": f"no. {number}",
            "n": number,
            "blob": bytes([number % 256]),
            "list": [number],
            "score": math.nan if number % 7 == 0 else number / 7,
        }
        for number in range(COUNT)
    ]


@pytest.mark.usefixtures("cluster")
def test_every_row_has_a_result(site: Site, tmp_path: Path) -> None:
    site.delay = 0.002
    dataset = ray.data.from_items(rows(site))
    out = str(tmp_path / "out")
    found = haul.ray.download(dataset, out, url="link", rows_per_part=100, retries=0, per_host=3)
    lines = {each["n"]: each for each in found.take_all()}
    assert len(lines) == COUNT == found.count()
    for number, row in enumerate(rows(site)):
        line = lines[number]
        assert [line[name] for name in ("url", "caption", "blob")] == [
            row[name] for name in ("link", "caption", "blob")
        ]
        assert [*line["list"]] == row["list"]
        assert line["score"] == pytest.approx(row["score"], nan_ok=True)
        assert line["state"] == ("ok" if number % 10 else "failed")
        if number % 10:
            tar = (tmp_path / "out" / f"{line['part']}.tar").read_bytes()
            assert tar[line["offset"] : line["offset"] + 4] == b"\x89PNG"
            assert line["sha256"] == digest(number)
    assert max(site.most.values()) <= 3
    # Both hosts have more rows than a sixth of all.
    job = json.loads((tmp_path / "out/_haul/job.json").read_text())
    assert job["big"] == {"127.0.0.1": 3, "localhost": 2}

    before = site.requests.copy()
    again = haul.ray.download(dataset, out, url="link", rows_per_part=100, retries=0, per_host=3)
    assert again.count() == COUNT
    assert site.requests == before


@pytest.mark.usefixtures("cluster")
def test_ids(site: Site, tmp_path: Path) -> None:
    items = [{"id": f"row-{number}", "url": site.url(f"f/{number}")} for number in range(40)]
    # The name is not a pattern.
    out = tmp_path / "out[12]"
    found = haul.ray.download(ray.data.from_items(items), str(out), shards=5)
    assert {each["id"]: each["sha256"] for each in found.take_all()} == {f"row-{n}": digest(n) for n in range(40)}
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("".join(json.dumps(each) + "\n" for each in items))
    assert haul.check_batch(manifest, out, deep=True).ok == 40


@pytest.mark.usefixtures("cluster")
def test_a_row_without_an_id(site: Site, tmp_path: Path) -> None:
    items = [{"id": "a", "url": site.url("f/1")}, {"id": None, "url": site.url("f/2")}]
    found = haul.ray.download(ray.data.from_items(items), str(tmp_path / "out"), shards=1)
    assert {each["id"]: each["state"] for each in found.take_all()} == {"a": "ok", None: "ok"}


@pytest.mark.usefixtures("cluster")
def test_an_object_store(site: Site, endpoint: str, tmp_path: Path) -> None:
    s3fs = pytest.importorskip("s3fs")
    system = s3fs.S3FileSystem(key=KEY, secret=KEY, endpoint_url=endpoint)
    items = [{"id": f"row-{number}", "url": site.url(f"f/{number}")} for number in range(60)]
    found = haul.ray.download(
        ray.data.from_items(items), "s3://bucket/job", shards=5, filesystem=system, scratch=str(tmp_path / "scratch")
    )
    lines = {each["id"]: each for each in found.take_all()}
    assert {name: each["sha256"] for name, each in lines.items()} == {f"row-{n}": digest(n) for n in range(60)}
    line = lines["row-7"]
    assert system.cat_file(f"bucket/job/{line['part']}.tar", start=line["offset"], end=line["end"])[:2008] == picture(7)


@pytest.mark.usefixtures("cluster")
def test_a_shard_that_fails_ends_the_others(site: Site, tmp_path: Path) -> None:
    site.delay = 0.2
    items = [{"url": site.url(f"f/{number}", host)} for number in range(200) for host in ("127.0.0.1", "localhost")]
    (tmp_path / "out/_haul").mkdir(parents=True)
    # Each host is divided over two shards after the four others.
    (tmp_path / "out/_haul/00004.json").write_text("damaged")
    with pytest.raises(ray.exceptions.RayTaskError, match="JSONDecodeError"):
        haul.ray.download(ray.data.from_items(items), str(tmp_path / "out"), shards=4, per_host=2)
    # The kernel ends `haul batch` when its worker is killed.
    time.sleep(2)
    before = site.requests.copy()
    time.sleep(2)
    assert site.requests == before
