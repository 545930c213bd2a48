"""Downloads data sets: `haul batch`."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import stat
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haul import _program
from haul._errors import ExitCode, HaulError
from haul._inputs import check_rows, needs, wrong_row

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from haul._options import BatchOptions

Row = str | bytes | Mapping[str, object]
"""A row of a manifest: an object with a `url`, a URL, or a line of JSON."""

# The longest report.
_TAIL = 16384


@dataclass(frozen=True, kw_only=True)
class BatchReport:
    """The numbers of a run.

    Attributes:
        ok: Rows whose file is in a part.
        failed: Rows that failed, and the numbers for each error in `failed_by`.
        refused: Rows that a filter refused, or that are invalid, and the numbers for each in `refused_by`.
        earlier: Rows that earlier runs have recorded.
        repeated: Rows whose id occurred before.
        failed_hosts: The hosts with the most failed rows.
    """

    ok: int = 0
    failed: int = 0
    refused: int = 0
    seconds: float = 0
    rows_per_second: float = 0
    bytes_per_second: float = 0
    bytes: int = 0
    earlier: int = 0
    repeated: int = 0
    failed_by: Mapping[str, int] = field(default_factory=dict)
    refused_by: Mapping[str, int] = field(default_factory=dict)
    failed_hosts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def parse(cls, line: Mapping[str, Any]) -> BatchReport:
        """Return the report of a line of JSON; members that only a later version has are left out."""
        names = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in line.items() if name in names})


@dataclass(frozen=True, kw_only=True)
class BatchCheck:
    """A comparison of a folder with its manifest: rows = ok + failed + refused + missing.

    Attributes:
        missing: Rows without a result; `missing_ids` has the first of them.
        messages: Descriptions of parts that can't be read, and of other problems.
        raw: The report as JSON.
    """

    rows: int = 0
    ok: int = 0
    failed: int = 0
    refused: int = 0
    missing: int = 0
    missing_ids: Sequence[str] = ()
    messages: Sequence[str] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, line: Mapping[str, Any]) -> BatchCheck:
        """Return the comparison of a line of JSON; `raw` has members that only a later version has."""
        names = {each.name for each in fields(cls)} - {"raw"}
        return cls(**{name: line[name] for name in names if name in line}, raw=line)

    def __str__(self) -> str:
        """Return a sentence, and lines with what is missing."""
        counts = f"{self.ok} ok + {self.failed} failed + {self.refused} refused + {self.missing} missing"
        more = ", …" if self.missing > len(self.missing_ids) else ""
        missing = [f"missing: {', '.join(self.missing_ids)}{more}"] if self.missing_ids else []
        return "\n".join([f"{self.rows} rows = {counts}", *missing, *self.messages])


class BatchError(HaulError):
    """A batch that could not begin, whose parts could not be written, or that `check_batch` has found incomplete.

    Failed rows are no error.

    Attributes:
        check: The comparison with the manifest, if `check_batch` has found the folder incomplete; otherwise None.
    """

    check: BatchCheck | None = None


def rows_of_parquet(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Return the rows of a Parquet file, or of a folder of them, as lines of JSON."""
    for file in _parquet_files(path):
        for batch in file.to_batches():
            yield from map(json_line, batch.to_pylist())


def _parquet_files(path: str | os.PathLike[str]) -> list[Any]:
    """Return the files as fragments, each with its own schema: that of a whole folder is the schema of its first."""
    with needs("arrow", "Parquet"):
        import pyarrow.dataset  # noqa: PLC0415

    return [*pyarrow.dataset.dataset(os.fspath(path), format="parquet").get_fragments()]


def json_line(row: Mapping[str, object]) -> bytes:
    """Return a row as JSON; what JSON lacks becomes null (NaN, NA, NaT), Base64 (bytes), a list or a string."""
    try:
        return json.dumps(row, default=_plain, allow_nan=False).encode()
    except ValueError:
        return json.dumps(_finite(row), default=lambda value: _finite(_plain(value))).encode()


def check_parquet(path: str | os.PathLike[str], options: Mapping[str, Any]) -> None:
    """Compare the columns that options name with those of a Parquet file, or of each file of a folder.

    Raises:
        ValueError: A column is missing, or the folder has no file.
    """
    files = _parquet_files(path)
    if not files:
        raise ValueError(f"{os.fspath(path)} has no Parquet file")
    wanted = [options.get("url_column") or "url", options.get("id_column"), options.get("name_column")]
    for file in files:
        names = file.physical_schema.names
        known = {each.lower() for each in names}
        for name in wanted:
            if name is not None and str(name).lower() not in known:
                raise ValueError(f'{file.path} has no column "{name}", only {", ".join(names)}')


def _plain(value: Any) -> object:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    # Those of pandas, recognised by their names so that it is not imported.
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    items = value.tolist() if hasattr(type(value), "tolist") else value
    # Some numbers of NumPy have no other form.
    return str(value) if type(items) is type(value) else items


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, (list, tuple)) else value


def batch(
    manifest: str | os.PathLike[str] | Iterable[Row],
    out: str | os.PathLike[str],
    *,
    on_report: Callable[[BatchReport], None] | None = None,
    scratch: str | os.PathLike[str] | None = None,
    filesystem: Any = None,
    **options: Unpack[BatchOptions],
) -> BatchReport:
    """Download the rows of a manifest into parts, and return the numbers.

    Call it again with the same arguments to continue after an interruption. If `out` is a URL, another machine
    continues with the parts that were uploaded; only one at a time may work on a shard.

    Args:
        manifest: A file in one of the formats of `haul batch`, a Parquet file (ending `.parquet`) or a folder of them,
            or the rows. With `shard`, Parquet and rows are saved in a temporary file first, because hosts are divided
            in two passes; with `shard_by="row"` they are not. Rows are read in the thread of the caller, so the error
            of a run that ends early is raised when the next row has come.
        out: The folder for the parts. If it is a URL such as `s3://bucket/folder`, the parts are written into
            `scratch`, and uploaded when the run has ended.
        on_report: Called for each report, every 10 seconds and at the end.
        scratch: The folder for parts that are to be uploaded; it must be the same one to continue a run. The default
            is a folder in that for temporary files.
        filesystem: A file system of fsspec or pyarrow for `out`; the default follows from the URL.
        **options: The options of `haul batch`: `per_host=4`, `accept="image/*"`, `shard="3/16"`.

    Raises:
        BatchError: The run could not begin, for example because no row has the column with the URL, or could not write
            or upload.
        ValueError: A Parquet file lacks a column that an option names, `out` is a URL in a `Path`, or `manifest` "-".
        TypeError: The manifest, or a row, is of another type, such as a DataFrame, or an option is not possible here,
            such as help.
        ModuleNotFoundError: Parquet or an object store needs a package that is not installed.
    """
    if not isinstance(out, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", os.fspath(out)):
        raise ValueError(f"{os.fspath(out)} is a URL that has lost a slash as a Path: pass out as text")
    _program.check_options(options)
    needs_file = options.get("shard") is not None and options.get("shard_by") != "row"
    with _readable(manifest, options, needs_file=needs_file) as readable:
        if filesystem is None and "://" not in os.fspath(out):
            return run(readable, out, on_report=on_report, options=options)

        from haul._storage import RemoteFolder, Uploads  # noqa: PLC0415

        folder = Path(scratch) if scratch else scratch_folder(os.fspath(out))
        shard = _shard_number(options)
        with _store_errors(os.fspath(out)):
            uploads = Uploads(folder, RemoteFolder(os.fspath(out), filesystem))
            uploads.begin(shard)
        report = run(readable, folder, on_report=on_report, options=options)
        with _store_errors(os.fspath(out)):
            uploads.finish()
        return report


@contextmanager
def _store_errors(out: str) -> Iterator[None]:
    try:
        yield
    except (HaulError, ImportError):
        raise
    except Exception as problem:
        # Each library of a store has errors of its own, some without a message.
        message = f"{out}: {str(problem) or type(problem).__name__}"
        raise BatchError(ExitCode.fileFailed.name, message, ExitCode.fileFailed) from problem


def _shard_number(options: Mapping[str, Any]) -> int | None:
    """Return the number of the shard; None if only the program can find it out (`auto`)."""
    if (name := options.get("shard_name")) is not None:
        return int(name)
    number = str(options.get("shard") or 0).partition("/")[0]
    return int(number) if number.isdecimal() else None


@contextmanager
def _readable(
    manifest: str | os.PathLike[str] | Iterable[Row], options: Mapping[str, Any], *, needs_file: bool
) -> Iterator[str | os.PathLike[str] | Iterable[Row]]:
    """Return a manifest as a file that `haul batch` reads, or as rows if it need not be a file."""
    if isinstance(manifest, (str, os.PathLike)):
        if os.fspath(manifest) == "-":
            raise ValueError('the manifest "-" is not a file: pass the rows, such as sys.stdin')
        if not os.fspath(manifest).endswith(".parquet") and not Path(manifest).is_dir():
            yield os.fspath(manifest)
            return
        check_parquet(manifest, options)
        manifest = rows_of_parquet(manifest)
    else:
        check_rows(manifest)
    if not needs_file:
        yield manifest
        return
    with tempfile.TemporaryDirectory(prefix="haul-") as folder:
        path = Path(folder) / "manifest.jsonl"
        with path.open("wb") as file:
            for portion in _portions(manifest):
                file.write(portion)
        yield path


def scratch_folder(out: str) -> Path:
    """Make the folder for parts that are to be uploaded, the same one for the same destination, and return its path.

    Raises:
        BatchError: It is not a folder of this user alone: another one could have put anything in it.
    """
    name = f"haul-{os.geteuid()}-{hashlib.sha256(out.encode()).hexdigest()[:16]}"
    folder = Path(tempfile.gettempdir()) / name
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        message = f"{folder} belongs to another user, or is not a folder: remove it, or choose a folder with scratch"
        raise BatchError(ExitCode.notPossible.name, message, ExitCode.notPossible)
    folder.chmod(0o700)
    return folder


def run(
    manifest: Any,
    out: str | os.PathLike[str],
    *,
    on_report: Callable[[BatchReport], None] | None = None,
    options: Mapping[str, Any],
) -> BatchReport:
    """Run `haul batch` into a folder of this machine."""
    is_file = isinstance(manifest, (str, os.PathLike))
    given: dict[str, Any] = {"out": out, "json": True, **options}
    if not is_file:
        given.setdefault("manifest_format", "jsonl")
    line = _program.command("batch", [os.fspath(manifest) if is_file else "-"], given)
    errors = bytearray()
    reports: list[dict[str, Any]] = []
    problems: list[BaseException] = []

    def read_reports() -> None:
        for line in process.stdout or ():
            reports[:] = [json.loads(line)]
            if on_report and not problems:
                try:
                    on_report(BatchReport.parse(reports[0]))
                except BaseException as problem:
                    # That of the caller's function.
                    problems.append(problem)
                    process.terminate()

    def read_errors() -> None:
        for line in process.stderr or ():
            errors.extend(line)
            del errors[:-_TAIL]

    threads = [threading.Thread(target=each, daemon=True) for each in (read_reports, read_errors)]
    process = _program.start(line)
    try:
        try:
            for thread in threads:
                thread.start()
            # A run that has ended takes no more rows.
            _feed(process.stdin, () if is_file else takewhile(lambda _: process.poll() is None, manifest))
        except BaseException:
            # Before its standard input ends: a truncated manifest must not look like a complete one.
            process.kill()
            with suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]
            raise
        for thread in threads:
            thread.join()
    except BaseException:
        # A caller who is interrupted can call again: nothing is left running.
        process.terminate()
        raise
    finally:
        for thread in threads:
            if thread.ident:
                thread.join()
        code = process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()
    if problems:
        raise problems[0]
    if code or not reports or reports[0].get("event") != "ended":
        error = HaulError.of_exit(code, bytes(errors))
        raise BatchError(error.code, error.message, code)
    return BatchReport.parse(reports[0])


def _feed(pipe: Any, rows: Iterable[Row]) -> None:
    """Write rows to the standard input of a run."""
    for portion in _portions(rows):
        try:
            pipe.write(portion)
            pipe.flush()
        except BrokenPipeError:
            # The run has ended: its exit code says why.
            break
    with suppress(BrokenPipeError):
        pipe.close()


def _line(row: Row) -> bytes:
    if isinstance(row, Mapping):
        return json_line(row)
    if isinstance(row, str):
        row = row.encode()
    if isinstance(row, bytes):
        # A file that is open yields its lines with their ends.
        row = row.rstrip(b"\r\n")
        return row if row.lstrip().startswith(b"{") else json_line({"url": row.decode()})
    raise wrong_row(row)


def _portions(rows: Iterable[Row]) -> Iterator[bytes]:
    """Return rows as lines, in portions."""
    portion: list[bytes] = []
    size = 0
    for row in rows:
        line = _line(row)
        portion.append(line)
        size += len(line)
        if size > 1 << 16:
            yield b"\n".join(portion) + b"\n"
            portion, size = [], 0
    if portion:
        yield b"\n".join(portion) + b"\n"


def check_batch(
    manifest: str | os.PathLike[str] | Iterable[Row],
    folder: str | os.PathLike[str],
    *,
    deep: bool = False,
    **options: Any,
) -> BatchCheck:
    """Compare a folder with its manifest, and return the numbers if it is complete; nothing is downloaded.

    Args:
        manifest: The manifest: a file in one of the formats of `haul batch`, a Parquet file or a folder of them, or
            the rows. Parquet and rows are saved as JSON in a temporary file first.
        folder: The folder with the parts.
        deep: Also verify the SHA-256 of every file.
        **options: The options for the columns and the shard, as in `batch`.

    Raises:
        BatchError: The comparison was not possible, or the folder is incomplete because a row has no result, or a part
            can't be read. Then the code is `incomplete`, and `check` has the numbers.
        ValueError: A Parquet file lacks a column that an option names.
        TypeError: An option is not possible here, such as help.
    """
    _program.check_options(options)
    given = {"check": folder, "deep": deep, "json": True, **options}
    with _readable(manifest, options, needs_file=True) as readable:
        process = _program.start(_program.command("batch", [str(readable)], given))
        try:
            output, errors = process.communicate()
        except BaseException:
            # Nothing is left running, and the comparison changes nothing.
            process.kill()
            process.communicate()
            raise
    if process.returncode:
        raise _check_error(process.returncode, output, errors)
    return BatchCheck.parse(json.loads(output))


def _check_error(exit_code: int, output: bytes, errors: bytes) -> BatchError:
    """Return the error of a comparison; it has the report if there is one."""
    if exit_code != ExitCode.mixed or not output.strip():
        error = HaulError.of_exit(exit_code, errors or output)
        return BatchError(error.code, error.message, exit_code)
    check = BatchCheck.parse(json.loads(output))
    incomplete = BatchError("incomplete", f"the folder is incomplete: {check}", exit_code)
    incomplete.check = check
    return incomplete
