"""Uploads that break, and the folder that they are made from."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import signal
import stat
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import haul
from conftest import Site
from haul._batch import scratch_folder
from haul._storage import RemoteFolder
from test_batch import check, rows
from test_storage import arrow

pytest.importorskip("moto.server")
fsspec = pytest.importorskip("fsspec")
pytest.importorskip("s3fs")
dirfs = pytest.importorskip("fsspec.implementations.dirfs")
pytest.importorskip("pyarrow.fs")


class _Full:
    """A file system that writes in place, and has no space for some files."""

    def __init__(self, name: str) -> None:
        self.name = name

    def system(self) -> Any:
        local = fsspec.filesystem("file", auto_mkdir=True, skip_instance_cache=True)
        opens, full = local._open, self

        def limited(path: str, mode: str = "rb", **options: Any) -> Any:
            file = opens(path, mode=mode, **options)
            if "w" not in mode or not full.name or full.name not in path:
                return file

            def write(content: Any) -> int:
                file.f.write(bytes(content)[: len(content) // 2])
                file.f.flush()
                raise OSError(errno.ENOSPC, "No space left on device")

            file.write = write
            return file

        local._open = limited
        return local


@pytest.mark.parametrize("name", [".results.jsonl", ".tar", "batch.json"])
def test_an_upload_in_place_that_breaks_is_completed(site: Site, tmp_path: Path, name: str) -> None:
    """A mounted store is full for a while; afterwards, another machine finds only complete files."""
    full, out = _Full(name), tmp_path / "store" / "data"
    options: dict[str, Any] = {"filesystem": full.system(), "scratch": tmp_path / "scratch"}
    with pytest.raises(haul.HaulError):
        haul.batch(rows(site, 50), str(out), **options)
    assert not any(each.name.endswith(name) and not each.name.startswith(".") for each in out.iterdir())
    full.name = ""
    assert haul.batch(rows(site, 50), str(out), **options).earlier == 50
    check(out, 50)
    assert not any(each.name.startswith(".") for each in out.iterdir())


def test_two_machines_write_a_file_at_the_same_time(tmp_path: Path) -> None:
    both, system = threading.Barrier(2), fsspec.filesystem("file", auto_mkdir=True, skip_instance_cache=True)
    move = system.mv

    def late(*arguments: Any, **options: Any) -> None:
        both.wait(20)
        move(*arguments, **options)

    system.mv = late
    with ThreadPoolExecutor(2) as threads:
        writes = [threads.submit(RemoteFolder(str(tmp_path), system).write, "batch.json", b"{}\n") for _ in range(2)]
        for each in writes:
            each.result()
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"batch.json": b"{}\n"}


@pytest.mark.parametrize("kind", ["raises", "is silent", "loses the new file"])
def test_a_file_system_that_replaces_nothing(tmp_path: Path, kind: str) -> None:
    """As HDFS, and WebHDFS. If the new file is lost, the other one stays."""
    system = fsspec.filesystem("file", auto_mkdir=True, skip_instance_cache=True)
    move = system.mv

    def strict(source: str, target: str, **options: Any) -> None:
        if Path(target).exists():
            if kind == "is silent":
                return
            if kind == "loses the new file":
                Path(source).unlink()
            raise FileExistsError(target)
        move(source, target, **options)

    system.mv = strict
    store = RemoteFolder(str(tmp_path), system)
    store.write("batch.json", b"{}\n")
    is_lost = kind == "loses the new file"
    with pytest.raises(FileExistsError) if is_lost else contextlib.nullcontext():
        store.write("batch.json", b'{"version":1}\n')
    expected = b"{}\n" if is_lost else b'{"version":1}\n'
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"batch.json": expected}


def test_unfinished_files_of_killed_processes_are_removed(site: Site, tmp_path: Path) -> None:
    out = tmp_path / "store"
    out.mkdir()
    names = [f".part-0000{shard}-0000.tar.{32 * '0'}.partial" for shard in range(2)]
    for name in names:
        (out / name).write_bytes(b"1")
    system = fsspec.filesystem("file", auto_mkdir=True)
    haul.batch(rows(site, 20), str(out), filesystem=system, scratch=tmp_path / "scratch")
    # Another machine may write that of another shard at this moment.
    assert [each.name for each in out.iterdir() if each.name.startswith(".")] == names[1:]
    check(out, 20)


def test_an_object_whose_upload_breaks_does_not_exist(endpoint: str) -> None:
    """s3fs has sent whole blocks, and would complete the object when its stream is closed."""
    del endpoint
    store = RemoteFolder("s3://bucket/data", fsspec.filesystem("s3", default_block_size=5 << 20))

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() >= 12 << 20:
                raise OSError(errno.EIO, "Input/output error")
            return super().read(size)

    with pytest.raises(OSError, match="Input/output"):
        store._replace("part-00000-0000.tar", Broken(bytes(20 << 20)))
    assert store.size("part-00000-0000.tar") is None


@pytest.mark.parametrize("library", ["fsspec", "pyarrow"])
def test_a_small_file_is_whole_after_control_c(endpoint: str, monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    store = RemoteFolder("s3://bucket/data") if library == "fsspec" else RemoteFolder("bucket/data", arrow(endpoint))

    def interrupted(content: Any, stream: Any, _: int) -> None:
        stream.write(content.read(100))
        signal.raise_signal(signal.SIGINT)
        stream.write(content.read())

    monkeypatch.setattr(shutil, "copyfileobj", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write("part-00000-0000.results.jsonl", bytes(1000))
    # The interpreter waits for them at its end, too.
    for thread in threading.enumerate():
        if thread.name.startswith("ThreadPoolExecutor"):
            thread.join()
    assert store.size("part-00000-0000.results.jsonl") == 1000


@pytest.mark.parametrize("length", [0, 100])
def test_the_beginning_of_results_on_the_store_is_replaced(
    site: Site, endpoint: str, tmp_path: Path, length: int
) -> None:
    del endpoint
    out, name = "s3://bucket/data", "part-00000-0000.results.jsonl"
    haul.batch(rows(site, 20), out, scratch=tmp_path / "scratch")
    store = RemoteFolder(out)
    whole = store.read(name)
    assert whole
    store.write(name, whole[:length])
    (tmp_path / "scratch/.uploaded").unlink()
    # Another machine can't know the rest.
    if length:
        with pytest.raises(haul.BatchError, match="remove it there") as failed:
            haul.batch(rows(site, 20), out, scratch=tmp_path / "other")
        assert failed.value.exit_code == 5
    assert haul.batch(rows(site, 20), out, scratch=tmp_path / "scratch").earlier == 20
    assert store.read(name) == whole


def test_the_same_url_on_another_store(site: Site, tmp_path: Path) -> None:
    def system(name: str) -> Any:
        return dirfs.DirFileSystem(str(tmp_path / name), fsspec.filesystem("file", auto_mkdir=True))

    (tmp_path / "second").mkdir()
    haul.batch(rows(site, 5), "bucket/data", filesystem=system("first"), scratch=tmp_path / "scratch")
    with pytest.raises(haul.BatchError, match="if this is another store") as refused:
        haul.batch(rows(site, 5), "bucket/data", filesystem=system("second"), scratch=tmp_path / "scratch")
    assert refused.value.code == "notPossible"
    assert not [*(tmp_path / "second").iterdir()]


def test_a_full_scratch_disk_is_not_an_error_of_the_store(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = dirfs.DirFileSystem(str(tmp_path / "store"), fsspec.filesystem("file", auto_mkdir=True))
    haul.batch(rows(site, 5), "bucket/data", filesystem=store, scratch=tmp_path / "first")

    def full(path: Path, _: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(haul.BatchError) as failed:
        haul.batch(rows(site, 5), "bucket/data", filesystem=store, scratch=tmp_path / "second")
    assert (failed.value.code, failed.value.exit_code) == ("noSpace", 17)
    assert f"the scratch folder {tmp_path / 'second'} (on the disk /" in failed.value.message
    assert "bucket/data" not in failed.value.message


def test_the_usual_scratch_folder_is_of_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = scratch_folder("s3://bucket/a")
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    assert scratch_folder("s3://bucket/a") == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(haul.BatchError, match="belongs to another user, or is not a folder"):
        scratch_folder("s3://bucket/a")
    folder.unlink()
    folder.mkdir()
    other = os.stat_result((stat.S_IFDIR | 0o700, 0, 0, 0, 4711, *[0] * 5))
    monkeypatch.setattr(Path, "lstat", lambda _: other)
    with pytest.raises(haul.BatchError, match="belongs to another user"):
        scratch_folder("s3://bucket/a")
