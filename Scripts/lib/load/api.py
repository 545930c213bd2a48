"""One who asks the API and takes the time, and what the kernel says of the daemon meanwhile."""

import http.client
import json
import os
import socket
import statistics
import time
from pathlib import Path

from common.tally import Wrong

TICKS = os.sysconf("SC_CLK_TCK")


class UnixConnection(http.client.HTTPConnection):
    """HTTP over the daemon's socket."""

    def __init__(self, path):
        super().__init__("haul", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


class Asker:
    """Asks over one connection that is kept, or a new one for each request; milliseconds of each answer by what was asked."""

    def __init__(self, server, kept=True, unix=False):
        self.server, self.kept = server, kept
        self.headers = {"Content-Type": "application/json"}
        if unix:
            self.connection = UnixConnection(str(server.folder / "state/run/daemon.sock"))
        else:
            self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            self.headers["Authorization"] = f"Bearer {server.token}"
        self.times = {}

    def ask(self, kind, method, path, message=None):
        body = json.dumps(message) if message is not None else None
        began = time.perf_counter()
        if not self.kept:
            self.connection.close()
        self.connection.request(method, f"/api/v1/{path}", body, self.headers)
        answer = self.connection.getresponse()
        data = answer.read()
        self.times.setdefault(kind, []).append(1000 * (time.perf_counter() - began))
        if answer.status >= 300:
            raise Wrong(f"{method} {path}: {answer.status} {data[:200]!r}")
        return data

    def all(self):
        return [each for times in self.times.values() for each in times]


def at(times, share):
    """The value that this share of them does not exceed."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def row(name, times):
    """One line of a table: how many, median, 99th percentile, longest."""
    return [name, len(times), *(f"{each:.1f}" for each in (statistics.median(times), at(times, 0.99), max(times)))]


class Process:
    """A process as proc(5) tells of it."""

    def __init__(self, pid):
        self.folder = Path(f"/proc/{pid}")

    def memory(self):
        """Bytes in memory at present."""
        return self._status("VmRSS")

    def peak(self):
        """The most bytes there have been in memory since `forget_peak`."""
        return self._status("VmHWM")

    def forget_peak(self):
        (self.folder / "clear_refs").write_text("5")

    def processor(self):
        """Seconds of processor time, user's and system's."""
        fields = (self.folder / "stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def connections(self):
        return sum(os.readlink(each).startswith("socket:") for each in (self.folder / "fd").iterdir())

    def _status(self, name):
        line = next(line for line in (self.folder / "status").read_text().splitlines() if line.startswith(name))
        return int(line.split()[1]) << 10
