"""Kill a program whose downloads are in the background, now and then the daemon too, and run it again: every file is right, and each
finished event was told once; only where the kill hit its very handling may it be told again."""

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter

from common import payload
from common.payload import KIB, MIB
from common.tally import Wrong
from common.workspace import empty_folder, listing
from kill9.rounds import BAR, RATE, SHAPE
from servers.shaped import CHUNK, ShapedServer

SIZES = [3 * MIB, 100 * KIB, 5 * MIB, 1, 2 * MIB, 6 * MIB, 700 * KIB, 4 * MIB]
MOST_CONNECTIONS = 18
PLACES = {f"file-{number}.bin": size for number, size in enumerate(SIZES)}


class Suite:
    """Rounds that share nothing but the files that are served."""

    def __init__(self, haul, folder):
        # Beside the program under test, since both are of one build.
        self.program = haul.path.parent / "Background"
        if not self.program.exists():
            raise SystemExit(f"{self.program} is missing; build it with: swift build -c release --product Background")
        self.haul = haul
        self.data = {}
        for number, (name, size) in enumerate(PLACES.items()):
            payload.write_random(folder / name, size, number)
            self.data[name] = (folder / name).read_bytes()
        self.kills = self.daemon_kills = self.twice_told = 0
        self.most = 0.0
        self._lock = threading.Lock()

    def round(self, number, chance: random.Random):
        with empty_folder(self.haul.environment["HOME"]) as home, ShapedServer(self.data, SHAPE) as server:
            target = home / "files"
            target.mkdir()
            environment = dict(self.haul.environment, HOME=str(home), HAUL_ROOTS=str(target), HAUL_PATH=str(self.haul.path))
            try:
                self._round(target, environment, server, chance)
            finally:
                subprocess.run(self.haul.command("daemon", "stop"), env=environment, capture_output=True, timeout=60)

    def _round(self, target, environment, server, chance):
        urls = [server.url(name) for name in self.data]
        told, kills, daemon_kills = Counter(), 0, 0
        for _ in range(chance.choice([1, 2, 3])):
            killed, lines = self._killed(urls, target, environment, chance)
            kills += killed
            told.update(lines)
            if chance.random() < 0.3:
                daemon_kills += self._kill_daemon(environment)
        # Nobody is there: the downloads go on all the same, unless the daemon was killed, which only a program starts again.
        process = self._start(urls, target, environment)
        told.update(self._lines(self.haul.finish(process, timeout=90).expect(0).output))
        if more := self._lines(self.haul.finish(self._start([], target, environment), timeout=60).expect(0).output):
            raise Wrong(f"told again although all was seen: {more}")
        for name, data in self.data.items():
            if (target / name).read_bytes() != data:
                raise Wrong(f"{name} is a wrong file")
            if not told[f"finished {target}/{name}"]:
                raise Wrong(f"nobody was told that {name} is finished: {dict(told)}")
        if left := [each for each in listing(target) if each not in self.data]:
            raise Wrong(f"left behind: {left}")
        again = sum(count - 1 for count in told.values())
        if again > kills:
            raise Wrong(f"{again} events told twice after {kills} kills: {dict(told)}")
        twice = server.sent() - sum(SIZES) - server.cut() * (server.buffer + CHUNK)
        if twice > daemon_kills * MOST_CONNECTIONS * BAR:
            raise Wrong(f"{twice} bytes fetched twice after {daemon_kills} kills of the daemon")
        with self._lock:
            self.kills += kills
            self.daemon_kills += daemon_kills
            self.twice_told += again
            self.most = max(self.most, twice / max(1, daemon_kills))

    def _start(self, urls, target, environment):
        return subprocess.Popen([str(self.program), *urls], cwd=target, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def _killed(self, urls, target, environment, chance):
        """Kills the program somewhere on its way; what it had said by then counts."""
        process = self._start(urls, target, environment)
        time.sleep(chance.uniform(0, 0.2) if chance.random() < 0.2 else chance.uniform(0, 1.2 * sum(SIZES) / RATE))
        # Between a look and the kill it may end by itself.
        process.kill()
        outcome = self.haul.finish(process).expect(0, -9)
        return outcome.code != 0, self._lines(outcome.output)

    def _kill_daemon(self, environment):
        status = subprocess.run(self.haul.command("daemon", "status", "--json"), env=environment, capture_output=True, text=True,
                                timeout=30)
        if status.returncode:
            return False
        os.kill(json.loads(status.stdout)["info"]["pid"], signal.SIGKILL)
        return True

    @staticmethod
    def _lines(output):
        lines = [line for line in output.splitlines() if line != "handed over"]
        if wrong := [line for line in lines if not line.startswith("finished ")]:
            raise Wrong(f"it said: {wrong}")
        return lines

    def report(self):
        print(f"\n{self.kills} kills of a program with {len(SIZES)} downloads in the background, {self.daemon_kills} of its daemon;"
              f" {self.twice_told} events were told again; at most {self.most / KIB:.0f} KiB fetched twice per kill of the daemon,"
              f" over up to {MOST_CONNECTIONS} connections")
