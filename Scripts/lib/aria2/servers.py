"""A small web server with one large slow file, and the program aria2c that serves RPC."""

import hashlib
import json
import os
import random
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

from common.tally import Wrong
from servers.http import TestHandler, TestServer, parts

SECRET = "correct-horse"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Files(TestServer):
    """Serves bytes by name with ranges and a strong ETag; `/slow` brings 200 kB a second over each connection."""

    def __init__(self):
        chance = random.Random(7)
        self.content = {f"/{name}": chance.randbytes(size) for name, size in {"a.bin": 3 << 20, "b.mp4": 1 << 20}.items()}
        self.content["/slow"] = chance.randbytes(4 << 20)
        self.agents = []
        super().__init__(FilesHandler)

    def url(self, path):
        return super().url(path.removeprefix("/"))

    def digest(self, path):
        return hashlib.sha256(self.content[path]).hexdigest()


class FilesHandler(TestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        self.server.agents.append(self.headers.get("User-Agent", ""))
        if path not in self.server.content:
            return self.head(404)
        whole = self.server.content[path]
        span = self.span(len(whole))
        start, end = span or (0, len(whole))
        headers = {
            "ETag": f'"{self.server.digest(path)[:16]}"',
            "Content-Type": "video/mp4" if path.endswith(".mp4") else "application/octet-stream"}
        if span:
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(whole)}"
        self.head(206 if span else 200, end - start, headers)
        is_slow = path == "/slow"
        self.body(parts(whole, start, end, 20_000 if is_slow else 1 << 20), after=lambda _: time.sleep(0.1 if is_slow else 0))


class Engine:
    """aria2c with RPC, as Motrix and others start it."""

    def __init__(self, program, haul, folder, *options, secret=SECRET):
        self.port, self.folder, self.secret = free_port(), folder, secret
        arguments = ["--no-conf", "--enable-rpc", f"--rpc-listen-port={self.port}", f"--dir={folder}", "--quiet", *options]
        if secret:
            arguments.append(f"--rpc-secret={secret}")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [str(program), *arguments], env=haul.environment, cwd=folder, stdin=subprocess.DEVNULL)
        self.seconds = self.wait()

    def wait(self):
        """How long it took until the first answer."""
        while time.monotonic() - self.began < 20:
            try:
                self.post({"id": 1, "method": "system.listMethods"})
                return time.monotonic() - self.began
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None:
                    raise Wrong(f"it ended at once with {self.process.returncode}") from None
                time.sleep(0.005)
        raise Wrong("it did not answer within 20 s")

    def post(self, call, headers=None):
        """The status and the answer to a call, or to several."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/jsonrpc", json.dumps(call).encode(), headers or {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def call(self, method, *parameters):
        """The result of one call."""
        token = [f"token:{self.secret}"] if self.secret else []
        status, answer = self.post({"jsonrpc": "2.0", "id": "1", "method": method, "params": [*token, *parameters]})
        if status != 200:
            raise Wrong(f"{method}: {status} {answer}")
        return answer["result"]

    def end(self, timeout=10):
        """How it ended, and how long that took."""
        began = time.monotonic()
        self.process.terminate()
        try:
            return self.process.wait(timeout), time.monotonic() - began
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Wrong(f"it did not end within {timeout} s") from None


@contextmanager
def engine(program, haul, folder, *options, secret=SECRET):
    os.makedirs(folder, exist_ok=True)
    one = Engine(program, haul, folder, *options, secret=secret)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.end()
