"""A folder on an object store, over pyarrow's file systems and those of fsspec."""

from __future__ import annotations

import contextlib
import io
import shutil
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from haul._inputs import needs

RESULTS = ".results.jsonl"
UNFINISHED = r"\.[0-9a-f]{32}\.partial"
"""The end of the name of a file that is being written; the beginning is a dot and the name it will get."""
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
        info = self._info(f"{self.path}/{name}")
        return int(info.size) if info.is_file else None

    def _info(self, target: Any) -> Any:
        """Return what there is at a path, or what a selector finds."""
        if self._fsspec is not None:
            # Other machines write as well, so a listing from before may be out of date.
            self._fsspec.invalidate_cache()
        return self.filesystem.get_file_info(target)

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
        return {info.base_name: info.size for info in self._listing() if info.is_file}

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the files and folders in the folder, or in one inside it."""
        return [info.base_name for info in self._listing(folder)]

    def _listing(self, name: str = "", *, recursive: bool = False) -> Any:
        """Return the files and folders in a folder, and perhaps those further inside."""
        import pyarrow.fs  # noqa: PLC0415

        path = f"{self.path}/{name}".rstrip("/")
        selector = pyarrow.fs.FileSelector(path, allow_not_found=True, recursive=recursive)
        try:
            return self._info(selector)
        except NotADirectoryError:
            # pyarrow asks twice whether it exists, and another machine may have written the first file in between.
            return self._info(selector)

    def _tree(self, name: str) -> set[str]:
        """Return the paths of the files in a folder and in the folders in it."""
        start = f"{self.path}/{name}/".lstrip("/")
        files = (info.path.lstrip("/") for info in self._listing(name, recursive=True) if info.is_file)
        return {path.removeprefix(start) for path in files}

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with all that is in it."""
        path = f"{self.path}/{name}"
        found = [self._info(path)]
        if found[0].type.name != "Directory":
            self._remove_file(path)
        elif self._fsspec is None:
            self.filesystem.delete_dir(path)
        else:
            found += self._listing(name, recursive=True)
            for info in sorted(found, key=lambda it: it.path.lstrip("/"), reverse=True):
                if info.is_file:
                    self._remove_file(info.path)
                elif self._has_folders:
                    self._fsspec.rmdir(info.path)

    def _remove_file(self, path: str) -> None:
        if self._fsspec is None:
            self.filesystem.delete_file(path)
            return
        try:
            # pyarrow would call `rm`, which expands wildcards: names of folders may contain them.
            self._fsspec.rm_file(path)
        except NotImplementedError:
            # A file system without it has a method `rm` of its own.
            self._fsspec.rm(path)

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
        # Unique, because two machines may write the same file.
        unfinished = f"{name.removesuffix(last)}.{last}.{uuid.uuid4().hex}.partial"
        try:
            with self.filesystem.open_output_stream(f"{self.path}/{unfinished}") as stream:
                shutil.copyfileobj(content, stream, _CHUNK)
            self._rename(unfinished, name)
        except BaseException:
            with contextlib.suppress(Exception):
                self.remove(unfinished)
            raise

    def _rename(self, name: str, new: str) -> None:
        """Rename a file; it replaces another one."""
        for is_last in (False, False, True):
            problem: OSError | None = None
            try:
                self._move(f"{self.path}/{name}", f"{self.path}/{new}")
            except OSError as failure:
                problem = failure
            is_gone = self.size(name) is None
            if is_gone and problem is None:
                return
            # HDFS replaces nothing, and WebHDFS does not report that.
            if is_last or is_gone or self.size(new) is None:
                raise problem or OSError(f"{self.url}/{name} could not be renamed to {new}")
            # Another machine may do the same at this moment.
            with contextlib.suppress(FileNotFoundError):
                self.remove(new)

    def _move(self, source: str, target: str) -> None:
        if self._fsspec is None:
            self.filesystem.move(source, target)
            return
        from fsspec import AbstractFileSystem  # noqa: PLC0415
        from fsspec.implementations.dirfs import DirFileSystem  # noqa: PLC0415

        inner = self._fsspec
        while isinstance(inner, DirFileSystem):
            inner = inner.fs
        if type(inner).mv is AbstractFileSystem.mv:
            # It copies and removes, too, but expands wildcards.
            self._fsspec.cp_file(source, target)
            self._fsspec.rm_file(source)
        else:
            self._fsspec.mv(source, target)

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
