"""What goes wrong on a server, and when: a bounded number of faults, drawn from the episode's own chance."""

import threading
from dataclasses import dataclass

from soak.model import pick

# Each fault and how likely it is among the others. All of them leave a client that tries again a way to the file.
CUTS = {"fin": 5, "rst": 5, "freeze": 1}
ALL = {**CUTS, "empty": 2, "half-head": 1, "500": 1, "503": 1, "503-after": 1, "429": 1, "offset": 1, "extra": 1, "garbage": 1}


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong with one answer; `at` is the part of the body that is sent before."""

    kind: str
    at: float = 0.0

    def __str__(self):
        return f"{self.kind}@{self.at:.3f}" if self.kind in CUTS else self.kind


class Faults:
    """Gives out faults to requests, no more than `budget` until it is filled up again."""

    def __init__(self, chance, kinds=None, rate=0.0, budget=0):
        self.kinds, self.rate, self.budget = kinds or {}, rate, budget
        self.given = []
        self._chance, self._lock = chance, threading.Lock()

    def draw(self):
        with self._lock:
            if not self.budget or not self.kinds or self._chance.random() >= self.rate:
                return None
            self.budget -= 1
            # Often right at the beginning or the end: that is where special cases live.
            at = self._chance.choice([0.0, 1.0, *(self._chance.random() for _ in range(6))])
            fault = Fault(pick(self._chance, self.kinds), at)
            self.given.append(fault)
            return fault

    def end(self):
        """From now on nothing goes wrong."""
        with self._lock:
            self.budget = 0


class Triggers:
    """Actions that happen once, when so many bytes of bodies have been sent or so many requests been read."""

    def __init__(self):
        self.sent = self.requests = 0
        self._pending = []
        self._lock = threading.Lock()

    def at_bytes(self, count, action):
        with self._lock:
            self._pending.append(("sent", self.sent + count, action))

    def at_requests(self, count, action):
        with self._lock:
            self._pending.append(("requests", self.requests + count, action))

    def clear(self):
        with self._lock:
            self._pending = []

    def count_bytes(self, count):
        with self._lock:
            self.sent += count
            due = self._due()
        for action in due:
            action()

    def count_request(self):
        with self._lock:
            self.requests += 1
            due = self._due()
        for action in due:
            action()

    def _due(self):
        if not self._pending:
            return []
        due = [each for each in self._pending if getattr(self, each[0]) >= each[1]]
        self._pending = [each for each in self._pending if each not in due]
        return [action for _, _, action in due]
