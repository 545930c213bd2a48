"""The long run of a service: one daemon for the whole time, clients of all kinds, and every disturbance that a machine has.

Rounds follow each other. In each, downloads are added and steered at random while servers break and change files, disks fill
up, the clock jumps, the network goes away, and in the first third of the time the daemon is killed. Then the disturbances end,
everything has to finish, every file is compared with the model, and the list is emptied. What the idle daemon holds then,
memory and descriptors, must not grow from round to round.
"""

import http.client
import json
import os
import random
import shutil
import socket
import ssl
import statistics
import subprocess
import threading
import time
import traceback
from collections import Counter

from common.haul import Haul
from common.payload import MIB
from common.table import markdown
from common.tally import Wrong
from soak.daemon import Daemons
from soak.episode import Setting
from soak.faults import ALL, CUTS
from soak.machine import ROOM, Disturbances, ServiceDaemon
from soak.pool import build_shim, can_mount, report

SERVER, CLIENT = "10.77.0.1", "10.77.0.2"
CLONE_NEWNET = 0x40000000
# Longest answer of the API, whatever happens: `haul` itself gives up after that time.
PATIENCE = 5
SLACK_MEMORY, SLACK_DESCRIPTORS = 8 * MIB, 8
# For how many seconds the daemon keeps a connection that it does not use.
KEPT = 30


class Refused(OSError):
    """The daemon refused a command because a disk is full."""


class Round(Daemons):
    """Some downloads of the one daemon."""

    kind = "service"

    def __init__(self, service, number, folder):
        super().__init__(service.setting, number, random.Random(f"{service.seed}/{number}"), folder)
        self.service, self.daemon, self.disturbances = service, service.daemon, service.disturbances
        self.disturbances.chance, self.disturbances.note = self.chance, self.note
        self.was_full = False

    def play(self):
        world = self.open_world(rate=self.chance.choice([8, 16, 32]) * MIB, digest=None)
        world.host = SERVER
        self.curl = self.tls = world.manner.challenges = False
        if self.maybe(0.7):
            world.faults.kinds, world.faults.rate, world.faults.budget = self.chance.choice([CUTS, ALL]), 0.2, 12
        self.target, self.server, self.entries, self.unanswered = self.daemon.root, self.site(), {}, []
        try:
            for _ in range(self.chance.choice([3, 8, 16, 24])):
                self.act(self._add)
            common = [self._verb] * 8 + [self._client] * 6 + [self._remove, self._source, self._version, self._add]
            rare = [self._network, self._disk, self._clock] + [self._kill] * self.service.may_kill
            for _ in range(self.chance.randrange(20, 80)):
                time.sleep(self.chance.choice([0, 0.02, 0.1, 0.4]))
                self.act(self.chance.choice(rare if self.maybe(0.08) else common))
            self.disturbances.end()
            if self.was_full:
                # What could not be recorded is tried again every second; until then, verbs on it fail.
                time.sleep(2)
            self._settle()
            self._judge()
        finally:
            self.disturbances.end()
        self._clear()

    def expect_nothing_outside(self):
        if foreign := set(os.listdir(self.daemon.root)):
            raise Wrong(f"left in the folder: {sorted(foreign)}")

    def note(self, text):
        self.history.append(f"{time.monotonic() - self.world.began:8.3f} {text}")

    # What is done.

    def act(self, action):
        def tolerant():
            try:
                action()
            except Refused as refusal:
                self.history.append(f"  refused: {refusal}")

        super().act(tolerant)

    def _call(self, method, path, body=None, fine=(409,)):
        began = time.monotonic()
        try:
            status, answer = self.daemon.call(method, f"/api/v1/{path}", body)
        finally:
            self.service.waits.append(time.monotonic() - began)
        if self.service.waits[-1] > PATIENCE and self.daemon.is_running:
            raise Wrong(f"{method} {path} took {self.service.waits[-1]:.1f} s")
        self.note(f"{method} {path} {json.dumps(body) if body else ''} -> {status} {json.dumps(answer)[:200] if status > 299 else ''}")
        self.tally["calls"] += 1
        if status > 299 and answer.get("code") in ("catalogueFailed", "noSpace") and self.disturbances.full:
            self.tally["refused, disk full"] += 1
            raise Refused(f"{status} {answer}")
        if status == 404 and self._is_doubtful(path):
            return status, answer
        if status > 299 and status not in fine:
            raise Wrong(f"{method} {path}: {status} {answer}")
        return status, answer

    def _is_doubtful(self, path):
        """A removal that was refused because the list could not be written may be completed when it can be."""
        return any(each.doubtful and path.startswith(f"downloads/{each.number}") for each in self.entries.values())

    def _is_open(self, shown):
        # Its end could not be recorded before the daemon was killed: the file is there, and its next run finds it.
        is_unrecorded = shown.get("error", {}).get("code") == "destinationExists" and self.was_full and self.was_killed
        return not is_unrecorded and super()._is_open(shown)

    def _network(self):
        if not self.disturbances.is_away:
            self.note("the network goes away")
            self.tally["network away"] += 1
            self.disturbances.lose_network()

    def _disk(self):
        name = self.chance.choice(list(ROOM))
        if name not in self.disturbances.full:
            self.note(f"the disk of the {name} folder is full")
            self.tally["full disks"] += 1
            self.was_full = True
            self.disturbances.fill(name)

    def _clock(self):
        self.note("the clock jumps")
        self.tally["clock jumps"] += 1
        self.disturbances.jump()

    def _client(self):
        """A client of some kind, in a thread of its own; what it gets is checked only for form."""
        kinds = [self._watch, self._watch, self._stall, self._aria2, self._pages, self._command]
        kind, seconds = self.chance.choice(kinds), self.chance.uniform(0, 5)
        self.tally[f"client {kind.__name__[1:]}"] += 1
        thread = threading.Thread(target=self._served, args=(kind, seconds), daemon=True)
        thread.start()

    def _served(self, kind, seconds):
        try:
            kind(seconds)
        except (OSError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired):
            pass  # the daemon may be killed, or full

    def _connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        connection.connect(str(self.daemon.socket))
        return connection

    def _watch(self, seconds):
        """Follows the events for a while, or never reads them."""
        with self._connect() as connection:
            connection.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
            end = time.monotonic() + seconds
            connection.settimeout(0.5)
            if seconds > 4:
                return time.sleep(seconds)
            while time.monotonic() < end:
                try:
                    if not connection.recv(65536):
                        return
                except TimeoutError:
                    pass

    def _stall(self, seconds):
        """Never ends the head of its request."""
        with self._connect() as connection:
            connection.sendall(b"POST /api/v1/downloads HTTP/1.1\r\nHost: x\r\n")
            time.sleep(seconds)

    def _aria2(self, seconds):
        for method in ("tellActive", "tellWaiting", "tellStopped", "getGlobalStat", "getVersion"):
            params = [0, 100] if method in ("tellWaiting", "tellStopped") else []
            self.daemon.call("POST", "/jsonrpc", {"jsonrpc": "2.0", "id": 1, "method": f"aria2.{method}", "params": params})

    def _pages(self, seconds):
        for path in ("downloads?limit=5", "downloads?state=failed", "info", "summary", "health"):
            self.daemon.call("GET", f"/api/v1/{path}")
        self.daemon.text("/metrics")

    def _command(self, seconds):
        verb = random.choice([["list"], ["list", "--json"], ["why"]])
        subprocess.run(self.daemon.haul.command(*verb, "--socket", self.daemon.socket), env=self.daemon.environment, stdin=subprocess.DEVNULL,
                       capture_output=True, timeout=20)

    def _kill(self):
        self.service.killed()
        self.was_killed = True
        super()._kill()

    def _died(self):
        # Without room for its list it does not start, and says so.
        self.disturbances.free("state")
        super()._died()

    # The end.

    def _clear(self):
        """Empties the list and the folder, so that an idle daemon is left."""
        for shown in self.daemon.downloads():
            self._call("DELETE", f"downloads/{shown['id']}?files=all", fine=(404, 409))
        for name in os.listdir(self.daemon.root):
            (self.daemon.root / name).unlink()


class Service:
    """The daemon, its surroundings, and the rounds."""

    def __init__(self, options, folder, certificate, seed):
        self.options, self.folder, self.seed = options, folder, seed
        shim = build_shim(folder)
        if not shim or not can_mount(folder) or self._isolate():
            raise SystemExit("--service needs root, a C compiler (cc), and the right to make mounts and network namespaces")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain, certificate.key)
        haul = Haul(folder / "home", options.haul)
        self.setting = Setting(haul, seed, context, certificate.authority, shim, True)
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "1000000"])
        self._plug_in()
        clock = folder / "clock"
        clock.write_bytes(bytes(8))
        place = folder / "daemon"
        self.daemon = ServiceDaemon(haul, place, ["--jobs", 6])
        self.daemon.holder, self.daemon.shim, self.daemon.clock = self.holder, shim, clock
        for name, size in ROOM.items():
            (place / name).mkdir(exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", place / name], check=True)
        self.disturbances = Disturbances(random.Random(seed), place, clock, self.holder)
        self.tally, self.failures, self.waits = Counter(), [], []
        # Of each daemon: when it was started, and what it held after each round.
        self.lives, self.may_kill = [], 0

    @staticmethod
    def _isolate():
        import ctypes
        return ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) or subprocess.run(["ip", "link", "set", "lo", "up"]).returncode

    def _plug_in(self):
        """A cable between this process and the daemon."""
        here, there = ["ip"], ["nsenter", "-t", str(self.holder.pid), "-n", "ip"]
        own = os.readlink("/proc/self/ns/net")
        deadline = time.monotonic() + 5
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == own and time.monotonic() < deadline:
            time.sleep(0.01)
        for command in (
            [*here, "link", "add", "s0", "type", "veth", "peer", "name", "s1", "netns", str(self.holder.pid)],
            [*here, "addr", "add", f"{SERVER}/24", "dev", "s0"], [*here, "link", "set", "s0", "up"],
            [*there, "addr", "add", f"{CLIENT}/24", "dev", "s1"], [*there, "link", "set", "s1", "up"], [*there, "link", "set", "lo", "up"],
        ):
            subprocess.run(command, check=True)

    def killed(self):
        self.tally["kills"] += 1
        self.lives.append((time.monotonic(), []))

    def run(self, deadline):
        began = said = time.monotonic()
        self.daemon.start()
        self.lives.append((began, []))
        number = 0
        try:
            while time.monotonic() < deadline:
                # Kills in the first third only: what leaks shows in a long life.
                self.may_kill = 1 if time.monotonic() < began + (deadline - began) / 3 else 0
                self._play(number)
                number += 1
                if time.monotonic() > said + 60:
                    said = time.monotonic()
                    memory, descriptors, threads = self.daemon.held()
                    print(f"{said - began:6.0f} s: {number} rounds, {self.tally['finished']} files right, {memory / MIB:.0f} MiB, {descriptors} descriptors, "
                          f"{len(self.failures)} failures", flush=True)
            self._rest()
            self.daemon.stop()
        except Wrong as wrong:
            self.failures.append((number, str(wrong)))
            print(f"FAILED  {wrong}", flush=True)
        finally:
            self.disturbances.end()
            if self.daemon.is_running:
                self.daemon.kill()
            self.holder.kill()
            for name in ROOM:
                subprocess.run(["umount", "-l", self.folder / "daemon" / name])

    def _play(self, number):
        folder = self.folder / f"round-{number}"
        folder.mkdir()
        each = Round(self, number, folder)
        problem = None
        try:
            each.run()
        except Wrong as wrong:
            problem = str(wrong)
        except Exception:
            problem = traceback.format_exc()
        self.tally.update(each.tally)
        self.tally["downloads"] += len(each.entries)
        if problem:
            (folder / "report.txt").write_text(report(each, self.seed, problem) + "\n" + self.daemon.last_words())
            self.failures.append((number, problem))
            print(f"\nFAILED  round {number}, {folder}/report.txt\n        {problem}\n", flush=True)
            # The next round must not meet what is left of this one.
            self._start_afresh()
        else:
            shutil.rmtree(folder, ignore_errors=True)
            self._measure()

    def _start_afresh(self):
        if self.daemon.is_running:
            self.daemon.kill()
        for name in ROOM:
            for path in (self.daemon.folder / name).iterdir():
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        self.daemon.start()
        self.lives.append((time.monotonic(), []))

    def _measure(self):
        """What the idle daemon holds, once its last clients are gone and it has had a moment."""
        deadline, least = time.monotonic() + 8, None
        while time.monotonic() < deadline:
            held = self.daemon.held()
            least = held if least is None else tuple(map(min, least, held))
            time.sleep(0.25)
        memory, _, threads = least
        self.lives[-1][1].append((memory, self._lasting(), threads))

    def _lasting(self):
        """The descriptors but for connections to servers, which are kept for the next request."""
        kinds = self.daemon.descriptors()
        return Counter({kind: count for kind, count in kinds.items() if not kind.startswith("tcp established")})

    def _rest(self):
        """Kept connections are closed in the end."""
        deadline = time.monotonic() + 2 * KEPT
        while (kinds := self.daemon.descriptors() - self._lasting()) and time.monotonic() < deadline:
            time.sleep(1)
        if kinds:
            raise Wrong(f"connections stay open: {dict(kinds)}")

    def report(self, seconds):
        rows = []
        for began, held in self.lives:
            if len(held) < 8:
                continue
            memory, descriptors = [each[0] for each in held], [each[1].total() for each in held]
            early, late = memory[len(held) // 4 : len(held) // 2], memory[-max(1, len(held) // 4):]
            growth = statistics.median(late) - statistics.median(early)
            more = statistics.median(descriptors[-4:]) - statistics.median(descriptors[:4])
            rows.append([len(held), f"{statistics.median(early) / MIB:.1f}", f"{statistics.median(late) / MIB:.1f}", f"{max(memory) / MIB:.1f}",
                         f"{descriptors[0]}", f"{descriptors[-1]}", f"{held[-1][2]}"])
            if growth > SLACK_MEMORY:
                self.failures.append((-1, f"memory grows: {growth / MIB:.1f} MiB from the second to the last quarter of {len(held)} rounds"))
            if more > SLACK_DESCRIPTORS:
                kinds = sum((each[1] for each in held[-4:]), Counter()) - sum((each[1] for each in held[:4]), Counter())
                which = ", ".join(f"{count / 4:g} × {kind}" for kind, count in kinds.most_common())
                self.failures.append((-1, f"descriptors grow: {more:.0f} more at the end of {len(held)} rounds ({which})"))
        print("\n" + markdown(["rounds", "MiB early", "MiB late", "MiB most", "descriptors first", "last", "threads"], rows, text=0))
        print("(the idle daemon after each round; one row for each daemon that lived for 8 rounds or more)")
        print(", ".join(f"{name} {count}" for name, count in sorted(self.tally.items()) if count and name != "seconds"))
        waits = sorted(self.waits) or [0]
        print(f"longest answer of the API {waits[-1]:.2f} s, 99 % within {waits[len(waits) * 99 // 100] * 1000:.0f} ms")
        for _, problem in self.failures:
            print(f"FAILED  {problem.splitlines()[-1][:300]}")
        print(f"{self.tally['downloads']} downloads, {self.tally['finished']} finished files compared in {seconds:.0f} s: "
              f"{self.tally['corrupt']} corrupt, {len(self.failures)} failures; --seed {self.seed}", flush=True)
