"""Kill and rerun: the file is right, and hardly a byte is fetched twice."""

import hashlib
import random
import threading
import time
from dataclasses import dataclass

from common import payload
from common.payload import KIB, MIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder, listing
from servers.shaped import CHUNK, Shape, ShapedServer

NAME = "payload.bin"
SIZE = 64 * MIB
RATE = 16 * MIB
BAR = 256 * KIB
SEND_BUFFER = 8 * KIB
SHAPE = Shape(total_rate=RATE, send_buffer=SEND_BUFFER)


@dataclass
class Count:
    """What one round came to."""

    connections: int
    kills: int
    twice: int
    in_flight: int
    requests: int

    @property
    def allowed(self):
        return self.kills * self.connections * BAR

    @property
    def by_haul(self):
        """Fetched twice, less what was still on the way when a request was cut."""
        return max(0, self.twice - self.in_flight)


def run_until(haul, process, seconds):
    """Kills the process after that time; False if it had ended before."""
    time.sleep(max(0.0, seconds))
    ended = process.poll() is not None
    process.kill()
    haul.finish(process).expect(0 if ended else -9)
    return not ended


def wait_for_partial(target, name, process):
    """Returns as soon as the process has made NAME.part."""
    limit = time.monotonic() + 15
    while not (target / f"{name}.part").exists():
        if process.poll() is not None or time.monotonic() > limit:
            raise Wrong(f"no {name}.part was made")
        time.sleep(0.01)


class Suite:
    """Rounds that share nothing but the file that is served."""

    def __init__(self, haul, folder):
        self.haul, self.folder = haul, folder
        self.source = folder / "source.bin"
        payload.write_random(self.source, SIZE, 64)
        self.data = self.source.read_bytes()
        self.digest = hashlib.sha256(self.data).hexdigest()
        self.counts = []
        self._lock = threading.Lock()

    def round(self, number, chance: random.Random):
        connections = number % 8 + 1
        # With a checksum the file is fetched in another order.
        check = ["--checksum", f"sha256:{self.digest}"] if number // 8 % 2 else []
        with empty_folder(self.folder) as target, ShapedServer({NAME: self.data}, SHAPE) as server:
            command = ["get", "--quiet", "-d", target, "-c", connections, *check, server.url(NAME)]
            kills = self._kill_some(command, target, chance, server)
            if not (target / NAME).exists():
                self.haul.run(*command, timeout=60).expect(0)
            payload.expect_same_digest(self.source, target / NAME)
            if listing(target) != [NAME]:
                raise Wrong(f"left behind: {listing(target)}")
            count = Count(connections, kills, server.sent() - SIZE, server.cut() * (server.buffer + CHUNK),
                          len(server.requests))
        with self._lock:
            self.counts.append(count)
        print(f"round {number:3}: {connections} connections, {kills} kills, {count.twice / KIB:.0f} KiB twice"
              f" (at most {count.in_flight / KIB:.0f} of it in flight), {count.requests} requests", flush=True)
        if count.by_haul > count.allowed:
            raise Wrong(f"{count.by_haul} bytes fetched twice, {count.allowed} allowed")

    def _kill_some(self, command, target, chance, server):
        """One to three kills, each somewhere in what is left of the download; at times within the first 50 ms."""
        kills = 0
        for _ in range(chance.choice([1, 1, 2, 3])):
            left = max(0.05, (SIZE - server.sent()) / RATE)
            after = chance.uniform(0, 0.05) if chance.random() < 0.1 else chance.uniform(0, left)
            if not run_until(self.haul, self.haul.start(*command), after):
                break
            kills += 1
            if (target / NAME).exists():
                break
        return kills

    def report(self):
        rows = []
        for connections in sorted({each.connections for each in self.counts}):
            counts = [each for each in self.counts if each.connections == connections]
            kills = sum(each.kills for each in counts)
            rows.append([
                connections, len(counts), kills, f"{max(each.twice for each in counts) / KIB:.0f}",
                f"{max(each.by_haul for each in counts) / KIB:.0f}",
                f"{sum(each.twice for each in counts) / max(1, kills * connections) / KIB:.1f}",
                max(each.requests for each in counts),
            ])
        print()
        print(markdown(["connections", "rounds", "kills", "twice, most (KiB)", "less in flight, most (KiB)",
                        "twice per kill and connection, mean (KiB)", "requests, most"], rows))
        killed = [each for each in self.counts if each.kills]
        most = max((each.twice / each.kills / each.connections for each in killed), default=0)
        print(f"\n{sum(each.kills for each in self.counts)} kills; at most {most / KIB:.1f} KiB per kill and connection"
              f" sent twice, in flight included (bar: {BAR // KIB} KiB without it)")
