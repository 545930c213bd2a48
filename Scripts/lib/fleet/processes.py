"""Processes below one that was started here, found by their parents' ids."""

import os
import signal
import time
from pathlib import Path

from common.tally import Wrong


def _all():
    """The parent and the command line of each process."""
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                stat = (path / "stat").read_text().rpartition(")")[2].split()
                line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if stat[0] != "Z":
                found[int(path.name)] = (int(stat[1]), line)
    return found


def below(process, words=""):
    """The processes below this one whose command lines contain the words, with the identity of each."""
    table = _all()
    found, wave = [], {process}
    while wave:
        wave = {each for each, (parent, _) in table.items() if parent in wave}
        found += [each for each in wave if words in table[each][1]]
    return sorted(found)


def kill(process, number=signal.SIGKILL):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def end(process, seconds=20):
    """Ends a process and all below it: SIGTERM first, then SIGKILL for each that is left."""
    family = below(process.pid)
    process.terminate()
    try:
        process.wait(seconds)
    except Exception:
        process.kill()
        process.wait()
    for each in family:
        kill(each)


def expect_gone(processes, seconds=60):
    """Complains if one of these runs for longer; and ends it."""
    limit = time.monotonic() + seconds
    while left := [each for each in processes if each in _all()]:
        if time.monotonic() > limit:
            lines = [f"{each} {_all().get(each, (0, ''))[1][:80]}" for each in left]
            for each in left:
                kill(each)
            raise Wrong(f"processes of a killed job still ran: {lines}")
        time.sleep(0.2)


def named(words):
    """The processes whose command lines contain these words, such as the path of a folder that only a test has."""
    return sorted(process for process, (_, line) in _all().items() if words in line and process != os.getpid())
