"""B1, B2 and B13: one big file from nginx."""

import shutil
import sys

from bench import peers
from bench.measure import apart, floor, interleave, measure, median
from common import payload
from common.payload import GIB, MIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder
from servers.programs import Nginx

BARE = "bare -c4"
CONTENDERS = ["haul", "haul -c4", BARE, "aria2c -x4", "aria2c", "axel -n4", "wget2", "curl"]


def http(setting):
    samples = transfer(setting, "http", CONTENDERS, setting.runs)
    work = "one big file, http:"
    _judge(setting, "B1", work, samples, "aria2c -x4", 1.8, 0.55)
    if "curl" in samples:
        setting.at_least("B1", f"{work} throughput to curl", _ratio(samples, "curl", "haul", "wall"), 1.5, " x")
    if BARE in samples:
        setting.at_least("B1", f"{work} throughput to a bare loop", _ratio(samples, BARE, "haul", "wall"), 0.9, " x")


def https(setting):
    samples = transfer(setting, "https", [each for each in CONTENDERS if each != BARE], setting.runs)
    _judge(setting, "B2", "one big file, https:", samples, "aria2c -x4", 1.5, 0.7)


def memory(setting):
    for scheme in ("http", "https"):
        samples = transfer(setting, scheme, ["haul -c8"], min(3, setting.runs))["haul -c8"]
        peak = max(each.peak for each in samples) / MIB
        setting.at_most("B13", f"peak memory, 8 connections, {scheme}", peak, 64, " MiB")


def _judge(setting, bar, work, samples, peer, throughput, processor):
    if peer not in samples:
        return
    setting.at_least(bar, f"{work} throughput to {peer}", _ratio(samples, peer, "haul", "wall"), throughput, " x")
    setting.at_most(bar, f"{work} processor time to {peer}", _ratio(samples, "haul", peer, "cpu"), processor, " x")


def _ratio(samples, upper, lower, name):
    return median(samples[upper], name) / median(samples[lower], name)


def transfer(setting, scheme, contenders, runs):
    """Measures each contender and prints the table."""
    root = setting.folder / "large"
    if not root.exists():
        if shutil.disk_usage(setting.folder).free < 2 * setting.size + 64 * MIB:
            raise Wrong(f"{setting.folder.parent} has no room for twice the big file; use --size or --folder")
        root.mkdir()
        root.chmod(0o755)
        if not apart(lambda: payload.write_large(root / "big.bin", setting.size)):
            raise Wrong("the big file could not be made")
    checked = set()
    with Nginx(root, setting.folder / "servers", setting.certificate) as server:
        url = next(each for each in server.endpoints if each.scheme == scheme).url("big.bin")

        def once(name):
            with empty_folder(setting.folder) as target:
                _warm(target / "warm.bin", setting.size)
                command = peers.single(setting.haul, name, url, target, setting.certificate, setting.size)
                sample = measure(command, setting.haul.environment, target)
                _check(name, sample, root / "big.bin", target / "out.bin", name not in checked)
                checked.add(name)
                print(f"  {scheme} {name}: {sample.wall:.2f} s", file=sys.stderr, flush=True)
                return sample

        samples = interleave([each for each in contenders if peers.available(each)], runs, once)
    print(f"\n{setting.size / GIB:g} GiB, {scheme}, nginx on the loopback address, from memory to memory\n")
    rows = [[name, f"{setting.size / median(each, 'wall') / 1e6:.0f}", f"{median(each, 'wall'):.2f}",
             f"{median(each, 'cpu') / setting.size * GIB:.2f}", f"{max(sample.peak for sample in each) / MIB:.0f}"]
            for name, each in samples.items()]
    print(markdown(["program", "MB/s", "s", "CPU s/GiB", "peak MiB"], rows))
    print(f"\n(Peaks below {floor() / MIB:.0f} MiB cannot be told apart.)", flush=True)
    return samples


def _warm(path, size):
    """Fresh memory of a virtual machine costs its first user extra: write and delete as much as will be written."""
    block = bytes(MIB)
    with open(path, "wb", buffering=0) as file:
        for _ in range(0, size, MIB):
            file.write(block)
    path.unlink()


def _check(name, sample, source, result, thoroughly):
    if sample.code != 0:
        raise Wrong(f"{name} ended with {sample.code}")
    if not result.is_file() or result.stat().st_size != source.stat().st_size:
        raise Wrong(f"{name} left a file of another size")
    if thoroughly and not apart(lambda: payload.expect_same_bytes(source, result)):
        raise Wrong(f"{name} wrote a wrong file")
