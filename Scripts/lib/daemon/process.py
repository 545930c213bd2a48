"""A daemon of one case: its folder, what it tells its service manager, and calls to its API."""

import atexit
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from common.tally import Wrong


def until(condition, what, seconds=30):
    """Waits for a condition, and gives back its first value that counts as true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Wrong(f"{what} did not come within {seconds} s")
        time.sleep(0.02)
    return value


class Heard:
    """What a program tells its service manager (sd_notify(3))."""

    def __init__(self, path):
        self.path = str(path)
        self.lines = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.path)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            self.lines += self._socket.recv(65536).decode().splitlines()

    def until(self, line):
        return until(lambda: line in self.lines, line)


class Place:
    """The folders and the socket of one daemon."""

    def __init__(self, haul, folder):
        self.haul, self.folder = haul, folder
        self.root, self.socket = folder / "root", folder / "run/d.sock"
        if len(os.fsencode(self.socket)) > 100:  # unix(7): a path has at most 107 bytes
            short = tempfile.mkdtemp(prefix="haul-", dir="/tmp")
            atexit.register(shutil.rmtree, short, ignore_errors=True)
            self.socket = Path(short) / "d.sock"
        self.root.mkdir(parents=True)
        self.environment = dict(haul.environment, HOME=str(folder))

    def command(self, *more):
        return self.haul.command(
            "daemon", "run", "--root", self.root, "--state-folder", self.folder / "state", "--socket", self.socket, *more)

    @contextmanager
    def running(self, *more, command=None, **environment):
        """A daemon that answers; it leaves by SIGTERM, and with 0."""
        with open(self.folder / "log", "a") as log:
            process = subprocess.Popen(
                command or self.command(*more), env=dict(self.environment, **environment), stdin=subprocess.DEVNULL, stderr=log)
        try:
            if not command:
                until(lambda: self.listens() or process.poll() is not None, "the socket")
            if "--port" in more:
                until(lambda: self.call("GET", "/api/v1/info")[1].get("port"), "the port")
            yield process
            process.send_signal(signal.SIGTERM)
            if code := process.wait(10):
                raise Wrong(f"it left with {code}: {(self.folder / 'log').read_text()[-500:]}")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def listens(self):
        """Whether a connection to the socket is accepted: its file exists a moment before."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def call(self, method, path, body=None, port=None):
        """A call of the API, over the Unix socket or with the token over a port; the status and the answer."""
        status, text = self._ask(method, path, body, port)
        return status, json.loads(text) if text else None

    def text(self, path):
        """What a GET over the Unix socket returns."""
        status, text = self._ask("GET", path)
        if status != 200:
            raise Wrong(f"{path}: {status}")
        return text.decode()

    def _ask(self, method, path, body=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or 80, timeout=20)
        headers = {"Content-Type": "application/json"}
        if port:
            headers["Authorization"] = "Bearer " + (self.folder / "state/token").read_text().strip()
        else:
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.settimeout(20)
            connection.sock.connect(str(self.socket))
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def add(self, url, port=None, **more):
        status, answer = self.call("POST", "/api/v1/downloads", dict(url=url, retries=0, **more), port)
        return answer.get("id") if status < 300 else answer

    def state(self, number):
        return self.call("GET", f"/api/v1/downloads/{number}")[1]

    def until(self, number, state):
        return until(lambda: (shown := self.state(number))["state"] == state and shown, f"{state} of download {number}")


def ticks(pid):
    """What a process has used of the processor, in clock ticks (proc(5))."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def memory(pid):
    """The resident memory of a process in KiB."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def which(*names):
    """Whether all these programs are there."""
    folders = os.environ.get("PATH", "").split(":")
    return all(any(os.access(f"{folder}/{name}", os.X_OK) for folder in folders) for name in names)
