"""What the three cases share: environments for Python, logs, and processes that are ended by their ids."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common.haul import REPOSITORY
from common.tally import Wrong
from fleet import processes
from servers.programs import _die_with_parent

REQUIREMENTS = REPOSITORY / "Scripts/lib/fleet/requirements"


class Fleet:
    def __init__(self, folder, wheel, haul, limit):
        self.folder, self.wheel, self.haul, self.limit = folder, wheel, haul, limit
        self._running, self._folders = [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self._running):
            if process.poll() is None:
                processes.end(process)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)

    def short_folder(self):
        """A folder with a short path, for sockets; removed at the end."""
        self._folders.append(tempfile.mkdtemp(prefix="haul-", dir="/tmp"))
        return self._folders[-1]

    def python(self, name):
        """The Python of an environment with the wheel and what `requirements/NAME.txt` lists; made the first time."""
        tools = REPOSITORY / f".build/fleet-{name}"
        wanted = REQUIREMENTS / f"{name}.txt"
        pip = [f"{tools}/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        copy = tools / "requirements.txt"
        if not copy.exists() or copy.read_bytes() != wanted.read_bytes():
            shutil.rmtree(tools, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", tools], check=True)
            subprocess.run([*pip, "-r", wanted], check=True)
            shutil.copy(wanted, copy)
        if self.wheel:
            subprocess.run([*pip, "--force-reinstall", "--no-deps", self.wheel], check=True)
        return f"{tools}/bin/python"

    def environment(self, more=()):
        """An environment in which nothing of the person who runs this is read."""
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self.folder), "LANG": "C.UTF-8", "HAUL_CONFIG": "",
            **{name: os.environ[name] for name in ("JAVA_HOME",) if name in os.environ}, **dict(more),
        }

    def start(self, name, command, environment=()):
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                [str(each) for each in command], env=self.environment(environment), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, cwd=self.folder, preexec_fn=_die_with_parent)
        self._running.append(process)
        return process

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def ended(self, command, environment=()):
        """A command that has ended."""
        return subprocess.run(
            [str(each) for each in command], env=self.environment(environment), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, cwd=self.folder, timeout=self.limit)

    def code(self, *command, environment=()):
        """The exit code of a command."""
        return self.ended(command, environment).returncode

    def run(self, *command, environment=(), codes=(0,)):
        """The output of a command that must end with one of these exit codes."""
        ended = self.ended(command, environment)
        if ended.returncode not in codes:
            raise Wrong(f"{Path(command[0]).name}: exit code {ended.returncode}: {ended.stderr.strip()[-1000:]}")
        return ended.stdout

    def haul_check(self, manifest, out):
        """The program's own check of the folder, with all digests."""
        self.run(self.haul.path, "batch", "--check", out, "--deep", manifest)
