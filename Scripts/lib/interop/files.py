"""The cases of file servers: what web servers have to pass, and logins, host keys and limits besides."""

import shutil
from dataclasses import replace

from common import payload
from common.tally import Wrong
from common.workspace import empty_folder
from interop import cases
from interop.cases import EXIT_TLS, RESUMED
from servers.files import ALL, OpenSSH, VsftpdImplicit, VsftpdLimited
from servers.silent import SilentRelay

EXIT_TIMEOUT, EXIT_NOT_AUTHORIZED = 6, 8


def run_all(tally, bench, names=None):
    for kind in (each for each in ALL if names is None or each.name in names):
        with tally.case(f"{kind.name}: starts and ends"):
            if kind.missing():
                raise Wrong(f"{kind.missing()} is not installed; run: Scripts/install-dependencies --tests")
            with kind(bench.sources, bench.folder / "servers", bench.certificate) as server:
                _run(tally, bench, server)


def _run(tally, bench, server):
    if isinstance(server, OpenSSH):
        _host_keys(tally, bench, server)
        _install_key(bench, server)
    for endpoint in server.endpoints:
        if isinstance(server, VsftpdLimited):
            _limited(tally, bench, endpoint)
            continue
        cases.run_common(tally, bench, endpoint)
        if endpoint.scheme in ("ftpes", "ftps"):
            _untrusted(tally, bench, endpoint)
        if isinstance(server, OpenSSH):
            _silent(tally, bench, endpoint)
        if isinstance(server, (VsftpdImplicit, OpenSSH)):
            _wrong_password(tally, bench, server, endpoint)


def _limited(tally, bench, endpoint):
    with tally.case(f"{endpoint}: 6 connections wanted, 2 granted"), empty_folder(bench.folder) as target:
        bench.get(endpoint, RESUMED, target, "-c", 6).expect(0)
        payload.expect_same_digest(bench.sources / RESUMED, target / RESUMED)


def _untrusted(tally, bench, endpoint):
    name = "mebibyte-and-one.bin"
    with tally.case(f"{endpoint}: untrusted certificate"), empty_folder(bench.folder) as target:
        cases._expect_failure(bench.get(endpoint, name, target), EXIT_TLS, target, name)
    with tally.case(f"{endpoint}: --insecure"), empty_folder(bench.folder) as target:
        bench.get(endpoint, name, target, "--insecure").expect(0)
        payload.expect_same_digest(bench.sources / name, target / name)


def _silent(tally, bench, endpoint):
    """After the login, or in the middle of a file, nothing comes any more, and the connection stays open."""
    for silent_after in (4_000, 300_000):
        with tally.case(f"{endpoint}: silent after {silent_after} bytes"), empty_folder(bench.folder) as target, \
                SilentRelay(endpoint.port, silent_after) as relay:
            # Every attempt makes progress, so only the time for all of them ends it.
            options = ["--insecure", "-c", 1, "--idle-timeout", 3, "--max-time", 8]
            outcome = bench.get(replace(endpoint, port=relay.port), RESUMED, target, *options, timeout=30)
            outcome.expect(EXIT_TIMEOUT)


def _wrong_password(tally, bench, server, endpoint):
    name = "mebibyte-and-one.bin"
    wrong = endpoint.with_login(endpoint.login.split(":")[0].rstrip("@") + ":Tr0ub4dor@")
    ssh = bench.folder / ".ssh"
    if isinstance(server, OpenSSH):
        (ssh / "id_ed25519").unlink()
    with tally.case(f"{endpoint}: wrong password"), empty_folder(bench.folder) as target:
        outcome = bench.get(wrong, name, target, *bench.trust(endpoint))
        cases._expect_failure(outcome, EXIT_NOT_AUTHORIZED, target, name)
        if "Tr0ub4dor" in outcome.output + outcome.errors:
            raise Wrong("the password stands in the output")


def _host_keys(tally, bench, server):
    """A server whose key nobody knows, or that shows another one than it used to, is not trusted with a password."""
    name, endpoint = "mebibyte-and-one.bin", server.endpoints[0]
    ssh = bench.folder / ".ssh"
    shutil.rmtree(ssh, ignore_errors=True)
    ssh.mkdir(mode=0o700)
    with tally.case(f"{endpoint}: unknown host key"), empty_folder(bench.folder) as target:
        cases._expect_failure(bench.get(endpoint, name, target), EXIT_TLS, target, name)
    other = (server.folder / "user_key.pub").read_text().split()[1]
    (ssh / "known_hosts").write_text(f"[127.0.0.1]:{endpoint.port} ssh-ed25519 {other}\n")
    with tally.case(f"{endpoint}: another host key than before"), empty_folder(bench.folder) as target:
        cases._expect_failure(bench.get(endpoint, name, target), EXIT_TLS, target, name)
    shutil.copy(server.folder / "user_key", ssh / "id_ed25519")
    (ssh / "known_hosts").unlink()
    with tally.case(f"{endpoint}: --insecure"), empty_folder(bench.folder) as target:
        bench.get(endpoint, name, target, "--insecure").expect(0)
        payload.expect_same_digest(bench.sources / name, target / name)


def _install_key(bench, server):
    (bench.folder / ".ssh" / "known_hosts").write_text(server.known_host())
