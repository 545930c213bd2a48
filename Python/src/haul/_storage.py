"""What the runs of a shard share on an object store: its parts, and those of other machines."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from haul._batch import BatchError
from haul._errors import ExitCode
from haul._remote import RESULTS, UNFINISHED, RemoteFolder

__all__ = ["RESULTS", "UNFINISHED", "RemoteFolder", "Uploads", "is_remote", "local_path", "parts"]

_RESULTS = re.compile(r"part-\d{5,}-\d{4,}\.results\.jsonl")


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


@contextlib.contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Report a full disk of the scratch folder as such: the store has nothing to do with it.

    Raises:
        BatchError: The disk is full, or the quota of the user is exhausted.
    """
    try:
        yield
    except OSError as problem:
        if problem.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        path = folder.absolute()
        disk = next(each for each in (path, *path.parents) if each.is_mount())
        message = (
            f"not enough disk space in the scratch folder {folder} (on the disk {disk}): {problem.strerror}: free some "
            "space and call again, or choose a folder on another disk with scratch"
        )
        raise BatchError(ExitCode.noSpace.name, message, ExitCode.noSpace) from problem


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
        with _disk_errors(self._folder):
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
        self._remove_unfinished(sizes)
        # Two machines that begin at the same time both find no settings, and the later ones replace the others.
        if settings.exists():
            self._agree(None, self._store.size(settings.name))
        return uploaded

    def _remove_unfinished(self, names: Iterable[str]) -> None:
        """Remove what processes that were killed have left of parts that the store has completely now."""
        complete = {each.name for pair in parts(self._folder) for each in pair}
        for name in names:
            found = re.fullmatch(rf"\.(.+){UNFINISHED}", name)
            if found and found[1] in complete:
                with contextlib.suppress(FileNotFoundError):
                    self._store.remove(name)

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
            if self._common.exists():
                # With another `filesystem`, the same URL may be a folder on another store.
                raise self._refusal(
                    f"{self._store.url} lacks batch.json, which was uploaded from {self._folder}: if this is another "
                    f"store, or the output was removed, remove {self._folder} or use another scratch folder"
                )
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
            with _disk_errors(self._folder):
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
        with _disk_errors(self._folder), self._path.open("a") as file:
            # After the incomplete line of a run that was killed.
            file.write(f"\n{digest} {place} {name}\n")
        self._digests[name] = digest
        if place == "elsewhere":
            self._elsewhere.add(name)

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        temporary = path.with_name(f".{path.name}.new")
        with _disk_errors(path.parent):
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
