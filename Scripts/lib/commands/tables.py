"""Tries every row of the tables of docs/comparison.md."""

import re
import shutil
import subprocess
from pathlib import Path

from common.tally import Wrong
from servers.example import site, sha256

URL = "https://example.org/small.iso"
SPAN = re.compile(r"`([^`]+)`")
# The tables that are tried, with the command that lists the options of the program.
HELP = {
    "curl": ["curl", "--help", "all"],
    "wget": ["wget", "--help"],
    "aria2": ["aria2c", "--help=#all"],
    "rclone": ["rclone", "copyurl", "--help"],
}
MORE_HELP = {"rclone": ["rclone", "help", "flags"]}
# Words of the tables, and what stands for them in a command.
VALUES = {
    "FILE": "file", "FOLDER": "folder", "LIST": "list", "URL": URL, "N": "2", "SECONDS": "20", "RATE": "9M",
    "RATE:SECONDS": "1K:20", "NAME": "me", "TEXT": "text", "FIRST-LAST": "0-99", "FIRST-": "100-", "HEADER": "X-Test: 1",
    "SCHEME": "basic", "DATE": "2026-01-01", "METHOD": "POST", "@FILE": "@password"}
REFUSALS = ("not supported", "does not", "only downloads", "has no BitTorrent")
# Options that the local server cannot satisfy: it has no IPv6 address.
UNREACHABLE = ("-6", "--ipv6")


def check(page, haul, place, tally, path):
    """Tries each row as a case, in a folder with the files that options name."""
    helps = {name: help_text(name, path) for name in HELP}
    for head, number, cells in rows(page.read_text(encoding="utf-8")):
        if head[0] not in HELP or head[1:] != ["haul", "remark"]:
            continue
        theirs, ours = SPAN.findall(cells[0]), SPAN.findall(cells[1])
        with tally.case(f"{page.name}:{number}: {head[0]} {cells[0].replace('`', '')}"):
            for option in theirs:
                exists(head[0], option, helps[head[0]])
                if head[0] != "rclone":
                    hinted(option, cells[1], ours, haul, place)
            for option in ours:
                works(option, haul, place)


def rows(text):
    """The head of the table, the number of the line, and the cells, for each row of the page."""
    head = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = cells_of(line)
        elif not re.fullmatch(r"[|:\- ]+", line):
            yield head, number, cells_of(line)


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def help_text(name, path):
    """What the program says about its options; None if it is not installed."""
    if not shutil.which(HELP[name][0], path=path):
        print(f"skipped the names of {name}'s options: it is not installed")
        return None
    commands = [HELP[name], *([MORE_HELP[name]] if name in MORE_HELP else [])]
    return "".join(subprocess.run(each, capture_output=True, text=True).stdout for each in commands)


def exists(program, option, text):
    for name in re.findall(r"(?<![\w-])--?[\w#-]*[\w#]", option.split('"')[0]):
        if text is not None and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            raise Wrong(f"{program} has no option {name}")


def words(option, values):
    """The arguments of an option as a table writes it."""
    found = re.findall(r'"[^"]*"|\S+', option)
    return [values.get(word, word.strip('"')).replace("HEX", sha256(site()["small.iso"])) for word in found]


def hinted(option, cell, ours, haul, place):
    """The foreign option gets the hint that the row says, or works if the row says so."""
    prepare(place)
    values = VALUES | {"FILE": file_for(option.split()[0], haul)}
    arguments = words(option, values)
    if cell == "the same":
        return works(option, haul, place)
    if cell == "accepted":
        return works(f"{option} -O", haul, place)
    outcome = haul_in(place, haul, *arguments, URL)
    if outcome.returncode != 2:
        raise Wrong(f"{option}: exit code {outcome.returncode} instead of a hint: {outcome.stderr.strip()}")
    hint = outcome.stderr
    if cell.startswith("not needed"):
        missing = "not needed" not in hint and "to resume, run the same command again" not in hint
    elif cell == "–":
        missing = not any(word in hint for word in REFUSALS)
    else:
        missing = not any(name_of(each) in hint for each in ours)
    if missing:
        raise Wrong(f"{option}: the hint is another one: {hint.strip()}")


def name_of(option):
    return " ".join(option.split()[:2]) if option.startswith("haul ") else option.split()[0]


def works(option, haul, place):
    """Haul's option is accepted, and the download succeeds."""
    prepare(place)
    if option.startswith("haul "):
        outcome = haul_in(place, haul, *option.split()[1:], "--help", get=False)
    elif option == "--password-file FILE" or option == "--client-key FILE":
        outcome = haul_in(place, haul, *paired(option, haul), URL)
    else:
        values = VALUES | {"FILE": file_for(option.split()[0], haul), "NAME": "lo" if "interface" in option else "me"}
        if option.startswith("--proxy "):
            values["URL"] = haul.environment["https_proxy"]
        more = ["--password-file", "password"] if option.startswith("--user ") else []
        more += [] if option.split()[0] in ("-i", "--input-file", "--metalink") else [URL]
        outcome = haul_in(place, haul, *words(option, values), *more)
    if outcome.returncode != 0 and not (option in UNREACHABLE and outcome.returncode != 2):
        raise Wrong(f"haul get {option}: exit code {outcome.returncode}: {outcome.stderr.strip()}")


def paired(option, haul):
    """An option that is only accepted together with another one."""
    if "password" in option:
        return ["--user", "me", "--password-file", "password"]
    tls = Path(haul.environment["SSL_CERT_FILE"]).parent
    return ["--client-certificate", tls / "server.pem", "--client-key", tls / "server.key"]


def file_for(name, haul):
    """A file that the option can read or write."""
    authority = Path(haul.environment["SSL_CERT_FILE"])
    return {
        "--ca-certificate": str(authority), "--client-certificate": str(authority.parent / "both.pem"),
        "--load-cookies": "cookies", "--bearer-file": "password", "--proxy-user-file": "proxy-user", "-i": "list",
        "--input-file": "list", "--metalink": "list.meta4", "--config": "config.toml"}.get(name, "new")


def prepare(place):
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    texts = {
        "password": "secret\n", "proxy-user": "me:secret\n", "cookies": "# Netscape HTTP Cookie File\n", "list": URL + "\n",
        "config.toml": "retries = 3\n", "../.netrc": "machine example.org login me password secret\n"}
    for name, text in texts.items():
        (place / name).write_text(text)
    (place / "list.meta4").write_bytes(site()["photos.meta4"])


def haul_in(place, haul, *arguments, get=True):
    command = haul.command(*(["get"] if get else []), *arguments)
    return subprocess.run(command, cwd=place, env=haul.environment, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=60)
