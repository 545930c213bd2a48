"""`haul.download` and `haul.events`."""

from __future__ import annotations

import asyncio
import hashlib
import os
import pickle
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import haul
from conftest import Frame, Site, digest, wait_for
from haul import _download, _program


def sha256(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_one_file(site: Site, tmp_path: Path) -> None:
    (finished,) = haul.download(site.url("f/1"), directory=tmp_path)
    assert Path(finished.path) == tmp_path / "1"
    assert sha256(finished.path) == digest(1)
    assert finished.total_bytes == 2008
    assert finished.url == site.url("f/1")
    assert not finished.kept


def test_files_with_options_of_their_own_come_back_in_order(site: Site, tmp_path: Path) -> None:
    sources: list[haul.Source] = [site.url(f"f/{number}") for number in range(20)]
    sources[7] = {"url": site.url("f/7"), "output": "seven.png", "checksum": f"sha256:{digest(7)}"}
    finished = haul.download(iter(sources), directory=tmp_path, jobs=8)
    assert [each.line for each in finished] == list(range(1, 21))
    assert [sha256(each.path) for each in finished] == [digest(number) for number in range(20)]
    assert Path(finished[7].path).name == "seven.png"
    assert finished[7].verified_by == "checksum"
    assert finished[7].checksum == f"sha256:{digest(7)}"


def test_braces_in_a_url_are_no_pattern(site: Site, tmp_path: Path) -> None:
    (finished,) = haul.download(site.url("f/1/[1-3]"), directory=tmp_path)
    assert sha256(finished.path) == digest(1)


def test_a_failure_is_an_error_with_the_codes_of_the_program(site: Site, tmp_path: Path) -> None:
    seen: list[haul.Event] = []
    with pytest.raises(haul.DownloadError) as caught:
        haul.download([site.url("none"), site.url("f/2")], directory=tmp_path, on_event=seen.append, retries=0)
    error = caught.value
    assert (error.code, error.exit_code, error.status) == ("notFound", haul.ExitCode.notFound, 404)
    assert "404 Not Found" in str(error)
    assert [each.line for each in error.failures] == [1]
    assert [sha256(each.path) for each in error.finished] == [digest(2)]
    assert {type(each) for each in seen} >= {haul.Started, haul.Failed, haul.Finished, haul.Summary}


def test_different_failures_are_mixed(site: Site, tmp_path: Path) -> None:
    with pytest.raises(haul.DownloadError) as caught:
        haul.download([site.url("none"), site.url("busy")], directory=tmp_path, retries=0)
    assert (caught.value.code, caught.value.exit_code) == ("mixed", 1)
    assert [each.error.code for each in caught.value.failures] == ["notFound", "serverBusy"]


def test_errors_can_be_sent_to_another_process(site: Site, tmp_path: Path) -> None:
    with pytest.raises(haul.DownloadError) as caught:
        haul.download([site.url("none"), site.url("f/1")], directory=tmp_path, retries=0)
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert type(copy) is haul.DownloadError
    assert (str(copy), copy.status, copy.finished) == (str(caught.value), 404, caught.value.finished)
    assert copy.failures[0].error.code == "notFound"


def test_no_urls(tmp_path: Path) -> None:
    assert haul.download([], directory=tmp_path) == []


def test_an_invalid_option_is_an_error(site: Site) -> None:
    with pytest.raises(haul.HaulError, match="connections") as caught:
        haul.download(site.url("f/1"), connections="many")
    assert (caught.value.code, caught.value.exit_code) == ("invalidRequest", 2)
    assert not isinstance(caught.value, haul.DownloadError)


@pytest.mark.parametrize("error", [LookupError, BrokenPipeError, ConnectionResetError])
def test_an_error_of_the_iterator_is_passed_on(site: Site, tmp_path: Path, error: type[Exception]) -> None:
    def urls() -> Iterator[str]:
        yield site.url("f/1")
        raise error("the end")

    with pytest.raises(error):
        haul.download(urls(), directory=tmp_path)


def test_an_error_of_the_iterator_comes_before_failures(site: Site, tmp_path: Path) -> None:
    def urls() -> Iterator[str]:
        yield site.url("none")
        yield site.url("f/1")
        wait_for(lambda: {haul.Failed, haul.Finished} <= seen)
        raise LookupError("the end")

    seen: set[type[haul.Event]] = set()
    with pytest.raises(LookupError):
        haul.download(urls(), directory=tmp_path, retries=0, on_event=lambda each: seen.add(type(each)))


def test_the_list_of_an_iterator_that_has_failed_is_not_complete(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def urls() -> Iterator[str]:
        yield site.url("f/1")
        raise LookupError("the end")

    # The signal comes late, and so the program would see the end of its standard input first.
    real = subprocess.Popen.terminate
    monkeypatch.setattr(subprocess.Popen, "terminate", lambda self: threading.Timer(0.5, real, (self,)).start())
    seen: list[haul.Event] = []
    with pytest.raises(LookupError):
        haul.download(urls(), directory=tmp_path, on_event=seen.append)
    assert isinstance(seen[-1], haul.Summary)
    assert seen[-1].exit_code == haul.ExitCode.terminated


def interrupt() -> None:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize(
    ("options", "begin", "error"),
    [
        ({"connections": "many"}, None, haul.HaulError),
        ({"on_event": int}, None, TypeError),
        ({}, interrupt, KeyboardInterrupt),
    ],
)
def test_an_iterator_that_blocks_delays_no_error(
    site: Site, tmp_path: Path, options: dict[str, Any], begin: Callable[[], None] | None, error: type[BaseException]
) -> None:
    def urls() -> Iterator[str]:
        yield site.url("f/1")
        is_over.wait(20)

    is_over = threading.Event()
    start = time.monotonic()
    if begin:
        begin()
    with pytest.raises(error):
        haul.download(urls(), directory=tmp_path, **options)
    assert time.monotonic() - start < 10
    is_over.set()


def test_an_interrupt_before_the_first_event_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(threading.Thread):
        def __init__(self, **options: Any) -> None:
            signal.raise_signal(signal.SIGINT)
            super().__init__(**options)

    def recorded(line: Sequence[str]) -> subprocess.Popen[bytes]:
        made.append(real(line))
        return made[-1]

    made: list[subprocess.Popen[bytes]] = []
    real = _program._open
    monkeypatch.setattr(_program, "_open", recorded)
    _download._Run("http://127.0.0.1:1/", {})
    monkeypatch.setattr(threading, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        haul.download("http://127.0.0.1:1/", retries=0)
    try:
        assert [each.poll() for each in made] == []
    finally:
        for each in made:
            each.kill()
            each.communicate()


def test_events(site: Site, tmp_path: Path) -> None:
    async def kinds() -> list[str]:
        found = haul.events([site.url("f/3"), site.url("none")], directory=tmp_path, retries=0)
        return [type(each).__name__ async for each in found]

    found = asyncio.run(kinds())
    assert found[-1] == "Summary"
    assert {"Started", "Finished", "Failed"} <= set(found)
    assert sha256(tmp_path / "3") == digest(3)


def test_events_of_an_invalid_option_raise() -> None:
    async def first() -> None:
        async for _ in haul.events("http://127.0.0.1:1/", connections="many"):
            pass

    with pytest.raises(haul.HaulError) as caught:
        asyncio.run(first())
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("error", [LookupError, BrokenPipeError, ConnectionResetError])
def test_an_error_of_the_iterator_ends_the_events(site: Site, tmp_path: Path, error: type[Exception]) -> None:
    def urls() -> Iterator[str]:
        yield site.url("f/1")
        raise error("the end")

    async def all_events() -> None:
        async for each in haul.events(urls(), directory=tmp_path):
            seen.append(type(each))

    seen: list[type[haul.Event]] = []
    with pytest.raises(error):
        asyncio.run(all_events())
    assert sha256(tmp_path / "1") == digest(1)
    assert haul.Finished in seen
    assert haul.Summary not in seen


def test_events_of_a_program_that_is_stopped_raise(site: Site, tmp_path: Path) -> None:
    site.gate.clear()

    async def all_events() -> None:
        async for each in haul.events(site.url("big"), directory=tmp_path, connections=1):
            seen.append(type(each))
            if isinstance(each, haul.Progress) and seen.count(haul.Progress) == 1:
                children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
                os.kill(int(children[-1]), signal.SIGTERM)

    seen: list[type[haul.Event]] = []
    with pytest.raises(haul.HaulError) as caught:
        asyncio.run(all_events())
    assert (caught.value.code, caught.value.exit_code) == ("terminated", 143)
    assert seen[-1] is haul.Summary


def test_leaving_the_events_stops_the_run_and_it_can_be_resumed(site: Site, tmp_path: Path) -> None:
    site.gate.clear()

    async def begin() -> None:
        found = haul.events(site.url("big"), directory=tmp_path, connections=1)
        async for each in found:
            if isinstance(each, haul.Progress) and each.file_bytes:
                break
        await found.aclose()  # type: ignore[attr-defined]

    asyncio.run(begin())
    assert not (tmp_path / "big").exists()
    site.gate.set()
    (finished,) = haul.download(site.url("big"), directory=tmp_path)
    assert sha256(finished.path) == hashlib.sha256(bytes(8 << 20)).hexdigest()


def test_cancelling_the_task_stops_the_run(site: Site, tmp_path: Path) -> None:
    site.gate.clear()

    async def all_events() -> None:
        async for _ in haul.events(site.url("big"), directory=tmp_path, connections=1):
            pass

    async def run() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(all_events(), 0.5)

    asyncio.run(run())
    assert not (tmp_path / "big").exists()


def test_options_of_one_file_belong_to_its_url(site: Site, tmp_path: Path) -> None:
    options: dict[str, Any] = {"checksum": f"sha256:{digest(1)}", "mirror": [site.url("f/1/mirror")]}
    (finished,) = haul.download(site.url("f/1"), directory=tmp_path, output=Path("one.png"), **options)
    assert (finished.path, finished.verified_by) == (str(tmp_path / "one.png"), "checksum")
    haul.download([site.url("f/2")], output=tmp_path / "two.png")
    assert sha256(tmp_path / "two.png") == digest(2)
    # The first source fails, and the other one has the file.
    (finished,) = haul.download(site.url("none"), directory=tmp_path, output="three.png", mirror=site.url("f/3"))
    assert sha256(finished.path) == digest(3)


def test_events_have_the_options_of_one_file(site: Site, tmp_path: Path) -> None:
    async def last() -> haul.Event:
        return [each async for each in haul.events(site.url("f/1"), directory=tmp_path, output="one.png")][-1]

    assert isinstance(asyncio.run(last()), haul.Summary)
    assert sha256(tmp_path / "one.png") == digest(1)


@pytest.mark.parametrize("options", [{"output": "a"}, {"checksum": f"sha256:{digest(1)}"}, {"mirror": ["http://h/"]}])
def test_options_of_one_file_are_not_for_several(site: Site, tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(haul.HaulError, match="one file|one URL") as caught:
        haul.download([site.url("f/1"), site.url("f/2")], directory=tmp_path, **options)
    assert caught.value.exit_code == 2


def test_a_wrong_checksum_of_one_file_is_found(site: Site, tmp_path: Path) -> None:
    with pytest.raises(haul.DownloadError) as caught:
        haul.download(site.url("f/1"), directory=tmp_path, checksum=f"sha256:{digest(2)}")
    assert caught.value.code == "checksumMismatch"


def test_a_path_is_a_value_in_an_object(site: Site, tmp_path: Path) -> None:
    haul.download({"url": site.url("f/1"), "output": tmp_path / "one.png"})
    assert sha256(tmp_path / "one.png") == digest(1)


@pytest.mark.parametrize(
    ("urls", "message"),
    [
        (Frame(), "the URLs are a pandas DataFrame: pass the column"),
        (Path("list.txt"), "pass a URL, an object .* not a value of the type PosixPath"),
        (b"http://127.0.0.1/", "not a value of the type bytes"),
        (17, "not a value of the type int"),
        ([("http://127.0.0.1:1/", "name.jpg")], "a source is a URL, or an object .* not a value of the type tuple"),
        ([{"url": "http://127.0.0.1:1/", "output": {1}}], "a value of the type set: pass it as text"),
    ],
)
def test_sources_of_another_type_are_errors(urls: Any, message: str, tmp_path: Path) -> None:
    async def first() -> None:
        async for _ in haul.events(urls, directory=tmp_path):
            pass

    with pytest.raises(TypeError, match=message):
        haul.download(urls, directory=tmp_path)
    with pytest.raises(TypeError, match=message):
        asyncio.run(first())


def test_the_name_of_an_option_is_corrected() -> None:
    options: dict[str, Any] = {"dir": "files"}
    with pytest.raises(TypeError, match="dir is not an option: write directory="):
        haul.download("http://127.0.0.1:1/", **options)
