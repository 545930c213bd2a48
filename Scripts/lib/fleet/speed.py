"""Rows per second, processor time and memory of haul batch and img2dataset, by turns, from the same nginx."""

import json
import os
import random
import resource
import statistics
import subprocess
import threading
import time
from pathlib import Path

from common.tally import Wrong
from fleet.site import FILES, HOSTS, CountingNginx, _NoCertificate, own_memory


def run(fleet, rows, rounds, seed, side):
    """Measures; returns lines with all numbers and the medians."""
    python = fleet.python("img2dataset")
    chance = random.Random(seed)
    root = fleet.folder / "root"
    root.mkdir()
    pictures = fleet.run(python, "-c", _PICTURES, root, FILES, side)
    with CountingNginx(root, fleet.folder, _NoCertificate()) as nginx:
        port = nginx.endpoints[0].port
        manifest = fleet.folder / "manifest.jsonl"
        with open(manifest, "w") as file:
            for number in range(rows):
                url = f"http://{chance.choice(HOSTS)}:{port}/{number % FILES}.jpg?{number}"
                file.write(json.dumps({"url": url, "caption": f"number {number}"}) + "\n")
        commands = {
            "haul batch": lambda out: [
                fleet.haul.path, "batch", "--out", out, "--accept", "image/*", "-j", "64", "--per-host", "64", "-q", manifest],
            "img2dataset": lambda out: _img2dataset(python, manifest, out),
            # Its fastest way: pictures are neither decoded nor encoded.
            "img2dataset without decoding": lambda out: [
                *_img2dataset(python, manifest, out), "--disable_all_reencoding", "True"],
        }
        numbers = {name: [] for name in commands}
        for turn in range(rounds):
            for name, command in commands.items():
                out = fleet.folder / f"{name.replace(' ', '-')}-{turn}"
                seconds, processor, memory = _measure(fleet, command(out), name)
                count = _samples(out)
                if count != rows:
                    raise Wrong(f"{name}: {count} of {rows} rows")
                numbers[name].append((rows / seconds, rows / processor, memory))
                yield (f"{name}: {rows / seconds:,.0f} rows/s, {rows / processor:,.0f} for each second of a processor, "
                       f"{memory / (1 << 20):,.0f} MiB")
    medians = {name: statistics.median(each[0] for each in found) for name, found in numbers.items()}
    processors = {name: statistics.median(each[1] for each in found) for name, found in numbers.items()}
    memory = {name: max(each[2] for each in found) for name, found in numbers.items()}
    yield f"pictures of {pictures.strip()}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    for name in commands:
        ratios = [one[0] / other[0] for one, other in zip(numbers["haul batch"], numbers[name], strict=True)]
        pairs = "" if name == "haul batch" else f"; haul batch is {statistics.median(ratios):.1f} times as fast (" + ", ".join(
            f"{ratio:.1f}" for ratio in ratios) + ")"
        if name != "haul batch":
            pairs += f", and {processors['haul batch'] / processors[name]:.1f} times for each second of a processor"
        yield f"{name}: median {medians[name]:,.0f} rows/s, at most {memory[name] / (1 << 20):,.0f} MiB{pairs}"


def _img2dataset(python, manifest, out):
    return [
        python, "-m", "img2dataset.main", "--url_list", manifest, "--input_format", "jsonl", "--url_col", "url",
        "--caption_col", "caption", "--output_folder", out, "--output_format", "webdataset", "--resize_mode", "no",
        "--processes_count", str(os.cpu_count()), "--thread_count", "64", "--number_sample_per_shard", "10000",
        "--enable_wandb", "False", "--compute_hash", "sha256"]


def _measure(fleet, command, name):
    """The time of a command and that of processors in seconds, and the largest memory, of it and all processes below it."""
    began, used = time.monotonic(), _processor()
    process = fleet.start(name.replace(" ", "-"), command, {"NO_ALBUMENTATIONS_UPDATE": "1"})
    most, ended = [0], threading.Event()

    def watch():
        while not ended.wait(0.5):
            most[0] = max(most[0], sum(own_memory(each) for each in _family(process.pid)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        code = process.wait(fleet.limit)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{name} took longer than {fleet.limit} s") from None
    finally:
        ended.set()
        watcher.join()
    if code != 0:
        raise Wrong(f"{name}: exit code {code}: {fleet.log(name.replace(' ', '-'))[-1500:]}")
    return time.monotonic() - began, _processor() - used, most[0]


def _processor():
    """The seconds of processors that ended processes took, with those below them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _family(process):
    """A process and all below it, without a look at any other, which would take time from what is measured."""
    found = [process]
    for each in found:
        for path in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += map(int, path.read_text().split())
            except OSError:
                continue
    return found


def _samples(out):
    """The number of pictures in the tars of a folder."""
    count = 0
    for path in out.glob("*.tar"):
        with open(path, "rb") as tar:
            count += _members(tar)
    return count


def _members(tar):
    """The number of members that are pictures: their names are in blocks of their own, at multiples of 512."""
    count = 0
    while len(head := tar.read(512)) == 512 and head[0]:
        size = int(head[124:135], 8)
        count += head[:100].rstrip(b"\0").endswith((b".jpg", b".jpeg"))
        tar.seek((size + 511) // 512 * 512, os.SEEK_CUR)
    return count


_PICTURES = """
import sys, cv2, numpy
from pathlib import Path
root, count, side = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
random = numpy.random.default_rng(1)
sizes = []
for number in range(count):
    noise = cv2.resize(random.integers(0, 255, (side // 10, side // 10, 3), dtype=numpy.uint8), (side, side), interpolation=cv2.INTER_CUBIC)
    data = cv2.imencode(".jpg", noise)[1].tobytes()
    (root / f"{number}.jpg").write_bytes(data)
    sizes.append(len(data))
print(f"{sum(sizes) / len(sizes) / 1024:.1f} KiB")
"""
