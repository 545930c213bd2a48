"""Episodes of the daemon: a list of downloads, verbs at random, kill -9 of the daemon and its restart."""

import json
import signal
import subprocess
import time

from common.payload import KIB, MIB
from common.tally import Wrong
from common.workspace import listing
from daemon.process import Place, until
from soak.episode import Episode, environment_of
from soak.faults import ALL, CUTS
from soak.model import Resource

OVER = ("finished", "failed", "cancelled", "paused")
LONGEST = 60


class Daemon(Place):
    """A daemon that may be killed and started again."""

    def __init__(self, haul, folder, options):
        super().__init__(haul, folder)
        self.options, self.process = options, None
        self.is_armed = False

    def start(self, environment=None):
        self.is_armed = environment is not None
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                self.command(*self.options), env=dict(self.environment, **(environment or {})), stdin=subprocess.DEVNULL, stderr=log)
        until(lambda: self._answers() or self.process.poll() is not None, "an answer of the daemon")

    def _answers(self):
        try:
            return self.call("GET", "/api/v1/info")[0] == 200
        except OSError:
            return False

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """SIGTERM; it has to leave with 0 within 10 s, unless it is to be killed at a certain call."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(10)
            if code and not (code == -signal.SIGKILL and self.is_armed):
                raise Wrong(f"the daemon left with {code}: {self.last_words()}")
        except subprocess.TimeoutExpired:
            self.kill()
            raise Wrong("the daemon did not leave within 10 s") from None

    def last_words(self):
        return (self.folder / "log").read_text(errors="replace")[-800:]

    def downloads(self):
        return self.call("GET", "/api/v1/downloads?limit=1000")[1]["downloads"]


class Entry:
    """One download as the model knows it."""

    def __init__(self, number, resource, name, wrong):
        self.number, self.resources, self.name, self.wrong = number, [resource], name, wrong
        self.removed = None
        self.fixed = None  # the version that its checksum is of
        self.doubtful = None  # what was to be removed with it when the daemon died


class Daemons(Episode):
    """Whatever was asked for and however often the daemon was killed: at the end each file is right or was removed."""

    kind = "daemons"
    most = 2 * MIB

    def play(self):
        world = self.open_world(rate=self.chance.choice([8, 16, 32]) * MIB, digest=None)
        self.curl = world.manner.challenges = False
        if self.maybe(0.6):
            world.faults.kinds, world.faults.rate, world.faults.budget = self.chance.choice([CUTS, ALL]), 0.2, 6
        options = ["--jobs", self.chance.choice([1, 3, 8])]
        options += ["--ca-certificate", self.setting.authority] if self.tls else []
        self.daemon = Daemon(self.setting.haul, self.folder / "daemon", options)
        self.target = self.daemon.root
        self.server, self.entries, self.unanswered = self.site(), {}, []
        try:
            self.daemon.start(self._shim())
            for _ in range(self.chance.choice([3, 8, 16])):
                self.act(self._add)
            for _ in range(self.chance.randrange(4, 25)):
                time.sleep(self.chance.choice([0, 0, 0.02, 0.1]))
                verbs = [self._verb] * 8 + [self._remove, self._source, self._version, self._kill, self._add]
                self.act(self.chance.choice(verbs))
            self._settle()
            self._judge()
            self.daemon.stop()
        except Wrong as problem:
            words = self.daemon.last_words() if (self.daemon.folder / "log").exists() else ""
            raise Wrong(f"{problem}; the daemon's log ends with: {words}") from None
        finally:
            if self.daemon.is_running:
                self.daemon.kill()

    def expect_nothing_outside(self):
        if foreign := set(listing(self.folder)) - {"target", "home", "precious.txt", "password", "daemon"}:
            raise Wrong(f"made outside of the folder: {sorted(foreign)}")
        if foreign := set(listing(self.folder / "daemon")) - {"root", "state", "run", "log", ".local", ".cache", ".config", "note"}:
            raise Wrong(f"made outside of the roots: {sorted(foreign)}")

    # What is done.

    def _shim(self):
        if not self.setting.shim or self.maybe(0.6):
            return None
        call = self.chance.choice(["renameat2", "linkat", "unlink", "fsync", "fdatasync", "ftruncate", "pwrite", "fallocate", "rename"])
        when = f"{call}:{self.chance.randrange(1, 40)}:{self.chance.choice(['before', 'after'])}"
        self.history.append(f"the daemon is killed at {when}")
        return environment_of(self.setting.shim, self.daemon.folder / "note", SOAK_KILL=when)

    def act(self, action):
        """Does it; a daemon that dies meanwhile, as it was told to, is started again."""
        try:
            if not self.daemon.is_running:
                self._died()
            action()
        except (OSError, ValueError) as problem:
            self.history.append(f"  no answer: {type(problem).__name__}")
            deadline = time.monotonic() + 2
            while self.daemon.is_running and time.monotonic() < deadline:
                time.sleep(0.01)
            if self.daemon.is_running:
                raise Wrong(f"the daemon gives no answer: {problem!r}") from None
            self._died()

    def _died(self):
        code = self.daemon.process.poll()
        if code not in (None, -9):
            raise Wrong(f"the daemon ended with {code}")
        self.history.append("the daemon is started again")
        self.tally["daemons killed"] += 1
        self.daemon.start()

    def _call(self, method, path, body=None, fine=(409,)):
        status, answer = self.daemon.call(method, f"/api/v1/{path}", body)
        self.history.append(f"{method} {path} {json.dumps(body) if body else ''} -> {status} {json.dumps(answer)[:200] if status > 299 else ''}")
        if status > 299 and status not in fine:
            raise Wrong(f"{method} {path}: {status} {answer}")
        return status, answer

    def _add(self):
        resource = self.resource(size=None if self.maybe(0.5) else self.chance.randrange(200 * KIB, 2 * MIB))
        body = {"url": self.server.url(resource), "idleTimeout": 3}
        if self.maybe(0.5):
            body["connections"] = {"mode": "fixed", "limit": self.chance.randrange(1, 6)}
        wrong = self.maybe(0.1)
        if wrong or self.maybe(0.2):
            digest = resource.current.digest()
            body["checksum"] = "sha256:" + (digest[::-1] if wrong else digest)
        body["onConflict"] = self.chance.choice(["fail", "replace"])
        entry = Entry(None, resource, resource.name, wrong)
        entry.fixed = resource.current if "checksum" in body else None
        # The daemon may have stored it and been killed before it could answer.
        self.unanswered.append(entry)
        _, answer = self._call("POST", "downloads", body)
        self.unanswered.pop()
        self._added(entry, answer["id"])

    def _added(self, entry, number):
        entry.number = number
        self.entries[number] = entry

    def _any(self):
        there = [each for each in self.entries.values() if not each.removed and not each.doubtful]
        return self.chance.choice(there) if there else None

    def _verb(self):
        if entry := self._any():
            verb = self.chance.choice(["pause", "pause", "resume", "resume", "cancel", "retry", "start"])
            body = None
            if verb == "cancel":
                body = {"keepPartial": self.maybe(0.5)}
            if verb == "retry":
                body = {"fromStart": self.maybe(0.3)}
            self._call("POST", f"downloads/{entry.number}/{verb}", body)
            self.tally[f"daemon {verb}"] += 1

    def _remove(self):
        if entry := self._any():
            files = self.chance.choice(["none", "partial", "all"])
            entry.removed = files
            try:
                self._call("DELETE", f"downloads/{entry.number}?files={files}")
            except OSError:
                # It may or may not have been removed: the list will tell.
                entry.removed = None
                # Of several, any may be the one that is completed: what may stay is that of the weakest.
                entry.doubtful = min(entry.doubtful or files, files, key=["none", "partial", "all"].index)
                raise
            self.tally["daemon remove"] += 1

    def _source(self):
        """The same file elsewhere, or another file of the same size, which must not get mixed in."""
        if not (entry := self._any()):
            return
        first = entry.resources[0]
        if self.maybe(0.7):
            url = self.server.alias(first, entry.name)
        else:
            other = self.world.add(Resource(
                f"other-{len(self.world.resources)}.bin", f"{self.setting.seed}/{self.number}", first.current.size, first.policy, time.time()))
            entry.resources.append(other)
            url = self.server.alias(other, entry.name)
        status, _ = self._call("PUT", f"downloads/{entry.number}/source", {"url": url})
        if status == 409 and len(entry.resources) > 1 and f"/{entry.resources[-1].name}/" in url:
            entry.resources.pop()
        self.tally["daemon source"] += 1

    def _version(self):
        if (entry := self._any()) and not entry.fixed:
            self.change(self.chance.choice(entry.resources))

    def _kill(self):
        self.history.append("kill -9")
        self.daemon.kill()
        self._died()

    # The end.

    def _settle(self):
        """No faults any more: what was stopped goes on, what failed is tried again, until all is over."""
        self.world.faults.end()
        tries, deadline = 0, time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            states = []
            self.act(lambda: states.append(self.daemon.downloads()))
            if not states:
                continue
            states = states[0]
            known = {each["id"]: each for each in states}
            for each in states:
                for entry in [e for e in self.unanswered if each["id"] not in self.entries and e.name == each["name"]]:
                    self.unanswered.remove(entry)
                    self._added(entry, each["id"])
            for entry in self.entries.values():
                if entry.number not in known and not entry.removed:
                    if not entry.doubtful:
                        raise Wrong(f"download {entry.number} is not in the list any more")
                    entry.removed = entry.doubtful
            open_ones = [each for each in states if self._is_open(each)]
            if not open_ones:
                self.final = known
                return
            if all(each["state"] in OVER for each in states):
                tries += 1
                if tries > 4:
                    raise Wrong(f"still {[(each['id'], each['state'], each.get('error')) for each in open_ones]} after 4 tries")
                for each in open_ones:
                    verb = "resume" if each["state"] == "paused" else "retry"
                    # What an older source has brought stays until somebody says that it may go.
                    body = {"fromStart": each.get("error", {}).get("code") == "sourceChanged"} if verb == "retry" else None
                    self.act(lambda: self._call("POST", f"downloads/{each['id']}/{verb}", body))
            time.sleep(0.05)
        raise Wrong(f"no end within {LONGEST} s: {[(e['id'], e['state'], e.get('wait')) for e in open_ones]}")

    def _is_open(self, shown):
        entry = self.entries.get(shown["id"])
        if entry is None:
            return shown["state"] not in OVER
        if shown["state"] == "failed" and shown["error"]["code"] == "checksumMismatch":
            return not (entry.wrong or entry.fixed and len(entry.resources) > 1)
        if shown["state"] == "failed" and len(entry.resources) > 1:
            return False
        return shown["state"] != "finished"

    def _judge(self):
        there, expected = set(listing(self.target)), set()
        for entry in self.entries.values():
            shown = self.final.get(entry.number)
            if entry.removed:
                # The finished file stays unless all files were to go.
                if entry.removed == "none":
                    expected |= {entry.name, f"{entry.name}.part", f"{entry.name}.part.haul"} & there
                elif entry.removed == "partial":
                    expected |= {entry.name} & there
                if entry.name in there and entry.removed != "all":
                    self.expect_version(self.target / entry.name, *entry.resources)
                continue
            if shown["state"] != "finished":
                expected |= {f"{entry.name}.part", f"{entry.name}.part.haul"} & there
                if entry.name in there:
                    expected.add(entry.name)
                    self.expect_version(self.target / entry.name, *entry.resources)
                continue
            if entry.wrong:
                raise Wrong(f"{entry.name} has a wrong checksum, and is finished")
            version = self.expect_version(self.target / entry.name, *entry.resources)
            if entry.fixed and version.digest() != entry.fixed.digest():
                raise Wrong(f"{entry.name} does not have its checksum")
            expected.add(entry.name)
        self.was_killed = True
        if left := {each for each in there - expected if not self._is_trace(each)}:
            raise Wrong(f"left behind: {sorted(left)}")


EPISODES = [Daemons]
