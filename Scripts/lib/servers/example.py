"""A proxy that answers for example.org and example.com by itself, also over TLS, so that commands run as the documentation shows them."""

import base64
import hashlib
import ssl
from contextlib import contextmanager
from functools import cache
from urllib.parse import urlsplit

from common.certificate import make_certificate
from common.payload import KIB, MIB, contents
from servers.shaped import Handler, Pace, ShapedServer

HOSTS = ("example.org", "*.example.org", "example.com", "*.example.com")
USER = "anna:secret"

METALINK = """<?xml version="1.0" encoding="UTF-8"?>
<metalink xmlns="urn:ietf:params:xml:ns:metalink">
{files}</metalink>
"""
METALINK_FILE = """  <file name="{name}">
    <size>{size}</size>
    <hash type="sha-256">{digest}</hash>
    <url>https://a.example.org/{path}</url>
    <url>https://b.example.org/{path}</url>
  </file>
"""


@cache
def site():
    """The files by path. Those in `slow` of the server are sent slowly."""
    files = {
        "big.iso": contents(24 * MIB, 1),
        "small.iso": contents(300 * KIB, 2),
        "private/report.pdf": contents(40 * KIB, 3),
        "page.zip": b"<!doctype html><title>Please log in</title>",
    }
    files |= {f"{name}.bin": contents(400 * KIB, 10 + at) for at, name in enumerate("abcd")}
    files |= {f"photos/{number:02}.jpg": contents(60 * KIB, 20 + number) for number in range(1, 13)}
    files["film.mp4"] = contents(24 * MIB, 4)
    files["SHA256SUMS"] = "".join(f"{sha256(files[name])}  {name}\n" for name in ("photos/01.jpg", "photos/02.jpg")).encode()
    files["big.iso.sha256"] = f"{sha256(files['big.iso'])}  big.iso\n".encode()
    parts = [(f"photos/{number:02}.jpg", f"photos/{number:02}.jpg") for number in range(1, 4)]
    files["photos.meta4"] = metalink(files, parts)
    files["big.iso.meta4"] = metalink(files, [("big.iso", "big.iso")])
    return files


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def metalink(files, parts):
    entries = (METALINK_FILE.format(name=name, path=path, size=len(files[path]), digest=sha256(files[path])) for name, path in parts)
    return METALINK.format(files="".join(entries)).encode()


class ExampleServer(ShapedServer):
    """Limits each connection for the files in `slow`."""

    def __init__(self, files, certificate, slow=("big.iso", "film.mp4"), rate=1.5 * MIB):
        super().__init__(files, handler=ExampleHandler)
        self.slow, self.rate = slow, rate
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate.chain, certificate.key)


class ExampleHandler(Handler):
    """One connection of a client, which begins with CONNECT for https."""

    def do_CONNECT(self):
        self.send_response(200, "Connection established")
        self.end_headers()
        self.connection = self.server.context.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", buffering=0)
        self.close_connection = False

    def do_GET(self):
        self.path = urlsplit(self.path).path
        name = self.path.lstrip("/")
        self.pace = Pace(self.server.rate if name in self.server.slow else None)
        if name == "latest":
            return self.head(302, headers={"Location": "/big.iso"})
        if name == "busy.iso":
            return self.head(503, headers={"Retry-After": "600"})
        if name.startswith("private/") and self.headers.get("Authorization") != f"Basic {base64.b64encode(USER.encode()).decode()}":
            return self.head(401, headers={"WWW-Authenticate": 'Basic realm="reports"'})
        super().do_GET()

    def do_POST(self):
        """A form: the response is the file, whatever was sent."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()


@contextmanager
def example(folder, files=None, **options):
    """The server, and the variables that lead curl, wget, aria2 and Haul to it."""
    certificate = make_certificate(folder / "tls", HOSTS)
    with ExampleServer(files or site(), certificate, **options) as server:
        proxy = server.url().rstrip("/")
        authority = str(certificate.authority)
        yield server, {
            "http_proxy": proxy, "https_proxy": proxy, "no_proxy": "127.0.0.1,localhost",
            "SSL_CERT_FILE": authority, "CURL_CA_BUNDLE": authority, "HAUL_CA_CERTIFICATE": authority}
