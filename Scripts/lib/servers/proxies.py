"""Real proxies with configurations of their own."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from servers.programs import Server

USER, PASSWORD = "me", "hunter:1 ä"

SQUID = """
http_port 127.0.0.1:{port}
visible_hostname localhost
pid_filename {folder}/squid.pid
access_log stdio:{folder}/access.log
cache_log {folder}/cache.log
coredump_dir {folder}
pinger_enable off
max_filedescriptors 4096
{cache}
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

DANTE = """
logoutput: {folder}/danted.log
internal: 127.0.0.1 port = {port}
external: 127.0.0.1
clientmethod: none
socksmethod: {method}
{users}
client pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}
socks pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}
"""
DANTE_USERS = "user.privileged: root\nuser.unprivileged: nobody"


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
    """Caches nothing, unless `caches` says otherwise."""

    name = program = "squid"

    def __init__(self, folder, is_guarded, caches=False):
        super().__init__(folder, is_guarded)
        self.caches = caches

    def configure(self, ports):
        passwords = self.folder / "passwords"
        hashed = subprocess.run(
            ["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True).stdout.strip()
        passwords.write_text(f"{USER}:{hashed}\n")
        access = SQUID_AUTH.format(passwords=passwords) if self.is_guarded else "http_access allow all"
        (self.folder / "squid.conf").write_text(SQUID.format(
            port=ports["http"], folder=self.folder, access=access,
            cache="maximum_object_size_in_memory 64 MB" if self.caches else "cache deny all"))
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


class Dante(Proxy):
    """A SOCKS proxy, versions 4 and 5. Its passwords are those of the system's users, so it gets a list of its own,
    which only root can lend to a single process."""

    name = "dante"
    program = "danted"

    @property
    def url(self):
        return f"socks5h://127.0.0.1:{self.endpoints[0].port}"

    def configure(self, ports):
        (self.folder / "danted.conf").write_text(DANTE.format(
            folder=self.folder, port=ports["http"], method="username" if self.is_guarded else "none",
            users=DANTE_USERS if os.geteuid() == 0 else ""))
        command = ["danted", "-f", f"{self.folder}/danted.conf"]
        return self._with_users(command) if self.is_guarded else command

    def _with_users(self, command):
        hashed = subprocess.run(
            ["openssl", "passwd", "-6", PASSWORD], capture_output=True, text=True, check=True).stdout.strip()
        script = ""
        for name, line in (("passwd", f"{USER}:x:65001:65001::/nonexistent:/usr/sbin/nologin"),
                           ("shadow", f"{USER}:{hashed}:20000:0:99999:7:::")):
            own = self.folder / name
            own.write_text(Path(f"/etc/{name}").read_text() + line + "\n")
            own.chmod(0o600 if name == "shadow" else 0o644)
            script += f"mount --bind {own} /etc/{name} && "
        return ["unshare", "-m", "sh", "-c", f'{script} exec "$@"', "sh", *command]
