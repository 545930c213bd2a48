"""Downloads the URLs of a Spark DataFrame: `haul.spark.download`.

Every task runs `haul batch` with one shard of the rows. All rows of a host are in one shard, so that its limit holds
for the whole cluster; a host with more rows than a shard should have is divided, and so is its limit.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from haul import _storage
from haul._results import RESULT_SCHEMA, results
from haul._shards import HOST, Division, Records, ShardJob, check_columns, default_shards, find_columns

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from haul._options import RowOptions

_RESULTS = "results"
_JSON = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"}


def download(
    df: DataFrame,
    out: str,
    *,
    url: str = "url",
    id: str | None = None,
    shards: int | None = None,
    per_host: int = 4,
    scratch: str | None = None,
    filesystem: Any = None,
    results_path: str | None = None,
    **options: Unpack[RowOptions],
) -> DataFrame:
    """Download the URLs of a DataFrame into parts, and return a DataFrame with a result for every row.

    The downloads run at once, not when the result is used. Call it again with the same arguments to continue after
    the job was killed: rows with a result are not fetched again.

    Args:
        df: The rows. All columns are kept: in the JSON beside each file, and in the result.
        out: The output folder: a path that all machines share, or the URL of a folder on an object store.
        url: The column with the URL. If no column has exactly this name, letter case is ignored.
        id: The column with a unique id, which names the files; None: `id` if there is one, otherwise ids are made
            of the shard and a number.
        shards: The number of shards; the default follows from the rows and the cores, and from an earlier run.
        per_host: The number of downloads at a time from one host, over all shards.
        scratch: On each machine, the folder for parts that are to be uploaded.
        filesystem: The file system of `out` (fsspec or pyarrow), for an object store; None: that of its URL.
        results_path: Where Spark writes the results, as a URL of Hadoop; None: `results` in `out`.
        **options: The options of `haul batch` that concern rows, such as `accept="image/*"`.

    Raises:
        ValueError: A column is missing, or `out` has the output of another job.
        RuntimeError: The totals differ: the input has changed while it was read.
    """
    spark = df.sparkSession
    url, id = find_columns(df.columns, url, id)
    rows = _rows(df, url, id)
    job = ShardJob(
        out if _storage.is_remote(out) or filesystem is not None else _storage.local_path(out),
        dict(options),
        scratch,
        filesystem,
    )
    records = Records(job)
    checksum = F.coalesce(F.sum(F.xxhash64("row").cast(T.DecimalType(20, 0))), F.lit(0))
    count, content = rows.agg(F.count("*"), checksum).collect()[0]
    wanted = shards or default_shards(count, _cores(spark))
    hosts = rows.groupBy("host").agg(F.count("*").alias("rows"))
    large = hosts.where(F.col("rows") > Division.fair(count, wanted)).collect()
    big = Division.divided({each["host"]: each["rows"] for each in large}, count, wanted, per_host)
    division = records.begin(Division(wanted, big, per_host), count, str(content), has_shards=shards is not None)
    path = results_path or f"{_hadoop(job.out)}/{_RESULTS}"
    if records.read(f"{_RESULTS}/_SUCCESS") is None or results_path:
        found = _divided(spark, rows, division).mapInArrow(_Task(job, id is not None), _SCHEMA)
        _typed(found, df, url, id).write.mode("overwrite").parquet(path)
    # The path as it is: Spark expands wildcards where it reads.
    table = spark.read.parquet(re.sub(r"([\\*?\[\]{}])", r"\\\1", path))
    states = {each["state"]: each["count"] for each in table.groupBy("state").count().collect()}
    parts = {each["part"] for each in table.select("part").distinct().collect()}
    try:
        records.finish(count, division.count, "spark", states, parts)
    except RuntimeError:
        # The next call makes the results again, of the parts.
        records.remove(f"{_RESULTS}/_SUCCESS")
        raise
    return table


_SCHEMA = (
    "id string, row long, url string, state string, error string, message string, final_url string, status int, "
    "bytes long, media_type string, sha256 string, member string, offset long, end long, seconds double, attempts int, "
    "part string, columns string"
)


def _hadoop(out: str) -> str:
    """Return the URL of a folder as Hadoop spells it."""
    return "s3a://" + out.removeprefix("s3://") if out.startswith("s3://") else out if "://" in out else f"file://{out}"


def _rows(df: DataFrame, url: str, id: str | None) -> DataFrame:
    """Return a row as JSON, and its host."""
    others = check_columns(df.columns, url, id)
    address = F.col(f"`{url}`").cast("string")
    members = [address.alias("url"), *([F.col(f"`{id}`").cast("string").alias("id")] if id else [])]
    # The whole row as one text: it goes to `haul batch` as it is, and makes the order of equal rows irrelevant.
    row = F.to_json(
        F.struct(*members, *(F.col(f"`{name}`") for name in others)), {**_JSON, "ignoreNullFields": "false"}
    )
    host = F.lower(F.regexp_extract(F.coalesce(address, F.lit("")), HOST, 1))
    return df.select(row.alias("row"), host.alias("host"))


def _typed(found: DataFrame, df: DataFrame, url: str, id: str | None) -> DataFrame:
    """Return results with the other columns in their types."""
    others = [df.schema[name] for name in check_columns(df.columns, url, id)]
    fixed = [F.col(name) for name in RESULT_SCHEMA.names if name not in {"row", "columns"}]
    if not others:
        return found.select(*fixed)
    read = found.withColumn("columns", F.from_json("columns", T.StructType(others), _JSON))
    return read.select(*fixed, *(F.col(f"columns.`{each.name}`").alias(each.name) for each in others))


def _cores(spark: SparkSession) -> int:
    try:
        return int(spark.sparkContext.defaultParallelism)
    except Exception:
        # Spark Connect has no context.
        return int(spark.conf.get("spark.sql.shuffle.partitions") or 200) // 3


def _divided(spark: SparkSession, rows: DataFrame, division: Division) -> DataFrame:
    """Return the rows with their shards: one partition for each shard, in an order that never changes."""
    pieces, start = F.lit(None).cast("int"), F.lit(None).cast("int")
    if division.big:
        pieces = F.element_at(_map(division.big), F.col("host"))
        start = F.element_at(_map(division.starts), F.col("host"))
    # A big host has `per_host` places; the first pieces have one place more if they can't be equal.
    per_host = F.lit(division.per_host)
    place = F.pmod(F.xxhash64("row"), per_host).cast("int")
    share = F.floor(per_host / pieces).cast("int")
    larger = F.pmod(per_host, pieces)
    piece = F.when(place < larger * (share + 1), F.floor(place / (share + 1))).otherwise(
        larger + F.floor((place - larger * (share + 1)) / share)
    )
    shard = F.coalesce(start + piece, F.pmod(F.hash("host"), F.lit(division.shared)))
    limit = F.when(pieces.isNull(), per_host).otherwise(share + (piece < larger).cast("int"))
    divided = rows.select("row", shard.cast("int").alias("shard"), limit.cast("int").alias("limit"))
    key = F.element_at(F.lit(_keys(spark, division.count)), F.col("shard") + 1).cast("long")
    # Mixed, so that hosts take turns, but the same in each attempt.
    spread = divided.withColumn("key", key).repartition(division.count, "key")
    return spread.sortWithinPartitions(F.xxhash64("row"), "row").select("shard", "limit", "row")


def _map(values: Mapping[str, int]) -> Column:
    return F.create_map([F.lit(each) for pair in values.items() for each in pair])


def _keys(spark: SparkSession, count: int) -> list[int]:
    """Return for each partition a number that Spark puts there: hash partitioning leaves some partitions empty."""
    found: dict[int, int] = {}
    first = 0
    while len(found) < count:
        numbers = spark.range(first, first + 4 * count + 64, numPartitions=1)
        for number, place in numbers.select("id", F.pmod(F.hash("id"), F.lit(count))).collect():
            found.setdefault(place, number)
        first += 4 * count + 64
    return [found[place] for place in range(count)]


class _Task:
    """What a task does with its partition."""

    def __init__(self, job: ShardJob, has_ids: bool) -> None:
        self._job, self._has_ids = job, has_ids

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        full = (batch for batch in batches if batch.num_rows)
        first = next(full, None)
        if first is None:
            return
        shard, limit = first["shard"][0].as_py(), first["limit"][0].as_py()
        numbers = itertools.count()

        def rows() -> Iterator[bytes]:
            for batch in itertools.chain([first], full):
                if pc.unique(batch["shard"]).to_pylist() != [shard]:
                    raise RuntimeError(
                        f"a partition has rows of shard {shard} and of others: Spark has merged partitions"
                    )
                for row in batch["row"].to_pylist():
                    yield (row if self._has_ids else f'{{"id":"{shard:05}-{next(numbers):09}",{row[1:]}').encode()

        feed = rows()
        record = self._job.run(shard, feed, limit)
        # Spark waits until all rows are read; an earlier attempt may have fetched them.
        for _ in feed:
            continue
        for part, content in self._job.results(record):
            yield from results(part, content).to_batches()
