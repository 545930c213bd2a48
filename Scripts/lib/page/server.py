"""What the page is tested with: a daemon, and a slow web server that it downloads from."""

import json
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager

from common.haul import Haul
from common.tally import Wrong
from servers.http import TestHandler, TestServer


class Slow(TestHandler):
    """`/NAME?size=BYTES&rate=BYTES-PER-SECOND` for each connection, with ranges; 404 where the query has `fail`."""

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        if "fail" in query:
            self.send_error(404)
            return
        size, rate = int(query.get("size", 1_000_000)), float(query.get("rate", 1e9))
        span = self.span(size)
        start, end = span or (0, size)
        headers = {"Accept-Ranges": "bytes", "ETag": f'"{size}"'}
        if span:
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self.head(206 if span else 200, end - start, headers)
        portion = max(1, int(rate / 10))
        self.body((bytes(min(end - at, portion)) for at in range(start, end, portion)), after=lambda _: time.sleep(0.1 if rate < 1e9 else 0))


class Backend:
    """A daemon as the tests see it: its address, its token, and its API without the page."""

    def __init__(self, url, token, source):
        self.url, self.token, self.source = url, token, source

    def ask(self, method, path, message=None):
        data = json.dumps(message).encode() if message is not None else None
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}api/v1/{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                body = answer.read()
        except urllib.error.HTTPError as problem:
            raise Wrong(f"{method} {path}: {problem.code} {problem.read().decode(errors='replace')}") from None
        return json.loads(body) if body else None

    def link(self, name, size=1_000_000, rate=None, fail=False):
        query = f"size={size}" + (f"&rate={rate}" if rate else "") + ("&fail=1" if fail else "")
        return f"{self.source}{urllib.parse.quote(name)}?{query}"

    def add(self, name, **fields):
        """Adds a download past the page; its number."""
        parts = {key: fields.pop(key) for key in ("size", "rate", "fail") if key in fields}
        return self.ask("POST", "downloads", {"url": self.link(name, **parts), "name": name, **fields})["id"]

    def names(self):
        return [each["name"] for each in self.ask("GET", "downloads?limit=1000")["downloads"]]

    def state(self, id):
        return self.ask("GET", f"downloads/{id}")["state"]

    def clear(self):
        self.ask("POST", "downloads/actions", {"action": "remove", "all": True, "files": "all"})


class Daemon(Backend):
    """The real one."""

    def __init__(self, haul, folder, source):
        self.haul, self.folder = haul, folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (folder / "files").mkdir()
        super().__init__(f"http://127.0.0.1:{self.port}/", None, source)
        self.start()

    def start(self):
        self.process = self.haul.start(
            "daemon", "run", "--port", self.port, "--root", self.folder / "files", "--private-addresses",
            "--state-folder", self.folder / "state", "--log-level", "error", quiet=False)
        give_up = time.monotonic() + 20
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise Wrong("the daemon does not answer")
            time.sleep(0.05)
        self.token = (self.folder / "state/token").read_text().strip()

    def answers(self):
        try:
            with urllib.request.urlopen(f"{self.url}health", timeout=5):
                return True
        except OSError:
            return False

    def break_off(self):
        """Kills it and starts it again: the page has to find back."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        time.sleep(1)
        self.start()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


@contextmanager
def slow_server():
    with TestServer(Slow) as server:
        yield server.url()


@contextmanager
def daemon(program, folder):
    """The daemon under test while the block runs."""
    with slow_server() as source:
        served = Daemon(Haul(folder, program), folder, source)
        try:
            yield served
        finally:
            served.close()
