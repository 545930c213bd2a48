"""B14 and B15: no option given. Slow, frozen and refused connections, long ways, and the best number of connections for one big file."""

import sys
from contextlib import nullcontext
from dataclasses import dataclass, field

import bench.large
from bench import peers
from bench.measure import interleave, measure, median
from bench.relay import Relay
from common import payload
from common.payload import KIB, MIB
from common.table import markdown
from common.tally import Wrong
from common.workspace import empty_folder
from servers.shaped import Shape, ShapedServer

RATE = 3 * MIB
SLOW = 64 * KIB
CONNECTIONS = 6
SHORT, LONG = 2, 10
BARS = {SHORT: 1.4, LONG: 1.25}
LIMIT = 120


@dataclass
class Work:
    """One kind of server, and how many bytes a second six connections bring there at best."""

    title: str
    bytes_a_second: float
    shape: Shape = field(default_factory=lambda: Shape(connection_rate=RATE))


WORKS = [
    Work("nothing special", CONNECTIONS * RATE),
    *(Work(f"connection {odd} at 64 KiB/s", (CONNECTIONS - 1) * RATE + SLOW,
           Shape(connection_rate=RATE, slow={odd: SLOW})) for odd in (1, 2, 4)),
    *(Work(f"connection {odd} freezes", (CONNECTIONS - 1) * RATE,
           Shape(connection_rate=RATE, frozen={odd: 512 * KIB})) for odd in (1, 3)),
    Work("more than 4 requests refused", 4 * RATE, Shape(connection_rate=RATE, most_requests=4)),
]

# Round trip in seconds, bytes a second per connection.
WAYS = [(0.1, 6_000_000), (0.3, 2_000_000)]
FAR_SIZE = 64 * MIB
FAR_CONTENDERS = ["haul", "haul -c6", "aria2c -x6", "aria2c", "curl"]
NUMBERS = [1, 2, 3, 4, 6, 8]


def stragglers(setting):
    """Each against the ideal of six connections; the peer that splits by default is only information."""
    for seconds in (SHORT, LONG):
        rows = []
        for work in WORKS:
            # The file takes as long as announced where nothing is wrong with the server.
            size = seconds * CONNECTIONS * RATE
            ideal = size / work.bytes_a_second
            samples = _run(setting, "B14", size, work.shape, ["haul"], setting.runs)
            samples |= _run(setting, "B14", size, work.shape, ["aria2c -x6"], 1)
            ratio = median(samples["haul"], "wall") / ideal
            worst = max(each.wall for each in samples["haul"]) / ideal
            peer = f"{median(samples['aria2c -x6'], 'wall') / ideal:.2f}" if "aria2c -x6" in samples else ""
            rows.append([work.title, f"{ideal:.2f}", f"{ratio:.2f}", f"{worst:.2f}", peer])
            setting.at_most("B14", f"{work.title}, {seconds} s: time to ideal", ratio, BARS[seconds], " x")
        print(f"\n{seconds * CONNECTIONS * RATE // MIB} MiB, {RATE // MIB} MiB/s per connection; no option given\n")
        print(markdown(["server", "ideal s", "median to ideal", "worst to ideal", "aria2c -x6, once"], rows), flush=True)


def far(setting):
    """A long way, where finding the best number of connections must not cost seconds."""
    for round_trip, rate in WAYS:
        samples = _run(setting, "B14", FAR_SIZE, Shape(connection_rate=rate), FAR_CONTENDERS, setting.runs, round_trip)
        print(f"\n{FAR_SIZE // MIB} MiB, {1000 * round_trip:.0f} ms round trip, {rate // 1_000_000} MB/s per connection\n")
        print(markdown(["program", "s"], [[name, f"{median(each, 'wall'):.2f}"] for name, each in samples.items()]),
              flush=True)
        if "aria2c -x6" in samples:
            ratio = median(samples["haul"], "wall") / median(samples["aria2c -x6"], "wall")
            setting.at_most("B14", f"{1000 * round_trip:.0f} ms round trip: time to aria2c -x6", ratio, 1.1, " x")


def numbers(setting):
    """The automatic mode against every fixed number of connections."""
    contenders = ["haul", *(f"haul -c{each}" for each in NUMBERS)]
    for scheme in ("http", "https"):
        samples = bench.large.transfer(setting, scheme, contenders, setting.runs)
        times = {name: median(each, "wall") for name, each in samples.items()}
        best = min((name for name in times if name != "haul"), key=times.get)
        setting.at_least("B15", f"one big file, {scheme}: throughput to {best[5:]}, the best fixed number",
                         times[best] / times["haul"], 0.97, " x")


def _run(setting, bar, size, shape, contenders, runs, round_trip=None):
    data = payload.contents(size, 4)

    def once(name):
        with (empty_folder(setting.folder) as target, ShapedServer({"file.bin": data}, shape) as server,
              Relay(server.server_address[1], round_trip) if round_trip else nullcontext() as relay):
            url = f"http://127.0.0.1:{relay.port}/file.bin" if relay else server.url("file.bin")
            command = peers.single(setting.haul, name, url, target, setting.certificate)
            sample = measure(command, setting.haul.environment, target, LIMIT)
            result = target / "out.bin"
            if name.startswith("haul") and (sample.code != 0 or result.read_bytes() != data):
                raise Wrong(f"{bar}: {name} ended with {sample.code} or wrote a wrong file")
            print(f"  {bar} {name}: {sample.wall:.2f} s", file=sys.stderr, flush=True)
            return sample

    return interleave([each for each in contenders if peers.available(each)], runs, once)
