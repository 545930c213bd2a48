"""File servers with configurations of their own, on free ports of 127.0.0.1: vsftpd for FTP and FTPS, OpenSSH for SFTP."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from common.tally import Wrong
from servers.programs import Endpoint, Server

PASSWORD = "correct horse: battery/staple@1"

VSFTPD = """
listen=YES
listen_address=127.0.0.1
listen_port={port}
background=NO
anonymous_enable=YES
no_anon_password=NO
local_enable=NO
anon_root={root}
anon_world_readable_only=NO
secure_chroot_dir={folder}/empty
ftp_username={user}
nopriv_user={user}
run_as_launching_user={launching}
seccomp_sandbox=NO
use_localtime=NO
xferlog_enable=NO
ssl_enable=YES
allow_anon_ssl=YES
force_anon_logins_ssl={implicit}
force_anon_data_ssl={implicit}
implicit_ssl={implicit}
rsa_cert_file={chain}
rsa_private_key_file={key}
ssl_ciphers=HIGH
max_per_ip={per_ip}
secure_email_list_enable={secret}
email_password_file={folder}/passwords
"""

SSHD = """
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
PermitRootLogin yes
PasswordAuthentication yes
KbdInteractiveAuthentication no
UsePAM no
MaxStartups 100
Subsystem sftp internal-sftp
"""


@dataclass
class FileEndpoint(Endpoint):
    """One scheme of a file server, with who asks and where the files are."""

    login: str = ""
    folder: str = ""

    def url(self, path="", host="127.0.0.1"):
        return f"{self.scheme}://{self.login}{host}:{self.port}{self.folder}/{path}"

    def with_login(self, login):
        return FileEndpoint(self.server, self.scheme, self.port, self.ranges, login, self.folder)


class Vsftpd(Server):
    """FTP in the clear and, on the same port, with TLS when the client asks for it."""

    name = program = "vsftpd"
    schemes = ("ftp",)
    served = ("ftp", "ftpes")
    implicit = secret = "NO"
    per_ip = 0

    def configure(self, ports):
        (self.folder / "empty").mkdir()
        (self.folder / "passwords").write_text(PASSWORD + "\n")
        root = os.geteuid() == 0
        (self.folder / "vsftpd.conf").write_text(VSFTPD.format(
            port=ports["ftp"], root=self.root, folder=self.folder, user=_guest() if root else _me(),
            launching="NO" if root else "YES", implicit=self.implicit, secret=self.secret, per_ip=self.per_ip,
            chain=self.certificate.chain, key=self.certificate.key))
        return ["vsftpd", f"{self.folder}/vsftpd.conf"]

    def _start(self):
        super()._start()
        port = self.endpoints[0].port
        login = f"anonymous:{quote(PASSWORD, safe='')}@" if self.secret == "YES" else ""
        self.endpoints = [FileEndpoint(self.name, scheme, port, True, login) for scheme in self.served]
        return self


class VsftpdImplicit(Vsftpd):
    """FTP over TLS from the first byte, for those who know the password."""

    name = "vsftpd-implicit"
    served = ("ftps",)
    implicit = secret = "YES"


class VsftpdLimited(Vsftpd):
    """Two connections per client, no more."""

    name = "vsftpd-limited"
    served = ("ftp",)
    per_ip = 2


class OpenSSH(Server):
    """SFTP with a key of the user's and a host key of its own."""

    name = "openssh"
    program = "sshd"
    schemes = ("sftp",)

    def configure(self, ports):
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        for key in ("host_key", "user_key"):
            _keygen(self.folder / key)
        (self.folder / "authorized_keys").write_text((self.folder / "user_key.pub").read_text())
        (self.folder / "sshd.conf").write_text(SSHD.format(port=ports["sftp"], folder=self.folder))
        return [_which("sshd"), "-D", "-e", "-f", f"{self.folder}/sshd.conf"]

    def _start(self):
        super()._start()
        port = self.endpoints[0].port
        self.endpoints = [FileEndpoint(self.name, "sftp", port, True, f"{_me()}@", str(self.root))]
        return self

    def known_host(self):
        """The line of a known_hosts file (sshd(8))."""
        kind, key = (self.folder / "host_key.pub").read_text().split()[:2]
        return f"[127.0.0.1]:{self.endpoints[0].port} {kind} {key}\n"


ALL = [Vsftpd, VsftpdImplicit, VsftpdLimited, OpenSSH]


def _me():
    return pwd.getpwuid(os.geteuid()).pw_name


def _guest():
    """A user without rights whose home is there: vsftpd goes there before it goes to the files."""
    for name in ("ftp", "daemon", "www-data", "bin"):
        try:
            if os.path.isdir(pwd.getpwnam(name).pw_dir):
                return name
        except KeyError:
            continue
    raise Wrong("no user to run an FTP session as")


def _which(program):
    # sshd starts itself anew for each connection and wants to know where it is.
    for folder in (os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin").split(":"):
        if os.access(f"{folder}/{program}", os.X_OK):
            return f"{folder}/{program}"
    raise Wrong(f"{program} is not installed")


def _keygen(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
