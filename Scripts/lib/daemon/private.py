"""Runs in a network of its own, as its root: addresses that are public by their number lead nowhere but here.

`private.py HAUL FOLDER`: says `fine`, or what was not as it should be.
"""

import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

sys.dont_write_bytecode = True
# In place of this folder, where modules could be taken for those of the standard library.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from common.haul import Haul  # noqa: E402
from common.tally import Wrong  # noqa: E402
from daemon.process import Place  # noqa: E402
from servers.http import TestHandler, TestServer  # noqa: E402

PUBLIC, INNER = "93.184.216.34", "10.1.2.3"
HOSTS = f"127.0.0.1 localhost\n{PUBLIC} outside.test\n{INNER} inside.test\n127.0.0.1 rebound.test\n"
asked = []


class Pages(TestHandler):
    def do_GET(self):
        asked.append((self.server.server_address[0], self.path))
        target = unquote(self.path.partition("?to=")[2])
        if target:
            return self.head(302, headers={"Location": target})
        self.head(200, 6)
        self.body([b"secret"])


def prepare(folder):
    for call in (["ip", "link", "set", "lo", "up"], *(["ip", "address", "add", f"{a}/32", "dev", "lo"] for a in (PUBLIC, INNER))):
        subprocess.run(call, check=True)
    hosts = folder / "hosts"
    hosts.write_text(HOSTS)
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    for address in (PUBLIC, INNER, "127.0.0.1"):
        TestServer(Pages, (address, 8080)).start()


def refused(place, url, port):
    """A source that must not be asked: refused at once, or once it is known where it leads."""
    before = len(asked)
    number = place.add(url, port)
    if isinstance(number, int):
        error = place.until(number, "failed")["error"]
    else:
        error = number
    if error["code"] != "invalidRequest" or "private" not in error["message"]:
        raise Wrong(f"{url}: {error}")
    inner = [one for one in asked[before:] if one[0] != PUBLIC]
    if inner:
        raise Wrong(f"{url}: {inner} were asked")


def check(haul, folder):
    place = Place(haul, folder / "strict")
    with place.running("--port", "7000"):
        for url in (f"http://{PUBLIC}:8080/a", "http://outside.test:8080/b", f"http://outside.test:8080/c?to=http://{PUBLIC}:8080/d"):
            place.until(place.add(url, 7000), "finished")
        for target in (f"http://{INNER}:8080/x", "http://inside.test:8080/x", "http://127.0.0.1:8080/x", "http://rebound.test:8080/x",
                       "http://[::ffff:10.1.2.3]:8080/x", "http://0x7f.1:8080/x", "http://2130706433:8080/x"):
            refused(place, target, 7000)
            refused(place, f"http://outside.test:8080/r?to={target}", 7000)
            refused(place, f"http://{PUBLIC}:8080/r?to=http://outside.test:8080/r?to={target}", 7000)
        # Over the Unix socket it is the user who asks.
        place.until(place.add("http://inside.test:8080/mine"), "finished")
    open_place = Place(haul, folder / "open")
    with open_place.running("--port", "7001", "--private-addresses"):
        for url in ("http://inside.test:8080/x", f"http://{PUBLIC}:8080/r?to=http://127.0.0.1:8080/y"):
            open_place.until(open_place.add(url, 7001), "finished")


def main():
    folder = Path(sys.argv[2])
    prepare(folder)
    try:
        check(Haul(folder, sys.argv[1]), folder)
    except Wrong as problem:
        print(problem)
        sys.exit(1)
    print("fine")


if __name__ == "__main__":
    main()
