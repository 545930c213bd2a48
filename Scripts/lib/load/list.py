"""A list of a hundred thousand: how long a page of it takes, wherever it is and whatever it is filtered by."""

import random

from common.payload import MIB
from common.table import markdown
from load.api import Asker, Process, at, row
from page.server import daemon

KINDS = {
    "the first page": lambda chance, count: "",
    "from deep within": lambda chance, count: f"&after={chance.randrange(1, count)}",
    "the last ones first, from deep within": lambda chance, count: f"&order=reversed&after={chance.randrange(1, count)}",
    "with the total": lambda chance, count: "&count=true",
    "by a state that half are in": lambda chance, count: f"&state=paused&after={chance.randrange(1, count)}",
    "by a state that few are in": lambda chance, count: "&state=cancelled",
    "by a group of a thousandth": lambda chance, count: f"&group=group-{chance.randrange(1000)}",
    "by a tag of a thousandth": lambda chance, count: f"&tag=tag-{chance.randrange(1000)}",
    "search that finds all": lambda chance, count: f"&search=file&after={chance.randrange(1, count)}",
    "search that finds one": lambda chance, count: f"&search=file-{chance.randrange(count):06}",
    "search that finds none": lambda chance, count: f"&search=nothing-{chance.randrange(count)}",
    "search, state and total": lambda chance, count: f"&search=file-0{chance.randrange(10)}&state=paused&count=true",
}


def run(options, folder, results):
    with daemon(options.haul, folder) as server:
        server.ask("PATCH", "settings", {"jobs": 0})
        fill(server, options.downloads)
        asker, chance, rows = Asker(server, unix=True), random.Random(1), []
        for name, query in KINDS.items():
            for _ in range(100):
                asker.ask(name, "GET", f"downloads?limit=100{query(chance, options.downloads)}")
            rows.append(row(name, asker.times[name]))
        print(f"\n{options.downloads:,} downloads, pages of 100, milliseconds\n")
        print(markdown(["page", "asked", "median", "p99", "longest"], rows), flush=True)
        # A search that finds little reads the whole list.
        for name in KINDS:
            results.at_most("list", f"{name}, median", at(asker.times[name], 0.5), 100 if "search" in name else 10, " ms")
        results.at_most("list", "memory with all of them", Process(server.process.pid).memory() / MIB, 128, " MiB")


def fill(server, count):
    """Half of them paused, a thousand cancelled, in a thousand groups and tags; none begins."""
    asker = Asker(server, unix=True)
    for first in range(0, count, 1000):
        batch = [download(server, number) for number in range(first, min(first + 1000, count))]
        asker.ask("add", "POST", "downloads/batch", {"downloads": batch})
    asker.ask("cancel", "POST", "downloads/actions", {"action": "cancel", "filter": {"groups": [f"group-{number}" for number in range(10)]}})


def download(server, number):
    return {"url": server.link(f"file-{number:06}.bin"), "name": f"file-{number:06}.bin", "startsPaused": number % 2 == 1,
            "group": f"group-{number % 1000}", "tags": [f"tag-{number * 7 % 1000}", "all"]}
