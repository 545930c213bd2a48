"""Folders on object stores, over pyarrow's file systems and those of fsspec."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

RESULTS = ".results.jsonl"
_RESULTS = re.compile(r"part-\d{5,}-\d{4,}\.results\.jsonl")
_CHUNK = 4 << 20


class RemoteFolder:
    """A folder on an object store, or on any other file system of fsspec or pyarrow."""

    def __init__(self, url: str, filesystem: Any = None) -> None:
        """Open the folder.

        Args:
            url: Its URL, or its path if a file system is given.
            filesystem: A file system of fsspec or pyarrow; the default follows from the URL, with fsspec if it is
                installed.
        """
        import pyarrow.fs  # noqa: PLC0415

        self.url = url.rstrip("/")
        if filesystem is None:
            try:
                import fsspec  # noqa: PLC0415

                filesystem, path = fsspec.core.url_to_fs(self.url)
            except ImportError:
                filesystem, path = pyarrow.fs.FileSystem.from_uri(self.url)
        elif isinstance(filesystem, pyarrow.fs.FileSystem):
            path = self.url.split("://", 1)[-1]
        else:
            path = filesystem._strip_protocol(self.url)
        if not isinstance(filesystem, pyarrow.fs.FileSystem):
            filesystem = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(filesystem))
        self.filesystem, self.path = filesystem, path.rstrip("/")

    def size(self, name: str) -> int | None:
        """Return the size of a file; None if it does not exist."""
        info = self.filesystem.get_file_info(f"{self.path}/{name}")
        return int(info.size) if info.is_file else None

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if it does not exist."""
        if self.size(name) is None:
            return None
        with self.filesystem.open_input_stream(f"{self.path}/{name}") as stream:
            return bytes(stream.read())

    def write(self, name: str, content: bytes) -> None:
        """Write a small file."""
        self._make_folder(name)
        with self.filesystem.open_output_stream(f"{self.path}/{name}") as stream:
            stream.write(content)

    def names(self) -> set[str]:
        """Return the names of the files in the folder."""
        import pyarrow.fs  # noqa: PLC0415

        selector = pyarrow.fs.FileSelector(self.path, allow_not_found=True)
        return {info.base_name for info in self.filesystem.get_file_info(selector) if info.is_file}

    def remove(self, name: str) -> None:
        """Remove a file."""
        self.filesystem.delete_file(f"{self.path}/{name}")

    def put(self, source: Path, name: str) -> None:
        """Upload a file, or a folder with all its files.

        Raises:
            OSError: The file on the store has another size afterwards.
        """
        if source.is_dir():
            for each in sorted(source.rglob("*")):
                if each.is_file():
                    self.put(each, f"{name}/{each.relative_to(source).as_posix()}")
            return
        self._make_folder(name)
        with source.open("rb") as file, self.filesystem.open_output_stream(f"{self.path}/{name}") as stream:
            shutil.copyfileobj(file, stream, _CHUNK)
        if self.size(name) != source.stat().st_size:
            raise OSError(f"{self.url}/{name} has another size than {source} after the upload")

    def _make_folder(self, name: str) -> None:
        # Object stores have no folders; others need them.
        self.filesystem.create_dir(f"{self.path}/{name}".rpartition("/")[0], recursive=True)


def parts(folder: Path, shard: int | None = None) -> list[tuple[Path, Path]]:
    """Return the complete parts in a folder, of one shard or of all: the data and the results of each."""
    start = "part-" if shard is None else f"part-{shard:05}-"
    found = sorted(each for each in folder.iterdir() if each.name.startswith(start) and _RESULTS.fullmatch(each.name))
    pairs = []
    for results in found:
        name = results.name.removesuffix(RESULTS)
        data = next((folder / each for each in (name + ".tar", name) if (folder / each).exists()), None)
        # Results are named first, so they may be without data for an instant.
        if data:
            pairs.append((data, results))
    return pairs


def upload_parts(folder: Path, store: RemoteFolder) -> list[str]:
    """Upload the complete parts of a folder that the store does not have, and return their names.

    The results of a part are uploaded last: results on the store always have their files.
    """
    uploaded = []
    for data, results in parts(folder):
        if store.size(results.name) != results.stat().st_size:
            store.put(data, data.name)
            store.put(results, results.name)
            uploaded.append(data.name)
    settings = folder / "batch.json"
    if settings.exists():
        store.write(settings.name, settings.read_bytes())
    return uploaded


def is_remote(out: str) -> bool:
    """Return True for URLs of anything but files of this machine."""
    return "://" in out and not out.startswith("file://")


def local_path(out: str) -> str:
    """Return the absolute path of a folder of this machine."""
    return os.path.abspath(out.removeprefix("file://"))  # noqa: PTH100
