"""Episodes about the machine: full disks, clocks that jump, partials that are copied, moved or damaged, and FTP servers."""

import os
import shutil
import subprocess

import kill9.damage
from common.payload import KIB, MIB
from common.tally import Wrong
from common.workspace import listing
from soak.episode import BROKEN, PARTIAL, Episode, environment_of, remove
from soak.faults import CUTS
from soak.ftp import FtpSite
from soak.model import DATES, Policy, pick

NO_SPACE = 17


class Disks(Episode):
    """The disk is full before, during or between runs; nothing is lost by that."""

    kind = "disks"
    needs_mounts = True

    def play(self):
        world = self.open_world(rate=16 * MIB)
        self.draw_options()
        resource, site = self.resource(size=self.chance.randrange(300 * KIB, 3 * MIB)), self.site()
        self.mount()
        try:
            getattr(self, "_" + self.chance.choice(["before", "during", "between"]))(site.url(resource), resource, world)
            self.empty()
            self.may = frozenset({0})
            self.resume(resource, site)
        finally:
            subprocess.run(["umount", "-l", str(self.target)], capture_output=True)

    def mount(self):
        """A file system of 6 MiB: in memory, or ext4 in a file."""
        if self.maybe(0.6) or not shutil.which("mkfs.ext4", path="/usr/sbin:/sbin:/usr/bin"):
            command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(self.target)]
        else:
            image = self.home / ".cache"
            with open(image, "wb") as file:
                file.truncate(12 * MIB)
            subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", str(image)], check=True, capture_output=True)
            command = ["mount", "-o", "loop", str(image), str(self.target)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: {done.stderr}")
        shutil.rmtree(self.target / "lost+found", ignore_errors=True)

    def fill(self):
        """Leaves no byte."""
        with open(self.target / "fill", "ab", buffering=0) as file:
            for size in (64 * KIB, 4 * KIB, 512, 1):
                try:
                    while file.write(b"x" * size) == size:
                        pass
                except OSError:
                    pass

    def empty(self):
        remove(self.target / "fill")
        self.before.pop("fill", None)

    def _full_run(self, url, resource):
        self.before["fill"] = (self.target / "fill").read_bytes()
        ended = self.get(url, codes={0, NO_SPACE} | self.allowed)
        self.tally["full disks"] += ended.code == NO_SPACE
        self.after(ended, resource)

    def _before(self, url, resource, _):
        self.fill()
        self._full_run(url, resource)

    def _between(self, url, resource, _):
        if self.interrupt(url, resource):
            return remove(self.target / resource.name)
        there = self.usable(resource.current, resource.name)
        self.fill()
        self._full_run(url, resource)
        left = self.usable(resource.current, resource.name)
        if (self.target / f"{resource.name}.part").exists() or there:
            if left < there:
                raise Wrong(f"a full disk cost {there - left} of {there} bytes that were there")

    def _during(self, url, resource, world):
        world.triggers.at_bytes(self.chance.randrange(resource.current.size), self.fill)
        ended = self.get(url, codes={0, NO_SPACE} | self.allowed)
        world.triggers.clear()
        self.tally["full disks"] += ended.code == NO_SPACE
        if (self.target / "fill").exists():
            self.before["fill"] = (self.target / "fill").read_bytes()
        if self.after(ended, resource):
            remove(self.target / resource.name)


class Clocks(Episode):
    """The client's clock is wrong, and jumps while it works."""

    kind = "clocks"
    needs_shim = True

    def play(self):
        world = self.open_world(rate=self.chance.choice([4, 16]) * MIB)
        self.tls = False
        if self.maybe(0.6):
            world.faults.kinds, world.faults.rate, world.faults.budget = {**CUTS, "503-after": 2}, 0.4, 3
        self.draw_options()
        resource, site = self.resource(size=self.chance.randrange(1, 3 * MIB)), self.site()
        url = site.url(resource)
        for _ in range(self.chance.choice([0, 1, 2])):
            if self.interrupt(url, resource, environment=self.clock()):
                return self.expect_jump()
            if self.maybe(0.2):
                self.change(resource, ("rewritten", "resized"))
        self.resume(resource, site, environment=self.clock())
        self.expect_jump()

    def clock(self):
        day = 86_400
        far = [-20 * 365 * day, -day, -3600, -61, 0, 61, 3600, day, 10 * 365 * day]
        jump = f"{self.chance.choice([each for each in far if each])}:{self.chance.choice([0, 20, 60, 200])}"
        return environment_of(self.setting.shim, self.folder / "note", SOAK_CLOCK=self.chance.choice(far), SOAK_JUMP=jump)

    def expect_jump(self):
        if (self.folder / "note").exists():
            self.tally["clock jumps"] += (self.folder / "note").read_text().count("jump")


class Copies(Episode):
    """A partial is moved with its folder, or copied, and the download is begun again there."""

    kind = "copies"

    def play(self):
        self.open_world(rate=8 * MIB)
        self.draw_options()
        resource, site = self.resource(size=self.chance.randrange(300 * KIB, 3 * MIB)), self.site()
        if self.interrupt(site.url(resource), resource):
            return
        other = self.folder / "copy"
        if self.maybe(0.3):
            os.rename(self.target, other)
            os.rename(other, self.target)
            return self.resume(resource, site)
        options = self.chance.choice([["-a", "--reflink=auto"], ["-r"], ["-a", "--sparse=always"]])
        subprocess.run(["cp", *options, str(self.target), str(other)], check=True)
        shutil.rmtree(self.target)
        os.rename(other, self.target)
        if self.maybe(0.3):
            self.change(resource)
        # What was copied is another file: it may be set aside, and is never believed blindly.
        self.foreign = {each.name: each.read_bytes() for each in self.target.iterdir()}
        self.after(self.get(site.url(resource)), resource)
        return None


class Damages(Episode):
    """Partial or journal are lost, cut, garbled, swapped or replaced between two runs."""

    kind = "damages"

    def play(self):
        self.open_world(rate=8 * MIB)
        self.draw_options()
        resource, site = self.resource(size=self.chance.randrange(1, 2 * MIB)), self.site()
        other = self.resource(size=resource.current.size)
        self.bystanders = [other.name]
        for each in (other, resource):
            if self.interrupt(site.url(each), each):
                remove(self.target / each.name)
        damage = self.chance.choice(kill9.damage.DAMAGES)
        endings = self.chance.choice([[".part.haul"], [".part"], list(PARTIAL)])
        (self.target / "precious.txt").write_text(kill9.damage.PRECIOUS)
        self.before["precious.txt"] = kill9.damage.PRECIOUS.encode()
        hurt = [ending for ending in endings if (self.target / (resource.name + ending)).is_file()]
        for ending in hurt:
            damage(self.target / (resource.name + ending), self.chance, self.target / (other.name + ending))
            self.history.append(f"{damage.__name__} {resource.name}{ending}")
        if (self.target / "outside").exists():
            raise Wrong("made what a symbolic link points to")
        self.tally[f"damage {damage.__name__}"] += bool(hurt)
        # Bytes that another program puts into a partial are found by a checksum only.
        garbled = damage.__name__.startswith("garble") and ".part" in hurt
        more = ["--checksum", f"sha256:{resource.current.digest()}"] if garbled else []
        ended = self.get(site.url(resource), *more, codes=set(kill9.damage.ENDS) | self.allowed)
        self.judge(ended, resource)
        self.bystanders = []
        for path in self.target.iterdir():
            if path.name != resource.name:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        self.before = {}
        if not ended.code:
            remove(self.target / resource.name)
        self.after(self.get(site.url(resource)), resource)

    def judge(self, ended, resource):
        if (self.target / "outside").exists():
            raise Wrong("made what a symbolic link points to")
        if (self.target / "precious.txt").read_text() != kill9.damage.PRECIOUS:
            raise Wrong("wrote through a symbolic link")
        if left := [each for each in listing(self.target) if "~2" in each and not ended.code]:
            raise Wrong(f"left behind: {left}")
        if ended.code == 0:
            self.expect_version(self.target / resource.name, resource)
        elif resource.name in listing(self.target):
            raise Wrong(f"exit code {ended.code}, and yet a file under the final name")


class Ftp(Episode):
    """FTP servers, also those that ignore REST or forget sizes and dates; cuts, changes and kills."""

    kind = "ftp"

    def play(self):
        world = self.open_world(rate=self.chance.choice([None, 8 * MIB, 16 * MIB]), redirects=0)
        self.tls = self.curl = False
        policy = Policy(None, pick(self.chance, DATES))
        rest = self.chance.choice(["yes", "yes", "yes", "refused", "ignored"])
        # Without a date and a size nothing would tell two versions apart.
        sizes = policy.misleads or self.maybe(0.85)
        site = FtpSite(world, rest, sizes)
        self.sites.append(site)
        self.draw_options()
        resource = self.resource(size=self.chance.randrange(1, 2 * MIB), policy=policy)
        if self.maybe(0.5):
            world.faults.kinds, world.faults.rate, world.faults.budget = {**CUTS, "421": 1}, 0.5, 2
        url = site.url(resource)
        way = self.chance.choice(["get", "kills", "changes", "streams"])
        if way == "streams":
            return self._stream(url, resource)
        if way == "changes":
            world.triggers.at_bytes(self.chance.randrange(1, resource.current.size + 1), lambda: self.change(resource))
            self.may = BROKEN
        if way == "kills" and self.interrupt(url, resource):
            return None
        if self.after(self.get(url), resource) is None:
            world.triggers.clear()
            world.faults.end()
            self.may = frozenset({0})
            self.after(self.get(url), resource)
        return None

    def _stream(self, url, resource):
        options = ["-o", "-", *(each for each in self.options if each not in ("-d", self.target, "--json"))]
        with open(self.folder / "body", "wb") as body:
            process = self.start("get", *options, url, output=body)
            ended = self.finish(process).expect(BROKEN)
        if ended.code == 0:
            return self.expect_version(self.folder / "body", resource)
        if not resource.current.data.startswith((self.folder / "body").read_bytes()):
            raise Wrong("CORRUPT stream: it is not the beginning of the file")
        return None


EPISODES = [Disks, Clocks, Copies, Damages, Ftp]
