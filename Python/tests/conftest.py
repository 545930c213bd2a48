"""A web server of this machine, and files whose digests are known."""

from __future__ import annotations

import hashlib
import http.server
import os
import random
import socket
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PNG = b"\x89PNG\r\n\x1a\n"
# Of the S3 server.
KEY = "testing"


class Site(http.server.ThreadingHTTPServer):
    """Serves `/f/NUMBER` (a small picture), `/big` (8 MiB, slowly), `/busy` (503), and nothing else; it counts."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: Counter[str] = Counter()
        self.active: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.delay = 0.0
        self.lock = threading.Lock()
        # A download that is held until the test lets it continue.
        self.gate = threading.Event()
        self.gate.set()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.server_port}/{path}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: clients are killed."""


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Site

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        site, host = self.server, self.headers["Host"]
        with site.lock:
            site.requests[self.path] += 1
            site.active[host] += 1
            site.most[host] = max(site.most[host], site.active[host])
        self.is_active = True
        try:
            time.sleep(site.delay)
            self.reply()
        except OSError:
            self.close_connection = True
        finally:
            self.end()

    def end(self) -> None:
        """Count the request as ended: before its last bytes, because a client that has them may send the next one."""
        if self.is_active:
            with self.server.lock:
                self.server.active[self.headers["Host"]] -= 1
        self.is_active = False

    def reply(self) -> None:
        if self.path.startswith("/f/"):
            data = picture(int(self.path.split("/")[2]))
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
        elif self.path == "/big":
            data = bytes(8 << 20)
            self.send_response(200)
            self.send_header("ETag", '"1"')
        else:
            data = b"no"
            self.send_response(503 if self.path == "/busy" else 404)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        for start in range(0, len(data), 1 << 20):
            if start:
                self.server.gate.wait(60)
            if start + (1 << 20) >= len(data):
                self.end()
            self.wfile.write(data[start : start + (1 << 20)])


class Frame:
    """As a DataFrame of pandas: iterating over it yields the names of its columns."""

    def __iter__(self) -> Iterator[str]:
        return iter(["url", "name"])

    def iterrows(self) -> None:
        """Only pandas has it."""


def picture(number: int) -> bytes:
    """Return the content of `/f/NUMBER`."""
    return PNG + random.Random(number).randbytes(2000)  # noqa: S311


def digest(number: int) -> str:
    return hashlib.sha256(picture(number)).hexdigest()


def wait_for(condition: Callable[[], object], seconds: float = 20) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.01)


@pytest.fixture
def site() -> Iterator[Site]:
    """The server."""
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.gate.set()
        server.shutdown()


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the person who runs the tests is read."""
    for name in [*os.environ]:
        if name.startswith("HAUL_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HAUL_CONFIG", "")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an S3 server with the bucket `bucket`."""
    moto_server = pytest.importorskip("moto.server")
    fsspec = pytest.importorskip("fsspec")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    address = f"http://127.0.0.1:{port}"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    fsspec.config.conf["s3"] = {"endpoint_url": address}
    # Its content is that of the process.
    urllib.request.urlopen(urllib.request.Request(f"{address}/moto-api/reset", method="POST")).close()  # noqa: S310
    fsspec.filesystem("s3", skip_instance_cache=True).mkdir("bucket")
    yield address
    fsspec.config.conf.pop("s3")
    server.stop()
