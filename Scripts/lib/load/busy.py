"""Twenty downloads at full speed, five hundred slow clients and fifty who follow the events: who asks the API is answered at once."""

import json
import multiprocessing
import os
import time
from contextlib import contextmanager

from common.certificate import make_certificate
from common.haul import Haul
from common.payload import GIB, MIB, write_large
from common.table import markdown
from common.tally import Wrong
from load.api import Asker, Process, at, row
from load.crowd import Crowd
from page.server import Daemon
from servers.programs import Nginx

DOWNLOADS = 20
SIZE = 256 * MIB
# What slow readers ask for: a page as large as the API gives.
LISTED = 1000


def run(options, folder, results):
    (folder / "served").mkdir()
    write_large(folder / "served/large.bin", SIZE)
    with Nginx(folder / "served", folder / "servers", make_certificate(folder / "tls")) as nginx:
        source = next(each for each in nginx.endpoints if each.scheme == "http").url()
        server = Daemon(Haul(folder, options.haul), folder, source)
        try:
            _run(options, server, results)
        finally:
            server.close()


def _run(options, server, results):
    server.ask("PATCH", "settings", {"jobs": DOWNLOADS})
    server.ask("POST", "downloads/batch", {"downloads": [
        {"url": f"{server.source}large.bin", "name": f"listed-{number}.bin", "startsPaused": True} for number in range(LISTED)]})
    process = Process(server.process.pid)
    with crowd(server) as told:
        work = Work(server)
        time.sleep(3)
        process.forget_peak()
        before = process.processor()
        work.go(options.seconds)
        used, peak, held = process.processor() - before, process.peak(), process.connections()
    kept, new = work.askers
    rows = [row(f"{kind}, {way}", times) for way, asker in (("kept", kept), ("new", new)) for kind, times in asker.times.items()]
    print(f"\n{DOWNLOADS} downloads, {told['heads'] + told['readers']} slow clients, {told['subscribers']} subscribers; {held} sockets;"
          f" {work.done * SIZE / GIB / options.seconds:.2f} GiB/s, {used / options.seconds:.2f} cores; milliseconds\n")
    print(markdown(["request, connection", "asked", "median", "p99", "longest"], rows), flush=True)
    print(f"\n{told['events']:,} events told, {told['again']} connections begun again", flush=True)
    if told["heads"] + told["readers"] < 500 or told["subscribers"] < 50 or not told["events"]:
        raise Wrong(f"the crowd is not complete: {told}")
    if work.done < DOWNLOADS:
        raise Wrong(f"only {work.done} downloads finished")
    results.at_most("busy", "API over kept connections, 99th percentile", at(kept.all(), 0.99), 100, " ms")
    results.at_most("busy", "API over new connections, 99th percentile", at(new.all(), 0.99), 100, " ms")
    results.at_most("busy", "peak of the daemon's memory", peak / MIB, 128, " MiB")


@contextmanager
def crowd(server):
    """The clients, in a process of their own, so that they do not hold up who takes the time; what they saw is told at the end."""
    told, (here, there) = {}, multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=Crowd.run, args=(server.port, server.token, LISTED, there), daemon=True)
    process.start()
    try:
        if not here.poll(30):
            raise Wrong("the crowd did not come together")
        here.recv()
        yield told
        here.send("enough")
        if here.poll(30):
            told.update(here.recv())
    finally:
        process.terminate()
        process.join()


class Work:
    """Keeps twenty downloads at work and asks the API all the time, now over a kept connection, now over a new one."""

    def __init__(self, server):
        self.server = server
        self.askers = Asker(server), Asker(server, kept=False)
        self.done = self.added = 0
        self.add(DOWNLOADS)

    def add(self, count):
        for _ in range(count):
            self.askers[0].ask("add", "POST", "downloads", {
                "url": f"{self.server.source}large.bin", "name": f"work-{self.added}.bin", "group": "work"})
            self.added += 1

    def go(self, seconds):
        self.askers[0].times.clear()
        end, turn = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            self.turn(self.askers[turn % 2])
            turn += 1
            if turn % 8 == 0:
                self.replace()
            time.sleep(0.01)

    def turn(self, asker):
        asker.ask("info", "GET", "info")
        asker.ask("summary", "GET", "summary")
        asker.ask("list of 100", "GET", "downloads?limit=100&count=true")
        running = json.loads(asker.ask("list of what runs", "GET", "downloads?group=work"))["downloads"]
        if running:
            asker.ask("show", "GET", f"downloads/{running[0]['id']}")
            asker.ask("segments", "GET", f"downloads/{running[0]['id']}/segments")
        asker.ask("settings", "PATCH", "settings", {"rateLimit": None})

    def replace(self):
        """What is finished goes, and as many are added. The files go past the API: it is not to answer for what the kernel needs to
        give back gigabytes."""
        finished = json.loads(self.askers[0].ask("list of the finished", "GET", "downloads?group=work&state=finished"))["downloads"]
        if finished:
            self.askers[0].ask("remove the finished", "POST", "downloads/actions", {
                "action": "remove", "filter": {"ids": [each["id"] for each in finished]}})
            for each in finished:
                os.unlink(each["path"])
            self.done += len(finished)
            self.add(len(finished))
