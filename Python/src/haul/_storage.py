"""Folders on object stores, over pyarrow's file systems and those of fsspec."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from haul._batch import BatchError
from haul._errors import ExitCode
from haul._inputs import needs

RESULTS = ".results.jsonl"
_RESULTS = re.compile(r"part-\d{5,}-\d{4,}\.results\.jsonl")
_CHUNK = 4 << 20
# The names of protocols in fsspec, and of types in pyarrow.
_OBJECT_STORES = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss"}


class RemoteFolder:
    """A folder on an object store, or on any other file system of fsspec or pyarrow."""

    def __init__(self, url: str, filesystem: Any = None) -> None:
        """Open the folder.

        Args:
            url: Its URL, or its path if a file system is given.
            filesystem: A file system of fsspec or pyarrow; the default follows from the URL, with fsspec if it is
                installed.
        """
        with needs("storage", "an object store"):
            import pyarrow.fs  # noqa: PLC0415

        self.url = url.rstrip("/")
        if filesystem is None:
            try:
                import fsspec  # noqa: PLC0415

                filesystem, path = fsspec.core.url_to_fs(self.url)
            except ImportError as problem:
                filesystem, path = self._of_pyarrow(problem)
        elif isinstance(filesystem, pyarrow.fs.FileSystem):
            path = self.url.split("://", 1)[-1]
        else:
            path = filesystem._strip_protocol(self.url)
        is_arrow = isinstance(filesystem, pyarrow.fs.FileSystem)
        names = filesystem.type_name if is_arrow else getattr(filesystem, "protocol", ())
        # What an object store writes gets its name when it is complete.
        self._is_atomic = not _OBJECT_STORES.isdisjoint([names] if isinstance(names, str) else names)
        self._has_folders = is_arrow or not self._is_atomic
        self._fsspec = None if is_arrow else filesystem
        if not is_arrow:
            # Other machines write as well, so a listing of an earlier run is out of date.
            filesystem.invalidate_cache()
            filesystem = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(filesystem))
        self.filesystem, self.path = filesystem, path.rstrip("/")

    def _of_pyarrow(self, problem: ImportError) -> tuple[Any, str]:
        """Return a file system of pyarrow itself, and the path; if it has none for the URL, fsspec's error counts."""
        import pyarrow.fs  # noqa: PLC0415

        try:
            filesystem, path = pyarrow.fs.FileSystem.from_uri(self.url)
        except (ValueError, NotImplementedError) as other:
            advice = 'pip install "haul-dl[storage]", and the library of fsspec for it, such as s3fs, gcsfs or adlfs'
            raise ModuleNotFoundError(
                f"{self.url} needs packages that are not installed ({problem}): {advice}"
            ) from other
        return filesystem, str(path)

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
        """Write a small file.

        Control-C interrupts the main thread, so another one writes: what a library has when its stream is closed may
        become the file.
        """
        with ThreadPoolExecutor(1) as thread:
            thread.submit(self._replace, name, io.BytesIO(content)).result()

    def sizes(self) -> dict[str, int]:
        """Return the names of the files in the folder, with their sizes."""
        import pyarrow.fs  # noqa: PLC0415

        selector = pyarrow.fs.FileSelector(self.path, allow_not_found=True)
        try:
            found = self.filesystem.get_file_info(selector)
        except NotADirectoryError:
            # pyarrow asks twice whether it exists, and another machine may have written the first file in between.
            found = self.filesystem.get_file_info(selector)
        return {info.base_name: info.size for info in found if info.is_file}

    def _tree(self, name: str) -> set[str]:
        """Return the paths of the files in a folder and in the folders in it."""
        import pyarrow.fs  # noqa: PLC0415

        start = f"{self.path}/{name}/"
        selector = pyarrow.fs.FileSelector(start.rstrip("/"), allow_not_found=True, recursive=True)
        found = self.filesystem.get_file_info(selector)
        return {info.path.lstrip("/").removeprefix(start.lstrip("/")) for info in found if info.is_file}

    def remove(self, name: str) -> None:
        """Remove a file."""
        self.filesystem.delete_file(f"{self.path}/{name}")

    def put(self, source: Path, name: str) -> None:
        """Upload a file, or a folder with all its files, and remove others from the folder on the store.

        Another machine may have begun to upload a folder of this name, with other files.

        Raises:
            OSError: The file on the store has another size afterwards.
        """
        if source.is_dir():
            files = {each.relative_to(source).as_posix(): each for each in source.rglob("*") if each.is_file()}
            for path, each in sorted(files.items()):
                self.put(each, f"{name}/{path}")
            for path in self._tree(name) - files.keys():
                self.remove(f"{name}/{path}")
            return
        if name.endswith(RESULTS):
            self.write(name, source.read_bytes())
        else:
            with source.open("rb") as file:
                self._replace(name, file)
        if self.size(name) != source.stat().st_size:
            raise OSError(f"{self.url}/{name} has another size than {source} after the upload")

    def _replace(self, name: str, content: BinaryIO) -> None:
        """Write a file, which gets its name when it is complete."""
        path = f"{self.path}/{name}"
        folder, _, last = path.rpartition("/")
        # Object stores have no folders: what would be created is a bucket with a misspelt name.
        if self._has_folders:
            self.filesystem.create_dir(folder, recursive=True)
        if self._is_atomic:
            self._upload(path, content)
            return
        unfinished = f"{folder}/.{last}.partial"
        with self.filesystem.open_output_stream(unfinished) as stream:
            shutil.copyfileobj(content, stream, _CHUNK)
        try:
            self.filesystem.move(unfinished, path)
        except OSError:
            # HDFS replaces nothing.
            if self.size(name) is None:
                raise
            self.remove(name)
            self.filesystem.move(unfinished, path)

    def _upload(self, path: str, content: BinaryIO) -> None:
        """Write an object, which does not exist if that fails: to close a stream of fsspec completes its upload."""
        if self._fsspec is None:
            with self.filesystem.open_output_stream(path) as stream:
                shutil.copyfileobj(content, stream, _CHUNK)
            return
        stream = self._fsspec.open(path, "wb")
        try:
            shutil.copyfileobj(content, stream, _CHUNK)
        except BaseException:
            stream.closed = True
            with contextlib.suppress(Exception):
                stream.discard()
            raise
        stream.close()


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


def _is_whole(content: bytes) -> bool:
    """Return whether this is a whole file of JSON, with an object in each line."""
    try:
        return content.endswith(b"\n") and all(isinstance(json.loads(line), dict) for line in content.splitlines())
    except ValueError:
        return False


def _may_follow(first: bytes, second: bytes) -> bool:
    """Return whether settings are others only in what runs add: a longer manifest, and how its rows are read."""
    ours, theirs = json.loads(first), json.loads(second)
    manifests = [each.pop("manifest", None) for each in (ours, theirs)]
    for name in ("idColumn", "manifestFormat", "urlColumn"):
        if name not in ours or name not in theirs:
            for each in (ours, theirs):
                each.pop(name, None)
    if ours != theirs:
        return False
    before, after = manifests
    # A manifest that is divided by hosts can't grow.
    return before in (None, after) or bool(after and ours["shardBy"] == "row" and after["bytes"] > before["bytes"])


class Uploads:
    """The parts of a scratch folder, and those that the store has; each has one name here and there.

    The store may have parts that are not here, because another machine made them. They become parts of the scratch
    folder, with their results, so that their rows are not fetched again, but with empty data. Nothing on the store is
    replaced.
    """

    def __init__(self, folder: Path, store: RemoteFolder) -> None:
        self._folder, self._store = folder, store
        self._path = folder / ".uploaded"
        # The settings that the store had when they were last the same as those of the folder.
        self._common = folder / ".batch.json.store"
        # The digests of results that the store has, and the names of those whose data is not here.
        self._digests: dict[str, str] = {}
        self._elsewhere: set[str] = set()

    def begin(self, shard: int | None) -> None:
        """Take over the parts that another machine has uploaded, of one shard or of all.

        Raises:
            BatchError: The store has parts that do not belong to this scratch folder.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        for line in self._path.read_text().splitlines() if self._path.exists() else ():
            # The last line may be incomplete, after a kill.
            if re.fullmatch(r"[0-9a-f]{64} (uploaded|elsewhere) \S+\.jsonl", line):
                digest, place, name = line.split(" ")
                self._digests[name] = digest
                if place == "elsewhere":
                    self._elsewhere.add(name)
        start = "part-" if shard is None else f"part-{shard:05}-"
        sizes = self._listing()
        found = sorted(name for name in sizes if name.startswith(start) and _RESULTS.fullmatch(name))
        form = self._agree(found[0] if found else None, sizes.get("batch.json"))
        for name in found:
            self._take(name, sizes[name], form)

    def finish(self) -> list[str]:
        """Upload the complete parts that the store does not have, and return the names of their data.

        The results of a part are uploaded last: results on the store always have their data.

        Raises:
            BatchError: The store has got other parts meanwhile, or has lost some.
        """
        uploaded = []
        sizes = self._listing()
        settings = self._folder / "batch.json"
        if settings.exists():
            # Another machine began at the same time, perhaps with another manifest, or has read a longer one.
            if settings.name in sizes:
                self._agree(None, sizes[settings.name])
            self._share(settings)
        for data, results in parts(self._folder):
            size = sizes.get(results.name)
            if size is None and results.name not in self._elsewhere:
                # A part that the listing lacks all the same must not be replaced.
                size = self._store.size(results.name)
            if size is not None and self._has(results, size):
                continue
            if results.name in self._elsewhere:
                raise self._refusal(
                    f"{self._store.url} had {results.name}, which another machine has made, and has lost it: remove "
                    f"{self._folder}, so that its rows are fetched again"
                )
            self._store.put(data, data.name)
            self._store.put(results, results.name)
            self._record(results.name, results.read_bytes(), "uploaded")
            uploaded.append(data.name)
        # Two machines that begin at the same time both find no settings, and the later ones replace the others.
        if settings.exists():
            self._agree(None, self._store.size(settings.name))
        return uploaded

    def _listing(self) -> dict[str, int]:
        """Return the files on the store with their sizes.

        Each run writes the settings first. If they exist, but the listing lacks them, it has lost more: some libraries
        return an empty one if the connection breaks at its beginning.
        """
        for _ in range(3):
            sizes = self._store.sizes()
            # Another machine may write them between the two requests.
            if "batch.json" in sizes or self._store.size("batch.json") is None:
                return sizes
        raise self._incomplete("the listing")

    def _read(self, name: str, size: int) -> bytes:
        """Read a file of JSON, with an object in each line, and see whether it is complete."""
        content = self._store.read(name) or b""
        if len(content) != size or not _is_whole(content):
            raise self._incomplete(name)
        return content

    def _agree(self, part: str | None, size: int | None) -> str:
        """Take over the settings of the store, or compare them with those of the folder, and return the format.

        Args:
            part: The first part on the store.
            size: The size of the settings on the store.
        """
        settings = self._folder / "batch.json"
        content = self._read(settings.name, size) if size is not None else None
        if content is None:
            if part is not None:
                raise self._refusal(
                    f"{self._store.url}/{part} has the name of a part, but batch.json is missing: use another folder"
                )
            return "tar"
        here = settings.read_bytes() if settings.exists() else None
        common = self._common.read_bytes() if self._common.exists() else None
        if here is None or (here == common and _may_follow(here, content)):
            # Another machine has read more, and compared that with the settings of this folder.
            self._write(settings, content)
            self._write(self._common, content)
        elif here == content:
            self._write(self._common, content)
        elif content != common:
            raise self._refusal(
                f"{self._store.url} has the output of a run with other settings ({content.decode().strip()}): use "
                f"these, or another folder; {self._folder} belongs to the run with {here.decode().strip()}"
            )
        return str(json.loads(content).get("format", "tar"))

    def _share(self, settings: Path) -> None:
        """Write the settings of the folder to the store, unless it has them."""
        content = settings.read_bytes()
        if not self._common.exists() or content != self._common.read_bytes():
            self._store.write(settings.name, content)
            self._write(self._common, content)

    def _take(self, name: str, size: int, form: str) -> None:
        """Take over results of the store, or compare them with those of the folder."""
        results = self._folder / name
        if not results.exists():
            content = self._read(name, size)
            self._record(name, content, "elsewhere")
            self._write(results, content)
        else:
            self._has(results, size)
        data = self._folder / (name.removesuffix(RESULTS) + (".tar" if form == "tar" else ""))
        if name in self._elsewhere and not data.exists():
            if form == "tar":
                data.touch()
            else:
                data.mkdir()

    def _has(self, results: Path, size: int) -> bool:
        """Return whether the store has the results that are here, of which it may have only the beginning.

        Each file is read from the store once at most.

        Raises:
            BatchError: It has others.
        """
        content = results.read_bytes()
        if size == len(content) and self._digests.get(results.name) == hashlib.sha256(content).hexdigest():
            return True
        if size <= len(content):
            found = self._store.read(results.name) or b""
            if len(found) != size:
                raise self._incomplete(results.name)
            if found == content:
                self._record(results.name, content, "uploaded")
                return True
            if not _is_whole(found):
                # Some libraries complete an upload that is interrupted.
                if content.startswith(found):
                    return False
                raise self._incomplete(results.name)
        raise self._refusal(
            f"{self._store.url}/{results.name} is from another machine, and so has other rows than here: remove "
            f"{self._folder}, and the run continues with what the store has"
        )

    def _record(self, name: str, content: bytes, place: str) -> None:
        digest = hashlib.sha256(content).hexdigest()
        with self._path.open("a") as file:
            # After the incomplete line of a run that was killed.
            file.write(f"\n{digest} {place} {name}\n")
        self._digests[name] = digest
        if place == "elsewhere":
            self._elsewhere.add(name)

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_bytes(content)
        temporary.rename(path)

    def _incomplete(self, name: str) -> BatchError:
        advice = "try again"
        if name.endswith(RESULTS):
            advice += "; if this repeats, remove it there, and its rows are fetched again"
        return BatchError(
            ExitCode.connectionFailed.name,
            f"{self._store.url}: {name} was not received completely, or is damaged: {advice}",
            ExitCode.connectionFailed,
        )

    @staticmethod
    def _refusal(message: str) -> BatchError:
        return BatchError(ExitCode.notPossible.name, message, ExitCode.notPossible)


def is_remote(out: str) -> bool:
    """Return True for URLs of anything but files of this machine."""
    return "://" in out and not out.startswith("file://")


def local_path(out: str) -> str:
    """Return the absolute path of a folder of this machine."""
    return os.path.abspath(out.removeprefix("file://"))  # noqa: PTH100
