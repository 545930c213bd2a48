"""Errors: the codes and the exit codes of the program."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from haul._events import Failed, Finished


class ExitCode(IntEnum):
    """The exit codes of `haul`; the names are the error codes in JSON."""

    complete = 0
    mixed = 1
    invalidRequest = 2
    notFound = 3
    nameNotResolved = 4
    connectionFailed = 5
    timedOut = 6
    tlsFailed = 7
    notAuthorized = 8
    linkExpired = 9
    serverBusy = 10
    unexpectedStatus = 11
    redirectRefused = 12
    badResponse = 13
    contentEncoded = 14
    sourceChanged = 15
    checksumMismatch = 16
    noSpace = 17
    fileFailed = 18
    destinationExists = 19
    destinationBusy = 20
    noSuchDownload = 21
    notPossible = 22
    catalogueBusy = 23
    catalogueFailed = 24
    tooManyFiles = 25
    internal = 70
    hungUp = 129
    interrupted = 130
    outputClosed = 141
    terminated = 143

    @classmethod
    def label(cls, code: int) -> str:
        """Return the name of a code, or the signal that ended the program."""
        try:
            return cls(code).name
        except ValueError:
            return f"signal{-code}" if code < 0 else f"exit{code}"


class HaulError(Exception):
    """A run of `haul` that did not do what was asked.

    Attributes:
        code: The error code, such as `notFound` or `timedOut`.
        exit_code: The exit code of the program.
        message: A sentence that says what to do.
        cause: What the system or the server reported; None if there is nothing.
        detail: The exact problem, such as `certificateExpired`; None if there is none.
        status: The HTTP status; None if there was no response.
        url: The URL, without password and query values; None if the error concerns no single download.
    """

    def __init__(
        self,
        code: str,
        message: str,
        exit_code: int = ExitCode.internal,
        *,
        cause: str | None = None,
        detail: str | None = None,
        status: int | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(code, message, exit_code)
        self.code, self.message, self.exit_code = code, message, exit_code
        self.cause, self.detail, self.status, self.url = cause, detail, status, url

    def __reduce__(self) -> tuple[object, ...]:
        # Workers send errors to their drivers.
        return _restore, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        cause = f" ({self.cause})" if self.cause else ""
        return f"{self.message}{cause}" + (f" <{self.url}>" if self.url else "")

    @classmethod
    def of_event(cls, line: Mapping[str, object]) -> HaulError:
        """Return the error of a `failed` event."""
        error = line["error"]
        if not isinstance(error, Mapping):
            raise TypeError(f"not a failed event: {json.dumps(line)}")
        exit_code, url = line.get("exitCode"), line.get("url")
        return cls(
            str(error["code"]),
            str(error["message"]),
            exit_code if isinstance(exit_code, int) else ExitCode.internal,
            cause=error.get("cause"),
            detail=error.get("detail"),
            status=error.get("status"),
            url=url if isinstance(url, str) else None,
        )

    @classmethod
    def of_exit(cls, exit_code: int, errors: bytes) -> HaulError:
        """Return the error of a run that has ended without an event, with its last lines on standard error."""
        lines = errors.decode(errors="replace").strip().splitlines()
        message = "\n".join(lines[-20:]).removeprefix("haul: ")
        return cls(ExitCode.label(exit_code), message or f"haul ended with exit code {exit_code}", exit_code)


class DownloadError(HaulError):
    """At least one download failed; the others are finished.

    The code is that of the failures; if they differ, it is `mixed`, as with the exit code of the program.

    Attributes:
        failures: The failed downloads.
        finished: The finished ones.
    """

    def __init__(self, failures: Sequence[Failed], finished: Sequence[Finished], exit_code: int) -> None:
        first = failures[0].error
        more = f"; {len(failures) - 1} more failed" if len(failures) > 1 else ""
        super().__init__(
            ExitCode.label(exit_code),
            first.message + more,
            exit_code,
            cause=first.cause,
            detail=first.detail,
            status=first.status,
            url=first.url,
        )
        self.failures, self.finished = tuple(failures), tuple(finished)


def _restore(kind: type[HaulError], arguments: tuple[object, ...], members: dict[str, object]) -> HaulError:
    """Return an error as it was in another process."""
    error = kind.__new__(kind)
    error.args = arguments
    error.__dict__.update(members)
    return error
