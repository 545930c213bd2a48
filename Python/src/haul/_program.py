"""Finds the program `haul`, writes its command line and starts it."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import FrameType

from haul._options import REPEATED

_PR_SET_PDEATHSIG = 1

# Options that print a text instead of doing something, and those that the functions of this package decide.
_TEXTS = frozenset({"help", "help-hidden", "version", "generate-completion-script", "experimental-dump-help", "plan"})
_OWN = frozenset({"json", "input-file", "check"})


def find() -> str:
    """Return the path of the program: that of the variable HAUL, of this package, or of PATH.

    Raises:
        FileNotFoundError: The program is missing, or HAUL names another file.
    """
    if chosen := os.environ.get("HAUL"):
        if not shutil.which(chosen):
            raise FileNotFoundError(f"HAUL names {chosen}, which is not a program: correct or unset the variable")
        return chosen
    own = Path(__file__).parent / "_bin" / "haul"
    if own.exists():
        return str(own)
    if found := shutil.which("haul"):
        return found
    raise FileNotFoundError("the program haul was not found: install the wheel haul-dl, or set HAUL to its path")


def check_options(options: Iterable[str]) -> None:
    """Refuse options of the program that its callers in Python can't have.

    Raises:
        TypeError: An option prints a text instead of doing something, or is one that this package decides.
    """
    for key in options:
        name = _name(key)
        if name in _TEXTS:
            raise TypeError(f"{key} is not an option here: it prints a text; run haul with --{name} in a terminal")
        if name in _OWN:
            raise TypeError(f"{key} is not an option here: the function decides it")


def command(name: str, arguments: Sequence[str], options: Mapping[str, object]) -> list[str]:
    """Return a command line; `per_host=4` becomes `--per-host=4`, and `robots_txt=True` becomes `--robots-txt`.

    None and False leave an option out. Of a list, each item is an option of its own if the option may be repeated;
    otherwise the items are separated by commas. Headers may be a mapping, too. A trailing underscore, as in
    `continue_`, is removed.

    Raises:
        TypeError: An option that is not `header` is a mapping.
    """
    line = [find(), name]
    for key, value in options.items():
        option = "--" + _name(key)
        if value is None or value is False:
            continue
        if isinstance(value, Mapping):
            if key != "header":
                raise TypeError(f"{key} is a value or a list, not a mapping")
            value = [f"{name}: {text}" for name, text in value.items()]  # noqa: PLW2901
        if value is True:
            line.append(option)
        elif isinstance(value, (list, tuple, set, frozenset)):
            items = [_text(item) for item in value]
            line += [f"{option}={item}" for item in (items if key in REPEATED else [",".join(items)])]
        else:
            line.append(f"{option}={_text(value)}")
    return [*line, "--", *arguments] if arguments else line


def _name(key: str) -> str:
    """Return an option's name on the command line."""
    return key.rstrip("_").replace("_", "-")


def _text(value: object) -> str:
    return os.fsdecode(value) if isinstance(value, os.PathLike) else str(value)


def child_setup() -> Callable[[], None] | None:
    """Return what a child calls before it becomes `haul`: the kernel kills it when its parent dies.

    A worker of Spark or Ray is killed without a chance to end its children, and they must not download for another
    minute beside the next attempt.
    """
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    parent = os.getpid()

    def die_with_parent() -> None:
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # It may have died before the call.
        if os.getppid() != parent:
            os._exit(1)

    return die_with_parent


def start(line: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a command with pipes for its standard input, output and errors.

    Control-C in the meantime takes effect when the command is running, and ends it: nobody else could.
    """
    handler = signal.getsignal(signal.SIGINT)
    # Only the main thread is interrupted.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        return _open(line)
    late: list[tuple[int, FrameType | None]] = []
    process = None
    signal.signal(signal.SIGINT, lambda number, frame: late.append((number, frame)))
    try:
        process = _open(line)
        signal.signal(signal.SIGINT, handler)
        if late:
            handler(*late[0])
    except BaseException:
        signal.signal(signal.SIGINT, handler)
        if process:
            with process:
                process.kill()
        raise
    return process


def _open(line: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        line,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=child_setup(),  # noqa: PLW1509
    )


def main() -> None:
    """Become `haul` with the same arguments: the command of the wheel."""
    program = find()
    os.execv(program, ["haul", *sys.argv[1:]])  # noqa: S606
