"""Kill a program that owns a queue, and run it again: every file is right, every event was told once, in order."""

import random
import sqlite3
import subprocess
import threading
import time
from contextlib import closing

from common import payload
from common.haul import REPOSITORY
from common.payload import KIB, MIB
from common.tally import Wrong
from common.workspace import empty_folder, listing
from kill9.rounds import BAR, RATE, SHAPE
from servers.shaped import CHUNK, ShapedServer

PROGRAM = REPOSITORY / ".build/release/Queue"
LIST = "queue.sqlite"
SIZES = [3 * MIB, 100 * KIB, 5 * MIB, 1, 2 * MIB, 6 * MIB, 700 * KIB, 4 * MIB]
MOST_CONNECTIONS = 12
PLACES = {f"file-{number}.bin": size for number, size in enumerate(SIZES)}


class Suite:
    """Rounds that share nothing but the files that are served."""

    def __init__(self, haul, folder):
        if not PROGRAM.exists():
            raise SystemExit(f"{PROGRAM} is missing; build it with: swift build -c release --product Queue")
        self.haul = haul
        self.data = {}
        for number, (name, size) in enumerate(PLACES.items()):
            payload.write_random(folder / name, size, number)
            self.data[name] = (folder / name).read_bytes()
        self.kills, self.most = 0, 0.0
        self._lock = threading.Lock()

    def round(self, number, chance: random.Random):
        with empty_folder(self.haul_folder()) as target, ShapedServer(self.data, SHAPE) as server:
            command = [str(PROGRAM), *(server.url(name) for name in self.data)]
            kills = sum(self._killed(command, target, chance) for _ in range(chance.choice([1, 2, 3, 4])))
            self.haul.finish(self._start(command, target), timeout=60).expect(0)
            for name, data in self.data.items():
                if (target / name).read_bytes() != data:
                    raise Wrong(f"{name} is a wrong file")
            if left := [each for each in listing(target) if each not in self.data and not each.startswith(LIST)]:
                raise Wrong(f"left behind: {left}")
            self._check_events(target / LIST)
            twice = server.sent() - sum(SIZES) - server.cut() * (server.buffer + CHUNK)
        if twice > kills * MOST_CONNECTIONS * BAR:
            raise Wrong(f"{twice} bytes fetched twice after {kills} kills")
        with self._lock:
            self.kills += kills
            self.most = max(self.most, twice / max(1, kills))

    def haul_folder(self):
        return self.haul.environment["HOME"]

    def _start(self, command, target):
        return subprocess.Popen(command, cwd=target, env=self.haul.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def _killed(self, command, target, chance):
        """Kills it somewhere on its way, at times within the first 50 ms; False if it had ended before."""
        process = self._start(command, target)
        time.sleep(chance.uniform(0, 0.05) if chance.random() < 0.2 else chance.uniform(0, sum(SIZES) / RATE))
        ended = process.poll() is not None
        process.kill()
        self.haul.finish(process).expect(0 if ended else -9)
        return not ended

    @staticmethod
    def _check_events(path):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT number, download, kind FROM event ORDER BY number").fetchall()
        if [row[0] for row in rows] != list(range(1, len(rows) + 1)):
            raise Wrong("the numbers of the events have gaps")
        finished = sorted(download for _, download, kind in rows if kind == "finished")
        added = sorted(download for _, download, kind in rows if kind == "added")
        if len(added) != len(SIZES) or finished != added:
            raise Wrong(f"added {added}, finished {finished}")

    def report(self):
        print(f"\n{self.kills} kills of a queue of {len(SIZES)} files; at most {self.most / KIB:.0f} KiB fetched twice"
              f" per kill, over up to {MOST_CONNECTIONS} connections")
