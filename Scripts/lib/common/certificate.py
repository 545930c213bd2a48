"""A certificate authority of our own and a server certificate for localhost and 127.0.0.1."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

AUTHORITY = """
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = Test authority of one run
[extensions]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
"""

LEAF = """
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1{others}
"""


@dataclass
class Certificate:
    """Paths of PEM files; `both` holds chain and key, as lighttpd likes it."""

    authority: Path
    chain: Path
    key: Path
    both: Path


def make_certificate(folder, hosts=()):
    """Valid for two days, keys on P-256, also for these hosts. The private key of the authority is thrown away."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Certificate(folder / "ca.pem", folder / "server.pem", folder / "server.key", folder / "both.pem")
    (folder / "ca.cnf").write_text(AUTHORITY)
    (folder / "leaf.ext").write_text(LEAF.format(others="".join(f", DNS:{host}" for host in hosts)))
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    _openssl(folder, "req", "-x509", *new_key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-config", "ca.cnf")
    _openssl(folder, "req", *new_key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    _openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "2",
             "-days", "2", "-extfile", "leaf.ext", "-out", "server.pem")
    (folder / "ca.key").unlink()
    made.both.write_text(made.key.read_text() + made.chain.read_text())
    return made


def _openssl(folder, *arguments):
    done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"openssl {arguments[0]} failed: {done.stderr.strip()}")
