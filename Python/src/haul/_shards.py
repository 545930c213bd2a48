"""Runs a shard of a job on one of many machines, as safely as its scheduler requires: what Spark and Ray share.

A shard may be started several times, at the same time as well: after a failure, speculatively, or because the machine
of the first attempt is believed to be lost.

- The output is a folder that all machines share: attempts of a shard exclude each other by a lock, and the next one
  continues the unfinished parts of the one before. No row is fetched twice, and the limit per host holds.
- The output is on an object store: each attempt has parts with names of its own, and the shard's record, which is
  written last, names those that count.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haul import _batch, _storage
from haul._options import RowOptions

HOST = r"^\s*[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:\s]*)"
"""The host of a URL in its first group. What counts is that it is the same for all rows of a host."""

# The columns of results, and members of the JSON beside each file.
_RESERVED = {
    *("id", "url", "key", "row", "state", "error", "message", "final_url", "status", "bytes", "media_type", "sha256"),
    *("member", "offset", "end", "seconds", "attempts", "part", "columns"),
}

RECORDS = "_haul"
"""The folder of the records in the output folder; readers of data sets leave out names that begin like this."""
_JOB = f"{RECORDS}/job.json"

# What an attempt writes into an object store: parts with a token, perhaps unfinished.
_ATTEMPT = re.compile(rf"\.?part-\d{{5,}}-\d{{4,}}-[0-9a-f]{{8}}(\.tar|\.results\.jsonl)?({_storage.UNFINISHED})?")


@dataclass(frozen=True)
class ShardJob:
    """What all shards of a job have in common; it is sent to the machines.

    Attributes:
        out: The path or the URL of the output folder.
        options: The options of `haul batch` that concern rows.
        scratch: The folder of each machine for parts that are to be uploaded; None for the default.
        filesystem: The file system of `out`; None: that of its URL.
    """

    out: str
    options: Mapping[str, Any] = field(default_factory=dict)
    scratch: str | None = None
    filesystem: Any = None

    def __post_init__(self) -> None:
        """Refuse options here, not in a task on another machine."""
        if unknown := sorted(set(self.options) - set(RowOptions.__annotations__)):
            raise TypeError(f"unknown options: {', '.join(unknown)}")
        if self.options.get("retry_failed"):
            # An attempt that is repeated would write a second result for each failed row.
            raise ValueError("retry_failed is not possible here: download the failed rows again into another folder")

    def run(self, shard: int, rows: Iterable[bytes], per_host: int) -> ShardRecord:
        """Fetch the rows of a shard, unless an attempt before has done so, and return its record.

        Args:
            shard: The number of the shard.
            rows: Objects in JSON, each with an `id` that is unique, always in the same order.
            per_host: The number of rows at a time from one host in this shard.
        """
        if self._is_remote:
            return self._run_remote(shard, rows, per_host)
        out = Path(_storage.local_path(self.out))
        records = out / RECORDS
        records.mkdir(parents=True, exist_ok=True)
        with _lock(records / f"{shard:05}.lock"):
            record = ShardRecord.read(records / f"{shard:05}.json")
            if record is None:
                counted = _Counted(rows)
                report = self._fetch(counted, out, shard, per_host)
                names = [each.name for each in _files(out, shard)]
                record = ShardRecord(shard, counted.count, report.repeated, names)
                _write(records / f"{shard:05}.json", record.text)
            return record

    @property
    def _is_remote(self) -> bool:
        return self.filesystem is not None or _storage.is_remote(self.out)

    def _fetch(self, rows: Iterable[bytes], out: Path, shard: int, per_host: int) -> _batch.BatchReport:
        """Run `haul batch`; wait for the process of an attempt that was just killed."""
        options = {**self.options, "per_host": per_host, "shard_name": shard}
        limit = time.monotonic() + 60
        while True:
            lock = out / f".shard-{shard}.lock"
            if not lock.exists() or _is_free(lock) or time.monotonic() > limit:
                return _batch.run(rows, out, options=options)
            time.sleep(0.1)

    def _run_remote(self, shard: int, rows: Iterable[bytes], per_host: int) -> ShardRecord:
        store = _storage.RemoteFolder(self.out, self.filesystem)
        scratch = Path(self.scratch) if self.scratch else _batch.scratch_folder(self.out)
        scratch.mkdir(parents=True, exist_ok=True)
        name = f"{RECORDS}/{shard:05}.json"
        # Several jobs may have the same scratch folder.
        stage = scratch / f"{shard:05}-{hashlib.sha256(self.out.encode()).hexdigest()[:16]}"
        with _lock(scratch / f"{stage.name}.lock"):
            if content := store.read(name):
                return ShardRecord.parse(content)
            _prepare(stage, store.read(_JOB) or b"")
            counted = _Counted(rows)
            report = self._fetch(counted, stage, shard, per_host)
            names = _upload(stage, shard, store, f"-{uuid.uuid4().hex[:8]}")
            record = ShardRecord(shard, counted.count, report.repeated, names)
            if content := store.read(name):
                # Another attempt, on another machine, was faster: its results count, perhaps already.
                record = ShardRecord.parse(content)
                for each in names:
                    store.remove(each)
            else:
                store.write(name, record.text)
            shutil.rmtree(stage)
            return record

    def results(self, record: ShardRecord) -> Iterator[tuple[str, bytes]]:
        """Return the results of a shard: the name of each part, and its lines.

        Raises:
            OSError: They are not as many as the record says.
        """
        store = _storage.RemoteFolder(self.out, self.filesystem) if self._is_remote else None
        count = 0
        for name in sorted(record.names):
            if name.endswith(_storage.RESULTS):
                content = store.read(name) if store else (Path(_storage.local_path(self.out)) / name).read_bytes()
                if content is None:
                    raise FileNotFoundError(f"{self.out}/{name}")
                count += content.count(b"\n")
                yield name.removesuffix(_storage.RESULTS), content
        if count != record.rows - record.repeated:
            raise OSError(
                f"{self.out}: shard {record.shard} has {record.rows - record.repeated} results, but {count} were read: "
                "they are damaged, or were not received completely"
            )


@dataclass(frozen=True)
class ShardRecord:
    """What a shard has done: a file of the output folder that is written last.

    Attributes:
        shard: The number of the shard.
        rows: The number of its rows.
        repeated: The number of rows that were left out, because their id occurred before.
        names: The files of its parts in the output folder.
    """

    shard: int
    rows: int
    repeated: int
    names: Sequence[str]

    @property
    def text(self) -> bytes:
        """The record in JSON."""
        return json.dumps(self.__dict__, sort_keys=True).encode() + b"\n"

    @classmethod
    def parse(cls, text: bytes) -> ShardRecord:
        """Read a record."""
        return cls(**json.loads(text))

    @classmethod
    def read(cls, path: Path) -> ShardRecord | None:
        """Read a record; None if there is none."""
        try:
            return cls.parse(path.read_bytes())
        except FileNotFoundError:
            return None


@dataclass(frozen=True)
class Division:
    """The division of rows among shards.

    All rows of a host are in one shard, so that its limit holds without any communication. A host with more rows than
    a shard should have is divided over shards of its own, after the others, and so is its limit.

    Attributes:
        shared: The number of shards with whole hosts.
        big: The hosts that are divided, with the number of shards for each.
        per_host: The number of rows at a time from one host, over all shards.
    """

    shared: int
    big: Mapping[str, int]
    per_host: int

    @staticmethod
    def fair(rows: int, shards: int) -> int:
        """Return the number of rows that a shard should have at most."""
        return max(1, -(-rows // shards))

    @classmethod
    def divided(cls, hosts: Mapping[str, int], rows: int, shards: int, per_host: int) -> dict[str, int]:
        """Return the hosts that are divided, of those with these numbers of rows."""
        fair = cls.fair(rows, shards)
        pieces = {host: min(-(-count // fair), per_host, shards) for host, count in sorted(hosts.items())}
        return {host: count for host, count in pieces.items() if count > 1}

    @property
    def count(self) -> int:
        """The number of all shards."""
        return self.shared + sum(self.big.values())

    @property
    def starts(self) -> dict[str, int]:
        """The first shard of each host that is divided."""
        return dict(zip(self.big, itertools.accumulate(self.big.values(), initial=self.shared), strict=False))


def default_shards(rows: int, cores: int) -> int:
    """Return a number of shards: some for each core, so that no long one runs alone at the end."""
    return max(1, min(3 * cores, rows), rows // 100_000)


def find_columns(names: Sequence[str], url: str, id: str | None) -> tuple[str, str | None]:
    """Return the columns with the URL and the id, in any letter case if they do not exist as written.

    Without a name for the id, it is the column `id`, if there is one.
    """

    def find(name: str) -> str | None:
        return name if name in names else next((each for each in names if each.lower() == name.lower()), None)

    return find(url) or url, find(id) or id if id else find("id")


def check_columns(names: Sequence[str], url: str, id: str | None) -> list[str]:
    """Return the columns that are passed through.

    Raises:
        ValueError: A column is missing, or has the name of one that results have.
    """
    for name in (url, id):
        if name is not None and name not in names:
            raise ValueError(f'there is no column "{name}", only {", ".join(names)}')
    others = [name for name in names if name not in {url, id}]
    if taken := sorted(_RESERVED.intersection(others)):
        raise ValueError(f"results have columns of these names, rename them first: {', '.join(taken)}")
    return others


class Records:
    """The records of a job in its output folder, as its driver sees them."""

    def __init__(self, job: ShardJob) -> None:
        self._job = job
        self._store = _storage.RemoteFolder(job.out, job.filesystem) if job._is_remote else None
        self._path = None if self._store else Path(_storage.local_path(job.out))

    def read(self, name: str) -> bytes | None:
        """Return the content of a file of the output folder; None if it does not exist."""
        if self._store:
            return self._store.read(name)
        try:
            return (self._path / name).read_bytes() if self._path else None
        except FileNotFoundError:
            return None

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the output folder."""
        content = content.encode() if isinstance(content, str) else content
        if self._store:
            self._store.write(name, content)
        elif self._path:
            (self._path / name).parent.mkdir(parents=True, exist_ok=True)
            _write(self._path / name, content)

    def remove(self, *names: str) -> None:
        """Remove files of the output folder that may exist."""
        for name in names:
            if self._path:
                (self._path / name).unlink(missing_ok=True)
            elif self._store and self._store.size(name) is not None:
                self._store.remove(name)

    def _names(self) -> list[str]:
        if self._store:
            return self._store.names()
        return [each.name for each in self._path.iterdir()] if self._path and self._path.is_dir() else []

    def begin(self, division: Division, rows: int, checksum: str, *, has_shards: bool) -> Division:
        """Record the division of a job, or return that of the run before that it continues.

        Args:
            division: The division.
            rows: The number of rows.
            checksum: A sum over all rows.
            has_shards: True if the number of shards was given; otherwise that of the run before is used.

        Raises:
            ValueError: The folder has the output of another job.
        """
        settings = {**division.__dict__, "rows": rows, "checksum": checksum}
        earlier = self.read(_JOB)
        if earlier is None:
            if any(name == "batch.json" or name.startswith("part-") for name in self._names()):
                raise ValueError(f"{self._job.out} has the output of another job, or of haul batch: use a new folder")
            self.write(_JOB, json.dumps(settings) + "\n")
            return division
        found: dict[str, Any] = json.loads(earlier)
        for name in ("rows", "checksum", "per_host", *(["shared"] if has_shards else [])):
            if found.pop(name) != settings[name]:
                label = {"shared": "shards", "checksum": "content"}.get(name, name)
                raise ValueError(f"{self._job.out} has the output of a job with other {label}: use a new folder")
        return Division(found.get("shared", division.shared), found["big"], division.per_host)

    def finish(self, rows: int, shards: int, kind: str, states: Mapping[str, int], parts: set[str]) -> None:
        """Compare the totals of a job, and complete its folder.

        Args:
            rows: The number of rows of the input.
            shards: The number of shards.
            kind: What has divided the rows: `spark` or `ray`.
            states: The numbers of the results by their states.
            parts: The parts that the results name.

        Raises:
            RuntimeError: Rows were lost or written twice.
        """
        found = [self.read(f"{RECORDS}/{shard:05}.json") for shard in range(shards)]
        records = [ShardRecord.parse(each) for each in found if each]
        fetched, repeated = sum(each.rows for each in records), sum(each.repeated for each in records)
        if fetched != rows or sum(states.values()) != rows - repeated:
            raise RuntimeError(
                f"{self._job.out}: {rows} rows, but the shards had {fetched}, with {repeated} repeated ids, and there "
                f"are {sum(states.values())} results ({dict(states)}): the input has changed while it was read, or the "
                "same job runs twice: call it again, alone"
            )
        lost = parts - {name.removesuffix(_storage.RESULTS) for each in records for name in each.names}
        if lost:
            raise RuntimeError(f"{self._job.out}: results name parts that no shard has recorded: {sorted(lost)[:3]}")
        # `haul batch --check` reads the folder with it, and no `haul batch` takes it for its own.
        form = str(self._job.options.get("format", "tar"))
        settings = {"format": form, "shardBy": kind, "shards": shards, "version": 1}
        self.write("batch.json", json.dumps(settings, sort_keys=True) + "\n")
        self._clean(records)

    def _clean(self, records: Iterable[ShardRecord]) -> None:
        """Remove locks, and parts of attempts that no record names."""
        if self._path:
            for each in [*(self._path / RECORDS).glob("*.lock"), *self._path.glob(".*.lock")]:
                each.unlink(missing_ok=True)
        if self._store:
            kept = {name for each in records for name in each.names}
            unfinished = re.compile(rf"\..+{_storage.UNFINISHED}")
            found = [f"{RECORDS}/{name}" for name in self._store.names(RECORDS) if unfinished.fullmatch(name)]
            found += [name for name in self._store.names() if _ATTEMPT.fullmatch(name) and name not in kept]
            for name in found:
                # An attempt that ends at this moment removes its own parts.
                with suppress(FileNotFoundError):
                    self._store.remove(name)


class _Counted:
    """Rows that are counted while they are read; several iterations begin again if the rows can."""

    def __init__(self, rows: Iterable[bytes]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        for row in self._rows:
            self.count += 1
            yield row


def _prepare(stage: Path, job: bytes) -> None:
    """Make the folder for the parts of a shard, and remove what another job has left there."""
    mark = stage / ".job.json"
    if not mark.exists() or mark.read_bytes() != job:
        if stage.exists():
            shutil.rmtree(stage)
        stage.mkdir()
        mark.write_bytes(job)


def _upload(stage: Path, shard: int, store: _storage.RemoteFolder, token: str) -> list[str]:
    """Upload the parts of a shard, results last, and return their names: with a token behind the number of the part."""
    names = {each: re.sub(r"^part-\d+-\d+", lambda it: it[0] + token, each.name) for each in _files(stage, shard)}
    for source in sorted(names, key=lambda it: it.name.endswith(_storage.RESULTS)):
        store.put(source, names[source])
    return list(names.values())


def _files(folder: Path, shard: int) -> list[Path]:
    return [each for pair in _storage.parts(folder, shard) for each in pair]


def _is_free(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock of a shard; waits for an attempt that holds it. It ends with the process."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is there with all its content or not at all."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)
    _sync(path.parent)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
