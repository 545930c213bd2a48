"""Spark with a master and two workers: an executor is killed, tasks run speculatively, and the job is killed and submitted again.

In `local-cluster` mode, both executors have the same host, and Spark starts no second attempt on the host of the first.
Here they are 127.0.0.1 and 127.0.0.2.
"""

import json
import time

from common.tally import Wrong
from fleet import pages, processes, site
from servers.programs import free_ports

SHARDS = 60
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "8",
    "spark.speculation": "true",
    "spark.speculation.interval": "200ms",
    "spark.speculation.multiplier": "1.2",
    "spark.speculation.quantile": "0.3",
    # By the time alone: all rows are read long before a task ends.
    "spark.speculation.efficiency.enabled": "false",
    "spark.task.maxFailures": "8",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.dir": "file://{folder}/events",
    "spark.local.dir": "{folder}/local",
}


def run(fleet, place):
    """Runs the job; returns lines about it."""
    folder = fleet.folder / "spark"
    for name in ("events", "local"):
        (folder / name).mkdir(parents=True)
    out = folder / "out"
    python = fleet.python("spark")
    parquet = folder / "manifest.parquet"
    fleet.run(python, "-c", TO_PARQUET, place.manifest, parquet)
    home = fleet.run(python, "-c", "import pyspark; print(pyspark.__path__[0])").strip()
    options = {"id": "id", "shards": SHARDS, **site.OPTIONS}
    program = folder / "download.py"
    program.write_text(pages.block("spark.md", "# download.py", {"options = ": f"options = {options!r}"}))
    cluster = _Cluster(fleet, folder, home, python)
    cluster.start()
    settings = [word for name, value in SETTINGS.items() for word in ("--conf", f"{name}={value.format(folder=folder)}")]
    command = [f"{home}/bin/spark-submit", "--master", cluster.master, *settings, program, f"file://{parquet}", out]
    environment = cluster.environment("127.0.0.1")
    began = time.monotonic()
    job = fleet.start("spark-1", command, environment)
    place.wait_for_requests(0.2, job)
    processes.kill(cluster.executors()[0])
    place.wait_for_requests(0.5, job)
    # The driver and its JVM die; the executors notice it, and end with what they have started.
    left = [each for executor in cluster.executors() for each in [executor, *processes.below(executor)]]
    for process in [*processes.below(job.pid), job.pid]:
        processes.kill(process)
    job.wait()
    job = fleet.start("spark-2", command, environment)
    if job.wait(fleet.limit) != 0:
        raise Wrong(f"the second run failed: {fleet.log('spark-2')[-2000:]}")
    seconds = time.monotonic() - began
    processes.expect_gone(left)
    lines = fleet.run(python, "-c", FROM_PARQUET, out / "results").splitlines()
    about = place.check((json.loads(line) for line in lines), out)
    fleet.haul_check(place.manifest, out)
    speculated = _speculated(folder / "events")
    if not speculated:
        raise Wrong("no task was speculated")
    return [about, place.check_limits(), f"an executor and a job were killed, {speculated} tasks speculated, {seconds:.0f} s"]


class _Cluster:
    """A master and two workers, on two addresses of the loopback network."""

    def __init__(self, fleet, folder, home, python):
        self.fleet, self.folder, self.home, self.python = fleet, folder, home, python
        self.master = f"spark://127.0.0.1:{free_ports(1)[0]}"
        self.workers = []

    def environment(self, host):
        return {
            "SPARK_LOCAL_IP": host, "PYSPARK_PYTHON": self.python, "SPARK_HOME": self.home, "SPARK_CONF_DIR": str(self.folder),
            "SPARK_DAEMON_MEMORY": "256m", "SPARK_NO_DAEMONIZE": "1",
        }

    def start(self):
        port = self.master.rpartition(":")[2]
        self._daemon("master", "127.0.0.1", "--port", port)
        for host in ("127.0.0.1", "127.0.0.2"):
            work = self.folder / f"work-{host}"
            self.workers.append(self._daemon(
                "worker", host, "--cores", "2", "--memory", "1g", "--work-dir", work, self.master))

    def _daemon(self, kind, host, *arguments):
        line = [f"{self.home}/bin/spark-class", f"org.apache.spark.deploy.{kind}.{kind.capitalize()}", "--host", host]
        return self.fleet.start(f"{kind}-{host}", [*line, "--webui-port", "0", *arguments], self.environment(host))

    def executors(self):
        """The processes of all executors."""
        return [each for worker in self.workers for each in processes.below(worker.pid, "CoarseGrainedExecutorBackend")]


def _speculated(folder):
    """The number of speculative tasks in Spark's logs of events."""
    count = 0
    for path in folder.rglob("*"):
        if path.is_file():
            for line in path.read_text(errors="replace").splitlines():
                if '"SparkListenerTaskStart"' in line and '"Speculative":true' in line:
                    count += 1
    return count


TO_PARQUET = """
import sys, pyarrow.json, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.json.read_json(sys.argv[1]), sys.argv[2], row_group_size=10000)
"""

FROM_PARQUET = """
import json, sys, pyarrow.parquet
for row in pyarrow.parquet.read_table(sys.argv[1]).to_pylist():
    print(json.dumps(row))
"""
