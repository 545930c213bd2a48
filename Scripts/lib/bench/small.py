"""B3: 5,000 files of 10 KiB from a list, 16 at once."""

import sys

from bench import peers
from bench.measure import interleave, measure, median
from common import payload
from common.payload import KIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder
from servers.programs import Nginx

FILES = 5_000
SIZE = 10 * KIB
CONTENDERS = ["haul -j16", "curl -Z", "aria2c -j16", "wget2"]


def run(setting):
    root = setting.folder / "small"
    root.mkdir()
    root.chmod(0o755)
    everything = payload.contents(FILES * SIZE, 3)
    files = {f"f{number:04}.bin": everything[number * SIZE:][:SIZE] for number in range(FILES)}
    for name, data in files.items():
        (root / name).write_bytes(data)
    with Nginx(root, setting.folder / "servers", setting.certificate) as server:
        for endpoint in server.endpoints:
            _measure(setting, endpoint, files)


def _measure(setting, endpoint, files):
    lists = setting.folder / f"lists-{endpoint.scheme}"
    lists.mkdir()
    urls = [endpoint.url(name) for name in files]
    (lists / "urls.txt").write_text("".join(f"{url}\n" for url in urls))
    (lists / "curl.conf").write_text("".join(
        f'url = "{url}"\noutput = "{name}"\n' for url, name in zip(urls, files)))

    def once(name):
        with empty_folder(setting.folder) as target:
            command = peers.many(setting.haul, name, lists, target, setting.certificate, endpoint.scheme == "https")
            sample = measure(command, setting.haul.environment, target)
            _check(name, sample, target, files)
            print(f"  {endpoint.scheme} {name}: {sample.wall:.2f} s", file=sys.stderr, flush=True)
            return sample

    samples = interleave([each for each in CONTENDERS if peers.available(each)], setting.runs, once)
    rates = {name: FILES / median(each, "wall") for name, each in samples.items()}
    print(f"\n{FILES} files of {SIZE // KIB} KiB, {endpoint.scheme}, nginx, 16 at once\n")
    rows = [[name, f"{rates[name]:.0f}", f"{median(each, 'wall'):.2f}", f"{median(each, 'cpu'):.2f}"]
            for name, each in samples.items()]
    print(markdown(["program", "files/s", "s", "CPU s"], rows), flush=True)
    for peer, limit in (("aria2c -j16", 2.5), ("curl -Z", 1.0)):
        if peer in rates:
            setting.at_least("B3", f"small files, {endpoint.scheme}: files/s to {peer}",
                             rates["haul -j16"] / rates[peer], limit, " x")


def _check(name, sample, target, files):
    if sample.code != 0:
        raise Wrong(f"{name} ended with {sample.code}")
    for file, data in files.items():
        path = target / file
        if not path.is_file() or path.read_bytes() != data:
            raise Wrong(f"{name}: {file} is missing or wrong")
