"""Kills `haul batch` at random instants and looks at every byte that it leaves."""

import hashlib
import io
import json
import random
import signal
import subprocess
import tarfile
import time

from common.tally import Wrong

SIZE = 10 * 1024
PNG = b"\x89PNG\r\n\x1a\n"
FILTERS = ["--disallow", "noai", "--accept", "image/*"]
# Of 100 rows, the numbers of those that do not end well, by the folder of their URL.
KINDS = {3: "gone", 17: "busy", 31: "page", 45: "tagged", 59: "moved", 73: "moved"}
STATES = {"gone": "failed", "busy": "failed", "page": "refused", "tagged": "refused"}


class Rows:
    """A manifest, with the state that each row must end in."""

    def __init__(self, folder, server, count, seed):
        self.paths, self.states = [], []
        self.digests = {}
        chance = random.Random(seed)
        root = server.root
        for number in range(256):
            data = PNG + chance.randbytes(SIZE - len(PNG))
            (root / f"f{number}.bin").write_bytes(data)
            self.digests[f"f{number}.bin"] = hashlib.sha256(data).hexdigest()
        for number in range(count):
            kind = KINDS.get(number % 100, "")
            self.paths.append(f"/{kind + '/' if kind else ''}f{number % 256}.bin?{number}")
            self.states.append(STATES.get(kind, "ok"))
        self.manifest = folder / "manifest.jsonl"
        with open(self.manifest, "w") as file:
            for number, path in enumerate(self.paths):
                url = server.endpoints[0].url(path[1:])
                file.write(json.dumps({"id": f"row-{number}", "url": url, "caption": f"number {number}"}) + "\n")

    def digest(self, number):
        return self.digests[self.paths[number].split("/")[-1].split("?")[0]]


def results(out, finished_only=False):
    """All results in the order of the parts, as (part, line); a torn last line is left out."""
    found = []
    names = sorted(out.glob("part-*.results.jsonl")) + sorted(
        [] if finished_only else out.glob("part-*.results.jsonl.partial"))
    for path in sorted(names, key=lambda path: path.name):
        text = path.read_bytes()
        for line in text[:text.rfind(b"\n") + 1].splitlines():
            found.append((path, json.loads(line)))
    return found


def kill(haul, rows, out, delay, extra=()):
    """Starts a run, kills it after a delay, and returns True if it was still running."""
    process = subprocess.Popen(
        haul.command("batch", "--out", out, "-q", "--retries", 0, "--rows-per-part", 700, "-j", 32, "--per-host", 32,
                     *FILTERS, *extra, rows.manifest),
        env=haul.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, errors = process.communicate(timeout=delay)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    if process.returncode != 0:
        raise Wrong(f"exit code {process.returncode}: {errors.strip()}")
    return False


def recorded(out):
    """The numbers of the rows that a next run must not fetch: those whose result is whole."""
    return {int(line["id"][4:]) for _, line in results(out)}


def check_requests(server, rows, before):
    """No row with a result was requested again."""
    again = {path.split("?")[-1] for path in server.requested()} & {str(number) for number in before}
    if again:
        raise Wrong(f"{len(again)} rows with a result were fetched again, such as {sorted(again)[:3]}")


def check_tars(out, rows, complete):
    """Every finished tar is readable by tarfile and matches its results; no row has two results."""
    seen = set()
    for path, line in results(out, finished_only=True):
        number = int(line["id"][4:])
        if number in seen:
            raise Wrong(f"row {number} has two results")
        seen.add(number)
        if line["state"] != rows.states[number]:
            raise Wrong(f"row {number} is {line['state']} ({line['error']}), not {rows.states[number]}")
    for path in sorted(out.glob("part-*.tar")):
        expected = {line["member"]: line for name, line in results(out, True)
                    if name.name == path.name.replace(".tar", ".results.jsonl") and line["state"] == "ok"}
        data = path.read_bytes()
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            names = tar.getnames()
            if len(names) != 2 * len(expected) or len(set(names)) != len(names):
                raise Wrong(f"{path.name} has {len(names)} members, {len(expected)} results")
            for member, line in expected.items():
                content = tar.extractfile(member).read()
                number = int(line["id"][4:])
                digest = hashlib.sha256(content).hexdigest()
                if digest != line["sha256"] or digest != rows.digest(number):
                    raise Wrong(f"{path.name}: {member} is wrong")
                if data[line["offset"]:line["offset"] + line["bytes"]] != content:
                    raise Wrong(f"{path.name}: the offset of {member} is wrong")
    if complete and seen != set(range(len(rows.paths))):
        raise Wrong(f"{len(rows.paths) - len(seen)} rows have no result")


def check_webdataset(out, rows):
    """WebDataset reads one sample per row that is ok."""
    import webdataset

    shards = [str(path) for path in sorted(out.glob("part-*.tar"))]
    samples = 0
    for sample in webdataset.WebDataset(shards, shardshuffle=False, empty_check=False):
        about = json.loads(sample["json"])
        if hashlib.sha256(sample["png"]).hexdigest() != about["sha256"] or "caption" not in about:
            raise Wrong(f"{sample['__key__']} is wrong")
        samples += 1
    if samples != rows.states.count("ok"):
        raise Wrong(f"webdataset found {samples} samples instead of {rows.states.count('ok')}")
    return samples


def until_done(haul, server, rows, out, chance, duration, limit):
    """Kills and restarts until a run ends; returns the number of kills."""
    kills = 0
    server.requested()
    while kills < limit:
        before = recorded(out)
        was_running = kill(haul, rows, out, chance.uniform(0.005, duration))
        time.sleep(0.05)
        check_requests(server, rows, before)
        check_tars(out, rows, complete=False)
        if not was_running:
            return kills
        kills += 1
    if kill(haul, rows, out, 300):
        raise Wrong("the last run did not end")
    return kills
