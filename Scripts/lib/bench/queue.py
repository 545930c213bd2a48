"""B10, and the cost of progress: what the library's manager does without any network."""

import json
import subprocess
import sys

from bench.peers import BENCH
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder


def run(setting):
    count = setting.queue
    with empty_folder(setting.folder) as folder:
        figures = _measure("queue", "--count", str(count), str(folder))
    work = f"{count:,} queued downloads:"
    setting.at_least("B10", f"{work} added per second", figures["addPerSecond"], 50_000)
    setting.at_most("B10", f"{work} memory of each", figures["bytesEach"], 400, " bytes")
    setting.at_most("B10", f"{work} launched again in", figures["launchSeconds"], 2, " s")
    setting.at_most("B10", f"{work} a page of 100 in", figures["pageSeconds"] * 1000, 10, " ms")
    rows = [[name.removesuffix("PerSecond"), f"{value:,.0f}"] for name, value in figures.items() if "PerSecond" in name]
    print(f"\n{count:,} queued downloads, list in memory\n")
    print(markdown(["verb, for all", "downloads/s"], rows), flush=True)
    _bulk(setting)
    ticks = sorted((_measure("ticks") for _ in range(setting.runs)), key=lambda each: each["processorSeconds"])
    middle = ticks[len(ticks) // 2]
    print(f"\n10,000 progress ticks, 100 subscribers: {middle['seconds']:.2f} s,"
          f" {middle['processorSeconds']:.2f} s of processor time (median of {setting.runs})", flush=True)


def _bulk(setting):
    count = max(1, setting.queue // 5)
    with empty_folder(setting.folder) as folder:
        figures = _measure("bulk", "--count", str(count), str(folder))
    verbs = [name.removesuffix("Seconds") for name in figures if name.endswith("Seconds")]
    for verb in verbs:
        work = f"{verb} all of {count:,}:"
        setting.at_most("B10", work, figures[f"{verb}Seconds"], 5, " s")
        setting.at_most("B10", f"{work} others wait", figures[f"{verb}WaitMilliseconds"], 50, " ms")
        setting.at_most("B10", f"{work} more memory", figures[f"{verb}MiB"], 64, " MiB")


def _measure(*arguments):
    if not BENCH.exists():
        raise Wrong(f"{BENCH} is missing; build it with: make bench")
    done = subprocess.run([str(BENCH), *arguments], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise Wrong(f"HaulBench {arguments[0]} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    print(f"  {arguments[0]}: {done.stdout.strip()}", file=sys.stderr, flush=True)
    return json.loads(done.stdout)
