"""A server of files for the daemon to download, some of them missing at first."""

import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Files(BaseHTTPRequestHandler):
    """`/N`: a file of N bytes; `/missing`: none until it is there."""

    protocol_version = "HTTP/1.1"
    missing, rate = True, None

    def do_GET(self):
        name = self.path[1:]
        found = name != "missing" or not Files.missing
        size = int(name) if name.isdigit() else 10
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(size if found else 0))
        self.end_headers()
        for _ in range(0, size if found else 0, 10_000):
            part = min(size, 10_000)
            self.wfile.write(b"x" * part)
            size -= part
            if Files.rate:
                time.sleep(part / Files.rate)

    def handle(self):
        # A client that was stopped closes its connection.
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, *_):
        pass


@contextmanager
def files(rate=None):
    """Serves files; the URL to put names behind."""
    Files.missing, Files.rate = True, rate
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
