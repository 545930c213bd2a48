"""Two processes on one target: one works, the other says so within a second."""

import random
import threading
import time

from common import payload
from common.payload import MIB
from common.tally import Wrong
from common.workspace import empty_folder, listing
from kill9.rounds import RATE, wait_for_partial
from servers.shaped import Shape, ShapedServer

NAME = "payload.bin"
SIZE = 48 * MIB
EXIT_BUSY = 20


class Suite:
    """Even rounds start the second process while the first is at work, odd rounds start both at once."""

    def __init__(self, haul, folder):
        self.haul, self.folder = haul, folder
        self.source = folder / "source.bin"
        payload.write_random(self.source, SIZE, 48)
        self.data = self.source.read_bytes()
        self.slowest = 0.0
        self._lock = threading.Lock()

    def round(self, number, chance: random.Random):
        with empty_folder(self.folder) as target, \
                ShapedServer({NAME: self.data}, Shape(total_rate=RATE)) as server:
            command = ["get", "--quiet", "-d", target, "-c", chance.randrange(1, 5), server.url(NAME)]
            first = self.haul.start(*command)
            if number % 2 == 0:
                wait_for_partial(target, NAME, first)
            began = time.monotonic()
            second = self.haul.start(*command)
            try:
                loser, seconds = self._first_to_end(first, second, began)
                self._judge(loser, seconds)
                winner = second if loser is first else first
                self.haul.finish(winner).expect(0)
            finally:
                for process in (first, second):
                    process.kill()
                    process.wait()
            payload.expect_same_digest(self.source, target / NAME)
            if listing(target) != [NAME]:
                raise Wrong(f"left behind: {listing(target)}")

    def _first_to_end(self, first, second, began):
        while time.monotonic() < began + 30:
            for process in (second, first):
                if process.poll() is not None:
                    return process, time.monotonic() - began
            time.sleep(0.005)
        raise Wrong("neither process ended within 30 s")

    def _judge(self, loser, seconds):
        self.haul.finish(loser).expect(EXIT_BUSY)
        if seconds > 1:
            raise Wrong(f"the other process took {seconds:.2f} s to say that the target is busy")
        with self._lock:
            self.slowest = max(self.slowest, seconds)

    def report(self):
        print(f"\nthe other process ended after {self.slowest:.2f} s at most (bar: 1 s)")
