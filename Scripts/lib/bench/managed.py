"""B21: 10,000 files of 10 KiB through the library's manager, 16 at once."""

import json
import statistics
import subprocess
import sys

from bench.peers import BENCH
from common import payload
from common.payload import KIB
from common.tally import Wrong
from common.workspace import empty_folder, workspace
from servers.programs import Nginx

FILES = 10_000
SIZE = 10 * KIB


def run(setting):
    if not BENCH.exists():
        raise Wrong(f"{BENCH} is missing; build it with: make bench")
    root = setting.folder / "managed"
    root.mkdir()
    root.chmod(0o755)
    everything = payload.contents(SIZE + FILES, 21)
    for number in range(FILES):
        (root / f"{number}.bin").write_bytes(everything[number:][:SIZE])
    with Nginx(root, setting.folder / "managed-server", setting.certificate) as server:
        url = next(each for each in server.endpoints if each.scheme == "http").url("").rstrip("/")
        samples = [_once(setting, url) for _ in range(setting.runs)]
    rate = _median(samples, "filesPerSecond")
    print(f"\n{FILES:,} files of {SIZE // KIB} KiB through a manager, 16 at once: {rate:,.0f} per second, "
          f"{_median(samples, 'processorMicroseconds'):.0f} µs of processor time each (median of {setting.runs})",
          flush=True)
    setting.at_least("B21", f"{FILES:,} small files through a manager: files/s", rate, 4_000)
    setting.at_most("B21", "memory after their removal", _median(samples, "mebibytesAfterRemoval"), 128, " MiB")


def _median(samples, name):
    return statistics.median(each[name] for each in samples)


def _once(setting, url):
    # The list lies on the disk, as that of a daemon does; the files go into memory.
    with empty_folder(setting.folder) as target, workspace("haul-bench-list") as files:
        command = [str(BENCH), "small", "--count", str(FILES), "--list", str(files), url, str(target)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise Wrong(f"HaulBench small ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        print(f"  small: {done.stdout.strip()}", file=sys.stderr, flush=True)
        return json.loads(done.stdout)
