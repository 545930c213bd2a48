"""B12, B16 and B17: how long the program takes to start, what one small file takes, and the size of the program."""

import shutil
import subprocess
import sys

from bench import peers
from bench.measure import interleave, measure, median
from common.payload import KIB, contents
from common.workspace import empty_folder
from servers.programs import Nginx

RUNS = 40
SIZE = 10 * KIB
VERSION, SMALL, CURL = "haul --version", "haul", "curl"


def run(setting):
    root = setting.folder / "start"
    root.mkdir()
    root.chmod(0o755)
    (root / "f.bin").write_bytes(contents(SIZE, 5))
    with Nginx(root, setting.folder / "servers", setting.certificate) as server:
        url = next(each for each in server.endpoints if each.scheme == "http").url("f.bin")

        def once(name):
            with empty_folder(setting.folder) as target:
                command = setting.haul.command("--version") if name == VERSION else peers.single(
                    setting.haul, name, url, target, setting.certificate)
                return measure(command, setting.haul.environment, target)

        names = [VERSION, SMALL] + ([CURL] if peers.available(CURL) else [])
        samples = interleave(names, RUNS, once)
    times = {name: median(each, "wall") * 1000 for name, each in samples.items()}
    for name, each in times.items():
        print(f"  {name}: {each:.1f} ms", file=sys.stderr, flush=True)
    setting.at_most("B12", f"`haul --version`, median of {RUNS}", times[VERSION], 6, " ms")
    if CURL in times:
        setting.at_most("B16", "one file of 10 KiB, the whole command: wall time to curl", times[SMALL] / times[CURL], 1.3, " x")
    _size(setting)


def _size(setting):
    if not shutil.which("strip"):
        return
    stripped = setting.folder / "stripped"
    subprocess.run(["strip", "-o", stripped, setting.haul.path], check=True)
    setting.at_most("B17", "the program without symbols", stripped.stat().st_size / 1e6, 55, " MB")
    stripped.unlink()
