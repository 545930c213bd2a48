"""PREVIOUS: the program against an earlier build of it (`--previous PATH`), interleaved: time, processor time, memory and size."""

import shutil
import subprocess
import sys
from dataclasses import dataclass

from bench.measure import apart, interleave, measure, median
from common import payload
from common.haul import Haul
from common.payload import KIB, MIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder
from servers.programs import Nginx

THIS, PREVIOUS = "this", "previous"
SHORT_RUNS = 40
FILES = 2_000
LIMIT = 1.03


@dataclass
class Work:
    """What both programs are asked to do, and the file that they must leave, if it is a single one."""

    title: str
    arguments: list
    runs: int
    source: str = ""


def run(setting):
    if not setting.previous:
        raise Wrong("the earlier program is not named; use --previous PATH")
    root = setting.folder / "previous"
    root.mkdir()
    root.chmod(0o755)
    _make_files(setting, root)
    programs = {THIS: setting.haul, PREVIOUS: Haul(setting.folder, setting.previous)}
    rows = []
    with Nginx(root, setting.folder / "servers", setting.certificate) as server:
        for work in _works(setting, root, {each.scheme: each for each in server.endpoints}):
            rows.append(_compare(setting, work, programs, root))
    rows.append(_sizes(setting, programs))
    print(f"\nRatios to {setting.previous}, medians\n")
    print(markdown(["work", "ms", "time", "processor time", "memory"], rows), flush=True)


def _make_files(setting, root):
    (root / "small.bin").write_bytes(payload.contents(10 * KIB, 5))
    (root / "middle.bin").write_bytes(payload.contents(8 * MIB, 6))
    if shutil.disk_usage(setting.folder).free < 3 * setting.size:
        raise Wrong(f"{setting.folder.parent} has no room for twice the big file; use --size or --folder")
    if not apart(lambda: payload.write_large(root / "big.bin", setting.size)):
        raise Wrong("the big file could not be made")
    everything = payload.contents(FILES * 10 * KIB, 3)
    (root / "many").mkdir(mode=0o755)
    for number in range(FILES):
        (root / f"many/f{number:04}.bin").write_bytes(everything[number * 10 * KIB:][:10 * KIB])


def _works(setting, root, endpoints):
    yield Work("haul --version", ["--version"], SHORT_RUNS)
    trust = ["--ca-certificate", setting.certificate.authority]
    for scheme, options in (("http", []), ("https", trust)):
        def get(title, file, runs, *more):
            url = endpoints[scheme].url(file)
            return Work(f"{scheme}, {title}", ["get", "--quiet", *options, *more, url], runs, "" if "-o" in more else file)
        yield get("10 KiB", "small.bin", SHORT_RUNS)
        yield get("8 MiB", "middle.bin", SHORT_RUNS // 2)
        yield get("big file", "big.bin", setting.runs)
        yield get("big file, -c8", "big.bin", setting.runs, "-c8")
        yield get("big file as a stream", "big.bin", setting.runs, "-o", "-")
        urls = setting.folder / f"previous-{scheme}.txt"
        urls.write_text("".join(f"{endpoints[scheme].url(f'many/f{number:04}.bin')}\n" for number in range(FILES)))
        yield Work(f"{scheme}, {FILES} files of 10 KiB", ["get", "--quiet", *options, "-j16", "-i", urls], setting.runs)


def _compare(setting, work, programs, root):
    def once(name):
        with empty_folder(setting.folder) as target:
            haul = programs[name]
            sample = measure(haul.command(*work.arguments), haul.environment, target)
            if sample.code != 0:
                raise Wrong(f"{name}, {work.title}: ended with {sample.code}")
            if work.source and (target / work.source).stat().st_size != (root / work.source).stat().st_size:
                raise Wrong(f"{name}, {work.title}: left a file of another size")
            return sample

    for name in programs:
        once(name)
    samples = interleave(list(programs), work.runs, once)
    ratios = {value: median(samples[THIS], value) / median(samples[PREVIOUS], value) for value in ("wall", "cpu", "peak")}
    shown = f"{median(samples[THIS], 'wall') * 1000:.1f}"
    print(f"  {work.title}: {shown} ms, {ratios['wall']:.3f}", file=sys.stderr, flush=True)
    setting.at_most("PREVIOUS", f"{work.title}: worst of time, processor time and memory", max(ratios.values()), LIMIT, " x")
    return [work.title, shown, *(f"{ratio:.2f}" for ratio in ratios.values())]


def _sizes(setting, programs):
    sizes = {}
    for name, haul in programs.items():
        stripped = setting.folder / "stripped"
        subprocess.run(["strip", "-o", stripped, haul.path], check=True)
        sizes[name] = stripped.stat().st_size / 1e6
    setting.at_most("PREVIOUS", "size without symbols", sizes[THIS] / sizes[PREVIOUS], LIMIT, " x")
    return ["size without symbols", f"{sizes[THIS]:.1f} MB", f"{sizes[THIS] / sizes[PREVIOUS]:.2f} (size)", "", ""]
