"""A server of files for the daemon to download, some of them missing at first."""

import time
from contextlib import contextmanager

from servers.http import TestHandler, TestServer


class Files(TestHandler):
    """`/N`: a file of N bytes; `/missing`: none until it is there."""

    missing, rate = True, None

    def do_GET(self):
        name = self.path[1:]
        found = name != "missing" or not Files.missing
        size = int(name) if name.isdigit() else 10
        if not found:
            return self.head(404)
        self.head(200, size)
        self.body((b"x" * min(size - at, 10_000) for at in range(0, size, 10_000)), after=self.wait)

    def wait(self, part):
        if Files.rate:
            time.sleep(len(part) / Files.rate)


@contextmanager
def files(rate=None):
    """Serves files; the URL to put names behind."""
    Files.missing, Files.rate = True, rate
    with TestServer(Files) as server:
        yield server.url().rstrip("/")
