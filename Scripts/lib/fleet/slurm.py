"""Slurm from Debian: an array job whose steps are killed, a second copy of a shard, and the job cancelled and submitted again."""

import os
import shlex
import socket
import time
from pathlib import Path

from common.tally import Wrong
from fleet import pages, processes, site
from servers.programs import free_ports

SHARDS = 8

CONFIGURATION = """
ClusterName=fleet
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld-own.log
SlurmdLogFile={folder}/slurmd-own.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
MinJobAge=300
SchedulerParameters=sched_interval=1,batch_sched_delay=1
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
NodeName={host} NodeAddr=127.0.0.1 NodeHostname={host} CPUs=2 RealMemory=512 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

def run(fleet, place):
    """Runs the job; returns lines about it."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not _find(name)]
    if missing:
        raise Wrong(f"not installed: {', '.join(missing)}: apt-get install slurm-wlm munge")
    if os.geteuid() != 0:
        raise Wrong("slurmd runs as root only")
    cluster = _Cluster(fleet)
    cluster.start()
    out = fleet.folder / "out"
    options = {**site.OPTIONS, "per_host": site.PER_HOST, "quiet": None}
    words = " ".join(
        f"--{name.replace('_', '-')}" + ("" if value is None else f"={shlex.quote(str(value))}") for name, value in options.items())
    script = fleet.folder / "haul.sbatch"
    script.write_text(pages.block("slurm.md", "#!/bin/bash\n#SBATCH", {
        "#SBATCH --array=": f"#SBATCH --array=0-{SHARDS - 1}",
        "#SBATCH --cpus-per-task=": "#SBATCH --cpus-per-task=1",
        "#SBATCH --mem=": "#SBATCH --mem=200M",
        "#SBATCH --output=": f"#SBATCH --output={fleet.folder}/haul-%a.log",
        "manifest=": f"manifest={place.manifest}",
        "out=": f"out={out}",
        "options=": f"options=({words})",
        "exec haul": f"exec {fleet.haul.path} batch --shard auto --out \"$out\" \"$manifest\" \"${{options[@]}}\"",
    }))
    began = time.monotonic()
    job = cluster.submit(script)
    place.wait_for_requests(0.1, None)
    # One step is killed: its process ends at once. A second copy of a shard that runs must refuse to.
    copies = _copy_and_kill(fleet, f"--out {out}")
    place.wait_for_requests(0.4, None)
    cluster.command("scancel", job)
    cluster.wait_until_idle()
    processes.expect_gone(processes.named(f"--out {out}"), 30)
    cluster.submit(script)
    cluster.wait_until_idle(fleet.limit)
    seconds = time.monotonic() - began
    about = place.check(site.jsonl_results(out), out)
    fleet.haul_check(place.manifest, out)
    return [about, place.check_limits(), f"{copies}; the first was killed, the array cancelled and submitted again, {seconds:.0f} s"]


def _copy_and_kill(fleet, words, seconds=120):
    """Starts the shard of a running process once more, as a scheduler may, and kills the process; returns a line about it."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        for process in processes.named(words):
            try:
                arguments = Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")[:-1]
                lines = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
            except OSError:
                continue
            variables = dict(line.split("=", 1) for line in lines if line.startswith("SLURM_ARRAY_"))
            # 20: another process works on the shard; 0: it has just ended.
            if fleet.code(*arguments, environment=variables) == 20:
                processes.kill(process)
                return f"a second copy of shard {variables['SLURM_ARRAY_TASK_ID']} refused to run"
        time.sleep(0.02)
    raise Wrong("no second copy of a shard met the first")


def _find(name):
    return any(os.access(f"{folder}/{name}", os.X_OK) for folder in os.environ["PATH"].split(":") + ["/usr/sbin", "/sbin"])


class _Cluster:
    """munged, slurmctld and slurmd, with a configuration of their own."""

    def __init__(self, fleet):
        self.fleet, self.folder = fleet, fleet.folder / "slurm"
        self.environment = {"SLURM_CONF": f"{self.folder}/slurm.conf", "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}

    def start(self):
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(parents=True)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        controller, node = free_ports(2)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, controller=controller, node=node))
        munge = self.folder / "munge"
        # --force: as root, in a folder that others may read.
        self._daemon("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}",
                     f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self._wait(lambda: (munge / "socket").exists(), "munged")
        self._daemon("slurmctld", "-D", "-i")
        self._wait(lambda: self.command("scontrol", "ping", codes=(0, 1)).find("UP") >= 0, "slurmctld")
        self.node = self._daemon("slurmd", "-D")
        self._wait(lambda: "idle" in self.command("sinfo", "--noheader", "--format=%T", codes=(0, 1)), "slurmd")

    def _daemon(self, name, *arguments):
        return self.fleet.start(name, [name, *arguments], self.environment)

    def _wait(self, condition, name, seconds=60):
        limit = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > limit:
                own = self.folder / f"{name}-own.log"
                text = own.read_text()[-1500:] if own.exists() else self.fleet.log(name)[-1500:]
                raise Wrong(f"{name} did not start: {text}")
            time.sleep(0.2)

    def command(self, *arguments, codes=(0,)):
        return self.fleet.run(*arguments, environment=self.environment, codes=codes)

    def submit(self, script):
        """Submits the array; returns the number of the job."""
        return self.command("sbatch", "--parsable", script).strip()

    def wait_until_idle(self, seconds=120):
        limit = time.monotonic() + seconds
        while self.command("squeue", "--noheader").strip():
            if time.monotonic() > limit:
                raise Wrong(f"jobs still run: {self.command('squeue')}")
            time.sleep(0.5)
