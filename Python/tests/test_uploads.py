"""Uploads that break, and the folder that they are made from."""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import stat
import tempfile
import threading
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
