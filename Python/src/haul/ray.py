"""Downloads the URLs of a Ray data set: `haul.ray.download`.

Every task runs `haul batch` with one shard of the rows. All rows of a host are in one shard, so that its limit holds
for the whole cluster; a host with more rows than a shard should have is divided, and so is its limit.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import ray

from haul import _storage
from haul._batch import json_line
from haul._results import RESULT_SCHEMA, results
from haul._shards import HOST, RECORDS, Division, Records, ShardJob, check_columns, default_shards, find_columns

if TYPE_CHECKING:
    from ray.data import Dataset
    from typing_extensions import Unpack

    from haul._options import RowOptions

_RESULTS = "results"
_SUCCESS = f"{_RESULTS}/_SUCCESS"
_DIVIDED = f"{RECORDS}/rows.json"
_HOST = re.compile(HOST)


def download(
    dataset: Dataset,
    out: str,
    *,
    url: str = "url",
    id: str | None = None,
    shards: int | None = None,
    per_host: int = 4,
    scratch: str | None = None,
    filesystem: Any = None,
    **options: Unpack[RowOptions],
) -> Dataset:
    """Download the URLs of a data set into parts, and return a data set with a result for every row.

    The downloads run at once, not when the result is used. Call it again with the same arguments to continue after
    the job was killed: rows with a result are not fetched again.

    Args:
        dataset: The rows. All columns are kept: in the JSON beside each file, and in the result.
        out: The output folder: a path that all nodes share, or the URL of a folder on an object store.
        url: The column with the URL. If no column has exactly this name, letter case is ignored.
        id: The column with a unique id, which names the files; None: `id` if there is one, otherwise ids are made of
            the shard and a number.
        shards: The number of shards; the default follows from the rows and the cores, and from an earlier run.
        per_host: The number of downloads at a time from one host, over all shards.
        scratch: On each node, the folder for parts that are to be uploaded.
        filesystem: The file system of `out` (fsspec or pyarrow), for an object store; None: that of its URL.
        **options: The options of `haul batch` that concern rows, such as `accept="image/*"`.

    Raises:
        ValueError: A column is missing, or `out` has the output of another job.
        RuntimeError: The totals differ: the input has changed while it was read.
    """
    names = dataset.columns() or []
    url, id = find_columns(names, url, id)
    rows = _Rows(url, id)
    check_columns(names, url, id)
    is_remote = filesystem is not None or _storage.is_remote(out)
    job = ShardJob(out if is_remote else _storage.local_path(out), dict(options), scratch, filesystem)
    records = Records(job)
    hosts: Counter[str] = Counter()
    checksum = 0
    for batch in dataset.map_batches(rows.count, batch_format="pyarrow").iter_batches(batch_format="pyarrow"):
        for host, count, sum_ in zip(*(batch[name].to_pylist() for name in ("host", "rows", "sum")), strict=True):
            hosts[host] += count
            checksum = (checksum + sum_) % (1 << 62)
    total = hosts.total()
    wanted = shards or default_shards(total, int(ray.cluster_resources().get("CPU", 1)))
    big = Division.divided(hosts, total, wanted, per_host)
    division = records.begin(Division(wanted, big, per_host), total, str(checksum), has_shards=shards is not None)
    if records.read(_SUCCESS) is None:
        task = _Task(job, rows)
        if records.read(_DIVIDED) is None:
            divided = dataset.map_batches(_Divide(rows, division).run, batch_format="pyarrow")
            groups = divided.groupby("_shard", num_partitions=min(division.count, 200))
            saved = groups.map_groups(task.save_rows, batch_format="pyarrow").sum("rows") or 0
            if saved != total:
                raise RuntimeError(
                    f"{out}: {total} rows, but {saved} were divided: the input has changed while it was read"
                )
            records.write(_DIVIDED, "{}\n")
        states, parts = _fetch(task, division.count)
        records.finish(total, division.count, "ray", states, parts)
        records.remove(_DIVIDED, *(_rows_name(shard) for shard in range(division.count)))
        records.write(_SUCCESS, "")
    if is_remote:
        store = _storage.RemoteFolder(out, filesystem)
        return ray.data.read_parquet(
            f"{store.path}/{_RESULTS}", filesystem=store.filesystem, file_extensions=["parquet"]
        )
    return ray.data.read_parquet(f"{job.out}/{_RESULTS}", file_extensions=["parquet"])


def _fetch(task: _Task, shards: int) -> tuple[Counter[str], set[str]]:
    """Run the shards, each as a task that depends on no other; return the numbers of states, and the parts."""
    run = ray.remote(max_retries=10, scheduling_strategy="SPREAD")(_run_task)
    shared = ray.put(task)
    waiting = [run.remote(shared, shard) for shard in range(shards)]
    states: Counter[str] = Counter()
    parts: set[str] = set()
    try:
        while waiting:
            ended, waiting = ray.wait(waiting)
            for counts in ray.get(ended):
                for (part, state), count in counts.items():
                    states[state] += count
                    parts.add(part)
    except BaseException:
        # They would continue to download, and hold up the next call.
        for each in waiting:
            ray.cancel(each, force=True)
        raise
    return states, parts


def _run_task(task: _Task, shard: int) -> dict[tuple[str, str], int]:
    return task.run(shard)


def _rows_name(shard: int) -> str:
    return f"{RECORDS}/rows-{shard:05}.parquet"


@dataclass(frozen=True)
class _Rows:
    """Rows as JSON."""

    url: str
    id: str | None

    def texts(self, table: pa.Table) -> list[tuple[str, bytes]]:
        """Return the host and the JSON of each row."""
        found = []
        for row in table.to_pylist():
            url = row.pop(self.url)
            head = {"url": None if url is None else str(url)}
            if self.id is not None:
                name = row.pop(self.id)
                head["id"] = None if name is None else str(name)
            host = _HOST.match(head["url"] or "")
            found.append((host[1].lower() if host else "", json_line({**head, **row})))
        return found

    def count(self, table: pa.Table) -> pa.Table:
        """Return the number of rows of each host, and a sum that does not depend on their order."""
        rows: Counter[str] = Counter()
        sums: Counter[str] = Counter()
        for host, text in self.texts(table):
            rows[host] += 1
            sums[host] = (sums[host] + _number(text)) % (1 << 62)
        columns = {"host": list(rows), "rows": list(rows.values()), "sum": [sums[host] for host in rows]}
        return pa.table(columns, pa.schema([("host", pa.string()), ("rows", pa.int64()), ("sum", pa.int64())]))


def _number(text: bytes) -> int:
    """Return a number for a text, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 2


def _place(division: Division, starts: Mapping[str, int], host: str, number: int) -> tuple[int, int]:
    """Return the shard of a row with this number, and the limit of its host there."""
    pieces = division.big.get(host)
    if pieces is None:
        return _number(host.encode()) % division.shared, division.per_host
    # A big host has `per_host` places; the first pieces have one place more if they can't be equal.
    share, larger = divmod(division.per_host, pieces)
    place = number % division.per_host
    before = larger * (share + 1)
    piece = place // (share + 1) if place < before else larger + (place - before) // share
    return starts[host] + piece, share + (piece < larger)


@dataclass(frozen=True)
class _Divide:
    """Adds the shard, its limit and the JSON to each row."""

    rows: _Rows
    division: Division

    def run(self, table: pa.Table) -> pa.Table:
        texts = self.rows.texts(table)
        starts = self.division.starts
        places = [_place(self.division, starts, host, _number(text)) for host, text in texts]
        table = table.append_column("_shard", pa.array([shard for shard, _ in places], pa.int64()))
        table = table.append_column("_limit", pa.array([limit for _, limit in places], pa.int64()))
        return table.append_column("_row", pa.array([text for _, text in texts], pa.binary()))


class _Task:
    """What a task does with its shard.

    The rows of each shard are saved in the output folder first. A node that dies during the downloads then takes
    nothing with it that other tasks wait for.
    """

    def __init__(self, job: ShardJob, rows: _Rows) -> None:
        self._job, self._rows = job, rows

    def save_rows(self, table: pa.Table) -> pa.Table:
        """Save the rows of a shard, in an order that is the same in each attempt, and return their number."""
        texts = table["_row"].to_pylist()
        # Mixed, so that hosts take turns.
        order = sorted(range(len(texts)), key=lambda row: (_number(texts[row]), texts[row]))
        shard = table["_shard"][0].as_py()
        Records(self._job).write(_rows_name(shard), _parquet(table.take(order).drop_columns(["_shard"])))
        return pa.table({"rows": [len(texts)]})

    def run(self, shard: int) -> dict[tuple[str, str], int]:
        """Fetch the rows of a shard, save the results, and return their numbers by part and state."""
        content = Records(self._job).read(_rows_name(shard))
        if content is None:
            return {}
        table = pq.read_table(io.BytesIO(content))
        limit, texts = table["_limit"][0].as_py(), table["_row"].to_pylist()
        record = self._job.run(shard, self._lines(shard, texts), limit)
        counts: Counter[tuple[str, str]] = Counter()
        found = []
        for part, content in self._job.results(record):
            lines = results(part, content)
            counts.update((part, state) for state in lines["state"].to_pylist())
            found.append(lines)
        results_table = pa.concat_tables(found) if found else RESULT_SCHEMA.empty_table()
        self._save(shard, results_table, table.drop_columns(["_limit", "_row"]))
        return dict(counts)

    def _lines(self, shard: int, texts: list[bytes]) -> Iterator[bytes]:
        for number, text in enumerate(texts):
            yield text if self._rows.id else f'{{"id":"{shard:05}-{number:09}",'.encode() + text[1:]

    def _save(self, shard: int, lines: pa.Table, table: pa.Table) -> None:
        """Write the results with the other columns of the rows; again if an attempt before has done so."""
        others = table.take(lines["row"]).drop_columns([name for name in (self._rows.url, self._rows.id) if name])
        lines = lines.drop_columns(["row", "columns"])
        for name in others.column_names:
            lines = lines.append_column(name, others[name])
        Records(self._job).write(f"{_RESULTS}/shard-{shard:05}.parquet", _parquet(lines))


def _parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


__all__ = ["download"]
