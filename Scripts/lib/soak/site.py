"""A web server on raw sockets that can do everything wrong that a `Manner` or a fault asks for, and writes it all down."""

import itertools
import re
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass

from common.payload import KIB
from servers.shaped import Pace
from soak.faults import Faults, Triggers
from soak.model import http_date

CHUNK = 16 * KIB
SEND_BUFFER = 32 * KIB
LONGEST_FREEZE = 60


@dataclass
class Manner:
    """What a server is like, right or wrong, for the whole of an episode."""

    ranges: str = "yes"  # yes, capped, ignored
    if_range: bool = True
    framing: str = "length"  # length, chunked, close
    keeps: bool = True
    rate: float | None = None
    connection_rate: float | None = None
    most: int | None = None  # connections at work at once; more are refused
    redirects: int = 0
    challenges: bool = False
    empty_range: int = 416  # what is said to a range of an empty file
    skew: int = 0  # seconds that the server's clock is ahead
    digest: str | None = None  # right, wrong
    names: bool = False  # Content-Disposition says the name

    def __str__(self):
        usual = Manner()
        return ", ".join(f"{name}={value}" for name, value in vars(self).items() if value != getattr(usual, name)) or "plain"


@dataclass
class Answer:
    """One line of the server's record."""

    at: float
    backend: str
    request: str
    asked: str
    status: int = 0
    version: int | None = None
    offset: int = 0
    announced: int = 0
    sent: int = 0
    end: str = ""

    def __str__(self):
        served = f"{self.status} version {self.version} at {self.offset}, {self.sent} of {self.announced}"
        return f"{self.at:8.3f} {self.backend:8} {self.request} {self.asked} -> {served} {self.end}"


class World:
    """What all servers of one episode share: resources, faults, triggers, and the record of what was sent."""

    def __init__(self, chance, manner, tls=None):
        self.chance, self.manner, self.tls = chance, manner, tls
        self.host = "127.0.0.1"
        self.resources = {}
        self.faults = Faults(chance)
        self.triggers = Triggers()
        self.answers = []
        self.active = 0
        self.began = time.monotonic()
        self.stopping = threading.Event()
        self.pace = Pace(manner.rate)
        self.lock = threading.Lock()

    def add(self, resource):
        self.resources[resource.name] = resource
        return resource

    def sent(self, since=0):
        """Bytes of bodies that were handed to the kernel, in the answers from that one on."""
        return sum(each.sent for each in self.answers[since:])

    def cut(self, since=0):
        """Answers of which less was taken than was announced."""
        return sum(each.end.startswith("client") for each in self.answers[since:])

    def note(self, backend, request, asked):
        answer = Answer(time.monotonic() - self.began, backend, request, asked)
        with self.lock:
            self.answers.append(answer)
        return answer


class Done(Exception):
    """The connection is over."""


@dataclass
class Request:
    line: str
    path: str
    headers: dict
    range: tuple | None = None
    asked: str = ""
    number: int = 0


def parse(raw):
    lines = raw.decode("latin1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("range", ""))
    range = (int(found[1]), int(found[2]) if found[2] else None) if found else None
    asked = f"{headers.get('range', '')} {'if ' + headers['if-range'] if 'if-range' in headers else ''}".strip()
    method, _, rest = lines[0].partition(" ")
    return Request(lines[0], rest.rpartition(" ")[0], headers, range, asked)


class Site:
    """One port. Each backend behind it is a name and the age of its versions: 0 is the current one, 1 the one before.

    `order` says which backend answers: turn by turn, or by chance.
    """

    def __init__(self, world, backends=(("a", 0),), order="turns", tls=False, resources=None):
        self.resources = world.resources if resources is None else resources
        self.world, self.backends, self.order = world, list(backends), order
        self.context = world.tls if tls else None
        self._turn = itertools.count()
        self._listener = socket.create_server((world.host, 0), backlog=256)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self.port = self._listener.getsockname()[1]
        self.scheme = "https" if tls else "http"
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, resource, host=None):
        return f"{self.scheme}://{host or self.world.host}:{self.port}/{resource.name}"

    def __str__(self):
        return f"{self.scheme} port {self.port}: {', '.join(f'{name} is {age} versions old' for name, age in self.backends)}; {self.order}"

    def alias(self, resource, name):
        """Another URL of a resource, which ends with this name."""
        return f"{self.scheme}://{self.world.host}:{self.port}/as/{resource.name}/{name}"

    def close(self):
        # shutdown(2) wakes the thread that accepts; close(2) alone does not.
        for action in (lambda: self._listener.shutdown(socket.SHUT_RDWR), self._listener.close):
            try:
                action()
            except OSError:
                pass

    def _accept(self):
        while not self.world.stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(LONGEST_FREEZE)
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            waiting = b""
            while not self.world.stopping.is_set():
                while b"\r\n\r\n" not in waiting:
                    data = connection.recv(16 * KIB)
                    if not data:
                        return
                    waiting += data
                raw, waiting = waiting.split(b"\r\n\r\n", 1)
                Exchange(self, connection, parse(raw)).run()
        except (Done, OSError, ValueError):
            pass
        finally:
            try:
                connection.close()
            except OSError:
                pass

    def backend(self):
        if self.order == "turns":
            return self.backends[next(self._turn) % len(self.backends)]
        with self.world.lock:
            return self.world.chance.choice(self.backends)


class Exchange:
    """One request and its answer."""

    def __init__(self, site, connection, request):
        self.site, self.connection, self.request = site, connection, request
        self.world, self.manner = site.world, site.world.manner
        self.backend, self.age = site.backend()
        self.note = self.world.note(self.backend, request.path, request.asked)
        self.pace = Pace(self.manner.connection_rate)

    def run(self):
        world = self.world
        world.triggers.count_request()
        with world.lock:
            world.active += 1
            crowded = self.manner.most is not None and world.active > self.manner.most
        try:
            self._answer(world.faults.draw(), crowded)
        except OSError as problem:
            self.note.end = self.note.end or f"client gone ({type(problem).__name__})"
            raise Done from None
        finally:
            with world.lock:
                world.active -= 1

    def _answer(self, fault, crowded):
        kind = fault.kind if fault else None
        name = self.request.path.rpartition("/")[2]
        found = re.match(r"/as/([^/]+)/", self.request.path)
        resource = self.site.resources.get(found[1] if found else name)
        if kind == "empty":
            self._end("fault: no answer")
        if kind == "half-head":
            self.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Len")
            self._end("fault: half a head")
        if kind == "garbage":
            self.connection.sendall(b"\x00\x01garbage\r\n\r\n")
            self._end("fault: garbage")
        if crowded:
            return self._plain(503, [("Retry-After", "1")] if self.note.at * 1000 % 2 < 1 else [])
        if kind in ("500", "503", "429"):
            return self._plain(int(kind))
        if kind == "503-after":
            return self._plain(503, [("Retry-After", "1")])
        if resource is None or resource.gone:
            return self._plain(resource.gone if resource else 404)
        if self._redirect(name):
            return
        if self.manner.challenges and "authorization" not in self.request.headers:
            return self._plain(401, [("WWW-Authenticate", 'Digest realm="soak", nonce="77", qop="auth", algorithm=MD5')])
        self._serve(resource, resource.versions[max(0, len(resource.versions) - 1 - self.age)], fault)

    def _redirect(self, name):
        """/name leads to /r1/name, this to /r2/name and so on, by turns with and without the host."""
        found = re.match(r"/r(\d+)/", self.request.path)
        if self.request.path.startswith("/as/"):
            return False
        hop = int(found[1]) if found else 0
        if hop >= self.manner.redirects:
            return False
        host = f"http{'s' if self.site.context else ''}://{self.site.world.host}:{self.site.port}" if hop % 2 else ""
        self._plain((302, 307, 301, 308)[hop % 4], [("Location", f"{host}/r{hop + 1}/{name}")])
        return True

    def _plain(self, status, headers=()):
        body = b"<html>no file</html>\n"
        self._head(status, [*headers, ("Content-Type", "text/html"), ("Content-Length", len(body))])
        self.connection.sendall(body)
        self.note.end = "refused"
        if not self.manner.keeps:
            raise Done

    def _head(self, status, headers):
        self.note.status = status
        words = {200: "OK", 206: "Partial Content", 416: "Range Not Satisfiable"}.get(status, "Other")
        lines = [f"HTTP/1.1 {status} {words}", f"Date: {http_date(time.time() + self.manner.skew)}"]
        lines += [f"{name}: {value}" for name, value in headers]
        if not self.manner.keeps:
            lines.append("Connection: close")
        self.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin1"))

    def _serve(self, resource, version, fault):
        self.note.version = version.number
        begin, end, is_part = self._part(resource, version)
        if begin is None:
            return self._unsatisfiable(resource, version)
        tag, date = resource.validators(version, self.backend, is_part)
        headers = [("ETag", tag), ("Last-Modified", date)]
        shift = 1 if is_part and fault and fault.kind == "offset" and begin + 1 < end else 0
        if is_part:
            headers.append(("Content-Range", f"bytes {begin + shift}-{end - 1}/{version.size}"))
        elif self.manner.ranges != "ignored":
            headers.append(("Accept-Ranges", "bytes"))
        if self.manner.names:
            headers.append(("Content-Disposition", f'attachment; filename="{self.request.path.rpartition("/")[2]}"'))
        if self.manner.digest:
            headers.append(("Repr-Digest", f"sha-256=:{resource.digest_text(version, self.manner.digest)}:"))
        framing = self.manner.framing
        if framing == "length":
            headers.append(("Content-Length", end - begin - shift))
        elif framing == "chunked":
            headers.append(("Transfer-Encoding", "chunked"))
        else:
            headers.append(("Connection", "close"))
        self.note.offset, self.note.announced = begin + shift, end - begin - shift
        self._head(206 if is_part else 200, [(name, value) for name, value in headers if value is not None])
        self._body(memoryview(version.data)[begin + shift : end], framing, fault)

    def _part(self, resource, version):
        """Which bytes are sent; None where none of them is asked for."""
        asked, size = self.request.range, version.size
        if not asked or self.manner.ranges == "ignored":
            return 0, size, False
        condition = self.request.headers.get("if-range")
        if condition and self.manner.if_range:
            tag = resource.tag(version, self.backend, False)
            date = http_date(version.modified) if resource.policy.date else None
            if condition not in (tag, date) or condition.startswith("W/"):
                return 0, size, False
        begin, last = asked
        if size == 0 and self.manner.empty_range == 200:
            return 0, 0, False
        if begin >= size:
            return None, None, True
        end = size if last is None else min(size, last + 1)
        if self.manner.ranges == "capped":
            end = min(end, begin + 300 * KIB)
        return begin, end, True

    def _unsatisfiable(self, resource, version):
        tag, date = resource.validators(version, self.backend, True)
        headers = [("Content-Range", f"bytes */{version.size}"), ("Content-Length", 0), ("ETag", tag), ("Last-Modified", date)]
        self._head(416, [(name, value) for name, value in headers if value is not None])
        self.note.end = "unsatisfiable"
        if not self.manner.keeps:
            raise Done

    def _body(self, body, framing, fault):
        kind = fault.kind if fault else None
        # Over plain HTTP the end of the connection is the end of such a body: nobody can see that it came too early.
        if kind == "fin" and framing == "close" and not self.site.context:
            kind = "rst"
        stop = int(len(body) * fault.at) if kind in ("fin", "rst", "freeze") else len(body)
        # All bytes, and then a cut: with a length that is a whole answer.
        for at in range(0, stop, CHUNK):
            self._piece(body[at : min(stop, at + CHUNK)], framing)
        if kind in ("fin", "rst", "freeze"):
            self._break(kind)
        if framing == "chunked":
            self.connection.sendall(b"0\r\n\r\n")
        if kind == "extra" and framing != "close":
            self.connection.sendall(b"bytes that nobody announced" * 3)
            self._end("fault: more than announced")
        self.note.end = "whole"
        if framing == "close" or not self.manner.keeps:
            self._finish()

    def _piece(self, data, framing):
        wait = max(self.world.pace.reserve(len(data)), self.pace.reserve(len(data)))
        if wait > 0 and self.world.stopping.wait(wait):
            raise Done
        self.connection.sendall(b"%x\r\n%b\r\n" % (len(data), data) if framing == "chunked" else data)
        self.note.sent += len(data)
        self.world.triggers.count_bytes(len(data))

    def _finish(self):
        """The orderly end: what is on its way arrives, and TLS says goodbye."""
        if self.site.context:
            try:
                self.connection.unwrap()
            except (OSError, ValueError):
                pass
        raise Done

    def _break(self, kind):
        self.note.end = f"fault: {kind}"
        if kind == "freeze":
            limit = time.monotonic() + LONGEST_FREEZE
            while time.monotonic() < limit and not self.world.stopping.is_set():
                if select.select([self.connection], [], [], 0.1)[0]:
                    break
            raise Done
        if kind == "rst":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._end(self.note.end)

    def _end(self, why):
        """Closes at once, without the end of TLS."""
        self.note.end = why
        # Beneath TLS: a socket that is detached is closed as it is.
        raw = socket.socket(fileno=self.connection.detach())
        try:
            if not why.endswith("rst"):
                raw.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        raw.close()
        raise Done
