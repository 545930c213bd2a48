"""Web servers that want to know who asks, with configurations of their own."""

import hashlib
import os
import subprocess

from common.tally import Wrong
from servers.configurations import APACHE_DIGEST, NGINX_GUARDED
from servers.programs import Apache, Server
from servers.proxies import PASSWORD, USER


class GuardedNginx(Server):
    """Over http it wants a password, over https a client's certificate."""

    name = program = "nginx"

    def __init__(self, root, folder, certificate):
        super().__init__(root, folder, certificate)
        self.folder = folder / "guarded"
        self.client = folder.parent / "tls" / "client.pem"
        self.client_key = folder.parent / "tls" / "client.key"

    def configure(self, ports):
        if not self.client.exists():
            make_client_certificate(self.client, self.client_key)
        hashed = subprocess.run(
            ["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True).stdout.strip()
        (self.folder / "users").write_text(f"{USER}:{hashed}\n")
        user = "user root root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(NGINX_GUARDED.format(
            user=user, root=self.root, folder=self.folder, http=ports["http"], https=ports["https"],
            chain=self.certificate.chain, key=self.certificate.key, client=self.client))
        return ["nginx", "-e", f"{self.folder}/error.log", "-p", f"{self.folder}/", "-c", f"{self.folder}/nginx.conf"]


def make_client_certificate(path, key):
    """A certificate that is its own authority, for a client."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=client", "-keyout", str(key), "-out", str(path)], capture_output=True, text=True)
    if made.returncode:
        raise Wrong(f"openssl failed: {made.stderr.strip()}")


class DigestApache(Apache):
    """Wants a digest (RFC 7616); of the two algorithms that it knows, it offers MD5."""

    name = "apache-digest"
    configuration = APACHE_DIGEST

    def configure(self, ports):
        known = hashlib.md5(f"{USER}:interop:{PASSWORD}".encode()).hexdigest()
        (self.folder / "users").write_text(f"{USER}:interop:{known}\n")
        return super().configure(ports)
