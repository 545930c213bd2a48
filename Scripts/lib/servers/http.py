"""What our own web servers share: a server on a free port that ends with its block, and a quiet handler that knows ranges."""

import re
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class TestServer(ThreadingHTTPServer):
    """Serves with the given handler, over TLS if it has a certificate; use it in a `with` statement."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, handler, address=("127.0.0.1", 0), certificate=None):
        super().__init__(address, handler)
        self.scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate.chain, certificate.key)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def __enter__(self):
        return self.start()

    def start(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """Prints nothing: clients that are stopped or killed reset their connections."""

    def url(self, path=""):
        return f"{self.scheme}://{self.server_address[0]}:{self.server_port}/{path}"


class TestHandler(BaseHTTPRequestHandler):
    """One connection. A handler writes `do_GET`; HEAD gets the same head."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Prints nothing."""

    def do_HEAD(self):
        self.do_GET()

    def head(self, status, length=0, headers=()):
        """Sends the head of a response; `headers` are pairs, or a dictionary."""
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items() if isinstance(headers, dict) else headers:
            self.send_header(name, value)
        self.end_headers()

    def body(self, parts, after=lambda part: None):
        """Sends the parts, and calls `after` with each of them; the connection ends if the client went away or `after` returns True."""
        if self.command == "HEAD":
            return
        try:
            for part in parts:
                self.wfile.write(part)
                if after(part):
                    break
            else:
                return
        except OSError:
            pass
        self.close_connection = True

    def span(self, size, tag=None):
        """The first byte and the end of the range that was requested (RFC 9110, 14.2); None if there is none, or `If-Range` has another tag."""
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if not wanted or tag is not None and self.headers.get("If-Range", tag) != tag:
            return None
        return int(wanted[1]), min(size, int(wanted[2]) + 1) if wanted[2] else size


def parts(data, start, end, step):
    """The bytes from `start` to `end`, so many at a time."""
    return (data[at:min(end, at + step)] for at in range(start, end, step))
