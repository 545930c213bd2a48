"""Episodes of several files at once, and of one file from several sources."""

import hashlib
import time

from common.payload import MIB
from common.tally import Wrong
from common.workspace import listing
from soak.episode import BROKEN, SIGNALS, Episode
from soak.faults import ALL, CUTS
from soak.model import Resource, draw_policy
from soak.site import Site


class Lists(Episode):
    """A list of many files, mostly small, with faults, kills and names that occur twice."""

    kind = "lists"
    most = MIB

    def play(self):
        world = self.open_world(rate=self.chance.choice([None, None, 32 * MIB]))
        world.manner.most = self.chance.choice([None, None, None, 3])
        faulty = self.maybe(0.5)
        if faulty:
            world.faults.kinds, world.faults.rate, world.faults.budget = ALL, 0.1, 8
        self.draw_options()
        self.options[self.options.index("-c") + 1] = self.chance.choice(["auto", 1, 2])
        count = self.chance.choice([5, 20, 60])
        if self.is_unseen:
            world.manner.framing = "length"
        site, policy = self.site(), draw_policy(self.chance)
        resources = [self.resource(policy=policy if self.maybe(0.7) else None) for _ in range(count)]
        twice = self.maybe(0.25)
        names = {each: f"{self.chance.randrange(count // 2 + 1)}.bin" if twice else each.name for each in resources}
        lines = [f"{site.url(each)}\n" + (f"  out={names[each]}\n" if twice or self.maybe(0.2) else "") for each in resources]
        (self.folder / "list").write_text("".join(lines))
        self.options += ["-i", self.folder / "list", "-j", self.chance.choice([1, 3, 8, 16]),
                         "--on-conflict", "rename" if twice else "skip"]
        if not twice and self.maybe(0.5):
            self._kill(world, resources)
        ended = self.haul("get", *self.options).expect(self.allowed)
        if ended.code:
            return
        self._check(resources, names, twice)

    def _kill(self, world, resources):
        number = self.chance.choice(list(SIGNALS))
        process = self.start("get", *self.options)
        whole = sum(each.current.size for each in resources)
        world.triggers.at_bytes(self.chance.randrange(1, whole + 2), lambda: process.send_signal(number))
        self.finish(process).expect(self.allowed | {SIGNALS[number], -number})
        world.triggers.clear()
        self.tally[f"signal {number.name}"] += 1
        for resource in resources:
            if (self.target / resource.name).exists():
                self.expect_version(self.target / resource.name, resource)
                self.tally["finished"] -= 1
            if self.maybe(0.05) and not (self.target / resource.name).exists():
                self.change(resource)

    def _check(self, resources, names, twice):
        if not twice:
            for resource in resources:
                self.expect_version(self.target / resource.name, resource)
            return self.expect_listing({each.name for each in resources})
        files = listing(self.target)
        if len(files) != len(resources):
            raise Wrong(f"{len(resources)} downloads made {len(files)} files")
        by_name = {}
        for resource in resources:
            by_name.setdefault(names[resource].removesuffix(".bin"), []).append(resource)
        for name in files:
            # "7.bin", "7 (1).bin"; "7 (1) (1).bin" if that was taken at the last moment.
            self.expect_version(self.target / name, *by_name.get(name.removesuffix(".bin").partition(" ")[0], []))
        got = sorted(hashlib.sha256((self.target / name).read_bytes()).hexdigest() for name in files)
        if got != sorted(each.current.digest() for each in resources):
            raise Wrong("several downloads for one name are not as many different files")
        return None


class Mirrors(Episode):
    """Further sources: right ones, older ones, ones with other bytes; and the first one may die."""

    kind = "mirrors"

    def play(self):
        world = self.open_world(rate=self.chance.choice([8, 16]) * MIB, redirects=0)
        self.draw_options(self.chance.choice([1, 2, 4, 8]))
        resource = self.resource(size=self.chance.randrange(1, 3 * MIB))
        self.change(resource, ("rewritten", "rewritten", "resized"))
        other = Resource(resource.name, f"{self.setting.seed}/{self.number}/other", resource.current.size, resource.policy,
                         time.time())
        main, more, roles = self.site(), [], []
        for _ in range(self.chance.choice([1, 2, 3])):
            role = self.chance.choice(["right", "right", "right", "stale", "wrong"])
            mirror = Site(world, [(role, 1 if role == "stale" else 0)], tls=self.tls,
                          resources={resource.name: other} if role == "wrong" else None)
            self.sites.append(mirror)
            roles.append(role)
            more += ["--mirror", mirror.url(resource)]
        if self.maybe(0.4):
            world.faults.kinds, world.faults.rate, world.faults.budget = CUTS, 0.4, 3
        checked = self.maybe(0.4)
        if checked:
            more += ["--checksum", f"sha256:{resource.current.digest()}"]
        dies = self.maybe(0.2)
        if dies:
            world.triggers.at_bytes(self.chance.randrange(1, resource.current.size + 1), main.close)
        self.may = BROKEN | {16} if dies or world.faults.budget else frozenset({0})
        self.history.append(f"mirrors: {', '.join(roles)}{'; the first one dies' if dies else ''}")
        found = self.after(self.get(main.url(resource), *more), resource, other)
        if found and checked and found.digest() != resource.current.digest():
            raise Wrong("the file does not have the checksum that was given")
        self.tally["downloads with mirrors"] += 1


EPISODES = [Lists, Mirrors]
