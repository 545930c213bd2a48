"""The machine of the long-lived daemon: its disks, its clock and its network, and what happens to them."""

import os
import struct
import subprocess
import threading
from collections import Counter
from pathlib import Path

from common.payload import KIB, MIB
from common.tally import Wrong
from soak.daemon import Daemon
from soak.episode import environment_of

ROOM = {"state": 24 * MIB, "root": 96 * MIB}
# proc_net_tcp: the numbers of net/tcp_states.h.
TCP_STATES = {"01": "established", "06": "TIME_WAIT", "07": "closed", "08": "CLOSE_WAIT", "0A": "listening"}


class Disturbances:
    """What happens to the daemon's machine. Each lasts for a while, and `end` ends them all."""

    def __init__(self, chance, folder, clock, holder):
        self.chance, self.folder, self.clock, self.holder = chance, folder, clock, holder
        self.full, self.note = set(), None
        self.is_away = False
        self._timers = []

    def fill(self, name):
        """Fills a disk but for a few pages."""
        place = self.folder / name
        room = os.statvfs(place)
        free = room.f_bavail * room.f_frsize - self.chance.choice([0, 0, 8 * KIB, 64 * KIB])
        self.full.add(name)
        try:
            with open(place / "filler", "wb") as file:
                os.posix_fallocate(file.fileno(), 0, max(1, free))
        except OSError:
            pass
        self._later(self.chance.uniform(0.2, 6), lambda: self.free(name))

    def free(self, name):
        filler = self.folder / name / "filler"
        filler.unlink(missing_ok=True)
        self.note(f"the disk of the {name} folder has room")
        # What was refused while it was full may be answered a moment later; it may be full again by then.
        self._later(1, lambda: filler.exists() or self.full.discard(name))

    def lose_network(self):
        self.is_away = True
        self._link("down")
        self._later(self.chance.uniform(0.2, 8), self.find_network)

    def find_network(self):
        self._link("up")
        self.is_away = False

    def jump(self):
        """Moves the daemon's time of day."""
        seconds = self.chance.choice([0, 0, 3600, -3600, 86_400 * 10, -86_400 * 10, 30, -30])
        with open(self.clock, "r+b") as file:
            file.write(struct.pack("=q", seconds))

    def end(self):
        for timer in self._timers:
            timer.cancel()
            timer.join()
        self._timers = []
        for name in ROOM:
            (self.folder / name / "filler").unlink(missing_ok=True)
        self.full.clear()
        if self.is_away:
            self.find_network()

    def _link(self, state):
        subprocess.run(["nsenter", "-t", str(self.holder.pid), "-n", "ip", "link", "set", "s1", state], check=True)

    def _later(self, seconds, action):
        timer = threading.Timer(seconds, action)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()


class ServiceDaemon(Daemon):
    """A daemon whose network is a cable, and whose clock follows a file."""

    holder = shim = clock = None

    def command(self, *more):
        return ["nsenter", "-t", str(self.holder.pid), "-n", *super().command(*more)]

    def start(self, environment=None):
        note = environment_of(self.shim, self.folder / "note", SOAK_CLOCK_FILE=self.clock)
        super().start(dict(environment or {}, **note))
        if not self.is_running:
            raise Wrong(f"the daemon does not start: {self.last_words()}")
        self.is_armed = False

    def held(self):
        """Memory in bytes, descriptors and threads of the process."""
        process = Path(f"/proc/{self.process.pid}")
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return int(status["VmRSS"].split()[0]) * KIB, len(os.listdir(process / "fd")), int(status["Threads"])

    def descriptors(self):
        """How many descriptors of each kind the process has: files by name, sockets by protocol, state and the other side."""
        process = Path(f"/proc/{self.process.pid}")
        sockets = {}
        for protocol in ("tcp", "tcp6", "udp", "udp6"):
            for line in (process / "net" / protocol).read_text().splitlines()[1:]:
                _, local, remote, state, *_, inode = line.split()[:10]
                near, far = (int(each.rsplit(":", 1)[1], 16) for each in (local, remote))
                sockets[inode] = f"{protocol} {TCP_STATES.get(state, state)} :{near if state == '0A' else far}"
        for line in (process / "net" / "unix").read_text().splitlines()[1:]:
            sockets[line.split()[6]] = "a Unix socket"
        kinds = Counter()
        for entry in os.scandir(process / "fd"):
            try:
                target = os.readlink(entry.path)
            except OSError:
                continue
            kind, _, inode = target.partition(":[")
            kinds[sockets.get(inode[:-1], "a socket without a protocol") if kind == "socket" else kind] += 1
        return kinds
