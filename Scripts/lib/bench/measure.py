"""Runs a program once and reads its cost from the kernel."""

import os
import resource
import select
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

TIMEOUT = -1000


@dataclass
class Sample:
    """One run: wall and processor time in seconds, peak memory in bytes."""

    code: int
    wall: float
    cpu: float
    peak: int


def measure(command, environment, folder, limit=300):
    """wait4(2) tells what the process and its children used. Past the limit it is killed; the code says so.

    The peak counts from the fork on, so it is never below this script's own: see `floor()`.
    """
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    handle = os.pidfd_open(process.pid)
    late = not select.select([handle], [], [], limit)[0]
    if late:
        process.kill()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    os.close(handle)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Sample(TIMEOUT if late else process.returncode, wall, used.ru_utime + used.ru_stime, used.ru_maxrss << 10)


def interleave(contenders, runs, once):
    """Calls once(contender) `runs` times for each, in turn, each turn starting with another one."""
    samples = {each: [] for each in contenders}
    for run in range(runs):
        turn = run % len(contenders)
        for each in [*contenders[turn:], *contenders[:turn]]:
            samples[each].append(once(each))
    return samples


def apart(action):
    """Runs it in a process of its own, so that its memory does not count; True unless it complained."""
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(0)
        except BaseException as problem:
            print(problem, file=sys.stderr, flush=True)
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def floor():
    """The smallest peak that `measure` can see, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def median(samples, name):
    return statistics.median(getattr(each, name) for each in samples)
