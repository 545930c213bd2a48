"""A million rows through `haul batch` on one machine: memory, a kill in the middle, and the check."""

import json
import os
import random
import signal
import time

from common.tally import Wrong
from fleet.site import FILES, HOSTS, CountingNginx, _NoCertificate, own_memory, write_files

BODY = 1024
JOBS = 64


def run(fleet, rows, seed):
    """Measures; returns lines with the numbers."""
    chance = random.Random(seed)
    root = fleet.folder / "root"
    write_files(root, chance, BODY)
    with CountingNginx(root, fleet.folder, _NoCertificate()) as nginx:
        port = nginx.endpoints[0].port
        log = nginx.folder / "access.log"
        manifest = fleet.folder / "manifest.jsonl"
        with open(manifest, "w") as file:
            for number in range(rows):
                url = f"http://{chance.choice(HOSTS)}:{port}/{number % FILES}.bin?{number}"
                file.write(json.dumps({"id": f"row-{number:09}", "url": url, "caption": f"number {number}"}) + "\n")
        out = fleet.folder / "out"
        command = [fleet.haul.path, "batch", "--out", out, "-j", JOBS, "--per-host", 8, "-q", manifest]
        began = time.monotonic()
        first = fleet.start("first", command)
        memory = _watch(first, log, rows // 2)
        if first.poll() is not None:
            raise Wrong(f"it ended too early, with {first.returncode}: {fleet.log('first')[-500:]}")
        first.send_signal(signal.SIGKILL)
        first.wait()
        seconds = time.monotonic() - began
        before = _requests(log)
        yield f"{before:,} rows in {seconds:.0f} s ({before / seconds:,.0f} per second), then killed; memory {_described(memory)}"
        began = time.monotonic()
        second = fleet.start("second", command)
        while _requests(log) == before:
            if second.poll() is not None:
                raise Wrong(f"the second run ended with {second.returncode}: {fleet.log('second')[-500:]}")
            time.sleep(0.01)
        restart = time.monotonic() - began
        memory = _watch(second, log, None)
        if second.wait() != 0:
            raise Wrong(f"the second run ended with {second.returncode}: {fleet.log('second')[-500:]}")
        seconds = time.monotonic() - began - restart
        again = _requests(log) - rows
        rest = rows - before + again
        yield (f"restarted in {restart:.1f} s; {rest:,} rows in {seconds:.0f} s ({rest / seconds:,.0f} per second); "
               f"{again} requested again; memory {_described(memory)}")
        for options in [], ["--deep"]:
            began = time.monotonic()
            check = fleet.start("check", [fleet.haul.path, "batch", "--check", out, *options, manifest])
            memory = _watch(check, log, None)
            if check.wait() != 0:
                raise Wrong(f"the check ended with {check.returncode}: {fleet.log('check')[-500:]}")
            yield f"{' '.join(['--check', *options])}: {time.monotonic() - began:.1f} s, {_described(memory)}; {fleet.log('check').strip()}"
        yield f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def _watch(process, log, limit):
    """The memory of a process over time, until it ends or that many requests were made: (requests, bytes)."""
    found = []
    pause = 0.05
    while process.poll() is None:
        requests = _requests(log)
        if limit and requests >= limit:
            break
        if size := own_memory(process.pid):
            found.append((requests, size))
        time.sleep(pause)
        pause = min(0.5, pause * 1.5)
    return found


def _described(memory):
    """The memory after the first tenth of the time, and the most at all."""
    sizes = [size for _, size in memory]
    early = sizes[len(sizes) // 10] if sizes else 0
    return f"{early / (1 << 20):.0f} MiB after a tenth, at most {max(sizes, default=0) / (1 << 20):.0f} MiB"


_counted = {}


def _requests(log):
    """The number of lines of a log, of which only the new ones are read."""
    position, count = _counted.get(log, (0, 0))
    if not log.exists():
        return 0
    with open(log, "rb") as file:
        file.seek(position)
        while text := file.read(1 << 20):
            position, count = position + len(text), count + text.count(b"\n")
    _counted[log] = (position, count)
    return count

