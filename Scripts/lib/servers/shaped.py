"""A web server of our own that limits, stalls and refuses on purpose, and counts every byte of a body it sends."""

import select
import socket
import threading
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from hashlib import sha256

from servers.http import TestHandler, TestServer

CHUNK = 16 << 10
LAG = 0.05


@dataclass
class Shape:
    """What the server does to its clients. Rates are in bytes a second; connections are numbered from 1."""

    total_rate: float | None = None
    connection_rate: float | None = None
    slow: dict[int, float] = field(default_factory=dict)
    frozen: dict[int, int] = field(default_factory=dict)
    most_requests: int | None = None
    send_buffer: int | None = None


@dataclass
class Request:
    """One answered request: what was announced in Content-Length, and what was handed to the kernel."""

    connection: int
    status: int
    start: int = 0
    announced: int = 0
    sent: int = 0


class Pace:
    """Spreads bytes evenly over time: each reservation says how long to wait before the bytes may go."""

    def __init__(self, rate):
        self._rate, self._due, self._lock = rate, time.monotonic(), threading.Lock()

    def reserve(self, count):
        if self._rate is None:
            return 0.0
        with self._lock:
            now = time.monotonic()
            self._due = max(self._due, now - LAG) + count / self._rate
            return max(0.0, self._due - now)


class ShapedServer(TestServer):
    """Serves the given files from memory on a free port of 127.0.0.1; use it in a `with` statement."""

    def __init__(self, files, shape=Shape(), handler=None):
        self.files = {name: (data, f'"{sha256(data).hexdigest()[:16]}"') for name, data in files.items()}
        self.shape = shape
        self.requests = []
        self.pace = Pace(shape.total_rate)
        self.stopping = threading.Event()
        self.modified = formatdate(time.time() - 86_400, usegmt=True)
        self._lock = threading.Lock()
        self._connections = self._active = 0
        super().__init__(handler or Handler)
        if shape.send_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, shape.send_buffer)
        self.buffer = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)

    def __exit__(self, *_):
        self.stopping.set()
        super().__exit__()

    def next_connection(self):
        with self._lock:
            self._connections += 1
            return self._connections

    def enter(self, record):
        """Notes the request; False if it is one too many at the same time."""
        with self._lock:
            self.requests.append(record)
            if self.shape.most_requests is not None and self._active >= self.shape.most_requests:
                return False
            self._active += 1
            return True

    def leave(self):
        with self._lock:
            self._active -= 1

    def sent(self):
        """Bytes of bodies handed to the kernel for all requests so far."""
        return sum(each.sent for each in list(self.requests))

    def count(self, status):
        return sum(each.status == status for each in list(self.requests))

    def cut(self):
        """Requests whose client went away before the announced end."""
        return sum(each.sent < each.announced for each in list(self.requests))


class Handler(TestHandler):
    """One connection."""

    disable_nagle_algorithm = True
    timeout = 120

    def setup(self):
        super().setup()
        self.number = self.server.next_connection()
        shape = self.server.shape
        rate = shape.slow.get(self.number, shape.connection_rate)
        self.pace = Pace(rate)
        self.chunk = CHUNK if rate is None else max(1024, min(CHUNK, int(rate / 20)))

    def do_GET(self):
        data, tag = self.server.files.get(self.path.lstrip("/"), (None, ""))
        record = Request(self.number, 404 if data is None else 200)
        if not self.server.enter(record):
            record.status = 503
            return self._head(503, 0, tag)
        try:
            if data is None:
                return self._head(404, 0, tag)
            start, end = self._span(record, len(data), tag)
            self._head(record.status, end - start, tag, f"bytes {start}-{end - 1}/{len(data)}", len(data))
            if self.command != "HEAD":
                record.start, record.announced = start, end - start
                self._send(memoryview(data)[start:end], record)
        finally:
            self.server.leave()

    def _span(self, record, size, tag):
        """RFC 9110, 14.2 and 13.1.5: a range counts only if it is one we know and If-Range holds our own tag."""
        span = self.span(size, tag)
        if not span:
            return 0, size
        start, end = span
        if start >= size or end <= start:
            record.status = 416
            return 0, 0
        record.status = 206
        return start, end

    def _head(self, status, length, tag, content_range=None, size=0):
        headers = {}
        if status in (200, 206):
            headers = {
                "Content-Type": "application/octet-stream", "Accept-Ranges": "bytes", "ETag": tag,
                "Last-Modified": self.server.modified}
        if status == 206:
            headers["Content-Range"] = content_range
        if status == 416:
            headers["Content-Range"] = f"bytes */{size}"
        self.head(status, length, headers)

    def _send(self, view, record):
        frozen_after = self.server.shape.frozen.get(self.number)
        while view:
            if frozen_after is not None and record.sent >= frozen_after:
                return self._freeze()
            count = min(len(view), self.chunk)
            time.sleep(max(self.pace.reserve(count), self.server.pace.reserve(count)))
            if self.server.stopping.is_set():
                self.close_connection = True
                return
            try:
                count = self.connection.send(view[:count])
            except OSError:
                self.close_connection = True
                return
            record.sent += count
            view = view[count:]

    def _freeze(self):
        """Sends nothing more, until the client goes away or the server ends."""
        while not self.server.stopping.is_set():
            if select.select([self.connection], [], [], 0.1)[0]:
                break
        self.close_connection = True
