"""Five hundred slow clients and fifty who follow the events, over plain sockets, in one loop."""

import selectors
import socket
import time

HEADS, READERS, SUBSCRIBERS, DEAF = 250, 250, 50, 5
# A second between two bytes of a head, and between two small reads of an answer.
PAUSE = 1.0


class Client:
    """One connection; it begins again when the daemon ends it."""

    def __init__(self, crowd):
        self.crowd = crowd
        self.socket = None

    def open(self):
        self.close()
        self.socket = socket.socket()
        # A small window: what is not read stays with the daemon, not in the kernel.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.window)
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", self.crowd.port))
        self.socket.sendall(self.request().encode())
        self.socket.setblocking(False)

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def again(self):
        self.crowd.again += 1
        self.open()

    def get(self, path):
        return (f"GET /api/v1/{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.crowd.port}\r\n"
                f"Authorization: Bearer {self.crowd.token}\r\n")


class Head(Client):
    """Never ends its request's head."""

    window = 4096

    def request(self):
        return self.get("info") + "X: "

    def step(self):
        try:
            self.socket.send(b"a")
            if self.socket.recv(4096) == b"":
                self.again()
        except BlockingIOError:
            pass
        except OSError:
            self.again()


class Reader(Client):
    """Asks for a long list and reads a little of it now and then."""

    window = 4096

    def request(self):
        return self.get(f"downloads?limit={self.crowd.listed}") + "\r\n"

    def step(self):
        try:
            if self.socket.recv(512) == b"":
                self.again()
        except BlockingIOError:
            pass
        except OSError:
            self.again()


class Subscriber(Client):
    """Follows the events; a deaf one never reads them."""

    window = 1 << 16

    def request(self):
        return self.get("events?after=0&summary=true") + "\r\n"

    def read(self):
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.crowd.events += data.count(b"event: ")
        if not data:
            self.crowd.selector.unregister(self.socket)
            self.again()
            self.crowd.selector.register(self.socket, selectors.EVENT_READ, self)


class Crowd:
    """All of them."""

    def __init__(self, port, token, listed):
        self.port, self.token, self.listed = port, token, listed
        self.again = self.events = 0
        self.selector = selectors.DefaultSelector()
        self.slow = [Head(self) for _ in range(HEADS)] + [Reader(self) for _ in range(READERS)]
        self.subscribers = [Subscriber(self) for _ in range(SUBSCRIBERS)]

    @staticmethod
    def run(port, token, listed, pipe):
        """Comes together, says so, goes on until it is told that it is enough, and tells what it saw."""
        crowd = Crowd(port, token, listed)
        for each in crowd.slow + crowd.subscribers:
            each.open()
        for each in crowd.subscribers[DEAF:]:
            crowd.selector.register(each.socket, selectors.EVENT_READ, each)
        pipe.send("here")
        crowd.go(pipe)
        pipe.send({"heads": HEADS, "readers": READERS, "subscribers": SUBSCRIBERS, "events": crowd.events, "again": crowd.again})

    def go(self, pipe):
        due, turn = time.monotonic(), 0
        while not pipe.poll():
            # One after the other, so that a second's work is spread over the second.
            self.slow[turn % len(self.slow)].step()
            turn += 1
            due += PAUSE / len(self.slow)
            while (left := due - time.monotonic()) > 0:
                for key, _ in self.selector.select(left):
                    key.data.read()
