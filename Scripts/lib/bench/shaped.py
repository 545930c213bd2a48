"""B4 to B7: a server that limits each connection, and one connection that is slow, frozen or refused."""

import sys
from dataclasses import dataclass

from bench import peers
from bench.measure import TIMEOUT, interleave, measure, median
from common import payload
from common.payload import KIB, MIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder
from servers.shaped import Shape, ShapedServer

SIZE = 32 * MIB
RATE = 3 * MIB
SLOW = 64 * KIB
ODD_ONE = 4
LIMIT = 60
CONTENDERS = ["haul -c8", "aria2c -x8", "aria2c", "axel -n8", "curl", "wget2"]


@dataclass
class Work:
    """One kind of server; the bar is a multiple of the ideal time."""

    bar: str
    title: str
    shape: Shape
    bytes_a_second: float
    limit: float

    @property
    def ideal(self):
        return SIZE / self.bytes_a_second


def limited(setting):
    _run(setting, Work("B4", "3 MiB/s per connection", Shape(connection_rate=RATE), 8 * RATE, 1.10))


def slow(setting):
    shape = Shape(connection_rate=RATE, slow={ODD_ONE: SLOW})
    _run(setting, Work("B5", "one of eight connections at 64 KiB/s", shape, 7 * RATE + SLOW, 1.15))


def frozen(setting):
    shape = Shape(connection_rate=RATE, frozen={ODD_ONE: 512 * KIB})
    _run(setting, Work("B6", "one of eight connections freezes", shape, 7 * RATE, 1.3))


def refusing(setting):
    shape = Shape(connection_rate=RATE, most_requests=4)
    work = Work("B7", "more than 4 requests at once refused", shape, 4 * RATE, 1.15)
    refused = _run(setting, work)
    setting.at_most("B7", f"{work.title}: requests refused, most", max(refused), 10)


def _run(setting, work):
    """Haul as often as asked for, the peers once: against the ideal, they are only information."""
    data = payload.contents(SIZE, 4)
    refused = {name: [] for name in CONTENDERS}

    def once(name):
        with empty_folder(setting.folder) as target, ShapedServer({"file.bin": data}, work.shape) as server:
            command = peers.single(setting.haul, name, server.url("file.bin"), target, setting.certificate)
            sample = measure(command, setting.haul.environment, target, LIMIT)
            refused[name].append(server.count(503))
            result = target / "out.bin"
            if name.startswith("haul") and (sample.code != 0 or result.read_bytes() != data):
                raise Wrong(f"{work.bar}: {name} ended with {sample.code} or wrote a wrong file")
            print(f"  {work.bar} {name}: {sample.wall:.2f} s", file=sys.stderr, flush=True)
            return sample

    peer_names = [each for each in CONTENDERS[1:] if peers.available(each)]
    samples = interleave(CONTENDERS[:1], setting.runs, once) | interleave(peer_names, 1, once)
    print(f"\n{SIZE // MIB} MiB, {work.title}; ideal {work.ideal:.2f} s; peers once\n")
    rows = [[name, _time(each), f"{median(each, 'wall') / work.ideal:.2f}", max(refused[name])]
            for name, each in samples.items()]
    print(markdown(["program", "s", "to ideal", "refused requests"], rows), flush=True)
    setting.at_most(work.bar, f"{work.title}: time to ideal", median(samples["haul -c8"], "wall") / work.ideal,
                    work.limit, " x")
    return refused["haul -c8"]


def _time(samples):
    if all(each.code == TIMEOUT for each in samples):
        return f"> {LIMIT}"
    failed = any(each.code not in (0, TIMEOUT) for each in samples)
    return f"{median(samples, 'wall'):.2f}" + (" (failed)" if failed else "")
