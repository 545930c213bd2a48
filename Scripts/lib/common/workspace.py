"""A temporary folder that servers may read, and a script that cleans up however it is ended."""

import os
import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def workspace(prefix, base="/var/tmp"):
    """A new folder under `base` (on disk unless told otherwise), removed at the end with all it holds.

    It is open to all readers, because Apache refuses to serve as root and changes to another user.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=base))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def empty_folder(parent):
    """A new folder for the results of one case."""
    folder = Path(tempfile.mkdtemp(prefix="case-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def listing(folder):
    return sorted(os.listdir(folder))
