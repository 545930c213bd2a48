"""What all episodes of the long random run have in common: a folder, a world of servers, runs of Haul, and the checks after each."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from common.payload import KIB, MIB
from common.tally import Wrong
from common.workspace import listing
from soak.model import BLOCK, CHANGES, Resource, draw_policy, draw_size, mixture, version_of
from soak.site import CHUNK, SEND_BUFFER, Manner, Site, World

BAR = 256 * KIB
TIMEOUT = 90
OVERLAP = 64 * KIB
FINE = frozenset({0})
# What a server that breaks off, refuses or changes all the time may lead to.
BROKEN = frozenset({0, 5, 6, 10, 13, 15})
SIGNALS = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}
PARTIAL = (".part", ".part.haul")
PRECIOUS = "not to be touched\n"


@dataclass
class Setting:
    """What all episodes of one process use."""

    haul: object
    seed: int
    tls: object
    authority: Path
    shim: Path | None
    mounts: bool


@dataclass
class Ended:
    """How a run of Haul ended."""

    code: int
    seconds: float
    output: bytes
    errors: str

    def last_line(self):
        lines = [line for line in self.errors.splitlines() if line.strip()]
        return lines[-1].strip() if lines else "nothing on standard error"

    def expect(self, codes):
        if self.code not in codes:
            raise Wrong(f"exit code {self.code} instead of {', '.join(map(str, sorted(codes)))}: {self.last_line()}")
        return self


class Episode:
    """Some downloads with one set of servers. Subclasses say in `play` what happens to them."""

    kind = ""
    most = 2 * MIB

    def __init__(self, setting, number, chance, folder):
        self.setting, self.number, self.chance, self.folder = setting, number, chance, folder
        self.tally, self.history, self.sites = Counter(), [], []
        self.target, self.home = folder / "target", folder / "home"
        self.options, self.may, self.before = [], FINE, {}
        # Files of others that may stay, unchanged; and further downloads of the same folder.
        self.foreign, self.bystanders = {}, []
        self.was_killed = False
        self.tls = self.curl = False
        self.world = None

    # The parts of an episode.

    def run(self):
        self.target.mkdir()
        self.home.mkdir()
        (self.folder / "precious.txt").write_text(PRECIOUS)
        (self.folder / "password").write_text("secret\n")
        began = time.monotonic()
        try:
            self.play()
            self.expect_nothing_outside()
        finally:
            if self.world:
                self.world.stopping.set()
                self.tally["bytes sent"] += self.world.sent()
                for fault in self.world.faults.given:
                    self.tally[f"fault {fault.kind}"] += 1
            for site in self.sites:
                site.close()
            self.tally["seconds"] = time.monotonic() - began

    def play(self):
        raise NotImplementedError

    # Drawing.

    def maybe(self, probability):
        return self.chance.random() < probability

    def open_world(self, **fixed):
        """Draws what the servers are like, and which transport asks them."""
        chance = self.chance
        self.tls, self.curl = self.maybe(0.3), self.maybe(0.2)
        manner = Manner(
            ranges=chance.choices(["yes", "capped", "ignored"], [82, 9, 9])[0], if_range=self.maybe(0.7),
            framing=chance.choices(["length", "chunked", "close"], [72, 14, 14])[0], keeps=self.maybe(0.85),
            redirects=chance.choices([0, 1, 3], [82, 12, 6])[0], empty_range=chance.choice([416, 200]),
            skew=chance.choices([0, -7200, 7200, -30], [82, 6, 6, 6])[0], digest="right" if self.maybe(0.15) else None,
            names=self.maybe(0.25))
        for name, value in fixed.items():
            setattr(manner, name, value)
        manner.challenges = self.curl and self.maybe(0.5)
        self.world = World(chance, manner, self.setting.tls)
        return self.world

    def site(self, *arguments, **more):
        site = Site(self.world, *arguments, tls=self.tls, **more)
        self.sites.append(site)
        return site

    def resource(self, name=None, size=None, policy=None):
        policy = policy or draw_policy(self.chance)
        if policy.date == "second" and self.world.manner.skew > 0:
            # By that clock the second would be over for a minute: the server would lie.
            self.world.manner.skew = 0
        name = name or f"file-{len(self.world.resources)}.bin"
        size = draw_size(self.chance, self.most) if size is None else size
        return self.world.add(Resource(name, f"{self.setting.seed}/{self.number}", size, policy, time.time()))

    def draw_options(self, connections=None):
        """Options that make no difference to what is right."""
        chance = self.chance
        count = connections or chance.choice(["auto", 1, 1, 2, 3, 4, 8])
        self.connections = 6 if count == "auto" else count
        self.options = ["-d", self.target, "-c", count, "--idle-timeout", 3, "--connect-timeout", 5,
                        chance.choice(["--json", "--quiet"])]
        self.options += ["--no-why"] if self.maybe(0.8) else []
        self.options += self.access()

    def access(self):
        options = ["--ca-certificate", self.setting.authority] if self.tls else []
        if self.curl:
            options += ["--user", "soak", "--password-file", self.folder / "password", "--auth", "digest"]
        return options

    def change(self, resource, kinds=CHANGES):
        if resource.policy.tag is None and resource.policy.date is None:
            # A response that proves nothing, and is smaller or has no size, may be an error: the data is kept, and the download fails.
            kinds = ["rewritten", "touched"] if self.world.manner.framing == "length" else ["touched"]
        kind = resource.change(self.chance, kinds)
        self.tally[f"change {kind}"] += 1
        return kind

    @property
    def is_unseen(self):
        """libcurl does not say whether TLS was ended in order, so a body that only the end of the connection ends is not believed."""
        return self.curl and self.tls and self.world.manner.framing == "close"

    @property
    def allowed(self):
        return self.may | {5, 13} if self.is_unseen else self.may

    # Running.

    def start(self, *arguments, environment=None, output=None):
        command = self.setting.haul.command(*arguments)
        self.history.append(" ".join([*(f"{name}={value}" for name, value in (environment or {}).items()), *command[1:]]))
        surroundings = dict(self.setting.haul.environment, HOME=str(self.home), **(environment or {}))
        # Files, not pipes: a process that is killed in the middle must not have its last words in a pipe that nobody reads.
        process = subprocess.Popen(
            command, env=surroundings, stdin=subprocess.DEVNULL, cwd=self.folder,
            stdout=output or open(self.folder / "stdout", "wb"), stderr=open(self.folder / "stderr", "wb"))
        process.began = time.monotonic()
        process.asked = self.world.triggers.requests if self.world else 0
        process.streams = output is not None
        return process

    def finish(self, process, timeout=TIMEOUT):
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._look_at(process)
            process.kill()
            process.wait()
            raise Wrong(f"no end within {timeout} s") from None
        output = b"" if process.streams else (self.folder / "stdout").read_bytes()
        errors = (self.folder / "stderr").read_text(errors="replace")
        ended = Ended(code, time.monotonic() - process.began, output, errors)
        self.tally["runs"] += 1
        self.tally[f"exit code {code}"] += 1
        self.was_killed |= code == -9
        self.history.append(f"  -> {code} after {ended.seconds:.2f} s: {ended.last_line()[:300]}")
        # Before Haul listens for signals, they end it as they end any program. On a busy machine, requests come first.
        has_asked = self.world and self.world.triggers.requests > process.asked
        is_early = code in (-signal.SIGINT, -signal.SIGTERM) and (not has_asked or ended.seconds < 0.2)
        if code not in (-9, 0) and not is_early and (code < 0 or code in (70, 2, 4, 14, 21, 22, 23, 24)):
            raise Wrong(f"exit code {code}: {errors[-1500:]}")
        if "--json" in self.options and not process.streams and code >= 0:
            self._check_events(output, code)
        return ended

    def haul(self, *arguments, timeout=TIMEOUT, **more):
        return self.finish(self.start(*arguments, **more), timeout)

    def get(self, url, *more, codes=None, **settings):
        return self.haul("get", *self.options, *more, url, **settings).expect(codes or self.allowed)

    def interrupt(self, url, resource, *more, **settings):
        """One run that gets a signal when a random number of bytes has been sent; the version, if it was faster."""
        number = self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
        process = self.start("get", *self.options, *more, url, **settings)
        if self.maybe(0.1):
            self.world.triggers.at_requests(1, lambda: process.send_signal(number))
        else:
            self.world.triggers.at_bytes(self.chance.randrange(resource.current.size + 1), lambda: process.send_signal(number))
        ended = self.finish(process)
        self.world.triggers.clear()
        ended.expect(self.allowed | {SIGNALS[number], -number})
        self.tally[f"signal {number.name}"] += 1
        return self.after(ended, resource)

    def resume(self, resource, site, *more, **settings):
        """The last run: no faults any more, and what is there is used if it is of the current version."""
        version, usable, since = resource.current, self.usable(resource.current, resource.name), len(self.world.answers)
        ended = self.get(site.url(resource), *more, **settings)
        found = self.after(ended, resource)
        manner = self.world.manner
        # A part of another version is worth nothing, and only a comparison tells which one it is of.
        unchanged = len(resource.versions) == 1 and found is version
        if unchanged and manner.ranges != "ignored" and resource.policy.parts == "same" and usable > BLOCK:
            self.expect_reuse(resource, usable, since)
            self.tally["resumed"] += 1
        return found

    @staticmethod
    def _check_events(output, code):
        lines = output.decode().splitlines()
        try:
            events = [json.loads(line) for line in lines]
        except ValueError:
            raise Wrong("a line of --json is not JSON") from None
        if not events or events[-1]["event"] != "summary":
            raise Wrong(f"--json ends without a summary, exit code {code}")
        if events[-1]["exitCode"] != code:
            raise Wrong(f"--json says exit code {events[-1]['exitCode']}, and it was {code}")

    def _look_at(self, process):
        """Where a process hangs, if there is a debugger to say so."""
        try:
            with open(self.folder / "hang.txt", "wb") as file:
                subprocess.run(["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt"],
                               stdout=file, stderr=file, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            pass

    # Checking.

    def keep(self, name, data):
        """Puts a file there that no failure may touch."""
        (self.target / name).write_bytes(data)
        self.before[name] = data

    def expect_nothing_outside(self):
        if (self.folder / "precious.txt").read_text() != PRECIOUS:
            raise Wrong("a file outside of the folder was changed")
        known = {"target", "home", "precious.txt", "password", "stdout", "stderr", "body", "list", "note", "copy", "hang.txt"}
        if foreign := set(listing(self.folder)) - known:
            raise Wrong(f"made outside of the folder: {sorted(foreign)}")
        if foreign := [each for each in listing(self.home) if each not in (".local", ".cache", ".config")]:
            raise Wrong(f"made in the home: {foreign}")

    def expect_version(self, path, *resources, since=0):
        """The file is byte for byte a version of one of these; returns it."""
        data = path.read_bytes()
        for resource in resources:
            if version := version_of(data, resource):
                if version.number < since:
                    raise Wrong(f"{path.name} is version {version.number}, which was gone before the download began")
                self.tally["finished"] += 1
                self.tally["bytes compared"] += len(data)
                return version
        self.tally["corrupt"] += 1
        raise Wrong(f"CORRUPT {path.name}: " + " | ".join(mixture(data, resource) for resource in resources))

    def expect_done(self, resource, *others, since=0, name=None):
        """After exit code 0: the file is right, and there is nothing else."""
        name = name or resource.name
        if not (self.target / name).is_file():
            raise Wrong(f"exit code 0, and no {name}: {listing(self.target)}")
        version = self.expect_version(self.target / name, resource, *others, since=since)
        self.expect_listing({name})
        return version

    def expect_listing(self, new):
        """These files, those that were there before as they were, and nothing else."""
        self._expect_untouched(new)
        others = {name + ending for name in self.bystanders for ending in PARTIAL}
        for name in set(listing(self.target)) - new - set(self.before) - set(self.foreign) - others:
            if not self._is_trace(name):
                raise Wrong(f"left behind: {name}")

    def expect_not_done(self, *names):
        """After a failure or a signal other than SIGKILL: no final name but what was there before."""
        partials = {name + ending for name in [*names, *self.bystanders] for ending in PARTIAL}
        self._expect_untouched(set())
        for name in set(listing(self.target)) - partials - set(self.before) - set(self.foreign):
            if not self._is_trace(name):
                raise Wrong(f"after a failure there is {name}")

    def _expect_untouched(self, new):
        for name in set(self.before) - new:
            if not (self.target / name).exists():
                raise Wrong(f"{name} was there before, and is gone")
            if (self.target / name).read_bytes() != self.before[name]:
                raise Wrong(f"{name} was there before, and was changed")
        for name in self.foreign:
            if (self.target / name).exists() and (self.target / name).read_bytes() != self.foreign[name]:
                raise Wrong(f"{name} is not this download's, and was changed")

    def _is_trace(self, name):
        """What SIGKILL in one certain instant leaves: the journal of a file that has its name already, for good, or a journal that
        never took the place of the old one, until the next one is written."""
        if self.was_killed and name.endswith(".part.haul.new"):
            self.tally["traces of kills"] += 1
            return True
        final = name.removesuffix(".part.haul")
        if (self.was_killed and name == f"{final}.part.haul" and (self.target / final).exists()
                and not (self.target / f"{final}.part").exists()):
            self.tally["traces of kills"] += 1
            return True
        return False

    def expect_killed(self, resource, *others, name=None):
        """After SIGKILL: under the final name is what was there before, or a whole version."""
        name = name or resource.name
        path = self.target / name
        self._expect_untouched({name})
        if not path.exists():
            if name in self.before:
                raise Wrong(f"{name} was there before, and is gone")
            return None
        if name in self.before and path.read_bytes() == self.before[name]:
            return None
        return self.expect_version(path, resource, *others)

    def after(self, ended, resource, *others, since=0, name=None):
        """The check that fits how the run ended; returns the version that is there."""
        if ended.code == 0:
            return self.expect_done(resource, *others, since=since, name=name)
        if ended.code == -9:
            return self.expect_killed(resource, *others, name=name)
        self.expect_not_done(name or resource.name)
        return None

    # Reuse.

    def usable(self, version, name):
        """How many bytes of the partial are this version's."""
        try:
            data = (self.target / f"{name}.part").read_bytes()
        except OSError:
            return 0
        if version.size <= BAR or not (self.target / f"{name}.part.haul").exists():
            return 0
        return sum(
            len(version.data[at : at + BLOCK]) for at in range(0, len(data), BLOCK)
            if data[at : at + BLOCK] == version.data[at : at + BLOCK])

    def expect_reuse(self, resource, usable, since):
        """What was there was not sent again, but for a little at each end.

        What the server handed to the kernel and a client never took does not count against it."""
        world, size = self.world, resource.current.size
        sent, answers = world.sent(since), world.answers[since:]
        broken = sum(each.end.startswith(("client", "fault")) for each in answers)
        compared = len(answers) if not resource.policy.vouches else self.connections
        allowed = size - usable + self.connections * BAR + broken * (2 * SEND_BUFFER + CHUNK + 2 * OVERLAP) + compared * OVERLAP
        self.tally["usable bytes"] += usable
        self.tally["usable bytes reused"] += max(0, min(usable, size - sent))
        if sent > allowed:
            raise Wrong(f"{usable} of {size} bytes were there, and {sent} were sent ({allowed} allowed, {broken} broken off)")


def environment_of(shim, note, **settings):
    """The variables that put the shim before the C library, and before what is preloaded anyway, as under ThreadSanitizer."""
    preloaded = " ".join(filter(None, [str(shim), os.environ.get("LD_PRELOAD")]))
    return {"LD_PRELOAD": preloaded, "SOAK_NOTE": str(note), **{name: str(value) for name, value in settings.items()}}


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
