"""The events of `haul get --json`, one class for each."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from haul._errors import HaulError


@dataclass(frozen=True, kw_only=True)
class Event:
    """An event of a download, with the fields that all have.

    Attributes:
        download: The number of the download, from 1.
        number: The number of the event in this run; progress has that of the event before.
        time: The time, as in `2026-01-31T12:00:00.000Z`.
        url: The URL, without password and query values.
        line: The number of the URL among those that were given, from 1.
        raw: The event as the program has written it.
    """

    download: int = 0
    number: int = 0
    time: str = ""
    url: str | None = None
    line: int | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Started(Event):
    """The size and the path are known."""

    path: str
    total_bytes: int | None = None
    resumed_bytes: int = 0
    insecure: bool = False


@dataclass(frozen=True, kw_only=True)
class Progress(Event):
    """The progress, at most once a second."""

    file_bytes: int
    session_bytes: int = 0
    total_bytes: int | None = None
    speed: float = 0
    average_speed: float = 0
    seconds_left: float | None = None
    connections: int = 0


@dataclass(frozen=True, kw_only=True)
class Waiting(Event):
    """The download waits, such as for the server or for its next attempt."""

    reason: str
    message: str = ""
    until: str | None = None
    status: int | None = None
    limit: int | None = None
    attempt: int | None = None


@dataclass(frozen=True, kw_only=True)
class Notice(Event):
    """Something that is not a failure, such as `sourceChanged`."""

    notice: str
    reason: str | None = None
    connections: int | None = None
    pieces: int | None = None
    header: str | None = None
    host: str | None = None


@dataclass(frozen=True, kw_only=True)
class Finished(Event):
    """The file is complete.

    Attributes:
        kept: True if it existed and was left alone.
        verified_by: `checksum`, `pieces`, `sizeAndDate`, `size` or `nothing`.
        checksum: The checksum, as `sha256:HEX`, if it was verified by one.
    """

    path: str
    total_bytes: int
    session_bytes: int = 0
    seconds: float = 0
    kept: bool = False
    verified_by: str = "nothing"
    checksum: str | None = None


@dataclass(frozen=True, kw_only=True)
class Failed(Event):
    """The download failed."""

    error: HaulError


@dataclass(frozen=True, kw_only=True)
class Summary(Event):
    """The last event: the numbers of the run."""

    complete: int
    kept: int = 0
    failed: int = 0
    stopped: int = 0
    bytes: int = 0
    seconds: float = 0
    exit_code: int = 0


# The kinds, and the member of the JSON object that has their fields; None: the object itself.
_KINDS: dict[str, tuple[type[Event], str | None]] = {
    "started": (Started, "start"),
    "progress": (Progress, "progress"),
    "waiting": (Waiting, "wait"),
    "notice": (Notice, "notice"),
    "finished": (Finished, "finish"),
    "summary": (Summary, None),
}


@cache
def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda found: "_" + found[1].lower(), name)


_NAMES = {kind: frozenset(each.name for each in dataclasses.fields(kind)) for kind, _ in _KINDS.values()}


def event(text: bytes | str) -> Event:
    """Read a line of `haul get --json`; a kind that only a later version knows becomes an `Event`."""
    line: dict[str, Any] = json.loads(text)
    common = {name: line[name] for name in ("download", "number", "time", "url", "line") if name in line}
    if line["event"] == "failed":
        return Failed(**common, raw=line, error=HaulError.of_event(line))
    kind, member = _KINDS.get(line["event"], (Event, None))
    if kind is Event:
        return Event(**common, raw=line)
    members: dict[str, Any] = {_snake(name): value for name, value in (line[member] if member else line).items()}
    if kind is Finished:
        verification = members.pop("verification", {})
        members |= {"verified_by": verification.get("by", "nothing"), "checksum": verification.get("checksum")}
    known = _NAMES[kind]
    return kind(**{name: value for name, value in members.items() if name in known} | common, raw=line)
