"""The steps of `make demo`, each with a short line."""

import os
import sys
import time

sys.dont_write_bytecode = True

from common import payload
from common.haul import Haul
from common.payload import KIB, MIB
from common.tally import Wrong
from common.workspace import listing, workspace
from servers.shaped import Shape, ShapedServer

NAME = "sample.iso"
SIZE = 48 * MIB
CONNECTIONS = 4
CONNECTION_RATE = 1.5 * MIB
SHOW_CURSOR = "\033[?25h"


def say(text):
    print(f"\n==> {text}", flush=True)


def download(haul, target, url, digest):
    """The command a person would type, its output going straight to the terminal."""
    shown = f"haul get --connections {CONNECTIONS} --checksum sha256:{digest[:8]}... --directory {target.name} {url}"
    print(f"    $ {shown}\n", flush=True)
    return haul.start("get", "--connections", CONNECTIONS, "--checksum", f"sha256:{digest}", "--directory", target, url,
                      quiet=False)


def kill_half_way(haul, server, target, digest):
    process = download(haul, target, server.url(NAME), digest)
    limit = time.monotonic() + 60
    while server.sent() < SIZE // 2 and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.02)
    process.kill()
    if process.wait() != -9:
        raise Wrong(f"the download ended before it could be killed, with exit code {process.returncode}")
    print(SHOW_CURSOR if sys.stdout.isatty() else "")
    say(f"Killed with SIGKILL after {server.sent() / MIB:.1f} of {SIZE / MIB:.0f} MiB. These files are left:")
    for name in listing(target):
        print(f"    {name}")
    if (target / NAME).exists():
        raise Wrong("the final name exists before the end")


def resume(haul, server, target, digest):
    before = server.sent()
    haul.finish(download(haul, target, server.url(NAME), digest), timeout=120).expect(0)
    twice = server.sent() - SIZE
    say(f"Done. The second run downloaded the missing {(server.sent() - before) / MIB:.1f} MiB;"
        f" {max(0, twice) / KIB:.0f} KiB of all were sent twice.")


def verify(source, result):
    payload.expect_same_digest(source, result)
    say(f"Verified: the SHA-256 digests are the same, {payload.sha256(result)[:16]}...")


def main():
    with workspace("haul-demo") as folder:
        target = folder / "Downloads"
        target.mkdir()
        haul = Haul(folder)
        haul.environment["TERM"] = os.environ.get("TERM", "dumb")
        source = folder / "source"
        payload.write_random(source, SIZE, time.time_ns())
        with ShapedServer({NAME: source.read_bytes()}, Shape(connection_rate=CONNECTION_RATE)) as server:
            say(f"A local server offers {NAME}, {SIZE / MIB:.0f} MiB, at {CONNECTION_RATE / MIB} MiB a second"
                f" per connection. Haul uses {CONNECTIONS}:")
            digest = payload.sha256(source)
            kill_half_way(haul, server, target, digest)
            say("The same command resumes the download:")
            resume(haul, server, target, digest)
            verify(source, target / NAME)


if __name__ == "__main__":
    try:
        main()
    except (Wrong, OSError) as problem:
        print(f"\nThe demonstration failed: {problem}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
