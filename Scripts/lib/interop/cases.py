"""The cases that every real web server has to pass."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from common import payload
from common.certificate import Certificate
from common.haul import Haul
from common.payload import GIB, KIB, MIB
from common.tally import NotRun, Wrong
from common.workspace import empty_folder, listing
from kill9.rounds import wait_for_partial

SPARSE = "five GiB.bin"
RESUMED = "resumed.bin"
SMALL = {
    "empty.bin": 0,
    "one.bin": 1,
    "mebibyte-and-one.bin": MIB + 1,
    "with spaces (1).tar.gz": MIB + 1,
    "größe 文件 🚚.bin": MIB + 1,
    "100% #1 a+b&c=d;e.bin": 70 * KIB,
}
MARKS = [0, 12345, 256 * KIB - 4, 2 * GIB - 4, 2 * GIB + 1, 4 * GIB - 4, 4 * GIB + 7, 5 * GIB - 8]

EXIT_NOT_FOUND, EXIT_TLS, EXIT_NOT_AUTHORIZED, EXIT_CHECKSUM = 3, 7, 8, 16


@dataclass
class Bench:
    """What every case needs."""

    haul: Haul
    folder: Path
    certificate: Certificate

    @property
    def sources(self):
        return self.folder / "sources"

    def trust(self, endpoint):
        secure = endpoint.scheme in ("https", "ftpes", "ftps")
        return ["--ca-certificate", self.certificate.authority] if secure else []

    def get(self, endpoint, name, target, *options, host="127.0.0.1", timeout=120):
        url = endpoint.url(quote(name), host)
        return self.haul.run("get", "--quiet", "-d", target, *options, url, timeout=timeout)


def make_sources(folder):
    folder.mkdir()
    folder.chmod(0o755)
    for seed, (name, size) in enumerate(SMALL.items()):
        payload.write_random(folder / name, size, seed)
    payload.write_random(folder / RESUMED, 24 * MIB, 99)
    payload.write_sparse(folder / SPARSE, 5 * GIB, MARKS)


def run_all(tally, bench, server, sparse):
    for endpoint in server.endpoints:
        run_common(tally, bench, endpoint)
        if endpoint.scheme == "https":
            _certificates(tally, bench, endpoint)
    if sparse:
        _sparse(tally, bench, server.endpoints[0])


def run_common(tally, bench, endpoint):
    """What every server has to pass, whatever it speaks."""
    _sizes(tally, bench, endpoint)
    _resume(tally, bench, endpoint)
    _checksums(tally, bench, endpoint)
    _not_found(tally, bench, endpoint)


def _sizes(tally, bench, endpoint):
    for name in SMALL:
        for connections in (1, 6):
            with tally.case(f"{endpoint}: {name!r}, {connections} connections"), empty_folder(bench.folder) as target:
                bench.get(endpoint, name, target, "-c", connections, *bench.trust(endpoint)).expect(0)
                payload.expect_same_digest(bench.sources / name, target / name)
                _expect_only(target, name)


def _resume(tally, bench, endpoint):
    for connections in (1, 6):
        with tally.case(f"{endpoint}: killed and resumed, {connections} connections"), \
                empty_folder(bench.folder) as target:
            options = ["-c", connections, *bench.trust(endpoint)]
            _start_and_kill(bench, endpoint, target, options)
            bench.get(endpoint, RESUMED, target, *options).expect(0)
            payload.expect_same_digest(bench.sources / RESUMED, target / RESUMED)
            _expect_only(target, RESUMED)


def _start_and_kill(bench, endpoint, target, options):
    """SIGKILL one second after the partial appeared; at 8 MiB a second two thirds are still to come."""
    process = bench.haul.start(
        "get", "--quiet", "-d", target, "--limit-rate", "8M", *options, endpoint.url(quote(RESUMED)))
    wait_for_partial(target, RESUMED, process)
    time.sleep(1)
    process.kill()
    outcome = bench.haul.finish(process)
    outcome.expect(-9)
    if (target / RESUMED).exists():
        raise Wrong("the final name stood there before the download was complete")


def _checksums(tally, bench, endpoint):
    name = "mebibyte-and-one.bin"
    right = payload.sha256(bench.sources / name)
    wrong = ("0" if right[0] != "0" else "1") + right[1:]
    with tally.case(f"{endpoint}: right checksum"), empty_folder(bench.folder) as target:
        bench.get(endpoint, name, target, "--checksum", f"sha256:{right}", *bench.trust(endpoint)).expect(0)
        payload.expect_same_digest(bench.sources / name, target / name)
    with tally.case(f"{endpoint}: wrong checksum"), empty_folder(bench.folder) as target:
        outcome = bench.get(endpoint, name, target, "--checksum", f"sha256:{wrong}", *bench.trust(endpoint))
        _expect_failure(outcome, EXIT_CHECKSUM, target, name)


def _not_found(tally, bench, endpoint):
    with tally.case(f"{endpoint}: not found"), empty_folder(bench.folder) as target:
        outcome = bench.get(endpoint, "no such file.bin", target, *bench.trust(endpoint))
        _expect_failure(outcome, EXIT_NOT_FOUND, target, "no such file.bin")
        if listing(target):
            raise Wrong(f"left behind: {listing(target)}")


def _certificates(tally, bench, endpoint):
    name = "mebibyte-and-one.bin"
    authority = ["--ca-certificate", bench.certificate.authority]
    with tally.case(f"{endpoint}: untrusted certificate"), empty_folder(bench.folder) as target:
        _expect_failure(bench.get(endpoint, name, target), EXIT_TLS, target, name)
    with tally.case(f"{endpoint}: --insecure"), empty_folder(bench.folder) as target:
        bench.get(endpoint, name, target, "--insecure").expect(0)
        payload.expect_same_digest(bench.sources / name, target / name)
    with tally.case(f"{endpoint}: --ca-certificate, by name"), empty_folder(bench.folder) as target:
        bench.get(endpoint, name, target, *authority, host="localhost").expect(0)
        payload.expect_same_digest(bench.sources / name, target / name)
    if endpoint.server == "nginx":
        with tally.case(f"{endpoint}: certificate of another address"), empty_folder(bench.folder) as target:
            outcome = bench.get(endpoint, name, target, *authority, host="127.0.0.2")
            _expect_failure(outcome, EXIT_TLS, target, name)


def _sparse(tally, bench, endpoint):
    with tally.case(f"{endpoint}: 5 GiB, 6 connections"), empty_folder(bench.folder) as target:
        free = shutil.disk_usage(target).free
        if free < 6 * GIB:
            raise NotRun(f"only {free / GIB:.1f} GiB free in {bench.folder.parent}; give another with --folder")
        began = time.monotonic()
        bench.get(endpoint, SPARSE, target, "-c", 6, *bench.trust(endpoint), timeout=600).expect(0)
        print(f"        5 GiB in {time.monotonic() - began:.1f} s from {endpoint}", flush=True)
        payload.expect_same_bytes(bench.sources / SPARSE, target / SPARSE)
        _expect_only(target, SPARSE)


def _expect_only(target, name):
    if listing(target) != [name]:
        raise Wrong(f"the folder should hold {name!r} alone, and holds {listing(target)}")


def _expect_failure(outcome, code, target, name):
    outcome.expect(code)
    if (target / name).exists():
        raise Wrong("a file stands under the final name")
    if not outcome.errors.strip():
        raise Wrong("no message on standard error")
