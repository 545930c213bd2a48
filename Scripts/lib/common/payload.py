"""Makes the files to be served, and compares what came back."""

import hashlib
import os
import random
import time

from common.tally import Wrong

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
BLOCK = 4 * MIB


def contents(size, seed):
    """The same bytes for the same seed."""
    return random.Random(seed).randbytes(size)


def age(path, seconds=86_400):
    """Sets the date back: a file changed within the last minute has only a weak validator (RFC 9110, 8.8.2.2)."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def write_random(path, size, seed):
    path.write_bytes(contents(size, seed))
    path.chmod(0o644)
    age(path)


def write_large(path, size, seed=1):
    """A big file of blocks that all differ, made faster than fresh random bytes could be."""
    block = bytearray(contents(min(size, 16 * MIB), seed))
    with open(path, "wb") as file:
        written = 0
        while written < size:
            block[0:8] = written.to_bytes(8, "big")
            written += file.write(memoryview(block)[: size - written])
    path.chmod(0o644)
    age(path)


def write_sparse(path, size, marks):
    """A file that is all hole except for eight bytes, its own offset, at each mark."""
    with open(path, "wb") as file:
        file.truncate(size)
        for mark in marks:
            file.seek(mark)
            file.write((mark + 1).to_bytes(8, "big"))
    path.chmod(0o644)
    age(path)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def expect_same_digest(source, result):
    if not result.is_file():
        raise Wrong(f"no file {result.name!r}; there is {sorted(os.listdir(result.parent))}")
    if sha256(source) != sha256(result):
        raise Wrong(f"{result.name!r} differs from what was served")


def expect_same_bytes(source, result):
    """Compares block by block; a hole of the source is compared with zeros and not read."""
    if not result.is_file():
        raise Wrong(f"no file {result.name!r}")
    size = source.stat().st_size
    if result.stat().st_size != size:
        raise Wrong(f"{result.stat().st_size} bytes instead of {size}")
    zeros = bytes(BLOCK)
    with open(source, "rb") as wanted, open(result, "rb") as got:
        for offset in range(0, size, BLOCK):
            length = min(BLOCK, size - offset)
            got.seek(offset)
            expected = zeros[:length] if _is_hole(wanted, offset, length) else _read(wanted, offset, length)
            if got.read(length) != expected:
                raise Wrong(f"the block at {offset} differs from what was served")


def _read(file, offset, length):
    file.seek(offset)
    return file.read(length)


def _is_hole(file, offset, length):
    """lseek(2): SEEK_DATA fails with ENXIO where no data follows."""
    try:
        return os.lseek(file.fileno(), offset, os.SEEK_DATA) >= offset + length
    except OSError:
        return True
