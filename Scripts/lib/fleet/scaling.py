"""The rows per second of one, two and four workers, from hosts that send at a limited rate."""

import json
import os
import random
import time

from common.tally import Wrong
from fleet.site import FILES, HOSTS, _NoCertificate, write_files
from servers.configurations import NGINX_BEGIN
from servers.programs import Nginx

BODY = 10 * 1024
PER_HOST = 4
WORKERS = (1, 2, 4)
JOBS = 64
# nginx sends what it may send in a second at once, and the rest a second later: so long takes each response, while the
# machine is idle.
RATE = BODY * 6 // 10
LEAST = 0.9

CONFIGURATION = NGINX_BEGIN + """
    server {{
{listen}
        root {root};
        limit_rate {rate};
    }}
}}
"""


class SlowNginx(Nginx):
    """nginx on many addresses, each a host, that takes a second for each file."""

    schemes = ("http",)

    def configure(self, ports):
        command = super().configure({**ports, "https": 0})
        (self.folder / "nginx.conf").write_text(CONFIGURATION.format(
            user="user root root;" if os.geteuid() == 0 else "", root=self.root, folder=self.folder, rate=RATE,
            listen="\n".join(f"        listen {host}:{ports['http']};" for host in ["127.0.0.1", *HOSTS])))
        return command


def run(fleet, rows, seed):
    """Measures; returns lines with the rates."""
    chance = random.Random(seed)
    root = fleet.folder / "root"
    write_files(root, chance, BODY)
    with SlowNginx(root, fleet.folder, _NoCertificate()) as nginx:
        port = nginx.endpoints[0].port
        manifest = fleet.folder / "manifest.jsonl"
        with open(manifest, "w") as file:
            for number in range(rows):
                url = f"http://{HOSTS[number % len(HOSTS)]}:{port}/{number % FILES}.bin?{number}"
                file.write(json.dumps({"id": f"row-{number}", "url": url}) + "\n")
        rates = {}
        for count in WORKERS:
            rates[count] = _rate(fleet, manifest, rows, count)
            part = rates[count] / (count * rates[1])
            yield f"{count} workers: {rates[count]:,.0f} rows/s, {part:.2f} of linear"
            if part < LEAST:
                raise Wrong(f"{count} workers reach {part:.2f} of linear, not {LEAST}")


def _rate(fleet, manifest, rows, count):
    """The rows per second of a number of workers that start together, each with a shard."""
    out = fleet.folder / f"out-{count}"
    began = time.monotonic()
    workers = [
        fleet.start(f"worker-{count}-{shard}", [
            fleet.haul.path, "batch", "--out", out, "--shard", f"{shard}/{count}", "-j", JOBS, "--per-host", PER_HOST, "-q", manifest])
        for shard in range(count)]
    for shard, worker in enumerate(workers):
        if worker.wait(fleet.limit) != 0:
            raise Wrong(f"worker {shard} of {count} ended with {worker.returncode}: {fleet.log(f'worker-{count}-{shard}')[-500:]}")
    seconds = time.monotonic() - began
    fleet.haul_check(manifest, out)
    return rows / seconds
