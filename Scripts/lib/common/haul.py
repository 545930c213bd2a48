"""Finds the release binary and runs it, always in the same surroundings."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from common.tally import Wrong

REPOSITORY = Path(__file__).resolve().parents[3]


@dataclass
class Outcome:
    """How one run of `haul` ended."""

    code: int
    seconds: float
    output: str
    errors: str

    def last_line(self):
        lines = [line for line in self.errors.splitlines() if line.strip()]
        return lines[-1].strip() if lines else "nothing on standard error"

    def expect(self, *codes):
        """Complains unless the exit code is one of these; a negative code is the signal that ended it."""
        if self.code not in codes:
            wanted = " or ".join(str(code) for code in codes)
            raise Wrong(f"exit code {self.code} instead of {wanted}: {self.last_line()}")
        return self


class Haul:
    """The program under test. Its home is empty, so no configuration of the person who runs the tests is read."""

    def __init__(self, home, path=None):
        chosen = path or os.environ.get("HAUL") or REPOSITORY / ".build/release/haul"
        self.path = Path(chosen).resolve()
        if not os.access(self.path, os.X_OK):
            raise SystemExit(f"{self.path} is missing; build it with: make release")
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            # What a sanitizer of threads needs.
            **{name: os.environ[name] for name in ("LD_PRELOAD", "TSAN_OPTIONS") if name in os.environ},
        }

    def command(self, *arguments):
        return [str(self.path), *[str(argument) for argument in arguments]]

    def start(self, *arguments, quiet=True):
        """Starts `haul` and returns at once; the caller ends it."""
        pipe = subprocess.PIPE if quiet else None
        return subprocess.Popen(
            self.command(*arguments), env=self.environment, stdin=subprocess.DEVNULL,
            stdout=pipe, stderr=pipe, text=True, errors="replace",
        )

    def finish(self, process, timeout=60, since=None):
        """Waits for a started process; one that does not end in time is killed and counts as wrong."""
        began = time.monotonic() if since is None else since
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Wrong(f"no end within {timeout} s") from None
        return Outcome(process.returncode, time.monotonic() - began, output or "", errors or "")

    def run(self, *arguments, timeout=60):
        began = time.monotonic()
        return self.finish(self.start(*arguments), timeout, began)
