"""A list of 100,000 small files, of which one in a hundred is missing, from nginx; then what is missing alone."""

import json
import os
import resource
import subprocess
import time

from common.tally import Wrong
from common.workspace import empty_folder
from servers.programs import Nginx

FILES = 100_000
EVERY = 100
FOLDERS = 100
EXIT_NOT_FOUND = 3
MIB = 1 << 20


def run(tally, bench):
    root = bench.folder / "many"
    _make(root)
    with Nginx(root, bench.folder / "servers", bench.certificate) as server, empty_folder(bench.folder) as target:
        endpoint = server.endpoints[0]
        lists = bench.folder / "list.txt"
        _write(lists, endpoint, target)
        with tally.case(f"{endpoint}: {FILES} files of a list, 1 % of them missing"):
            failed = _get(bench, lists, target, EXIT_NOT_FOUND, complete=FILES - FILES // EVERY, kept=0)
            wanted = {1 + 3 * number for number in range(FILES) if number % EVERY == 7}
            if failed != wanted:
                raise Wrong(f"{len(failed ^ wanted)} lines have another result than they should")
        with tally.case(f"{endpoint}: the same list again, only what is missing"):
            for number in range(7, FILES, EVERY):
                _source(root, number).write_bytes(_content(number))
            _get(bench, lists, target, 0, "--on-conflict", "skip", complete=FILES, kept=FILES - FILES // EVERY)
        with tally.case(f"{endpoint}: all {FILES} files are right"):
            for number in range(FILES):
                if (target / f"d{number % FOLDERS}" / f"n{number}").read_bytes() != _content(number):
                    raise Wrong(f"n{number} holds something else")


def _make(root):
    root.mkdir()
    root.chmod(0o755)
    for folder in range(FOLDERS):
        (root / f"{folder}").mkdir()
    for number in range(FILES):
        if number % EVERY != 7:
            _source(root, number).write_bytes(_content(number))


def _source(root, number):
    return root / f"{number % FOLDERS}" / f"f{number}"


def _content(number):
    return f"{number} ".encode() * (number % 400)


def _write(path, endpoint, target):
    """Three lines for each: a URL and two options below it."""
    for folder in range(FOLDERS):
        (target / f"d{folder}").mkdir()
    with path.open("w") as out:
        for number in range(FILES):
            folder = number % FOLDERS
            out.write(f"{endpoint.url(f'{folder}/f{number}')}\n  out=n{number}\n  dir={target}/d{folder}\n")


def _get(bench, lists, target, code, *options, complete, kept):
    """Runs the list and returns the numbers of the lines that failed."""
    command = bench.haul.command("get", "--json", "-j", 16, "-i", lists, *options)
    began = time.monotonic()
    with open(bench.folder / "events", "w+b") as events, open(bench.folder / "errors", "wb") as errors:
        process = subprocess.Popen(command, env=bench.haul.environment, stdin=subprocess.DEVNULL,
                                   stdout=events, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        events.seek(0)
        failed, last = set(), None
        for line in events:
            last = json.loads(line)
            if last["event"] == "failed":
                failed.add(last["line"])
    # A child's peak counts from the fork on, so it is never below this script's own.
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"        {FILES / seconds:.0f} files/s, peak memory {used.ru_maxrss * 1024 / MIB:.0f} MiB "
          f"(the script's own: {floor * 1024 / MIB:.0f} MiB)", flush=True)
    if process.returncode != code:
        raise Wrong(f"exit code {process.returncode} instead of {code}")
    expected = dict(event="summary", complete=complete, kept=kept, failed=FILES - complete, stopped=0, exitCode=code)
    if not last or any(last.get(name) != value for name, value in expected.items()):
        raise Wrong(f"the summary is {last}")
    return failed
