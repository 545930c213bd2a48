"""Folders on object stores, with moto's S3 server."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

import haul
from conftest import KEY, Site
from haul._shards import Division, Records, ShardJob, _upload
from haul._storage import RemoteFolder, Uploads
from test_batch import check, rows
from test_shards import lines, table

pytest.importorskip("moto.server")
fsspec = pytest.importorskip("fsspec")
pytest.importorskip("s3fs")
dirfs = pytest.importorskip("fsspec.implementations.dirfs")
pyarrow_fs = pytest.importorskip("pyarrow.fs")


def arrow(endpoint: str) -> Any:
    host = endpoint.removeprefix("http://")
    return pyarrow_fs.S3FileSystem(access_key=KEY, secret_key=KEY, endpoint_override=host, scheme="http")


def copy(store: RemoteFolder, folder: Path) -> None:
    """Copy all files of a folder on the store."""
    folder.mkdir()
    for name in store.sizes():
        content = store.read(name)
        assert content is not None
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("library", ["fsspec", "pyarrow"])
def test_parts_are_uploaded(site: Site, endpoint: str, tmp_path: Path, library: str) -> None:
    system = arrow(endpoint) if library == "pyarrow" else None
    out = "bucket/data" if library == "pyarrow" else "s3://bucket/data"
    report = haul.batch(rows(site, 50), out, filesystem=system, scratch=tmp_path / "scratch", rows_per_part=20)
    assert report.ok == 45
    store = RemoteFolder(out, system)
    assert len(store.sizes()) == 7
    copy(store, tmp_path / "copy")
    check(tmp_path / "copy", 50)
    again = haul.batch(rows(site, 50), out, filesystem=system, scratch=tmp_path / "scratch", rows_per_part=20)
    assert again.earlier == 50


def test_folders_are_uploaded(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    haul.batch(rows(site, 20), "s3://bucket/files", scratch=tmp_path / "scratch", format="files")
    found = fsspec.filesystem("s3").find("bucket/files")
    assert len([name for name in found if name.endswith(".png")]) == 18


@pytest.mark.parametrize("library", ["fsspec", "pyarrow"])
def test_files_of_a_machine_that_was_lost_do_not_stay(site: Site, endpoint: str, tmp_path: Path, library: str) -> None:
    """It was killed during the upload of a part, and the part of its successor has fewer rows."""
    system = arrow(endpoint) if library == "pyarrow" else None
    out = "bucket/files" if library == "pyarrow" else "s3://bucket/files"
    table = rows(site, 20)
    haul.batch(table, tmp_path / "lost", format="files", rows_per_part=1000)
    store = RemoteFolder(out, system)
    store.put(tmp_path / "lost" / "part-00000-0000", "part-00000-0000")
    store.write("part-00001-0000/of-another-shard.png", b"1")
    haul.batch(table, out, filesystem=system, scratch=tmp_path / "scratch", format="files", rows_per_part=5)
    here = {path.relative_to(tmp_path / "scratch").as_posix() for path in (tmp_path / "scratch").rglob("*.png")}
    found = {name.removeprefix("bucket/files/") for name in fsspec.filesystem("s3").find("bucket/files", refresh=True)}
    assert len(here) == 18
    assert {name for name in found if name.endswith(".png")} == here | {"part-00001-0000/of-another-shard.png"}


def test_an_upload_that_was_ended_is_completed(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    scratch = tmp_path / "scratch"
    haul.batch(rows(site, 50), scratch, rows_per_part=20)
    store = RemoteFolder("s3://bucket/data")
    store.put(scratch / "part-00000-0000.tar", "part-00000-0000.tar")
    haul.batch(rows(site, 50), "s3://bucket/data", scratch=scratch, rows_per_part=20)
    copy(store, tmp_path / "copy")
    check(tmp_path / "copy", 50)


def test_another_machine_continues(site: Site, endpoint: str, tmp_path: Path) -> None:
    """The first machine was lost when its first part was uploaded; the second has another order, and parts as large."""
    del endpoint
    (here, there), out = (tmp_path / "here", tmp_path / "there"), "s3://bucket/data"
    table = rows(site, 50)
    haul.batch(table, here, rows_per_part=20)
    store = RemoteFolder(out)
    for name in ("batch.json", "part-00000-0000.tar", "part-00000-0000.results.jsonl"):
        store.put(here / name, name)
    before = site.requests.copy()
    report = haul.batch(table, out, scratch=there, rows_per_part=10)
    assert (report.earlier, report.ok + report.failed) == (20, 30)
    assert sum((site.requests - before).values()) == 30
    copy(store, tmp_path / "copy")
    check(tmp_path / "copy", 50)
    assert (there / "part-00000-0000.tar").stat().st_size == 0
    # The first one comes back, with other rows in its second part.
    with pytest.raises(haul.BatchError, match="is from another machine") as refused:
        haul.batch(table, out, scratch=here, rows_per_part=20)
    assert refused.value.code == "notPossible"
    # And a third one has nothing to do.
    again = haul.batch(table, out, scratch=tmp_path / "new", rows_per_part=20, retry_failed=False)
    assert (again.earlier, again.ok) == (50, 0)
    # A part whose data is not here can't be uploaded again.
    store.remove("part-00000-0000.results.jsonl")
    with pytest.raises(haul.BatchError, match="has lost it"):
        haul.batch(table, out, scratch=there, rows_per_part=10)


def test_another_machine_with_another_manifest_uploads_nothing(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    out = "s3://bucket/shards"

    given = rows(site, 20)
    manifests = {}
    for shard, part in enumerate([given, given[1:]]):
        manifests[shard] = tmp_path / f"{shard}.jsonl"
        manifests[shard].write_text("".join(json.dumps(row) + "\n" for row in part))
    folder = tmp_path / "scratch-1"
    uploads = Uploads(folder, RemoteFolder(out, None))
    uploads.begin(1)
    haul.batch(manifests[1], folder, shard="1/2", shard_by="row")
    # Meanwhile, the other machine begins and ends.
    haul.batch(manifests[0], out, scratch=tmp_path / "scratch-0", shard="0/2", shard_by="row")
    with pytest.raises(haul.BatchError, match="other settings"):
        uploads.finish()
    assert len(RemoteFolder(out, None).sizes()) == 3


def test_settings_that_another_machine_replaces_are_noticed(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    store = RemoteFolder("s3://bucket/race", None)
    uploads = Uploads(tmp_path / "scratch", store)
    uploads.begin(0)
    haul.batch(rows(site, 20), tmp_path / "scratch", shard="0/2", id_column="id")
    uploads.finish()
    settings = json.loads(store.read("batch.json") or b"")
    settings["manifest"]["sha256"] = "0" * 64
    store.write("batch.json", json.dumps(settings).encode() + b"\n")
    with pytest.raises(haul.BatchError, match="other settings"):
        uploads.finish()


def test_machines_agree_on_the_longest_manifest(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    out = "s3://bucket/grown"
    given = rows(site, 20)

    def run(shard: int, part: list[dict[str, Any]]) -> int:
        path = tmp_path / "manifest.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in part))
        scratch = tmp_path / f"scratch-{shard}"
        return haul.batch(path, out, scratch=scratch, shard=f"{shard}/2", shard_by="row", id_column="id").ok

    assert run(0, given[:10]) == 4
    # The rows after the tenth become known here, so the other machine must read the same ones.
    assert run(1, given[:15]) == 7
    for other in [given[:12] + given[13:15], given[:10] + given[16:], given[:10]]:
        with pytest.raises(haul.BatchError, match="manifest has changed"):
            run(0, other)
    assert run(0, given) == 4
    assert run(1, given) == 3
    folder = tmp_path / "copy"
    copy(RemoteFolder(out, None), folder)
    check(folder, 20)


@pytest.mark.parametrize("form", ["tar", "files"])
def test_another_machine_retries(site: Site, endpoint: str, tmp_path: Path, form: str) -> None:
    del endpoint
    out = "s3://bucket/data"
    table = rows(site, 20)
    haul.batch(table, out, scratch=tmp_path / "here", format=form)
    fixed = [{**row, "url": site.url("f/1")} if row["url"].endswith("none") else row for row in table]
    report = haul.batch(fixed, out, scratch=tmp_path / "there", format=form, retry_failed=True)
    assert (report.earlier, report.ok) == (18, 2)
    found = [
        name
        for name in fsspec.filesystem("s3").find("bucket/data")
        if name.endswith(".png" if form == "files" else ".tar")
    ]
    assert len(found) == (20 if form == "files" else 2)
    with pytest.raises(haul.BatchError, match="used --format|other settings"):
        haul.batch(table, out, scratch=tmp_path / "there", format="files" if form == "tar" else "tar")
    # Killed between the results and the data of a part that it took over.
    data = tmp_path / "there/part-00000-0000.tar" if form == "tar" else tmp_path / "there/part-00000-0000"
    data.unlink() if form == "tar" else data.rmdir()
    again = haul.batch(fixed, out, scratch=tmp_path / "there", format=form)
    assert again.earlier == 20


def test_what_a_store_sends_incompletely_is_not_used(site: Site, endpoint: str, tmp_path: Path) -> None:
    """Some libraries return an empty listing, or too few bytes, if the connection breaks."""
    del endpoint

    class Broken(RemoteFolder):
        cuts: ClassVar[set[str]] = set()

        def sizes(self) -> dict[str, int]:
            return {} if "listing" in self.cuts else super().sizes()

        def size(self, name: str) -> int | None:
            return None if "heads" in self.cuts else super().size(name)

        def read(self, name: str) -> bytes | None:
            content = super().read(name)
            if name in self.cuts:
                return b""
            return b"\xff" * len(content or b"") if "garbage" in self.cuts else content

    out = "s3://bucket/data"
    table = rows(site, 20)
    haul.batch(table, out, scratch=tmp_path / "here")
    name = "part-00000-0000.results.jsonl"
    for cut in ("listing", "batch.json", name, "garbage"):
        Broken.cuts = {cut}
        uploads = Uploads(tmp_path / f"scratch-{cut}", Broken(out))
        with pytest.raises(haul.BatchError, match="try again") as failed:
            uploads.begin(0)
        assert failed.value.code == "connectionFailed"
        # Nothing is left that would be taken for the store's.
        Broken.cuts = set()
        Uploads(tmp_path / f"scratch-{cut}", Broken(out)).begin(0)
        assert haul.batch(table, out, scratch=tmp_path / f"scratch-{cut}").earlier == 20
    # Both listings of a run, and the first look at each file.
    before = {each: Broken(out).read(each) for each in Broken(out).sizes()}
    haul.batch(table, tmp_path / "other", rows_per_part=3)
    for cuts in ({"listing"}, {"listing", "heads"}):
        Broken.cuts = cuts
        uploads = Uploads(tmp_path / "other", Broken(out))
        if "heads" in cuts:
            uploads.begin(0)
            Broken.cuts = {"listing"}
        with pytest.raises(haul.BatchError):
            uploads.finish()
    Broken.cuts = set()
    assert {each: Broken(out).read(each) for each in Broken(out).sizes()} == before


def test_parts_of_somebody_else_are_not_continued(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    store = RemoteFolder("s3://bucket/data")
    store.write("part-00000-0000.results.jsonl", b"{}\n")
    with pytest.raises(haul.BatchError, match="batch.json is missing"):
        haul.batch(rows(site, 5), "s3://bucket/data", scratch=tmp_path / "scratch")


def test_no_bucket_is_created(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    with pytest.raises(haul.BatchError):
        haul.batch(rows(site, 2), "s3://misspelt/a", scratch=tmp_path)
    assert fsspec.filesystem("s3").ls("") == ["bucket"]


def test_a_store_that_fails_is_a_batch_error(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    local = fsspec.filesystem("file")
    with pytest.raises(haul.BatchError) as failed:
        haul.batch(rows(site, 5), tmp_path / "file/data", filesystem=local, scratch=tmp_path / "scratch")
    assert failed.value.exit_code == 18


def test_a_shard_on_an_object_store(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    job = ShardJob("s3://bucket/job", {"rows_per_part": 20}, scratch=str(tmp_path / "scratch"))
    records = Records(job)
    records.begin(Division(3, {}, 4), 50, "0", has_shards=True)
    record = job.run(2, lines(site, 50), 4)
    found = table(job, record)
    assert sorted(found["id"].to_pylist()) == sorted(f"row-{number}" for number in range(50))
    assert not [each for each in (tmp_path / "scratch").iterdir() if each.is_dir()]
    # An attempt on another machine has begun before, and ends now: its parts have other names.
    other = ShardJob(job.out, job.options, scratch=str(tmp_path / "other"))
    stage = tmp_path / "other/00002"
    stage.mkdir(parents=True)
    other._fetch(lines(site, 50), stage, 2, 4)
    store = RemoteFolder(job.out)
    assert {name[:10] for name in _upload(stage, 2, store, "-0123abcd")} == {"part-00002"}
    # Nothing but the job's own attempts is removed.
    store.write("part-00002-0000.tar", b"of somebody else")
    records.finish(50, 3, "spark", {"ok": 45, "failed": 5}, set(found["part"].to_pylist()))
    assert {name for name in store.names() if name.startswith("part-")} == {*record.names, "part-00002-0000.tar"}
    name = next(name for name in record.names if name.endswith(".tar"))
    content = store.read(name)
    assert content
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        member = next(each for each in tar if each.name.endswith(".json"))
        about = tar.extractfile(member)
        assert about
        assert json.loads(about.read())["caption"].startswith("no. ")


@pytest.mark.parametrize("form", ["tar", "files"])
@pytest.mark.parametrize("library", ["fsspec", "pyarrow", "local"])
def test_the_record_of_a_faster_attempt_counts(
    site: Site, endpoint: str, tmp_path: Path, library: str, form: str
) -> None:
    systems = {"pyarrow": arrow(endpoint), "local": fsspec.filesystem("file", auto_mkdir=True)}
    system, options = systems.get(library), {"format": form}
    out = {"fsspec": "s3://bucket/job", "pyarrow": "bucket/job", "local": str(tmp_path / "job")}[library]
    job = ShardJob(out, options, str(tmp_path / "here"), system)
    other = ShardJob(out, options, str(tmp_path / "there"), system)
    faster: list[Any] = []

    def overtaken() -> Iterator[bytes]:
        yield from lines(site, 20)
        faster.append(other.run(0, lines(site, 20), 4))

    records = Records(job)
    records.begin(Division(1, {}, 4), 20, "0", has_shards=True)
    assert job.run(0, overtaken(), 4) == faster[0]
    store = RemoteFolder(out, system)
    assert {name for name in store.names() if name.startswith("part-")} == set(faster[0].names)
    # Attempts that were killed during their uploads.
    store.write("part-00000-0000-0123abcd/a.png", b"1")
    store.write("part-00000-0000-0123abcd/b/c.png", b"1")
    store.write(f".part-00000-0000-0123abcd.tar.{32 * 'a'}.partial", b"1")
    store.write(f"_haul/.00000.json.{32 * 'a'}.partial", b"1")
    parts = {each for each in faster[0].names if not each.endswith(".jsonl")}
    records.finish(20, 1, "ray", {"ok": 18, "failed": 2}, {each.removesuffix(".tar") for each in parts})
    assert sorted(store.names()) == sorted(["_haul", "batch.json", *faster[0].names])
    assert sorted(store.names("_haul")) == ["00000.json", "job.json"]


def test_what_another_job_has_left_is_not_used(
    site: Site, endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has fetched its rows, and died before their upload; without a column for ids, its rows have the same ones."""
    del endpoint

    def run(out: str, first: int) -> list[str]:
        job = ShardJob(out, {}, scratch=str(tmp_path / "scratch"))
        rows = [json.dumps({"id": str(row), "url": site.url(f"f/{first + row}")}).encode() for row in range(10)]
        Records(job).begin(Division(1, {}, 4), 10, str(first), has_shards=True)
        return sorted(table(job, job.run(0, rows, 4))["url"].to_pylist())

    with monkeypatch.context() as patch:
        patch.setattr("haul._shards._upload", None)
        with pytest.raises(TypeError):
            run("s3://bucket/a", 0)
    assert site.requests.total() == 10
    # Another output, and the same one after it was removed.
    assert run("s3://bucket/b", 100) == sorted(site.url(f"f/{row}") for row in range(100, 110))
    job = RemoteFolder("s3://bucket/a").read("_haul/job.json")
    RemoteFolder("s3://bucket").remove("a")
    with monkeypatch.context() as patch:
        patch.setattr("haul._shards._upload", None)
        with pytest.raises(TypeError):
            run("s3://bucket/a", 200)
    assert site.requests.total() == 30
    # The same job continues.
    assert run("s3://bucket/a", 200) == sorted(site.url(f"f/{row}") for row in range(200, 210))
    assert site.requests.total() == 30
    assert RemoteFolder("s3://bucket/a").read("_haul/job.json") != job


def test_a_job_does_not_continue_the_output_of_haul_batch(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    haul.batch(rows(site, 5), "s3://bucket/data", scratch=tmp_path)
    with pytest.raises(ValueError, match="has the output of another job, or of haul batch"):
        Records(ShardJob("s3://bucket/data")).begin(Division(1, {}, 4), 2, "1", has_shards=False)


def test_another_machine_uploads_meanwhile(site: Site, endpoint: str, tmp_path: Path) -> None:
    """The listing cache of s3fs must not hide that."""

    def system() -> Any:
        return fsspec.filesystem("s3", endpoint_url=endpoint, skip_instance_cache=True)

    out, given = "s3://bucket/data", rows(site, 20)
    haul.batch(given[:3], out, filesystem=system(), scratch=tmp_path / "here", rows_per_part=100)
    uploads = Uploads(tmp_path / "here", RemoteFolder(out, system()))
    uploads.begin(None)
    haul.batch(given[:10], out, filesystem=system(), scratch=tmp_path / "there", rows_per_part=100)
    store = RemoteFolder(out, system())
    before = {name: store.read(name) for name in store.sizes()}
    haul.batch(given, tmp_path / "here", rows_per_part=100)
    with pytest.raises(haul.BatchError, match="is from another machine"):
        uploads.finish()
    assert {name: store.read(name) for name in store.sizes()} == before


@pytest.mark.parametrize("kind", ["s3", "memory", "local", "dir"])
def test_names_of_folders_are_no_patterns(endpoint: str, tmp_path: Path, kind: str) -> None:
    del endpoint
    memory = fsspec.filesystem("memory", skip_instance_cache=True)
    memory.store = {}
    systems = {"s3": fsspec.filesystem("s3"), "memory": memory, "dir": dirfs.DirFileSystem("/bucket", memory)}
    system = systems.get(kind) or fsspec.filesystem("file", auto_mkdir=True)
    top = str(tmp_path) if kind == "local" else "bucket"
    names = ("a", "b/c", "b/d")
    other, store = (RemoteFolder(f"{top}/{name}", system) for name in ("set1", "set[12]"))
    for each in (other, store):
        for name in names:
            each.write(name, b"1")
    store.write("a", b"22")
    assert store.read("a") == b"22"
    store.remove("a")
    assert (store.sizes(), store.names()) == ({}, ["b"])
    store.remove("b")
    assert store.names() == []
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/d").write_bytes(b"333")
    for name in names:
        store.write(name, b"1")
    store.put(tmp_path / "folder", "b")
    assert [store.size(name) for name in names] == [1, None, 3]
    assert [other.size(name) for name in names] == [1, 1, 1]


def test_a_url_that_no_installed_package_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ModuleNotFoundError, match=r'elsewhere://a/b needs .* pip install "haul-dl\[storage\]"'):
        RemoteFolder("elsewhere://a/b")


def test_the_file_of_the_documentation(site: Site, endpoint: str, tmp_path: Path) -> None:
    del endpoint
    page = Path(__file__).resolve().parents[2] / "docs/fleet/storage.md"
    if not page.exists():
        pytest.skip("only in a clone of the repository")
    text = page.read_text().partition("```python\n")[2].partition("```")[0]
    assert "/scratch/" in text
    (tmp_path / "download.py").write_text(text.replace("/scratch/", f"{tmp_path}/scratch/"))
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(site, 40)))
    for shard in ("0/2", "1/2"):
        files = [str(tmp_path / name) for name in ("download.py", "m.jsonl")]
        subprocess.run([sys.executable, *files, "s3://bucket/pages", shard], check=True)
    store = RemoteFolder("s3://bucket/pages")
    copy(store, tmp_path / "copy")
    check(tmp_path / "copy", 40)
    assert haul.check_batch(tmp_path / "m.jsonl", tmp_path / "copy", deep=True).ok == 36
