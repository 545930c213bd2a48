"""The rows of a run, the servers they come from, and the comparison of everything at the end."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from common.tally import Wrong
from fleet import sloppy
from servers.configurations import NGINX_BEGIN
from servers.programs import Nginx, _die_with_parent, free_ports

FILES = 256
HOSTS = [f"127.0.1.{number}" for number in range(1, 81)]
PER_HOST = 4
# The time that all rows of the big host take, over as many connections as its limit.
BIG_SECONDS = 12
# The options of every run; a silent server costs a second.
OPTIONS = {"accept": "image/*", "retries": 0, "idle_timeout": 1, "rows_per_part": 2000}
# The ways to fail, and what they must end as.
WAYS = {
    "missing": ("failed", "notFound"),
    "gone": ("failed", "notFound"),
    "forbidden": ("failed", "notAuthorized"),
    "busy": ("failed", "serverBusy"),
    "loop": ("failed", "redirectRefused"),
    "torn": ("failed", "connectionFailed"),
    "garbage": ("failed", "badResponse"),
    "silent": ("failed", "timedOut"),
    "page": ("refused", "mediaType"),
    "closed": ("failed", "connectionFailed"),
}

CONFIGURATION = NGINX_BEGIN + """
    log_format short "$msec $request_time $server_addr $status $request_uri";
    server {{
{listen}
        root {root};
        access_log {folder}/access.log short;
    }}
}}
"""


class CountingNginx(Nginx):
    """nginx on many addresses of the loopback network, each a host; its log says when each request began and ended."""

    schemes = ("http",)

    def configure(self, ports):
        command = super().configure({**ports, "https": 0})
        (self.folder / "nginx.conf").write_text(CONFIGURATION.format(
            user="user root root;" if os.geteuid() == 0 else "", root=self.root, folder=self.folder,
            listen="\n".join(f"        listen {host}:{ports['http']};" for host in ["127.0.0.1", *HOSTS])))
        return command


class Site:
    """Both servers and a manifest; use it in a `with` statement."""

    def __init__(self, folder, rows, seed):
        self.folder, self.count, self.chance = folder, rows, random.Random(seed)
        self.root = folder / "root"
        self.root.mkdir()
        self.digests = {}
        # The bytes and the lines of nginx's log that were counted.
        self._counted = (0, 0)
        for number in range(FILES):
            data = sloppy.PNG + self.chance.randbytes(10 * 1024 - len(sloppy.PNG))
            (self.root / f"{number}.png").write_bytes(data)
            self.digests[f"{number}.png"] = hashlib.sha256(data).hexdigest()

    def __enter__(self):
        self.nginx = CountingNginx(self.root, self.folder, _NoCertificate())
        self.nginx.__enter__()
        delay = BIG_SECONDS * PER_HOST / (self.count * 0.02)
        self.sloppy = subprocess.Popen(
            [sys.executable, sloppy.__file__, str(self.folder), str(delay)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            preexec_fn=_die_with_parent)
        self.port = self.nginx.endpoints[0].port
        self.sloppy_port = int(self.sloppy.stdout.readline())
        self.closed_port = free_ports(1)[0]
        self.expected = {}
        self.manifest = self.folder / "manifest.jsonl"
        with open(self.manifest, "w") as file:
            for number in range(self.count):
                row = f"row-{number:07}"
                url, state, error = self._row(number)
                self.expected[row] = (url, state, error)
                file.write(json.dumps({"id": row, "url": url, "caption": f"number {number}", "number": number}) + "\n")
        return self

    def __exit__(self, *_):
        self.nginx.stop()
        self.sloppy.terminate()
        self.sloppy.wait()

    def _row(self, number):
        """The URL of a row, and how it must end: of 1,000 rows, 50 fail in ten ways, and 20 are of the big host."""
        place, name = number * 617 % 1000, f"{number % FILES}.png?{number}"
        if place < 50:
            way = [*WAYS][place % 10]
            host = self.chance.choice(sloppy.FAULTY)
            port = self.closed_port if way == "closed" else self.sloppy_port
            return f"http://{host}:{port}/{way}/{name}", *WAYS[way]
        if place < 70:
            return f"http://{sloppy.BIG}:{self.sloppy_port}/f/{name}", "ok", None
        return f"http://{self.chance.choice(HOSTS)}:{self.port}/{name}", "ok", None

    def digest(self, row):
        return self.digests[self.expected[row][0].rpartition("/")[2].partition("?")[0]]

    # What the servers have counted

    def requested(self):
        """The number of requests so far, of nginx."""
        with open(self.nginx.folder / "access.log", "rb") as log:
            log.seek(self._counted[0])
            text = log.read()
        self._counted = (self._counted[0] + len(text), self._counted[1] + text.count(b"\n"))
        return self._counted[1]

    def wait_for_requests(self, part, job, seconds=600):
        """Waits until this part of the rows was requested from nginx, while the job runs."""
        limit = time.monotonic() + seconds
        while self.requested() < part * self.count:
            if job is not None and job.poll() is not None:
                raise Wrong(f"the job ended with {job.returncode} after {self.requested()} requests")
            if time.monotonic() > limit:
                raise Wrong(f"only {self.requested()} requests in {seconds} s")
            time.sleep(0.05)

    def _sloppy_report(self):
        report = self.folder / "sloppy.json"
        report.unlink(missing_ok=True)
        self.sloppy.send_signal(signal.SIGUSR1)
        limit = time.monotonic() + 10
        while not report.exists():
            if time.monotonic() > limit:
                raise Wrong("the sloppy server does not report")
            time.sleep(0.05)
        return json.loads(report.read_text())

    def check_limits(self):
        """No host had more requests at a time than its limit, counted at the servers; returns a line about it."""
        changes = []
        asked = Counter()
        for line in (self.nginx.folder / "access.log").read_text().splitlines():
            end, duration, host, _, path = line.split(" ", 4)
            asked[path] += 1
            end, duration = round(float(end) * 1000), round(float(duration) * 1000)
            # Times are in whole milliseconds: what may have ended before another began counts as ended.
            if duration > 1:
                changes += [(end - duration + 1, 1, host), (end, -1, host)]
        active, most = Counter(), Counter()
        for _, change, host in sorted(changes, key=lambda change: change[:2]):
            active[host] += change
            most[host] = max(most[host], active[host])
        report = self._sloppy_report()
        for host, count in report["most"].items():
            most[host] = count
        over = {host: count for host, count in most.items() if count > PER_HOST}
        if over:
            raise Wrong(f"more than {PER_HOST} requests at a time: {over}")
        requests = asked + Counter(report["requests"])
        # A redirect loop is requested again at once.
        again = sum(count - 1 for path, count in requests.items() if count > 1 and not path.startswith("/loop/"))
        return f"at most {max(most.values())} requests at a time per host, {again} requests repeated"

    # What the run has left

    def check(self, results, out):
        """Each row has one result, the expected one, and each file its digest, read from the tars."""
        seen = {}
        for line in results:
            row = line["id"]
            if row in seen:
                raise Wrong(f"{row} has two results")
            seen[row] = line
        if set(seen) != set(self.expected):
            raise Wrong(f"{len(set(self.expected) - set(seen))} of {len(self.expected)} rows have no result")
        wrong = Counter()
        by_part = {}
        for row, line in seen.items():
            _, state, error = self.expected[row]
            if (line["state"], line["error"]) != (state, error):
                wrong[f"{line['state']} {line['error']} instead of {state} {error}"] += 1
            elif state == "ok":
                by_part.setdefault(line["part"], []).append(line)
        if wrong:
            raise Wrong(f"wrong results: {dict(wrong)}")
        files = 0
        for part, lines in by_part.items():
            with open(Path(out) / f"{part}.tar", "rb") as tar:
                for line in sorted(lines, key=lambda line: line["offset"]):
                    tar.seek(line["offset"])
                    digest = hashlib.sha256(tar.read(line["bytes"])).hexdigest()
                    if digest != line["sha256"] or digest != self.digest(line["id"]):
                        raise Wrong(f"{part}: {line['member']} has a wrong digest")
                    files += 1
        states = Counter(line["state"] for line in seen.values())
        return f"{len(seen)} rows = " + " + ".join(f"{count} {state}" for state, count in sorted(states.items())) + f"; {files} digests"


class _NoCertificate:
    chain = key = ""


def jsonl_results(out):
    """The results in a folder of `haul batch`, with the names of their parts; the last of a row counts."""
    found = {}
    for path in sorted(Path(out).glob("part-*.results.jsonl")):
        for text in path.read_bytes().splitlines():
            line = json.loads(text)
            if line["id"] in found:
                raise Wrong(f"{line['id']} has two results")
            found[line["id"]] = {**line, "part": path.name.removesuffix(".results.jsonl")}
    return found.values()

def own_memory(process):
    """The memory of a process that it does not share, and its part of what it does (Pss)."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def write_files(root, chance, size):
    """Makes the folder with FILES random files of one size, named by their numbers."""
    root.mkdir()
    for number in range(FILES):
        (root / f"{number}.bin").write_bytes(chance.randbytes(size))
