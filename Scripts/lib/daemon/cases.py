"""The daemon in real surroundings, one function a case."""

import base64
import hmac
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from common.certificate import make_certificate
from common.tally import Wrong
from daemon import limits
from daemon.files import Files, files
from daemon.process import Heard, Place, memory, ticks, until, which
from servers.http import TestHandler, TestServer

HERE = Path(__file__).resolve().parent


def run_all(tally, haul, folder, only=()):
    for case in (activated, shared, notified, idle, webhook, scraped, unit, desktop, private, *limits.CASES):
        if only and case.__name__ not in only:
            continue
        if missing := NEEDS.get(case, lambda: "")():
            print(f"left out {case.__doc__}: {missing}", flush=True)
            continue
        with tally.case(case.__doc__):
            place = folder / case.__name__
            place.mkdir()
            case(haul, place)


def expect(actual, wanted, what):
    if actual != wanted:
        raise Wrong(f"{what}: {actual!r} instead of {wanted!r}")


def activated(haul, folder):
    """systemd-socket-activate: the first caller starts it, over the Unix socket and over a port"""
    place = Place(haul, folder)
    place.socket.parent.mkdir(mode=0o700)
    heard = Heard(folder / "n")
    command = ["systemd-socket-activate", "-l", str(place.socket), "-E", f"NOTIFY_SOCKET={heard.path}", "-E", f"HOME={folder}",
               *place.command()]
    with place.running(command=command) as process:
        until(place.socket.exists, "the socket")
        expect(heard.lines, [], "told before anybody called")
        status, info = place.call("GET", "/api/v1/info")
        expect((status, info["pid"]), (200, process.pid), "the answer")
        heard.until("READY=1")
        # A daemon beside it over the same folder still refuses.
        second = subprocess.run(place.command(), env=place.environment, capture_output=True, text=True)
        expect(second.returncode, 23, second.stderr)
    # The socket is systemd's, and stays.
    expect(place.socket.exists(), True, "the socket at the end")
    heard.until("STOPPING=1")


def shared(haul, folder):
    """a service manager's socket with mode 0660: the daemon leaves it so, members of its group are served, and all others kept out"""
    place, group, stranger = Place(haul, folder), 65534, 65533
    with tempfile.TemporaryDirectory(prefix="haul-") as public:
        os.chmod(public, 0o755)
        place.socket = Path(public) / "d.sock"
        with place.running(command=["systemd-socket-activate", "-l", str(place.socket), "-E", f"HOME={folder}", *place.command()]):
            until(place.socket.exists, "the socket")
            os.chown(place.socket, -1, group)
            os.chmod(place.socket, 0o660)

            def ask(of_group):
                user = ["setpriv", f"--reuid={stranger}", f"--regid={of_group}", "--clear-groups"]
                asked = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", place.socket, "http://haul/api/v1/info"]
                return subprocess.run([*user, *asked], capture_output=True, text=True).stdout

            expect((ask(group), ask(stranger)), ("200", "000"), "the answers to a member and to another user")
            expect((oct(place.socket.stat().st_mode & 0o777), place.socket.stat().st_gid), ("0o660", group), "the socket")


def notified(haul, folder):
    """READY=1, STATUS= of what it does, WATCHDOG=1 in time, STOPPING=1"""
    place, heard = Place(haul, folder), Heard(folder / "n")
    with files(rate=200_000) as url, place.running(NOTIFY_SOCKET=heard.path, WATCHDOG_USEC="600000"):
        heard.until("READY=1")
        heard.until("STATUS=idle")
        number = place.add(url + "/400000")
        until(lambda: any(line.startswith("STATUS=1 running at ") for line in heard.lines), "STATUS= of a download")
        place.until(number, "finished")
        until(lambda: heard.lines[-1:] and [line for line in heard.lines if "STATUS" in line][-1] == "STATUS=idle", "STATUS=idle again")
        before, began = heard.lines.count("WATCHDOG=1"), time.monotonic()
        until(lambda: heard.lines.count("WATCHDOG=1") >= before + 5, "five signs of life")
        if (seconds := time.monotonic() - began) > 2.5:
            raise Wrong(f"five signs of life took {seconds:.1f} s, with a watchdog of 0.6 s")
    heard.until("STOPPING=1")


def expect_rest(process, seconds):
    """Half a millisecond of each second goes to timers, so a tick of 10 ms may just be full; waiting busily would fill a hundred."""
    before = ticks(process.pid)
    time.sleep(seconds)
    expect(ticks(process.pid) - before <= 1, True, f"one clock tick at most in {seconds} s")


def idle(haul, folder):
    """nothing to do: no processor time in five seconds, 40 MiB at most"""
    place = Place(haul, folder)
    with place.running() as process:
        time.sleep(3)
        expect_rest(process, 5)
        if (kib := memory(process.pid)) > 40 * 1024:
            raise Wrong(f"{kib} KiB resident")


def webhook(haul, folder):
    """a webhook over https: signed, and only to whom the certificate is trusted"""
    place, told = Place(haul, folder), []

    class Receiver(TestHandler):
        def do_POST(self):
            told.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.head(204)

    key = b"a key of many letters"
    (folder / "secret").write_text("whsec_" + base64.b64encode(key).decode() + "\n")
    certificate = make_certificate(folder / "certificates")
    with TestServer(Receiver, certificate=certificate) as receiver, files() as url:
        options = ["--webhook", receiver.url("x?key=unsaid"), "--webhook-secret-file", folder / "secret"]
        with place.running(*options, "--ca-certificate", certificate.authority):
            number = place.add(url + "/1000")
            until(lambda: told, "the message")
        headers, body = told[0]
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expect(headers["webhook-signature"], "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode(), "the signature")
        message = json.loads(body)
        expect((message["on"], message["download"]["id"]), ("completed", number), "the message")
        with place.running(*options):
            place.until(place.add(url + "/1001"), "finished")
        expect(len(told), 1, "messages to a stranger")
    log = (folder / "log").read_text()
    expect(("unsaid" in log, log.count("webhook message not delivered")), (False, 1), "the log")


def scraped(haul, folder):
    """/metrics, read by Prometheus' own parser: names, types and values, and counters that never fall while downloads run"""
    from prometheus_client.parser import text_string_to_metric_families

    place, last = Place(haul, folder), {}

    def scrape():
        families = {family.name: family for family in text_string_to_metric_families(place.text("/metrics"))}
        values = {(sample.name, *sample.labels.values()): sample.value for family in families.values() for sample in family.samples}
        for key, value in values.items():
            if key[0].endswith("_total") and value < last.get(key, 0):
                raise Wrong(f"{key} fell from {last[key]} to {value}")
        last.update(values)
        return families, values

    with files(rate=1_000_000) as url, place.running() as process:
        families, values = scrape()
        wrong = [family.name for family in families.values() if family.type not in ("counter", "gauge") or not family.documentation]
        expect(wrong, [], "families without a type or a help")
        first = place.add(url + "/1500000")
        for _ in range(10):
            place.until(place.add(f"{url}/{2000 + _}"), "finished")
            scrape()
        place.until(place.add(url + "/missing"), "failed")
        place.until(first, "finished")
        values = scrape()[1]
        expect(values["haul_received_bytes_total",], 1_500_000 + sum(2000 + number for number in range(10)), "the bytes received")
        expect((values["haul_downloads_finished_total",], values["haul_downloads_failed_total", "notFound"]), (11, 1), "the ends")
        expect(values["haul_host_failures_total", "127.0.0.1"], 1, "the failures of the host")
        expect(values["haul_ready",], 1, "haul_ready")
        disk = os.statvfs(place.root)
        expect(values["haul_root_size_bytes", str(place.root)], disk.f_blocks * disk.f_frsize, "the size of the disk")
        if abs(values["process_resident_memory_bytes",] / 1024 - memory(process.pid)) > 8 * 1024:
            raise Wrong(f"{values['process_resident_memory_bytes',]} bytes resident, but VmRSS is {memory(process.pid)} KiB")
        if abs(values["process_start_time_seconds",] - os.stat(f"/proc/{process.pid}").st_ctime) > 5:
            raise Wrong(f"a start at {values['process_start_time_seconds',]}")
        if abs(values["process_cpu_seconds_total",] - ticks(process.pid) / os.sysconf("SC_CLK_TCK")) > 0.5:
            raise Wrong(f"{values['process_cpu_seconds_total',]} s of the processor, but {ticks(process.pid)} ticks")
        expect(values["process_max_fds",] >= values["process_open_fds",] >= 10, True, "the open files")
        expect(place.call("GET", "/ready")[1]["status"], "ready", "/ready")
        place.root.rename(folder / "away")
        status, body = place.call("GET", "/ready")
        expect((status, [one["code"] for one in body["obstacles"]]), (503, ["fileFailed"]), "/ready without its root")
        expect((place.call("GET", "/health")[0], scrape()[1]["haul_ready",]), (200, 0), "the health, and haul_ready")


def unit(haul, folder):
    """the units of haul daemon install, under a systemd of the user"""
    runtime = folder / "r"
    runtime.mkdir(mode=0o700)
    environment = dict(haul.environment, HOME=str(folder), XDG_RUNTIME_DIR=str(runtime), XDG_CONFIG_HOME=str(folder / "config"))
    (folder / "Downloads").mkdir()
    installed = subprocess.run(haul.command("daemon", "install"), env=environment, capture_output=True, text=True)
    expect(installed.returncode, 0, installed.stderr)

    def control(*arguments):
        told = subprocess.run(["systemctl", "--user", *arguments], env=environment, capture_output=True, text=True)
        return told.returncode, told.stdout.strip() or told.stderr.strip()

    with user_manager(environment, runtime):
        place = Place(haul, folder / "unused")
        place.socket = runtime / "haul/daemon.sock"
        expect(control("enable", "--now", "haul.socket")[0], 0, "enable")
        expect(oct(place.socket.stat().st_mode & 0o777), "0o600", "the mode of the socket")
        expect(control("is-active", "haul.service")[1], "inactive", "the service before the first call")
        expect(place.call("GET", "/api/v1/info")[0], 200, "the first call")
        expect(control("is-active", "haul.service")[1], "active", "the service after it")
        until(lambda: control("show", "-P", "StatusText", "haul.service")[1] == "idle", "its status")
        expect(control("reload", "haul.service")[0], 0, "reload")
        pid = int(control("show", "-P", "MainPID", "haul.service")[1])
        # What dies is started again; its list is there.
        os.kill(pid, signal.SIGKILL)
        until(lambda: control("show", "-P", "MainPID", "haul.service")[1] not in ("0", str(pid)), "a new process")
        expect(place.call("GET", "/api/v1/info")[0], 200, "the call after a kill")
        expect(control("stop", "haul.service")[0], 0, "stop")
        expect(control("show", "-P", "Result", "haul.service")[1], "success", "its end")
        expect(place.call("GET", "/api/v1/summary")[0], 200, "a call that starts it again")
        expect(control("stop", "haul.socket", "haul.service")[0], 0, "stop of both")


@contextmanager
def user_manager(environment, runtime):
    """A systemd of its own for the user."""
    log = open(runtime / "systemd.log", "w")
    manager = subprocess.Popen(["/lib/systemd/systemd", "--user"], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        until(lambda: (runtime / "systemd/private").exists() or manager.poll() is not None, "systemd")
        if manager.poll() is not None:
            raise Wrong("systemd --user does not start: " + (runtime / "systemd.log").read_text().strip()[-200:])
        yield
    finally:
        manager.terminate()
        manager.wait(20)
        log.close()


def desktop(haul, folder):
    """notifications on a bus: Open, Show in folder and Retry do what they say, and waiting for it costs nothing"""
    place = Place(haul, folder)
    programs = folder / "bin"
    programs.mkdir()
    stub = programs / "xdg-open"
    stub.write_text(f"#!/bin/sh\necho \"$1\" >> '{folder}/opened'\n")
    stub.chmod(0o755)
    place.environment["PATH"] = f"{programs}:{place.environment['PATH']}"
    opened = folder / "opened"
    with bus(place.environment) as (told, choose), files() as url, place.running("--notifications") as process:
        number = place.add(url + "/1000")
        path = place.until(number, "finished")["path"]
        shown = told()
        expect((shown["summary"], shown["actions"]),
               ("Download finished", ["default", "Open", "open", "Open", "folder", "Show in folder"]), "the notification")
        expect_rest(process, 3)
        choose(shown["id"], "open")
        until(lambda: opened.exists() and opened.read_text() == f"{path}\n", "Open")
        place.until(place.add(url + "/1001"), "finished")
        choose(told()["id"], "folder")
        until(lambda: opened.read_text() == f"{path}\n{place.root}/\n", "Show in folder")
        broken = place.add(url + "/missing")
        place.until(broken, "failed")
        shown = told()
        expect((shown["summary"], shown["actions"]), ("Download failed", ["retry", "Retry"]), "the notification of a failure")
        Files.missing = False
        choose(shown["id"], "retry")
        place.until(broken, "finished")
        choose(told()["id"])


@contextmanager
def bus(environment):
    """A bus with a desktop; what it was told, one at a time, and a way to choose."""
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"], stdout=subprocess.PIPE, text=True)
    address = daemon.stdout.readline().strip()
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    player = subprocess.Popen(
        ["/usr/bin/python3", HERE / "bus.py"], env=dict(os.environ, DBUS_SESSION_BUS_ADDRESS=address),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        expect(player.stdout.readline(), "ready\n", "the desktop")

        def choose(*words):
            player.stdin.write(" ".join(map(str, words)) + "\n")
            player.stdin.flush()

        yield lambda: json.loads(player.stdout.readline()), choose
    finally:
        for process in (player, daemon):
            process.terminate()
            process.wait()


def private(haul, folder):
    """a network with public addresses: redirects and names that lead to private ones are refused, and nobody is asked there"""
    told = subprocess.run(
        [*NETWORK, sys.executable, HERE / "private.py", haul.path, folder], capture_output=True, text=True, timeout=300)
    expect(told.stdout.strip() or told.stderr.strip()[-500:], "fine", "in there")


NETWORK = ["unshare", "--map-root-user", "--net", "--mount"]


def no_network():
    if not which("unshare", "ip", "mount"):
        return "unshare, ip or mount is missing"
    return "" if subprocess.run([*NETWORK, "true"], capture_output=True).returncode == 0 else "no network of its own is allowed here"


def no_desktop():
    if not which("dbus-daemon", "notify-send"):
        return "dbus-daemon or notify-send is missing"
    found = subprocess.run(["/usr/bin/python3", "-c", "import dbus, gi"], capture_output=True).returncode == 0
    return "" if found else "python3-dbus or python3-gi is missing"


def no_user_manager():
    if not which("systemctl") or not os.access("/lib/systemd/systemd", os.X_OK):
        return "systemd is missing"
    return "" if os.path.isdir("/run/systemd/system") else "this machine was not booted with systemd"


def no_other_users():
    if not which("systemd-socket-activate", "setpriv", "curl"):
        return "systemd-socket-activate, setpriv or curl is missing"
    return "" if os.geteuid() == 0 else "only root can act as other users"


def no_parser():
    try:
        import prometheus_client.parser  # noqa: F401
    except ImportError:
        return "Python's prometheus_client is missing"
    return ""


NEEDS = {
    scraped: no_parser,
    activated: lambda: "" if which("systemd-socket-activate") else "systemd-socket-activate is missing",
    shared: no_other_users, unit: no_user_manager, desktop: no_desktop, private: no_network, **limits.NEEDS,
}
