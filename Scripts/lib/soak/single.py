"""Episodes of one file over the web: nothing wrong, cuts, changes, kills, streams, policies, checksums, expired links."""

import os

from common.payload import KIB, MIB
from common.tally import Wrong
from soak.episode import BROKEN, Episode, environment_of
from soak.faults import ALL, CUTS
from soak.model import Policy, draw_policy


class Steady(Episode):
    """A server without faults: the current version, at the first try."""

    kind = "steady"

    def play(self):
        world = self.open_world()
        world.manner.most = self.chance.choice([None, None, None, 1, 2, 4])
        self.draw_options()
        resource, site = self.resource(), self.site()
        more = []
        if self.maybe(0.2):
            more = ["--checksum", f"sha256:{resource.current.digest()}"]
        self.after(self.get(site.url(resource), *more), resource)


class Cuts(Episode):
    """Connections break, freeze or bring nonsense, a few times; the file still comes."""

    kind = "cuts"

    def play(self):
        world = self.open_world(rate=self.chance.choice([None, 8 * MIB]))
        world.faults.kinds = self.chance.choice([CUTS, ALL])
        world.faults.rate, world.faults.budget = self.chance.choice([0.3, 0.6, 1.0]), self.chance.choice([1, 2, 3, 4])
        self.draw_options()
        resource, site = self.resource(), self.site()
        self.after(self.get(site.url(resource)), resource)


class Broken(Episode):
    """More faults than a run bears: it fails, keeps what it has, and the next one without faults comes to its end."""

    kind = "broken"

    def play(self):
        world = self.open_world(rate=8 * MIB)
        world.faults.kinds, world.faults.rate, world.faults.budget = CUTS, 0.9, 1000
        self.draw_options()
        self.options += ["--retries", self.chance.choice([0, 1])]
        self.options[self.options.index("--idle-timeout") + 1] = 1
        resource, site = self.resource(size=self.chance.randrange(200 * KIB, 4 * MIB)), self.site()
        self.may = BROKEN
        for _ in range(self.chance.randrange(1, 4)):
            if self.after(self.get(site.url(resource)), resource):
                return
        world.faults.end()
        self.may = frozenset({0})
        if self.maybe(0.3):
            self.change(resource)
        self.resume(resource, site)


class Kills(Episode):
    """Signals at random instants, then the rest; in between the file may change."""

    kind = "kills"

    def play(self):
        world = self.open_world(rate=self.chance.choice([4, 8, 16]) * MIB)
        if self.maybe(0.3):
            world.faults.kinds, world.faults.rate, world.faults.budget = CUTS, 0.3, 2
        self.draw_options()
        resource, site = self.resource(size=self.chance.randrange(300 * KIB, 4 * MIB)), self.site()
        for _ in range(self.chance.choice([1, 1, 2, 3])):
            if self.interrupt(site.url(resource), resource):
                return
            if self.maybe(0.25):
                kinds = ("patched", "rewritten", "grown", "touched") if resource.policy.tag == "strong" and \
                    resource.policy.parts == "same" else ("rewritten", "resized", "shrunk", "touched")
                self.change(resource, kinds)
        world.faults.end()
        self.resume(resource, site)


class Publishing(Episode):
    """SIGKILL before or after one certain system call, then the same command again."""

    kind = "publishing"
    calls = {"renameat2": 1, "rename": 2, "linkat": 1, "unlink": 3, "fsync": 3, "fdatasync": 3, "ftruncate": 2, "fallocate": 1, "pwrite": 15}

    def play(self):
        world = self.open_world()
        self.draw_options()
        resource = self.resource(size=self.chance.randrange(300 * KIB, 2 * MIB) if self.maybe(0.7) else None)
        site, policy = self.site(), self.chance.choice(["fail", "replace", "rename", "keep", "skip"])
        if policy != "rename" and self.maybe(0.3):
            # Publication replaces a file; keep and replace only.
            policy = self.chance.choice(["replace", "keep"])
            self.keep(resource.name, b"old content")
        self.options += ["--on-conflict", policy]
        url, found = site.url(resource), None
        for _ in range(self.chance.choice([1, 2])):
            found = self.kill(url, resource, world)
            if found:
                break
        if found and policy != "skip":
            # The same command would find the file that it has made.
            self.options[self.options.index(policy)] = "skip"
        if found:
            self.before.pop(resource.name, None)
        self.after(self.get(url), resource)

    def kill(self, url, resource, world):
        if not self.setting.shim:
            process = self.start("get", *self.options, url)
            world.triggers.at_bytes(max(1, resource.current.size - 1), process.kill)
        else:
            call = self.chance.choice(list(self.calls))
            number = self.chance.randrange(1, self.calls[call] + 1)
            when = f"{call}:{number}:{self.chance.choice(['before', 'after'])}"
            process = self.start("get", *self.options, url, environment=environment_of(
                self.setting.shim, self.folder / "note", SOAK_KILL=when))
        ended = self.finish(process)
        world.triggers.clear()
        self.tally["aimed kills"] += ended.code == -9
        ended.expect(self.allowed | {-9})
        return self.after(ended, resource)


class Changes(Episode):
    """The file changes while it is fetched, once or all the time."""

    kind = "changes"

    def play(self):
        world = self.open_world(rate=self.chance.choice([4, 8, 16]) * MIB)
        if self.maybe(0.5):
            world.faults.kinds, world.faults.rate, world.faults.budget = CUTS, 0.5, 2
        self.draw_options()
        resource, site = self.resource(size=self.chance.randrange(1, 3 * MIB)), self.site()
        count = self.chance.choice([1, 1, 1, 2, 12])
        for _ in range(count):
            if self.maybe(0.6):
                world.triggers.at_bytes(self.chance.randrange(1, count * resource.current.size + 1), lambda: self.change(resource))
            else:
                world.triggers.at_requests(self.chance.randrange(1, 4 + count), lambda: self.change(resource))
        self.may = frozenset({0}) if count < 3 else BROKEN
        if self.after(self.get(site.url(resource)), resource) is None:
            world.triggers.clear()
            world.faults.end()
            self.may = frozenset({0})
            self.resume(resource, site)


class Backends(Episode):
    """Two servers behind one name: other tags for the same bytes, or other bytes."""

    kind = "backends"

    def play(self):
        world = self.open_world(rate=self.chance.choice([None, 8 * MIB]))
        if self.maybe(0.4):
            world.faults.kinds, world.faults.rate, world.faults.budget = CUTS, 0.4, 2
        self.draw_options()
        policy = draw_policy(self.chance) if self.maybe(0.6) else Policy("backend", self.chance.choice(["old", "fresh", None]))
        resource = self.resource(size=self.chance.randrange(1, 3 * MIB), policy=policy)
        stale = self.maybe(0.6)
        if stale:
            self.change(resource, ("rewritten", "rewritten", "resized"))
        site = self.site([("a", 0), ("b", 1 if stale else 0)], order=self.chance.choice(["turns", "chance"]))
        self.may = BROKEN if stale else frozenset({0})
        self.after(self.get(site.url(resource)), resource)
        self.tally["stale backends"] += stale


class Streams(Episode):
    """`-o -`: whole versions, or the beginning of one."""

    kind = "streams"

    def play(self):
        world = self.open_world(rate=self.chance.choice([None, 16 * MIB]))
        self.draw_options()
        self.options.remove("-d"), self.options.remove(self.target)
        self.options = [each for each in self.options if each != "--json"] + ["-o", "-"]
        if self.maybe(0.4):
            self.options += ["--stream-window", self.chance.choice(["1M", "2M"])]
        resource, site = self.resource(), self.site()
        if self.maybe(0.6):
            world.faults.kinds, world.faults.rate, world.faults.budget = self.chance.choice([CUTS, ALL]), 0.4, 3
            # What was handed out can't be taken back: without ranges a stream that breaks can't go on.
            self.may = BROKEN
        if self.maybe(0.4):
            world.triggers.at_bytes(self.chance.randrange(1, resource.current.size + 2), lambda: self.change(resource))
            self.may = BROKEN
        with open(self.folder / "body", "wb") as body:
            process = self.start("get", *self.options, site.url(resource), output=body)
            if self.maybe(0.1):
                world.triggers.at_bytes(self.chance.randrange(resource.current.size + 1), process.kill)
                self.may |= {-9}
            ended = self.finish(process).expect(self.allowed)
        if ended.code == 0:
            self.expect_version(self.folder / "body", resource)
        else:
            data = (self.folder / "body").read_bytes()
            if not any(each.data.startswith(data) for each in resource.versions):
                raise Wrong(f"CORRUPT stream of {len(data)} bytes: it is not the beginning of one version")
        self.expect_listing(set())


class Conflicts(Episode):
    """A file is there already, under each policy, with and without faults and signals."""

    kind = "conflicts"

    def play(self):
        world = self.open_world(rate=16 * MIB)
        if self.maybe(0.3):
            world.faults.kinds, world.faults.rate, world.faults.budget = CUTS, 0.4, 2
        self.draw_options()
        resource, site = self.resource(), self.site()
        policy = self.chance.choice(["fail", "replace", "rename", "keep", "skip"])
        # A server may name the file otherwise, so it is asked unless the name is given.
        self.is_named = self.maybe(0.5)
        self.options += ["--on-conflict", policy, *(["-o", resource.name] if self.is_named else [])]
        same = self.maybe(0.4)
        old = resource.current.data if same else b"an old file"
        if policy == "keep" and self.maybe(0.5) and resource.current.size:
            old = bytes(resource.current.size)
        self.keep(resource.name, old)
        if same and resource.policy.date and world.manner.skew == 0:
            os.utime(self.target / resource.name, (resource.current.modified,) * 2)
        getattr(self, f"_{policy}")(site.url(resource), resource, old)

    def _fail(self, url, resource, old):
        self.get(url, codes={19})
        self.expect_listing(set())
        if self.is_named and self.world.answers:
            raise Wrong("the server was asked although the file was there")

    def _skip(self, url, resource, old):
        self.get(url, codes={0})
        self.expect_listing(set())
        if self.is_named and self.world.answers:
            raise Wrong("the server was asked although the file was there")

    def _rename(self, url, resource, old):
        self.after(self.get(url), resource, name=resource.name.replace(".bin", " (1).bin"))

    def _replace(self, url, resource, old):
        if self.maybe(0.5):
            found = self.interrupt(url, resource)
            if found:
                return
        self.after(self.get(url), resource)

    def _keep(self, url, resource, old):
        if self.get(url).code:
            return self.expect_not_done(resource.name)
        path = self.target / resource.name
        if path.read_bytes() == old and resource.policy.date and old and int(path.stat().st_mtime) == resource.current.modified:
            self.tally["kept"] += 1
            return self.expect_listing(set())
        return self.expect_done(resource)


class Checksums(Episode):
    """A checksum that is right or wrong, given or in a header; the file may change under it."""

    kind = "checksums"

    def play(self):
        world = self.open_world(digest=None)
        if self.maybe(0.3):
            world.faults.kinds, world.faults.rate, world.faults.budget = CUTS, 0.4, 2
        self.draw_options()
        resource, site = self.resource(), self.site()
        way = self.chance.choice(["right", "wrong", "header", "changed"])
        if way == "header":
            world.manner.digest = "wrong"
            return self._refused(site.url(resource), resource)
        digest = resource.current.digest()
        if way == "wrong":
            return self._refused(site.url(resource), resource, "--checksum", f"sha256:{digest[::-1]}")
        if way == "changed":
            world.triggers.at_bytes(self.chance.randrange(1, resource.current.size + 2), lambda: self.change(resource))
            self.may = BROKEN | {16}
        found = self.after(self.get(site.url(resource), "--checksum", f"sha256:{digest}"), resource)
        if found and found.digest() != digest:
            raise Wrong(f"version {found.number} does not have the checksum that was given")

    def _refused(self, url, resource, *more):
        self.get(url, *more, codes={16} | self.allowed - {0})
        self.expect_listing(set())
        self.tally["checksums refused"] += 1


class Expiring(Episode):
    """The link is refused in the middle; later it is good again, and nothing is fetched twice."""

    kind = "expiring"

    def play(self):
        world = self.open_world(rate=8 * MIB, redirects=0)
        world.faults.kinds, world.faults.rate, world.faults.budget = {"fin": 1, "rst": 1}, 1.0, 2
        self.draw_options()
        resource, site = self.resource(size=self.chance.randrange(300 * KIB, 3 * MIB)), self.site()
        status = self.chance.choice([401, 403, 404, 410])

        def gone():
            resource.gone = status

        world.triggers.at_bytes(self.chance.randrange(1, resource.current.size), gone)
        self.may = frozenset({0, 3, 8, 9})
        if self.after(self.get(site.url(resource)), resource):
            return
        resource.gone = None
        world.triggers.clear()
        world.faults.end()
        self.may = frozenset({0})
        self.resume(resource, site)


EPISODES = [Steady, Cuts, Broken, Kills, Publishing, Changes, Backends, Streams, Conflicts, Checksums, Expiring]
