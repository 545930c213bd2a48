"""Downloads through real proxies, and from a server that wants to know who asks."""

import os
import shutil
import subprocess
from contextlib import ExitStack
from urllib.parse import quote

from common import payload
from common.haul import Haul
from common.tally import Wrong
from common.workspace import empty_folder
from interop.cases import EXIT_NOT_AUTHORIZED, RESUMED
from servers.guarded import DigestApache, GuardedNginx
from servers.programs import Nginx
from servers.proxies import PASSWORD, USER, Dante, HAProxy, Squid

EXIT_STATUS = 11


def run_all(tally, bench):
    for program in (Nginx, Squid, HAProxy, Dante, DigestApache):
        if program.missing():
            with tally.case(f"{program.name}: starts"):
                raise Wrong(f"{program.missing()} is not installed; run: Scripts/install-dependencies --tests")
            return
    servers = bench.folder / "servers"
    with ExitStack() as stack, tally.case("proxies: start and end"):
        nginx = stack.enter_context(Nginx(bench.sources, servers, bench.certificate))
        squid = stack.enter_context(Squid(servers, False))
        proxies = [
            squid, stack.enter_context(Squid(servers, True)), stack.enter_context(HAProxy(servers, False, squid)),
            stack.enter_context(HAProxy(servers, True, squid)), stack.enter_context(Dante(servers, False)),
        ]
        if os.geteuid() == 0:
            proxies.append(stack.enter_context(Dante(servers, True)))
        for proxy in proxies:
            for endpoint in nginx.endpoints:
                _through(tally, bench, proxy, endpoint)
                if proxy.is_guarded:
                    _denied(tally, bench, proxy, endpoint)
        _environment(tally, bench, squid, nginx.endpoints[0])
        _two_addresses(tally, bench, nginx.endpoints[0])
    with tally.case("guarded nginx: starts and ends"), GuardedNginx(bench.sources, servers, bench.certificate) as nginx:
        _basic(tally, bench, nginx.endpoints[0])
        _client_certificate(tally, bench, nginx)
    with tally.case("apache, digest: starts and ends"), DigestApache(bench.sources, servers, bench.certificate) as apache:
        for endpoint in apache.endpoints:
            _digest(tally, bench, endpoint)


def _secret(target, text):
    """A file beside the results; its name begins with a dot, and it goes with them."""
    path = target / ".secret"
    path.write_text(text + "\n")
    path.chmod(0o600)
    return path


def _right(bench, target):
    payload.expect_same_digest(bench.sources / RESUMED, target / RESUMED)


def _through(tally, bench, proxy, endpoint):
    with tally.case(f"{endpoint} through {proxy}: 6 connections"), empty_folder(bench.folder) as target:
        options = ["--proxy", proxy.url, "--no-proxy", "", "-c", 6, *bench.trust(endpoint)]
        if proxy.is_guarded:
            options += ["--proxy-user-file", _secret(target, f"{USER}:{PASSWORD}")]
        before = proxy.settled_requests() if isinstance(proxy, Squid) else 0
        bench.get(endpoint, RESUMED, target, *options).expect(0)
        _right(bench, target)
        if isinstance(proxy, Squid) and proxy.settled_requests() <= before:
            raise Wrong("the proxy was not asked")


def _denied(tally, bench, proxy, endpoint):
    for what, secret in (("no", None), ("a wrong", f"{USER}:wrong")):
        with tally.case(f"{endpoint} through {proxy}: {what} password"), empty_folder(bench.folder) as target:
            options = ["--proxy", proxy.url, "--no-proxy", "", *bench.trust(endpoint)]
            if secret:
                options += ["--proxy-user-file", _secret(target, secret)]
            outcome = bench.get(endpoint, RESUMED, target, *options).expect(EXIT_NOT_AUTHORIZED)
            if "proxy" not in outcome.errors:
                raise Wrong(f"the message does not speak of the proxy: {outcome.last_line()}")


def _environment(tally, bench, squid, endpoint):
    for exempt in ("", "127.0.0.0/8"):
        label = f"no_proxy={exempt}" if exempt else "http_proxy"
        with tally.case(f"{endpoint}: {label} of the environment"), empty_folder(bench.folder) as target:
            haul = Haul(bench.folder, bench.haul.path)
            haul.environment.update(http_proxy=squid.url, no_proxy=exempt)
            before = squid.settled_requests()
            haul.run("get", "--quiet", "-d", target, endpoint.url(quote(RESUMED))).expect(0)
            _right(bench, target)
            if (squid.settled_requests() > before) == bool(exempt):
                raise Wrong("the proxy was asked" if exempt else "the proxy was not asked")


def _basic(tally, bench, endpoint):
    netrc = f'machine 127.0.0.1 login {USER} password "{PASSWORD}"'
    ways = {
        "--user": ("--password-file", PASSWORD, ["--user", USER]), "--netrc-file": ("--netrc-file", netrc, []),
    }
    for name, (option, secret, more) in ways.items():
        with tally.case(f"nginx, basic auth: {name}"), empty_folder(bench.folder) as target:
            bench.get(endpoint, RESUMED, target, "-c", 6, option, _secret(target, secret), *more).expect(0)
            _right(bench, target)
    with tally.case("nginx, basic auth: wrong password"), empty_folder(bench.folder) as target:
        options = ["--user", USER, "--password-file", _secret(target, "wrong")]
        bench.get(endpoint, RESUMED, target, *options).expect(EXIT_NOT_AUTHORIZED)
    with tally.case("nginx, basic auth: no password"), empty_folder(bench.folder) as target:
        bench.get(endpoint, RESUMED, target).expect(EXIT_NOT_AUTHORIZED)


def _digest(tally, bench, endpoint):
    """The server's way is used whether it is named or not."""
    for way in (["--auth", "digest"], []):
        named = "named" if way else "found"
        for connections in (1, 6):
            with tally.case(f"{endpoint}: {named}, {connections} connections"), empty_folder(bench.folder) as target:
                options = [*way, "--user", USER, "--password-file", _secret(target, PASSWORD)]
                bench.get(endpoint, RESUMED, target, "-c", connections, *options, *bench.trust(endpoint)).expect(0)
                _right(bench, target)
        with tally.case(f"{endpoint}: {named}, wrong password"), empty_folder(bench.folder) as target:
            options = [*way, "--user", USER, "--password-file", _secret(target, "wrong")]
            bench.get(endpoint, RESUMED, target, *options, *bench.trust(endpoint)).expect(EXIT_NOT_AUTHORIZED)


def _client_certificate(tally, bench, nginx):
    endpoint = nginx.endpoints[1]
    mine = ["--client-certificate", nginx.client, "--client-key", nginx.client_key]
    with tally.case("nginx, client certificate: shown"), empty_folder(bench.folder) as target:
        bench.get(endpoint, RESUMED, target, "-c", 6, *bench.trust(endpoint), *mine).expect(0)
        _right(bench, target)
    with tally.case("nginx, client certificate: none"), empty_folder(bench.folder) as target:
        bench.get(endpoint, RESUMED, target, *bench.trust(endpoint)).expect(EXIT_STATUS)


def _two_addresses(tally, bench, endpoint):
    """A name whose first address leads nowhere; only root may give a process names of its own."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return
    for dead in ("::1", "192.0.2.1", "fd00:dead::1"):
        with tally.case(f"{endpoint}: a name with a dead address {dead}"), empty_folder(bench.folder) as target:
            hosts = _secret(target, f"{dead} two.test\n127.0.0.1 two.test")
            hosts.chmod(0o644)
            command = bench.haul.command(
                "get", "--quiet", "-d", target, "--connect-timeout", 10, endpoint.url(quote(RESUMED), "two.test"))
            script = ["unshare", "-m", "sh", "-c", f"mount --bind {hosts} /etc/hosts && exec \"$@\"", "sh", *command]
            done = subprocess.run(script, env=bench.haul.environment, capture_output=True, text=True, timeout=60)
            if done.returncode:
                raise Wrong(f"exit code {done.returncode}: {done.stderr.strip()}")
            _right(bench, target)
