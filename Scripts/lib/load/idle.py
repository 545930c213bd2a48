"""A daemon that has nothing to do: no processor time, little memory (bar B11)."""

import time

from common.payload import MIB
from load.api import Process
from page.server import daemon


def run(options, folder, results):
    with daemon(options.haul, folder) as server:
        process = Process(server.process.pid)
        # What the start costs is not what idleness costs.
        time.sleep(2)
        before = process.processor()
        time.sleep(options.seconds)
        spent = process.processor() - before
        share = 100 * spent / options.seconds
        results.at_most("idle", f"processor time over {options.seconds:.0f} s", share, 0.2, " %")
        results.at_most("idle", "memory", process.memory() / MIB, 40, " MiB")
