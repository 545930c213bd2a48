"""Damage between kill and rerun: never a wrong file with exit code 0, never a crash, never a hang."""

import os
import random
import shutil
import threading
from collections import Counter

from common import payload
from common.payload import MIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder
from kill9.rounds import RATE, run_until, wait_for_partial
from servers.shaped import Shape, ShapedServer

NAME, OTHER = "payload.bin", "other.bin"
SIZE = 16 * MIB
SHAPE = Shape(total_rate=RATE, send_buffer=8192)


def lose(path, _chance, _other):
    path.unlink()


def cut(path, chance, _other):
    os.truncate(path, chance.randrange(path.stat().st_size or 1))


def empty(path, _chance, _other):
    os.truncate(path, 0)


def grow(path, chance, _other):
    with open(path, "ab") as file:
        file.write(chance.randbytes(chance.randrange(1, 5000)))


def garble(path, chance, _other):
    """One to 64 bytes anywhere become others."""
    size = path.stat().st_size
    with open(path, "r+b") as file:
        for _ in range(chance.choice([1, 1, 4, 64]) if size else 0):
            offset = chance.randrange(size)
            file.seek(offset)
            old = file.read(1)[0]
            file.seek(offset)
            file.write(bytes([old ^ chance.randrange(1, 256)]))


def garble_start(path, chance, _other):
    """The header is where most of a journal's meaning is."""
    with open(path, "r+b") as file:
        file.write(chance.randbytes(chance.randrange(1, 256)))


def swap(path, _chance, other):
    """Another download's file, of the same kind and for a source of the same size, takes its place."""
    if other.exists():
        os.replace(other, path)


def folder(path, _chance, _other):
    path.unlink()
    path.mkdir()


def symlink(path, _chance, other):
    path.unlink()
    path.symlink_to(other.parent / "precious.txt")


def dangling(path, _chance, _other):
    path.unlink()
    path.symlink_to(path.parent / "outside" / "nowhere")


def fifo(path, _chance, _other):
    path.unlink()
    os.mkfifo(path)


DAMAGES = [lose, cut, empty, grow, garble, garble_start, swap, folder, symlink, dangling, fifo]
PRECIOUS = "not to be touched\n"
ENDS = (0, 11, 13, 15, 16, 18, 19)


class Suite:
    """Each round: two downloads are killed, one of them is damaged and run again, then everything is put right.

    Bytes garbled inside a partial can be found only with a checksum, so those rounds give one.
    """

    def __init__(self, haul, folder):
        self.haul, self.folder = haul, folder
        self.sources = {NAME: folder / "source.bin", OTHER: folder / "source-other.bin"}
        for seed, path in enumerate(self.sources.values()):
            payload.write_random(path, SIZE, seed + 200)
        self.files = {name: path.read_bytes() for name, path in self.sources.items()}
        self.digest = payload.sha256(self.sources[NAME])
        self.seen = Counter()
        self._lock = threading.Lock()

    def round(self, number, chance: random.Random):
        damage = DAMAGES[number % len(DAMAGES)]
        suffixes = [[".part.haul"], [".part"], [".part", ".part.haul"]][number // len(DAMAGES) % 3]
        with empty_folder(self.folder) as target, ShapedServer(self.files, SHAPE) as server:
            (target / "precious.txt").write_text(PRECIOUS)
            self._kill_both(target, server, chance)
            for suffix in suffixes:
                if (target / (NAME + suffix)).exists():
                    damage(target / (NAME + suffix), chance, target / (OTHER + suffix))
            label = f"{damage.__name__} {' and '.join('NAME' + suffix for suffix in suffixes)}"
            try:
                code = self._rerun(target, server, chance, checked=damage in (garble, garble_start)
                                   and ".part" in suffixes)
                if code != 0:
                    self._put_right(target, server)
            except Wrong as problem:
                raise Wrong(f"{label}: {problem}") from None
            self._expect_untouched(target, label)
        with self._lock:
            self.seen[(label, code)] += 1

    def _get(self, target, server, name, chance, *options):
        return ["get", "--quiet", "-d", target, "-c", chance.randrange(1, 9), *options, server.url(name)]

    def _kill_both(self, target, server, chance):
        for name in (OTHER, NAME):
            process = self.haul.start(*self._get(target, server, name, chance))
            wait_for_partial(target, name, process)
            run_until(self.haul, process, chance.uniform(0, 0.7))

    def _rerun(self, target, server, chance, checked):
        options = ["--checksum", f"sha256:{self.digest}"] if checked else []
        if (target / NAME).exists():
            return 0
        outcome = self.haul.run(*self._get(target, server, NAME, chance, *options), timeout=60)
        if outcome.code not in ENDS:
            raise Wrong(f"exit code {outcome.code}: {outcome.last_line()}")
        if outcome.code == 0:
            payload.expect_same_digest(self.sources[NAME], target / NAME)
        elif (target / NAME).exists():
            raise Wrong(f"exit code {outcome.code}, and yet a file under the final name")
        elif not outcome.errors.strip():
            raise Wrong(f"exit code {outcome.code} without a message")
        return outcome.code

    def _put_right(self, target, server):
        """Whatever stood in the way is removed: then the download has to come to its end."""
        for path in target.glob(f"{NAME}.part*"):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self.haul.run("get", "--quiet", "-d", target, server.url(NAME), timeout=60).expect(0)
        payload.expect_same_digest(self.sources[NAME], target / NAME)

    def _expect_untouched(self, target, label):
        if (target / "precious.txt").read_text() != PRECIOUS:
            raise Wrong(f"{label}: wrote through a symbolic link")
        if (target / "outside").exists():
            raise Wrong(f"{label}: created what a symbolic link points to")

    def report(self):
        rows = [[label, code, count] for (label, code), count in sorted(self.seen.items())]
        print(markdown(["damage", "exit code of the rerun", "rounds"], rows))
