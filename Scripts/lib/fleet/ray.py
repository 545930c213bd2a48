"""Ray with two nodes on this machine: a node is killed and replaced, and the job is killed and submitted again."""

import json
import os
import time

from common.tally import Wrong
from fleet import pages, processes, site
from fleet.spark import FROM_PARQUET, TO_PARQUET
from servers.programs import free_ports

SHARDS = 20
# Ray replaces 127.0.0.1 by an address that other machines can reach, and listens on all; with this, on the loopback only.
LOOPBACK = "import ray._private.services as services; services.get_node_ip_address = lambda address=None: '127.0.0.1'"


def run(fleet, place):
    """Runs the job; returns lines about it."""
    python = fleet.python("ray")
    cluster = _Cluster(fleet, python)
    cluster.start()
    out = fleet.folder / "out"
    parquet = fleet.folder / "manifest.parquet"
    fleet.run(python, "-c", TO_PARQUET, place.manifest, parquet)
    options = {"id": "id", "shards": SHARDS, **site.OPTIONS}
    # In a folder of its own: Python looks for modules beside it.
    program = fleet.folder / "job/download.py"
    program.parent.mkdir()
    program.write_text(pages.block("ray.md", "# download.py", {
        "options = ": f"options = {options!r}",
        "ray.init(": f"{LOOPBACK}; ray.init({cluster.address!r})",
    }))
    command = [python, program, parquet, out]
    began = time.monotonic()
    job = fleet.start("ray-1", command, cluster.environment)
    place.wait_for_requests(0.2, job)
    cluster.kill_second()
    # Until it is noticed, tasks are still sent there; Ray's own reading of files fails then.
    cluster.wait_for_nodes(1)
    cluster.start_second()
    place.wait_for_requests(0.5, job)
    processes.kill(job.pid)
    job.wait()
    job = fleet.start("ray-2", command, cluster.environment)
    if job.wait(fleet.limit) != 0:
        raise Wrong(f"the second run failed: {fleet.log('ray-2')[-2000:]}")
    seconds = time.monotonic() - began
    lines = fleet.run(python, "-c", FROM_PARQUET, out / "results").splitlines()
    about = place.check((json.loads(line) for line in lines), out)
    fleet.haul_check(place.manifest, out)
    return [about, place.check_limits(), f"a node and a job were killed, {seconds:.0f} s"]


class _Cluster:
    """Two nodes with a core each, on ports of 127.0.0.1; each is a child that ends with what it has started."""

    def __init__(self, fleet, python):
        self.fleet, self.python = fleet, python
        self.address = f"127.0.0.1:{free_ports(1)[0]}"
        self.folder = fleet.short_folder()
        self.environment = {
            "RAY_DISABLE_IMPORT_WARNING": "1", "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": self.folder,
            "PATH": f"{os.path.dirname(python)}:{os.environ['PATH']}",
            # A node that does not answer for three seconds is dead.
            "RAY_health_check_period_ms": "1000", "RAY_health_check_failure_threshold": "3", "RAY_health_check_timeout_ms": "1000",
        }
        self.second = None

    def start(self):
        port = self.address.partition(":")[2]
        self._node("ray-head", "--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self.folder}")
        self.wait_for_nodes(1)
        self.start_second()

    def start_second(self):
        self.second = self._node(f"ray-node-{time.monotonic_ns()}", f"--address={self.address}")
        self.wait_for_nodes(2)

    def kill_second(self):
        """Kills the processes of a node at once, as a machine that loses its power does."""
        for process in [self.second.pid, *processes.below(self.second.pid)]:
            processes.kill(process)
        self.second.wait()

    def _node(self, name, *arguments):
        program = f"{LOOPBACK}; from ray.scripts.scripts import main; main()"
        command = [self.python, "-c", program, "start", "--block", "--node-ip-address=127.0.0.1", "--num-cpus=1",
                   "--object-store-memory=100000000", "--disable-usage-stats", *arguments]
        return self.fleet.start(name, command, self.environment)

    def wait_for_nodes(self, count, seconds=120):
        limit = time.monotonic() + seconds
        text = f"import ray; {LOOPBACK}; ray.init('{self.address}', logging_level='ERROR'); print(sum(n['Alive'] for n in ray.nodes()))"
        while True:
            ended = self.fleet.ended([self.python, "-c", text], self.environment)
            if ended.returncode == 0 and ended.stdout.strip() == str(count):
                return
            if time.monotonic() > limit:
                raise Wrong(f"{count} nodes did not start: {ended.stdout} {ended.stderr[-1000:]}")
            time.sleep(0.5)
