"""Real proxies, and an nginx that wants to know who asks, with configurations of their own."""

import os
import shutil
import subprocess
import time

from servers import Server
from tally import Wrong

USER, PASSWORD = "me", "hunter:1 ä"

SQUID = """
http_port 127.0.0.1:{port}
visible_hostname localhost
pid_filename {folder}/squid.pid
access_log stdio:{folder}/access.log
cache_log {folder}/cache.log
coredump_dir {folder}
cache deny all
shutdown_lifetime 0 seconds
{access}
http_access deny all
"""
SQUID_AUTH = """
auth_param basic program /usr/lib/squid/basic_ncsa_auth {passwords}
auth_param basic realm interop
auth_param basic utf8 on
acl known proxy_auth REQUIRED
http_access allow known
"""

# Plain requests it takes to the address in the URL itself, CONNECT to a squid behind it.
HAPROXY = """
global
    maxconn 1000
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
userlist known
    user {user} insecure-password "{password}"
frontend proxy
    bind 127.0.0.1:{port}
    option http-use-proxy-header
    {access}
    use_backend tunnels if METH_CONNECT
    default_backend anywhere
backend tunnels
    server squid 127.0.0.1:{squid}
backend anywhere
    http-request set-dst url_ip
    http-request set-dst-port url_port
    server any 0.0.0.0:0
"""

GUARDED = """
{owner}
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    default_type application/octet-stream;
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{http};
        root {root};
        auth_basic interop;
        auth_basic_user_file {folder}/users;
    }}
    server {{
        listen 127.0.0.1:{https} ssl;
        root {root};
        ssl_certificate {chain};
        ssl_certificate_key {key};
        ssl_client_certificate {client};
        ssl_verify_client on;
    }}
}}
"""


class Proxy(Server):
    """A proxy, with or without a password."""

    schemes = ("http",)
    label = ""

    def __init__(self, folder, is_guarded):
        super().__init__(None, folder, None)
        self.is_guarded = is_guarded
        self.folder = folder / (f"{self.name}-auth" if is_guarded else self.name)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.endpoints[0].port}"

    def __str__(self):
        return f"{self.name}{' with a password' if self.is_guarded else ''}"


class Squid(Proxy):
    name = program = "squid"

    def configure(self, ports):
        passwords = self.folder / "passwords"
        hashed = subprocess.run(
            ["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True).stdout.strip()
        passwords.write_text(f"{USER}:{hashed}\n")
        access = SQUID_AUTH.format(passwords=passwords) if self.is_guarded else "http_access allow all"
        (self.folder / "squid.conf").write_text(SQUID.format(port=ports["http"], folder=self.folder, access=access))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "proxy", "proxy")
        return ["squid", "-N", "-f", str(self.folder / "squid.conf")]

    def requests(self):
        """How often it was asked, from its log, which has one line a request, written at its end."""
        log = self.folder / "access.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return sum(" GET " in line or " CONNECT " in line for line in lines)

    def settled_requests(self):
        """The same, once nothing has been added for a moment."""
        count = -1
        while count != (count := self.requests()):
            time.sleep(0.3)
        return count


class HAProxy(Proxy):
    name = program = "haproxy"

    def __init__(self, folder, is_guarded, squid):
        super().__init__(folder, is_guarded)
        self.squid = squid

    def configure(self, ports):
        access = "http-request auth realm interop unless { http_auth(known) }" if self.is_guarded else ""
        (self.folder / "haproxy.cfg").write_text(HAPROXY.format(
            port=ports["http"], access=access, user=USER, password=PASSWORD, squid=self.squid.endpoints[0].port))
        return ["haproxy", "-db", "-f", str(self.folder / "haproxy.cfg")]


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
        owner = "user root root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(GUARDED.format(
            owner=owner, root=self.root, folder=self.folder, http=ports["http"], https=ports["https"],
            chain=self.certificate.chain, key=self.certificate.key, client=self.client))
        return ["nginx", "-e", f"{self.folder}/error.log", "-p", f"{self.folder}/", "-c", f"{self.folder}/nginx.conf"]


def make_client_certificate(path, key):
    """A certificate that is its own authority, for a client."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=client", "-keyout", str(key), "-out", str(path)], capture_output=True, text=True)
    if made.returncode:
        raise Wrong(f"openssl failed: {made.stderr.strip()}")
