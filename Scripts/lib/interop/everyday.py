"""Everyday jobs, each run with the release binary and compared byte for byte."""

import base64
import hashlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from common import payload
from common.tally import Wrong
from daemon.process import Place, until
from servers.http import TestHandler, TestServer
from servers.programs import Nginx, Server
from servers.proxies import Squid

OLD = 1_700_000_000


def run_all(tally, haul, folder, only=()):
    for name, cases in CASES.items():
        if not only or name in only:
            cases(tally, haul, folder)


def expect(holds, what, *facts):
    if not holds:
        raise Wrong(f"{what}: {' '.join(str(fact) for fact in facts)}")


class Job:
    """One run of `haul` in a folder of its own."""

    count = 0

    def __init__(self, haul, folder):
        Job.count += 1
        self.haul, self.folder = haul, folder / f"job-{Job.count}"
        self.folder.mkdir()

    def run(self, *arguments, code=0, timeout=60, within=None, stdin=subprocess.DEVNULL):
        began = time.monotonic()
        done = subprocess.run(
            self.haul.command(*arguments), cwd=self.folder, env=self.haul.environment, stdin=stdin,
            capture_output=True, timeout=timeout)
        seconds = time.monotonic() - began
        self.text = done.stderr.decode(errors="replace").strip()
        self.output = done.stdout
        expect(done.returncode == code, f"exit code {done.returncode} instead of {code}", self.text)
        if within:
            expect(seconds <= within, f"{seconds:.1f} s instead of {within} s", self.text)
        return self

    def names(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def expect_files(self, files):
        expect(self.names() == sorted(files), "files", self.names())
        for name, data in files.items():
            expect((self.folder / name).read_bytes() == data, f"bytes of {name}")

    def expect_text(self, *parts):
        for part in parts:
            expect(part in self.text, f"no {part!r} in", self.text)


class PlainNginx(Server):
    """nginx with a log of statuses and sizes, and digests for two of its files."""

    name = program = "nginx"
    schemes = ("http",)

    def __init__(self, root, folder, right, wrong):
        super().__init__(root, folder, None)
        self.right, self.wrong = right, wrong

    def configure(self, ports):
        user = "user root root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(f"""
{user}
daemon off; pid {self.folder}/pid; events {{}}
http {{
    log_format short '$request_method $uri $status $body_bytes_sent';
    access_log {self.folder}/access.log short;
    client_body_temp_path {self.folder}/b; proxy_temp_path {self.folder}/p; fastcgi_temp_path {self.folder}/f;
    uwsgi_temp_path {self.folder}/u; scgi_temp_path {self.folder}/s;
    server {{
        listen 127.0.0.1:{ports["http"]}; root {self.root};
        location = /right.bin {{ add_header Repr-Digest 'sha-256=:{self.right}:'; }}
        location = /wrong.bin {{ add_header Repr-Digest 'sha-256=:{self.wrong}:'; }}
        location = /legacy.bin {{ add_header Digest 'SHA-256={self.right}'; }}
    }}
}}
""")
        return ["nginx", "-e", f"{self.folder}/error.log", "-p", f"{self.folder}/", "-c", f"{self.folder}/nginx.conf"]

    def requests(self):
        log = self.folder / "access.log"
        return log.read_text().splitlines() if log.exists() else []


@contextmanager
def site(folder):
    """An nginx with one 6 MiB file under several names."""
    root = folder / "site"
    root.mkdir(exist_ok=True)
    root.chmod(0o755)
    data = payload.contents(6 * payload.MIB, 5)
    for name in ("plain.bin", "right.bin", "wrong.bin", "legacy.bin"):
        (root / name).write_bytes(data)
        (root / name).chmod(0o644)
        os.utime(root / name, (OLD, OLD))
    right = base64.b64encode(hashlib.sha256(data).digest()).decode()
    wrong = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    with PlainNginx(root, folder / "servers", right, wrong) as nginx:
        yield nginx, f"http://127.0.0.1:{nginx.endpoints[0].port}", data


def web(tally, haul, folder):
    if Nginx.missing():
        return print("left out: nginx is not installed")
    with site(folder) as (nginx, url, data):
        with tally.case("keep: an unchanged file costs a 304 and one byte"):
            job = Job(haul, folder).run("get", "-q", f"{url}/plain.bin")
            before = len(nginx.requests())
            job.run("get", "-q", "--on-conflict", "keep", f"{url}/plain.bin").expect_files({"plain.bin": data})
            asked = until(lambda: nginx.requests()[before:], "the log")
            expect(asked[0] == "GET /plain.bin 304 0", "first request", asked)
            expect(sum(int(line.split()[-1]) for line in asked) <= 1, "bytes", asked)
        with tally.case("digest of the server: verified"):
            job = Job(haul, folder).run("get", f"{url}/right.bin")
            job.expect_files({"right.bin": data})
            job.expect_text("verified by sha-256")
        with tally.case("digest of the server, older header: verified"):
            job = Job(haul, folder).run("get", f"{url}/legacy.bin")
            job.expect_files({"legacy.bin": data})
            job.expect_text("verified by sha-256")
        with tally.case("wrong digest of the server: exit code 16, no file"):
            job = Job(haul, folder).run("get", f"{url}/wrong.bin", code=16)
            expect("wrong.bin" not in job.names(), "files", job.names())


def cache(tally, haul, folder):
    if Squid.missing() or Nginx.missing():
        return print("left out: squid or nginx is not installed")
    with site(folder) as (nginx, url, data), Squid(folder / "servers", False, caches=True) as squid:
        with tally.case("squid: the second download is a hit"):
            for _ in range(2):
                Job(haul, folder).run("get", "-q", "--proxy", squid.url, f"{url}/plain.bin").expect_files({"plain.bin": data})
            log = squid.folder / "access.log"
            until(lambda: log.exists() and "HIT" in log.read_text(), "a hit in squid's log", 5)
            sent = sum(int(line.split()[-1]) for line in nginx.requests() if line.startswith("GET /plain.bin"))
            expect(sent <= len(data) * 3 // 2, "bytes from nginx", sent)


class Gate(TestServer):
    """Stands before moto and does what it leaves out: links expire, and the connections are slow."""

    def __init__(self, behind):
        super().__init__(GateHandler)
        self.behind, self.rate = behind, 4_000_000


class GateHandler(TestHandler):
    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        signed = time.mktime(time.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ")) - time.timezone
        ends = signed + int(query["X-Amz-Expires"])
        if time.time() > ends:
            body = b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
            self.head(403, len(body), {"Content-Type": "application/xml"})
            return self.body([body])
        # The signature covers the host: moto has to see the one that the link names.
        request = urllib.request.Request(self.server.behind + self.path, headers=dict(self.headers.items()))
        with urllib.request.urlopen(request) as response:
            headers = [
                (name, value) for name, value in response.headers.items()
                if name.lower() not in ("connection", "content-length", "date", "server", "transfer-encoding")]
            self.head(response.status, response.headers["Content-Length"], headers)

            def is_over(part):
                time.sleep(len(part) / self.server.rate)
                # As when a connection breaks after the link has expired.
                return time.time() > ends + 0.5

            self.body(iter(lambda: response.read(64 << 10), b""), after=is_over)


def s3(tally, haul, folder):
    if not (importlib.util.find_spec("moto") and importlib.util.find_spec("boto3")):
        return print("left out: moto and boto3 are not installed (pip install 'moto[server]' boto3)")
    import boto3
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = dict(os.environ, AWS_ACCESS_KEY_ID="k", AWS_SECRET_ACCESS_KEY="s", AWS_DEFAULT_REGION="us-east-1")
    with open(folder / "moto.log", "wb") as log:
        moto = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], env=environment, stdout=log, stderr=log)
    gate = Gate(f"http://127.0.0.1:{port}")
    gate.start()
    try:
        until(lambda: _listens(port), "moto", 60)
        access = dict(aws_access_key_id="k", aws_secret_access_key="s", region_name="us-east-1")
        client = boto3.client("s3", endpoint_url=gate.behind, **access)
        data = payload.contents(24 * payload.MIB, 6)
        client.create_bucket(Bucket="bucket")
        client.put_object(Bucket="bucket", Key="data set.bin", Body=data)
        public = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{gate.server_port}", **access,
                              config=boto3.session.Config(signature_version="s3v4", s3={"addressing_style": "path"}))

        def link(seconds):
            return public.generate_presigned_url("get_object", Params={"Bucket": "bucket", "Key": "data set.bin"}, ExpiresIn=seconds)

        for options in ((), ("-c", "1"), ("-c", "4")):
            with tally.case(f"s3: a presigned link expires halfway, a new one resumes {' '.join(options)}"):
                gate.rate = {(): 1_000_000, ("-c", "1"): 4_000_000}.get(options, 2_000_000)
                job = Job(haul, folder)
                job.run("get", *options, "-o", "d.bin", link(2), code=9)
                job.expect_text("expired", "NEW-URL")
                expect("X-Amz-Signature" not in job.text or "REDACTED" in job.text, "the signature is shown", job.text)
                kept = sum((job.folder / name).stat().st_blocks * 512 for name in job.names() if name.endswith(".part"))
                expect(kept > payload.MIB, "bytes kept", kept, job.names())
                gate.rate = 100_000_000
                job.run("get", *options, "-o", "d.bin", link(60)).expect_files({"d.bin": data})
                expect("resumed" in job.text or "already downloaded" in job.text or "from before" in job.text, "not resumed", job.text)
        with tally.case("s3: the name comes from the path, not from the query"):
            Job(haul, folder).run("get", "-q", link(60)).expect_files({"data set.bin": data})
    finally:
        gate.shutdown()
        moto.terminate()
        moto.wait()


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


JAVA = """
import java.net.URI;
import java.net.http.*;

public class Client {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        String base = arguments[0], token = arguments[1], url = arguments[2], folder = arguments[3];
        HttpRequest.Builder list = HttpRequest.newBuilder(URI.create(base + "/api/v1/downloads"));
        HttpResponse<String> first = client.send(
            list.header("Authorization", "Bearer " + token).GET().build(), HttpResponse.BodyHandlers.ofString());
        String body = "{\\"url\\": \\"" + url + "\\", \\"folder\\": \\"" + folder + "\\"}";
        HttpResponse<String> second = client.send(
            HttpRequest.newBuilder(URI.create(base + "/api/v1/downloads")).header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body)).build(),
            HttpResponse.BodyHandlers.ofString());
        System.out.println(first.statusCode() + " " + second.statusCode() + " " + first.version());
        if (second.statusCode() != 201) System.out.println(second.body());
    }
}
"""


def java(tally, haul, folder):
    if not shutil.which("java") or Nginx.missing():
        return print("left out: java or nginx is not installed")
    place = Place(haul, folder / "java")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with site(folder) as (_, url, data), place.running("--port", port, "--private-addresses"), tally.case("java: lists and adds downloads"):
        status = subprocess.run(
            haul.command("daemon", "status", "--json", "--socket", place.socket), capture_output=True, text=True,
            env=place.environment, timeout=20)
        token = _token(place, status.stdout)
        (folder / "java/Client.java").write_text(JAVA)
        done = subprocess.run(
            ["java", folder / "java/Client.java", f"http://127.0.0.1:{port}", token, f"{url}/plain.bin", place.root],
            capture_output=True, text=True, timeout=120)
        expect(done.stdout.strip() == "200 201 HTTP_1_1", "the client", done.stdout, done.stderr[-800:])
        target = place.root / "plain.bin"
        until(target.exists, "the file")
        expect(target.read_bytes() == data, "bytes")


def _token(place, status):
    for path in [json.loads(status).get("tokenPath") if status.startswith("{") else None, *place.folder.rglob("*token*")]:
        if path and Path(path).is_file():
            return Path(path).read_text().strip()
    raise Wrong("the daemon has no token file")


class Sloppy(TestServer):
    """What no real server does on purpose."""

    def __init__(self):
        super().__init__(SloppyHandler)
        self.data = payload.contents(100_000, 7)


class SloppyHandler(TestHandler):
    def do_GET(self):
        name = self.path.split("?")[0]
        if name == "/busy":
            return self.head(429, headers={"Retry-After": "3600"})
        data, headers = self.server.data, {}
        if name == "/page.zip":
            data, headers = b"<!DOCTYPE html><title>Sign in</title>", {"Content-Type": "text/html"}
        if name == "/named":
            headers["Content-Disposition"] = "attachment; filename*=UTF-8''%e2%82%ac%20rates.pdf"
        cut = name == "/cut"
        self.head(200, len(data) * (10 if cut else 1), headers)
        self.body([data], after=lambda _: cut)


@contextmanager
def sloppy():
    with Sloppy() as server:
        yield server.url().rstrip("/"), server.data


def retry(tally, haul, folder):
    with sloppy() as (url, data), socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with tally.case("a host that does not exist fails within 2 s"):
            Job(haul, folder).run("get", "http://no-such-host.invalid/x", code=4, within=2).expect_text("no-such-host.invalid")
        with tally.case("a refused connection fails within 2 s"):
            Job(haul, folder).run("get", f"{refused}/x", code=5, within=2).expect_text("refused")
        with tally.case("12 dead URLs do not delay 10 good ones"):
            job = Job(haul, folder)
            lines = [f"{refused}/dead{number}" for number in range(12)] + [f"{url}/good{number}" for number in range(10)]
            (job.folder / "list").write_text("\n".join(lines) + "\n")
            job.run("get", "-q", "-j", "4", "-i", "list", code=5, within=5)
            expect([name for name in job.names() if name.startswith("good")] == [f"good{number}" for number in range(10)], "files", job.names())
        with tally.case("a truncated body: exit code 5, and how much came"):
            Job(haul, folder).run("get", "--retries", "1", f"{url}/cut", code=5).expect_text("100000 of 1000000")
        with tally.case("a long Retry-After: exit code 10 at once"):
            Job(haul, folder).run("get", f"{url}/busy", code=10, within=2).expect_text("3600", "--max-wait")


def jobs(tally, haul, folder):
    with sloppy() as (url, data):
        bare = url.removeprefix("http://")
        for what, arguments, files in (
            ("haul URL", [f"{url}/a.bin"], {"a.bin": data}),
            ("no scheme", [f"{bare}/a.bin"], {"a.bin": data}),
            ("-d and -o create folders", ["get", "-d", "x/y", "-o", "z/a", f"{url}/a"], {"x/y/z/a": data}),
            ("braces", ["get", f"{url}/{{a,b}}.bin"], {"a.bin": data, "b.bin": data}),
            ("ranges", ["get", f"{url}/f[08-10]"], {"f08": data, "f09": data, "f10": data}),
            ("--globoff", ["get", "--globoff", f"{url}/f[1]"], {"f[1]": data}),
            ("spaces and UTF-8", ["get", f"{url}/grün tee.bin"], {"grün tee.bin": data}),
            ("a name of the server", ["get", f"{url}/named"], {"€ rates.pdf": data}),
            ("--output /dev/null", ["get", "-o", "/dev/null", f"{url}/a"], {}),
        ):
            with tally.case(f"{what}: {' '.join(arguments).replace(bare, 'HOST')}"):
                Job(haul, folder).run(*arguments).expect_files(files)
        with tally.case("--output - streams"):
            job = Job(haul, folder).run("get", "-o", "-", f"{url}/a")
            expect(job.output == data and job.names() == [], "output", len(job.output), job.names())
        with tally.case("a list's out= creates folders"):
            job = Job(haul, folder)
            (job.folder / "list").write_text(f"{url}/a\n out=deep/er/b\n")
            job.run("get", "-i", "list")
            expect((job.folder / "deep/er/b").read_bytes() == data, "bytes")
        with tally.case("--output '' is an error"):
            Job(haul, folder).run("get", "--output=", f"{url}/a", code=2).expect_text("--output")
        with tally.case("a web page instead of a ZIP: a warning, or an error with --fail-on-html"):
            Job(haul, folder).run("get", f"{url}/page.zip").expect_text("web page")
            Job(haul, folder).run("get", "--fail-on-html", f"{url}/page.zip", code=11)
        with tally.case("--verbosity line: one line per file"):
            job = Job(haul, folder).run("get", "--verbosity", "line", f"{url}/a", f"{url}/b")
            expect(len(job.text.splitlines()) == 2, "lines", job.text)
        with tally.case("--log-file"):
            job = Job(haul, folder).run("get", "-q", "--log-file", "log", f"{url}/a")
            expect((job.folder / "log").stat().st_size > 0, "log")
        with tally.case("haul watch of an unknown download: 21; haul help nope: 2"):
            place = Place(haul, folder / "jobs-daemon")
            with place.running():
                done = subprocess.run(haul.command("watch", "99"), env=dict(place.environment, HAUL_SOCKET=str(place.socket)), capture_output=True)
                expect(done.returncode == 21, "watch", done.returncode, done.stderr)
            Job(haul, folder).run("help", "nope", code=2)


CASES = {"web": web, "cache": cache, "s3": s3, "java": java, "retry": retry, "jobs": jobs}
