"""B9: what a checksum costs."""

import hashlib
import sys

from bench.measure import apart, interleave, measure, median
from common import payload
from common.payload import GIB, MIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder
from servers.programs import Nginx

SIZE = GIB
CASES = {
    "as fast as it goes": [],
    "500 MB/s": ["--limit-rate", "500M"],
    "500 MB/s over 4 connections": ["--limit-rate", "500M", "-c", "4"],
}
CONTENDERS = ["no checksum", "sha-256", "sha-512", "sha-1", "md5"]


def run(setting):
    root = setting.folder / "checksum"
    root.mkdir()
    root.chmod(0o755)
    if not apart(lambda: payload.write_large(root / "big.bin", SIZE)):
        raise Wrong("the big file could not be made")
    with Nginx(root, setting.folder / "servers", setting.certificate) as server:
        url = next(each for each in server.endpoints if each.scheme == "http").url("big.bin")
        for name, options in CASES.items():
            _measure(setting, root / "big.bin", url, name, options)


def _measure(setting, source, url, case, options):
    digests = {name: _digest(source, name) for name in CONTENDERS[1:]}

    def once(name):
        check = ["--checksum", f"{name}:{digests[name]}"] if name in digests else []
        with empty_folder(setting.folder) as target:
            command = setting.haul.command("get", "--quiet", "-d", target, "-o", "out.bin", *options, *check, url)
            sample = measure(command, setting.haul.environment, target)
            if sample.code != 0 or (target / "out.bin").stat().st_size != SIZE:
                raise Wrong(f"haul with {name} ended with {sample.code}")
            print(f"  {case}, {name}: {sample.wall:.2f} s", file=sys.stderr, flush=True)
            return sample

    samples = interleave(CONTENDERS, setting.runs, once)
    bare = median(samples["no checksum"], "wall")
    print(f"\n{SIZE / GIB:g} GiB, http, nginx on the loopback address, {case}\n")
    rows = [[name, f"{median(each, 'wall'):.2f}", f"{median(each, 'wall') / bare:.2f}", f"{median(each, 'cpu'):.2f}"]
            for name, each in samples.items()]
    print(markdown(["checksum", "s", "to none", "CPU s"], rows), flush=True)
    setting.at_most("B9", f"sha-256 of {SIZE / MIB:.0f} MiB, {case}: time to none",
                    median(samples["sha-256"], "wall") / bare, 1.05, " x")


def _digest(path, name):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, name.replace("-", "")).hexdigest()
