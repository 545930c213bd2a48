"""Runs episodes in several processes, keeps the folders of those that fail, and adds up what happened."""

import ctypes
import multiprocessing
import os
import random
import shutil
import signal
import ssl
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from queue import Empty

import soak.daemon
import soak.many
import soak.places
import soak.single
from common.haul import Haul
from common.payload import MIB
from common.table import markdown
from common.tally import Wrong
from soak.episode import Setting

WEIGHTS = {
    "steady": 8, "cuts": 10, "broken": 4, "kills": 10, "publishing": 12, "changes": 12, "backends": 8, "streams": 8, "conflicts": 6,
    "checksums": 5, "expiring": 3, "disks": 4, "clocks": 5, "copies": 4, "damages": 5, "ftp": 8, "lists": 12, "mirrors": 8, "daemons": 5,
}
PR_SET_PDEATHSIG = 1
KINDS = {each.kind: each for module in (soak.single, soak.places, soak.many, soak.daemon) for each in module.EPISODES}


class Pool:
    """`workers` processes that take the numbers of episodes from one counter."""

    def __init__(self, options, folder, certificate, seed):
        self.options, self.folder, self.certificate, self.seed = options, folder, certificate, seed
        self.shim = build_shim(folder)
        self.mounts = can_mount(folder)
        self.tally, self.failures = Counter(), []
        self.kinds = self._kinds()

    def _kinds(self):
        chosen = [self.options.only] if self.options.only else list(WEIGHTS)
        kinds = {}
        for name in chosen:
            if getattr(KINDS[name], "needs_mounts", False) and not self.mounts:
                print(f"left out: {name}, because nothing can be mounted here", flush=True)
            elif getattr(KINDS[name], "needs_shim", False) and not self.shim:
                print(f"left out: {name}, because there is no C compiler (cc)", flush=True)
            else:
                kinds[name] = WEIGHTS[name]
        return kinds

    def run(self, deadline, downloads, episodes):
        """Until the time is over, or so many files have been compared, or so many episodes been played."""
        context = multiprocessing.get_context("fork")
        counter, results = context.Value("l", self.options.episode or 0), context.Queue()
        last = (self.options.episode or 0) + 1 if self.options.episode is not None else episodes
        stop = context.Event()
        workers = [context.Process(target=self._work, args=(counter, last, stop, results), daemon=True)
                   for _ in range(self.options.parallel)]
        for worker in workers:
            worker.start()
        said, began = time.monotonic(), time.monotonic()
        while any(each.is_alive() for each in workers) or not results.empty():
            try:
                self._take(*results.get(timeout=0.5))
            except Empty:
                pass
            if time.monotonic() > deadline or downloads and self.tally["finished"] >= downloads:
                stop.set()
            if time.monotonic() > said + 60:
                said = time.monotonic()
                print(f"{said - began:6.0f} s: {self.tally['episodes']} episodes, {self.tally['finished']} files right, "
                      f"{len(self.failures)} failures", flush=True)
        for worker in workers:
            worker.join()

    def _take(self, number, kind, tally, problem):
        self.tally.update(tally)
        self.tally["episodes"] += 1
        self.tally[f"episodes {kind}"] += 1
        self.tally[f"files {kind}"] += tally["finished"]
        if problem:
            self.failures.append((number, kind, problem))
            print(f"\nFAILED  episode {number} ({kind}), folder {self.folder}/episode-{number}\n"
                  f"        repeat: Scripts/soak --seed {self.seed} --episode {number} --only {kind}\n        {problem}\n", flush=True)

    def _work(self, counter, last, stop, results):
        end_together()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate.chain, self.certificate.key)
        while not stop.is_set():
            with counter.get_lock():
                number = counter.value
                counter.value += 1
            if last is not None and number >= last:
                break
            results.put(self._play(number, context))

    def _kind(self, number):
        """The short form plays all kinds in turn."""
        names = list(self.kinds)
        if self.options.short:
            return names[number % len(names)]
        return random.Random(f"{self.seed}/{number}/kind").choices(names, list(self.kinds.values()))[0]

    def _play(self, number, context):
        chance, kind = random.Random(f"{self.seed}/{number}"), self._kind(number)
        folder = self.folder / f"episode-{number}"
        folder.mkdir()
        setting = Setting(Haul(folder / "home", self.options.haul), self.seed, context, self.certificate.authority, self.shim, self.mounts)
        episode = KINDS[kind](setting, number, chance, folder)
        problem = None
        try:
            episode.run()
        except Wrong as wrong:
            problem = str(wrong)
        except Exception:
            problem = traceback.format_exc()
        if problem:
            (folder / "report.txt").write_text(report(episode, self.seed, problem))
        else:
            shutil.rmtree(folder, ignore_errors=True)
        return number, kind, episode.tally, problem

    def report(self, seconds):
        tally = self.tally
        rows = [[kind, tally[f"episodes {kind}"], tally[f"files {kind}"], sum(each[1] == kind for each in self.failures)] for kind in WEIGHTS]
        print("\n" + markdown(["kind", "episodes", "files compared", "failures"], rows))
        for title, prefix in (("faults", "fault "), ("changes", "change "), ("exit codes", "exit code "), ("signals", "signal "),
                              ("damage", "damage "), ("verbs", "daemon ")):
            found = sorted((name[len(prefix):], count) for name, count in tally.items() if name.startswith(prefix) and count)
            print(f"{title}: " + ", ".join(f"{name} {count}" for name, count in found))
        for name in ("aimed kills", "traces of kills", "daemons killed", "full disks", "clock jumps", "stale backends", "downloads with mirrors",
                     "checksums refused", "resumed"):
            print(f"{name}: {tally[name]}")
        usable = tally["usable bytes"]
        print(f"{usable / MIB:.0f} MiB were there when a run began and could be used; "
              f"{100 * tally['usable bytes reused'] / usable if usable else 100:.1f} % of them were not sent again")
        print(f"{tally['bytes sent'] / MIB:.0f} MiB sent, {tally['bytes compared'] / MIB:.0f} MiB compared, {tally['runs']} runs of haul")
        print(f"{tally['episodes']} episodes, {tally['finished']} finished files compared byte for byte in {seconds:.0f} s: "
              f"{tally['corrupt']} corrupt, {len(self.failures)} failures; --seed {self.seed}", flush=True)


def report(episode, seed, problem):
    """All that is needed to understand a failure."""
    world = episode.world
    lines = [f"{problem}", "", f"repeat: Scripts/soak --seed {seed} --episode {episode.number} --only {episode.kind}"]
    if world:
        lines += [f"servers: {world.manner}; tls {episode.tls}; libcurl {episode.curl}", *(str(each) for each in episode.sites), f"options: {' '.join(map(str, episode.options))}"]
        lines += [f"{each.name}: {each.policy}; versions " + ", ".join(f"{v.number}: {v.size} bytes, {v.modified}" for v in each.versions)
                  for each in world.resources.values()]
        lines += [f"faults: {', '.join(map(str, world.faults.given))}"]
    lines += ["", *episode.history, ""]
    lines += [str(each) for each in world.answers] if world else []
    return "\n".join(lines) + "\n"


def end_together():
    """Whatever this worker has started ends with it, also if it is interrupted or the process that started it dies."""
    os.setpgid(0, 0)
    # Not SIG_IGN: the programs that it starts would ignore the signal as well.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def build_shim(folder):
    """The library that kills at a system call and moves the clock; None where it can't be built or does not work."""
    path, note = folder / "shim.so", folder / "shim-note"
    source = Path(__file__).with_name("shim.c")
    try:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True, capture_output=True)
        surroundings = dict(os.environ, LD_PRELOAD=str(path), SOAK_CLOCK="-864000", SOAK_NOTE=str(note))
        subprocess.run(["date"], env=surroundings, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return path if note.exists() else None


def can_mount(folder):
    """Whether this process is alone with its mounts, so that none outlives it, and may make some."""
    if os.environ.get("SOAK_APART") != "1":
        return False
    place = folder / "mount"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True).returncode:
        return False
    subprocess.run(["umount", place], capture_output=True)
    return True
