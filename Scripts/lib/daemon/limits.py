"""The daemon at the limits of its surroundings: a full state disk, few descriptors. One function a case."""

import os
import re
import socket
import subprocess
import time

from common.tally import Wrong
from daemon.files import files
from daemon.process import Place, until, which

MOUNT = ["unshare", "--map-root-user", "--mount"]
FULL = 24


def expect(actual, wanted, what):
    if actual != wanted:
        raise Wrong(f"{what}: {actual!r} instead of {wanted!r}")


def ask(place, *arguments, seconds=5):
    """Runs a command against the daemon; it must return in time."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            place.haul.command(*arguments), env=dict(place.environment, HAUL_SOCKET=str(place.socket)),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        raise Wrong(f"haul {arguments[0]} did not return within 60 s") from None
    if (took := time.monotonic() - began) > seconds:
        raise Wrong(f"haul {arguments[0]} took {took:.1f} s")
    return done


def health(place, port=None):
    """The status and the body of /health."""
    return place.call("GET", "/health", port=port)


def full(haul, folder):
    """a full state disk: every command returns 24 within 5 s, two lines in the log, 503 from /health, and it continues by itself"""
    place = Place(haul, folder)
    state = folder / "state"
    state.mkdir(mode=0o700)
    mount = 'mount -t tmpfs -o size=3m,mode=700 tmpfs "$0" && dd if=/dev/zero of="$0/filler" bs=1M count=1 status=none && exec "$@"'
    command = [*MOUNT, "sh", "-c", mount, str(state), *place.command()]
    with files(rate=1_000_000) as url, place.running(command=command) as process:
        until(place.socket.exists, "the socket")
        running = place.add(url + "/3000000", name="running")
        paused = [place.add(f"{url}/{1000 + number}", startsPaused=True, name=f"p{number}") for number in range(40)]
        (folder / "list").write_text("".join(f"{url}/{number}?{'x' * 100}\n" for number in range(20_000)))
        # What is added portion by portion fills the disk; then small things no longer fit either.
        for _ in range(400):
            if ask(place, "add", "--paused", "-i", folder / "list", seconds=60).returncode == FULL:
                break
        fill(place, url)
        commands = [
            ("add", url + "/77"), ("remove", f"{paused[0]}-{paused[20]}"), ("pause", running), ("resume", paused[21]),
            ("cancel", paused[22]), ("move", paused[23], "1"), ("remove", "--files", "all", paused[24]), ("retry", paused[25]),
            ("limit", "1M"), ("set", "--priority", "5", paused[26]),
            ("remove", f"{paused[0]}-{paused[20]}"),
        ]
        codes = {}
        for arguments in commands:
            codes[" ".join(map(str, arguments))] = ask(place, *arguments).returncode
        # A paused one is no failure to retry: that is refused before anything is written.
        wrong = {name: code for name, code in codes.items() if code != FULL and not name.startswith("retry")}
        expect(wrong, {}, "codes other than 24")
        status, body = health(place)
        expect((status, body["status"], body["code"]), (503, "failing", "catalogueFailed"), "/health")
        expect("not enough disk space" in body["reason"], True, body["reason"])
        status, body = place.call("GET", "/ready")
        expect((status, [one["code"] for one in body["obstacles"]]), (503, ["catalogueFailed"]), "/ready")
        expect(ask(place, "list", "--json").returncode, 0, "list")
        time.sleep(10)
        log = (folder / "log").read_text().splitlines()
        expect(len([line for line in log if "can't write the list" in line]), 1, f"lines about it of {len(log)} in the log")
        expect(len(log) < 10, True, f"{len(log)} lines in the log")
        os.unlink(f"/proc/{process.pid}/root{state}/filler")
        until(lambda: health(place)[0] == 200, "a good health after the disk has room again", 15)
        # What was asked while the disk was full was refused or is made up for: the one that ran is finished or paused.
        if until(lambda: (state := place.state(running)["state"]) in ("paused", "finished") and state, "the end") == "paused":
            expect(ask(place, "resume", running).returncode, 0, "resume")
        place.until(running, "finished")
        done = ask(place, "remove", f"{paused[30]}-{paused[35]}")
        expect(done.returncode, 0, done.stderr)
        again = [line for line in (folder / "log").read_text().splitlines() if "can write the list of downloads again" in line]
        expect((len(again), bool(re.search(r"failures=\d+", again[0]))), (1, True), "the line at the end of it")
    expect("exiting before" in (folder / "log").read_text(), False, "left before all was saved")


def fill(place, url):
    """Fills what is left of the disk, until even the smallest change fails."""
    failures = 0
    for number in range(4000):
        done = place.call("POST", "/api/v1/downloads", {"url": f"{url}/9?{number}", "startsPaused": True})
        failures = failures + 1 if done[0] == 500 else 0
        if failures >= 5:
            return
    raise Wrong("the disk never filled")


def few(haul, folder):
    """64 descriptors: 60 downloads finish, those without one wait and say so; 80 idle connections leave /health answering"""
    place = Place(haul, folder)
    command = ["prlimit", "--nofile=64", *place.command("--port", "0", "--private-addresses", "--jobs", "50")]
    with files(rate=2_000_000) as url, place.running(command=command):
        until(place.socket.exists, "the socket")
        port = until(lambda: place.call("GET", "/api/v1/info")[1].get("port"), "the port")
        numbers = [place.add(f"{url}/{1_000_000 + number}", name=f"f{number}") for number in range(60)]
        expect([n for n in numbers if not isinstance(n, int)][:2], [], "60 added")
        reasons, healths, slowest = set(), 0, 0.0
        while True:
            began = time.monotonic()
            expect((health(place)[0], health(place, port)[0]), (200, 200), "/health meanwhile")
            slowest, healths = max(slowest, time.monotonic() - began), healths + 1
            shown = place.call("GET", "/api/v1/downloads?limit=100")[1]["downloads"]
            reasons |= {entry["wait"]["reason"] for entry in shown if entry.get("wait")}
            states = {entry["state"] for entry in shown}
            if not states & {"waiting", "running"}:
                break
            expect("failed" in states, False, [entry.get("error") for entry in shown if entry["state"] == "failed"][:1])
            time.sleep(0.2)
        expect(states, {"finished"}, "the states at the end")
        expect("openFiles" in reasons, True, f"openFiles among the reasons {reasons}")
        if slowest > 3:
            raise Wrong(f"/health took {slowest:.1f} s")
        print(f"        {healths} looks at /health, the slowest {slowest:.2f} s; reasons {sorted(reasons)}")
        crowd = []
        try:
            for _ in range(80):
                crowd.append(socket.create_connection(("127.0.0.1", port), timeout=5))
            began = time.monotonic()
            for _ in range(5):
                expect((health(place)[0], health(place, port)[0]), (200, 200), "/health beside 80 idle connections")
            print(f"        10 answers beside 80 idle connections in {time.monotonic() - began:.2f} s")
            number = place.add(url + "/5000", name="beside")
            place.until(number, "finished")
        finally:
            for connection in crowd:
                connection.close()


def no_mount():
    if not which("unshare", "mount", "dd"):
        return "unshare, mount or dd is missing"
    return "" if subprocess.run([*MOUNT, "true"], capture_output=True).returncode == 0 else "no mounts of its own are allowed here"


NEEDS = {full: no_mount, few: lambda: "" if which("prlimit") else "prlimit is missing"}
CASES = (full, few)
