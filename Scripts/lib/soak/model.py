"""The model: every version that a resource ever had, and what its server says about them.

A version's bytes follow from the seed, the resource and the version's number alone, so a run can be repeated and every
finished file can be compared byte for byte.
"""

import base64
import hashlib
import threading
from dataclasses import dataclass, field, replace
from email.utils import formatdate

from common import payload
from common.payload import KIB, MIB

DAY = 86_400
BLOCK = 4 * KIB

TAGS = {"strong": 35, "weak": 8, "weak-same": 10, "weak-then-strong": 7, "backend": 8, None: 32}
DATES = {"old": 45, "fresh": 12, "kept": 10, "second": 5, None: 28}
PARTS = {"same": 80, "no-tag": 8, "bare": 12}


@dataclass(frozen=True)
class Policy:
    """How a server tells versions apart.

    tag    strong, weak (one per version), weak-same (never changes), weak-then-strong (W/ in the first answer),
           backend (another one from each backend), or None
    date   old (days before the answer: strong), fresh (weak), kept (the same old date for all versions, as `cp -p`
           leaves it), second (all versions within one second), or None
    parts  same, no-tag (206 answers lack the tag), bare (206 answers have neither tag nor date)
    """

    tag: str | None = "strong"
    date: str | None = "old"
    parts: str = "same"

    @property
    def separates(self):
        """Whether the validators of a whole answer differ between any two versions."""
        return self.tag in ("strong", "weak", "weak-then-strong", "backend") or self.date in ("old", "fresh")

    @property
    def vouches(self):
        """Whether bytes may be joined without a comparison, so several connections are used."""
        return (self.tag in ("strong", "backend") or self.date in ("old", "kept")) and self.parts == "same"

    @property
    def misleads(self):
        """Whether a strong validator stays the same although the bytes change: no client can notice that.

        Versions of such a resource have to differ in size."""
        return self.date == "kept" and (self.tag in (None, "weak-same") or self.parts != "same")


def pick(chance, weights):
    """One of the keys, as likely as its weight says."""
    return chance.choices(list(weights), list(weights.values()))[0]


def draw_policy(chance):
    return Policy(pick(chance, TAGS), pick(chance, DATES), pick(chance, PARTS))


@dataclass(frozen=True)
class Version:
    """One content of a resource."""

    number: int
    data: bytes = field(repr=False)
    modified: int

    @property
    def size(self):
        return len(self.data)

    def digest(self):
        return hashlib.sha256(self.data).hexdigest()


class Resource:
    """One path of a server. Several threads may ask for the current version while another one changes it."""

    def __init__(self, name, seed, size, policy, now):
        self.name, self.policy, self._seed, self._now = name, policy, seed, int(now)
        self.versions = []
        self.asked = {}
        self.gone = None  # the status that is answered instead of the file
        self._lock = threading.Lock()
        self._append(payload.contents(size, f"{seed}/{name}/0"))

    @property
    def current(self):
        return self.versions[-1]

    def _append(self, data):
        number = len(self.versions)
        modified = {
            "old": self._now - 90 * DAY + 100 * number, "kept": self._now - 90 * DAY, "second": self._now - 2,
        }.get(self.policy.date, self._now - 2 + number)
        self.versions.append(Version(number, data, modified))

    def change(self, chance, kinds):
        """Puts another version in place; returns how it differs from the one before."""
        kind = chance.choice([each for each in kinds if not (self.policy.misleads and each in SAME_SIZE)] or ["grown"])
        with self._lock:
            old, seed = self.current.data, f"{self._seed}/{self.name}/{len(self.versions)}"
            size = len(old)
            if kind == "rewritten":
                data = payload.contents(size, seed)
            elif kind == "resized":
                data = payload.contents(max(1, size + chance.choice([-1, 1, -size // 3, size // 3 + 7])), seed)
            elif kind == "grown":
                data = old + payload.contents(1 + chance.randrange(size // 2 + 10), seed)
            elif kind == "shrunk":
                data = old[: size - 1 - chance.randrange(size // 2)] if size > 1 else b"x" + old
            elif kind == "patched":
                data = _patched(old, payload.contents(BLOCK, seed), chance)
            else:
                data = old
            self._append(data)
        return kind

    def tag(self, version, backend, first):
        opaque = f'"{self.name[:8]}-{version.number}"'
        return {
            "strong": opaque, "weak": f"W/{opaque}", "weak-same": 'W/"release"',
            "weak-then-strong": f"W/{opaque}" if first else opaque, "backend": f'"{backend}{opaque[1:]}',
        }.get(self.policy.tag)

    def digest_text(self, version, kind):
        """The value of a Repr-Digest header, in base64; a wrong one if asked for."""
        digest = hashlib.sha256(version.data).digest()
        return base64.b64encode(digest if kind == "right" else digest[::-1]).decode()

    def validators(self, version, backend, is_part):
        """The headers that tell of the version, as this answer has them."""
        with self._lock:
            first = self.asked.setdefault(version.number, 0) == 0
            self.asked[version.number] += 1
        tag, date = self.tag(version, backend, first), self.policy.date and http_date(version.modified)
        if is_part and self.policy.parts != "same" and not first:
            tag, date = None, date if self.policy.parts == "no-tag" else None
        return tag, date


SAME_SIZE = ("rewritten", "patched")
CHANGES = ("rewritten", "rewritten", "rewritten", "resized", "grown", "shrunk", "touched")


def _patched(old, other, chance):
    """A few blocks differ, the rest is the same."""
    data = bytearray(old)
    for _ in range(chance.choice([1, 2, 5])):
        at = chance.randrange(max(1, len(data) // BLOCK)) * BLOCK
        data[at : at + BLOCK] = other[: len(data) - at]
    return bytes(data)


def http_date(seconds):
    return formatdate(seconds, usegmt=True)


def draw_size(chance, most=4 * MIB):
    """Most files are small; the limits that Haul has of its own are met often."""
    kind = chance.random()
    if kind < 0.04:
        size = 0
    elif kind < 0.14:
        size = chance.randrange(1, 2000)
    elif kind < 0.45:
        size = chance.randrange(2000, 64 * KIB)
    elif kind < 0.6:
        size = chance.randrange(64 * KIB, 300 * KIB)
    elif kind < 0.66:
        size = 256 * KIB + chance.choice([-1, 0, 1])
    elif kind < 0.93:
        size = chance.randrange(256 * KIB, MIB)
    else:
        size = chance.randrange(MIB, max(MIB + 1, most))
    return min(size, most)


def version_of(data, resource):
    """The version that has exactly these bytes, or None; the newest one where several have them."""
    for version in reversed(resource.versions):
        if version.size == len(data) and version.data == data:
            return version
    return None


def mixture(data, resource):
    """What a wrong file consists of, for people: blocks of 4 KiB by the version that has them at that place."""
    found = {}
    for at in range(0, len(data), BLOCK):
        block = data[at : at + BLOCK]
        owners = [str(each.number) for each in resource.versions if each.data[at : at + BLOCK] == block]
        name = "version " + "/".join(owners) if owners else "zeros" if not any(block) else "no version"
        first, last, count = found.get(name, (at, at, 0))
        found[name] = (min(first, at), at, count + 1)
    parts = [f"{count} blocks of {name} ({first}..{last})" for name, (first, last, count) in found.items()]
    sizes = ", ".join(str(each.size) for each in resource.versions)
    return f"{len(data)} bytes: {'; '.join(parts)}; versions have {sizes} bytes"


def without_lies(policy):
    """The same policy for servers whose parts say all that the whole says."""
    return replace(policy, parts="same")
