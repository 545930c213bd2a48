"""What the cases with aria2's clients share: the program under its other name, folders, files to fetch, and how one complains."""

import hashlib
import subprocess
import time

from aria2.servers import Files
from common.tally import Wrong


def run_all(tally, haul, folder, cases):
    program = folder / "bin/aria2c"
    program.parent.mkdir()
    program.symlink_to(haul.path)
    with Files() as files:
        bench = Bench(program, haul, folder, files)
        for case in cases:
            with tally.case(case.__doc__):
                case(bench)


class Bench:
    def __init__(self, program, haul, folder, files):
        self.program, self.haul, self.folder, self.files = program, haul, folder, files
        self.count = 0

    def place(self):
        """A new empty folder."""
        self.count += 1
        place = self.folder / f"case-{self.count}"
        place.mkdir()
        return place

    def run(self, *arguments, cwd=None, command=None, stdin=""):
        return subprocess.run(
            [*(command or [str(self.program)]), *map(str, arguments)], env=self.haul.environment, cwd=cwd or self.folder,
            input=stdin, capture_output=True, text=True, timeout=120)

    def check(self, file, path):
        if hashlib.sha256(file.read_bytes()).hexdigest() != self.files.digest(path):
            raise Wrong(f"{file.name} has other bytes than {path}")


def expect(actual, wanted, what=""):
    if actual != wanted:
        raise Wrong(f"{what}: {actual!r} instead of {wanted!r}")


def until(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Wrong(f"{what} did not come within {seconds} s")
        time.sleep(0.05)
