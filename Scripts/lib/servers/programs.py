"""Real web servers with configurations of their own, on free ports of 127.0.0.1, ended by process id."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass

from common.tally import Wrong
from servers.configurations import APACHE, CADDY, LIGHTTPD, LIGHTTPD_TLS, NGINX

PR_SET_PDEATHSIG = 1


@dataclass
class Endpoint:
    """One scheme of one running server."""

    server: str
    scheme: str
    port: int
    ranges: bool

    def url(self, path="", host="127.0.0.1"):
        return f"{self.scheme}://{host}:{self.port}/{path}"

    def __str__(self):
        return f"{self.server} {self.scheme}"


class DidNotStart(Wrong):
    """A server ended before it answered, or never answered."""


class Server:
    """Starts one server over `root` and ends it again; use it in a `with` statement."""

    name = ""
    program = ""
    ranges = True
    schemes = ("http", "https")

    def __init__(self, root, folder, certificate):
        self.root, self.folder, self.certificate = root, folder / self.name, certificate
        self.process = None
        self.endpoints = []

    @classmethod
    def missing(cls):
        """The program that is not installed, or None."""
        return None if shutil.which(cls.program, path=_search_path()) else cls.program

    def configure(self, ports):
        """Writes the configuration and returns the command line."""
        raise NotImplementedError

    def __enter__(self):
        for attempt in range(3):
            try:
                return self._start()
            except DidNotStart:
                if attempt == 2:
                    raise
        return self

    def __exit__(self, *_):
        self.stop()

    def _start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        ports = dict(zip(self.schemes, free_ports(len(self.schemes))))
        command = self.configure(ports)
        environment = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
        environment.update(HOME=str(self.folder), PATH=_search_path())
        with open(self.folder / "output.log", "wb") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=_die_with_parent,
            )
        for port in ports.values():
            self._wait_for(port)
        self.endpoints = [Endpoint(self.name, scheme, port, self.ranges) for scheme, port in ports.items()]
        return self

    def _wait_for(self, port, seconds=60):
        """Asks until the port answers. Another process may have taken it meanwhile: then the server has ended."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if self.process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.02)
        code = self.process.poll()
        self.stop()
        ending = f"ended with {code}" if isinstance(code, int) else f"silent for {seconds} s"
        raise DidNotStart(f"{self.name} did not start on port {port}, {ending}: {self._logs()}")

    def _logs(self):
        """The ends of what it printed and of the logs in its folder."""
        texts = {path.name: path.read_text(errors="replace").strip()[-800:] for path in sorted(self.folder.glob("*.log"))}
        return "; ".join(f"{name}: {text}" for name, text in texts.items() if text) or "it wrote nothing"

    def stop(self):
        """SIGTERM first, SIGKILL after five seconds, both only to the process that was started here."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None


class Nginx(Server):
    name = program = "nginx"
    http2 = ""

    def configure(self, ports):
        user = "user root root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(NGINX.format(
            user=user, root=self.root, folder=self.folder, http=ports["http"], https=ports["https"],
            chain=self.certificate.chain, key=self.certificate.key, http2=self.http2))
        return ["nginx", "-e", f"{self.folder}/error.log", "-p", f"{self.folder}/", "-c", f"{self.folder}/nginx.conf"]


class NginxHTTP2(Nginx):
    """Offers HTTP/2 over TLS, next to HTTP/1.1."""

    name = "nginx-http2"
    schemes = ("http", "https")
    http2 = " http2"

    def _start(self):
        super()._start()
        self.endpoints = [each for each in self.endpoints if each.scheme == "https"]
        return self


class Apache(Server):
    name = "apache"
    program = "apache2"
    configuration = APACHE

    def configure(self, ports):
        user = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
        (self.folder / "apache.conf").write_text(self.configuration.format(
            user=user, root=self.root, folder=self.folder, http=ports["http"], https=ports["https"],
            chain=self.certificate.chain, key=self.certificate.key))
        return ["apache2", "-D", "FOREGROUND", "-d", str(self.folder), "-f", f"{self.folder}/apache.conf"]


class Lighttpd(Server):
    name = program = "lighttpd"

    def __init__(self, root, folder, certificate):
        super().__init__(root, folder, certificate)
        self.tls = os.path.exists("/usr/lib/lighttpd/mod_openssl.so")
        self.schemes = ("http", "https") if self.tls else ("http",)

    def configure(self, ports):
        text = LIGHTTPD.format(root=self.root, folder=self.folder, http=ports["http"])
        if self.tls:
            text += LIGHTTPD_TLS.format(https=ports["https"], both=self.certificate.both)
        (self.folder / "lighttpd.conf").write_text(text)
        return ["lighttpd", "-D", "-f", f"{self.folder}/lighttpd.conf"]


class Caddy(Server):
    name = program = "caddy"

    def configure(self, ports):
        (self.folder / "Caddyfile").write_text(CADDY.format(
            root=self.root, http=ports["http"], https=ports["https"],
            chain=self.certificate.chain, key=self.certificate.key))
        return ["caddy", "run", "--config", f"{self.folder}/Caddyfile", "--adapter", "caddyfile"]


class PythonServer(Server):
    """The server of Python's standard library: HTTP/1.0, no ranges, no entity tags."""

    name = "python"
    program = "python3"
    ranges = False
    schemes = ("http",)

    def configure(self, ports):
        return [sys.executable, "-m", "http.server", str(ports["http"]), "--bind", "127.0.0.1",
                "--directory", str(self.root)]


ALL = [Nginx, NginxHTTP2, Apache, Lighttpd, Caddy, PythonServer]


def free_ports(count):
    """Ports that were free a moment ago, all different."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


def _search_path():
    return os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


def _die_with_parent():
    """prctl(2): the server is told to end if this script is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
