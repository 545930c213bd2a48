"""Downloads files: `haul get`."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from haul import _program
from haul._errors import DownloadError, ExitCode, HaulError
from haul._events import Event, Failed, Finished, Summary, event
from haul._inputs import check_sources, wrong_source

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Unpack

    from haul._options import GetOptions

Source = str | Mapping[str, object]
"""A URL, or an object as in lists: `{"url": …, "output": …, "checksum": …}`; see docs/lists.md."""

# The longest line of JSON that is read.
_LINE = 16 << 20

# The exit codes of a run that a signal has ended; it still has a summary.
_STOPPED = (ExitCode.hungUp, ExitCode.interrupted, ExitCode.terminated)

# Options that concern one file, and their names in an object.
_OF_ONE_FILE = {"output": "output", "checksum": "checksum", "mirror": "mirrors"}

# Short options of `haul get` and options of other programs, and their names here.
_OTHER_NAMES = {"dir": "directory", "out": "output"}


class _Request:
    """The sources and the options of a run, and how the program gets them: a list, and a command line."""

    def __init__(self, urls: Source | Iterable[Source], options: Mapping[str, Any]) -> None:
        """Compare the arguments with what the program takes.

        Raises:
            TypeError: The URLs are of another type, or an option has another name, or is not possible here.
        """
        check_sources(urls)
        _program.check_options(options)
        for name, right in _OTHER_NAMES.items():
            if name in options:
                raise TypeError(f"{name} is not an option: write {right}=")
        self._urls: Iterable[Source] = [urls] if isinstance(urls, (str, Mapping)) else urls
        self._options = dict(options)
        # The program has the URLs in a list, where such options belong to an object.
        if isinstance(self._urls, (list, tuple)) and len(self._urls) == 1 and isinstance(self._urls[0], str):
            self._urls = [{"url": self._urls[0], **self._take_options_of_one_file()}]

    def _take_options_of_one_file(self) -> dict[str, object]:
        """Remove the options that concern one file, and return them as members of its object."""
        # The files of a Metalink are further ones: the program explains the error.
        if self._options.get("metalink"):
            return {}
        taken = {member: self._options.pop(name, None) for name, member in _OF_ONE_FILE.items()}
        return {member: value for member, value in taken.items() if value is not None}

    def lines(self) -> Iterator[bytes]:
        """Return a line of the list for each source."""
        for each in self._urls:
            if not isinstance(each, (str, Mapping)):
                raise wrong_source(each)
            # As an object, a URL needs no quoting.
            line = {"url": each} if isinstance(each, str) else dict(each)
            yield json.dumps(line, default=_plain).encode() + b"\n"

    def command(self) -> list[str]:
        """Return the command line."""
        return _program.command("get", [], {"json": True, "quiet": True, "input_file": "-", **self._options})


def _plain(value: object) -> str:
    """Return a value that JSON lacks: a path as text."""
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    raise TypeError(f"an object has a value of the type {type(value).__name__}: pass it as text")


class _Run:
    """A run of `haul get` whose events are read in this thread."""

    def __init__(self, urls: Source | Iterable[Source], options: Mapping[str, Any]) -> None:
        self._request = _Request(urls, options)
        self._errors = b""
        # The error of the caller's iterator.
        self.problem: BaseException | None = None

    def _write(self) -> None:
        pipe: Any = self._process.stdin
        try:
            for line in self._request.lines():
                try:
                    # Each at once: the iterator may be slow.
                    pipe.write(line)
                    pipe.flush()
                except BrokenPipeError:
                    # The run has ended: its exit code says why.
                    break
        except BaseException as problem:
            self.problem = problem
            self._process.terminate()
            # Before its standard input ends: a truncated list must not look like a complete one.
            self._process.wait()
        with suppress(BrokenPipeError):
            pipe.close()

    def _drain(self) -> None:
        pipe = self._process.stderr
        for line in pipe or ():
            self._errors = (self._errors + line)[-16384:]

    def __iter__(self) -> Iterator[Event]:
        writer, drainer = (threading.Thread(target=each, daemon=True) for each in (self._write, self._drain))
        is_over = False
        # Here, not earlier: a caller who is interrupted before would get nothing that it could end.
        self._process = _program.start(self._request.command())
        try:
            writer.start()
            drainer.start()
            for line in self._process.stdout or ():
                yield event(line)
            is_over = True
        finally:
            self._end(drainer, stops=not is_over)

    def _end(self, drainer: threading.Thread, stops: bool) -> None:
        """Wait for the end; stop the run if its reader has stopped.

        The writer is not waited for: the caller's iterator may block, and after the next URL the writer ends, too.
        """
        if self._process.stdout:
            self._process.stdout.close()
        if stops:
            self._process.terminate()
        self._process.wait()
        if drainer.ident:
            drainer.join()
        if self._process.stderr:
            self._process.stderr.close()

    def fail(self) -> HaulError:
        """Return the reason why there was no summary."""
        return HaulError.of_exit(self._process.returncode, self._errors)


def download(
    urls: Source | Iterable[Source],
    *,
    on_event: Callable[[Event], None] | None = None,
    **options: Unpack[GetOptions],
) -> list[Finished]:
    """Download files, and return the finished downloads in the order of the URLs.

    Args:
        urls: A URL, or several; an object has options of its own, as in docs/lists.md. They are read in another
            thread while the first are downloaded; an error of their iterator stops the run, and is passed on.
        on_event: Called for each event.
        **options: The options of `haul get` with their long names: `directory="files"`, `jobs=8`, `on_conflict="skip"`.
            With a single URL also those of one file: `output`, `checksum` and `mirror`.

    Raises:
        DownloadError: At least one download failed. It has the failures, and the finished downloads.
        HaulError: An option is invalid, or the program was stopped.
        TypeError: A URL, or a value in an object, is of another type, or an option is not possible here, such as help.
    """
    run = _Run(urls, options)
    finished: list[Finished] = []
    failures: list[Failed] = []
    summary: Summary | None = None
    for each in run:
        if on_event:
            on_event(each)
        if isinstance(each, Finished):
            finished.append(each)
        elif isinstance(each, Failed):
            failures.append(each)
        elif isinstance(each, Summary):
            summary = each
    finished.sort(key=lambda each: each.line or 0)
    failures.sort(key=lambda each: each.line or 0)
    if run.problem:
        raise run.problem
    if failures and summary:
        raise DownloadError(failures, finished, summary.exit_code)
    if summary is None or summary.exit_code:
        raise run.fail()
    return finished


async def events(urls: Source | Iterable[Source], **options: Unpack[GetOptions]) -> AsyncIterator[Event]:
    """Download files, and iterate over the events; the last is a `Summary`.

    A failure is an event, `Failed`. If the iteration is left early, or its task is cancelled, the run is stopped, and
    the same call resumes it.

    Args:
        urls: As in `download`, but read in the thread of the event loop, which pauses while their iterator blocks. If
            it raises an error, what has begun is finished, and the error is raised in place of the `Summary`.
        **options: As in `download`.

    Raises:
        HaulError: An option is invalid, or the program was stopped.
        TypeError: A URL, or a value in an object, is of another type, or an option is not possible here, such as help.
    """
    import asyncio  # noqa: PLC0415

    request = _Request(urls, options)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *request.command(),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        limit=_LINE,
        preexec_fn=_program.child_setup(),
    )
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise RuntimeError("a process without pipes")
    writing = asyncio.create_task(_write(process.stdin, request.lines()))
    errors = asyncio.create_task(_tail(process.stderr))
    has_summary = is_over = False
    try:
        async for line in process.stdout:
            each = event(line)
            has_summary = isinstance(each, Summary)
            if has_summary and writing.done() and writing.exception():
                # The list was truncated, so the run is not complete; the error is raised below.
                break
            yield each
        is_over = True
    finally:
        writing.cancel()
        # Not if it ends by itself: asyncio would lose the exit code.
        if not is_over and process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
        code = await process.wait()
        text = await errors
        with suppress(asyncio.CancelledError):
            await writing
    if not has_summary or code in _STOPPED:
        raise HaulError.of_exit(code, text)


async def _write(pipe: asyncio.StreamWriter, lines: Iterator[bytes]) -> None:
    try:
        for line in lines:
            try:
                pipe.write(line)
                await pipe.drain()
            except (BrokenPipeError, ConnectionResetError):
                # The run has ended: its exit code says why.
                break
    finally:
        # The run ends what it has begun, also if the caller's iterator has failed.
        pipe.close()


async def _tail(pipe: asyncio.StreamReader) -> bytes:
    text = b""
    while more := await pipe.read(4096):
        text = (text + more)[-16384:]
    return text
