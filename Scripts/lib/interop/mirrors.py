"""One file from two nginx at once: by --mirror and by Metalink, with a mirror that is right, gone or lying."""

import hashlib
import os
import shutil
from urllib.parse import quote

from common import payload
from common.payload import MIB
from common.tally import Wrong
from common.workspace import empty_folder
from interop.cases import RESUMED
from servers.programs import Nginx

PIECE = MIB


def run_all(tally, bench, folder):
    """Two servers with roots of their own; the mirror's file has another date, and so another entity tag."""
    roots = folder / "mirror-roots"
    right, lying = roots / "right", roots / "lying"
    for root in (right, lying):
        root.mkdir(parents=True)
        shutil.copyfile(bench.sources / RESUMED, root / RESUMED)
        os.utime(root / RESUMED, (1_700_000_000, 1_700_000_000))
    with open(lying / RESUMED, "r+b") as file:
        for offset in (20 * MIB, 22 * MIB):
            file.seek(offset)
            file.write(b"wrong bytes")
    with Nginx(bench.sources, folder / "nginx-main", bench.certificate) as main, \
            Nginx(right, folder / "nginx-right", bench.certificate) as mirror, \
            Nginx(lying, folder / "nginx-lying", bench.certificate) as liar:
        urls = [server.endpoints[0].url(quote(RESUMED)) for server in (main, mirror, liar)]
        _options(tally, bench, *urls)
        _metalinks(tally, bench, folder, roots, main, *urls)


def _options(tally, bench, main, mirror, liar):
    digest = f"sha256:{payload.sha256(bench.sources / RESUMED)}"
    for label, url, options in [
        ("both right", main, ["--mirror", mirror]),
        ("the mirror has no such file", main, ["--mirror", mirror + ".gone"]),
        ("nothing listens at the mirror", main, ["--mirror", "http://127.0.0.1:1/x"]),
        ("the main source has no such file", main + ".gone", ["--mirror", mirror]),
        ("a mirror lies, and a checksum is known", main, ["--mirror", liar, "--checksum", digest]),
        ("the main source lies, and a checksum is known", liar, ["--mirror", main, "--checksum", digest]),
    ]:
        with tally.case(f"mirrors: {label}"), empty_folder(bench.folder) as target:
            bench.haul.run("get", "--quiet", "-c", "4", "-o", target / RESUMED, *options, url).expect(0)
            payload.expect_same_digest(bench.sources / RESUMED, target / RESUMED)


def _metalinks(tally, bench, folder, roots, server, main, mirror, liar):
    document = folder / "two.meta4"
    document.write_text(_metalink(bench.sources / RESUMED, [liar, main, mirror]), encoding="utf-8")
    shutil.copyfile(document, bench.sources / document.name)
    online = server.endpoints[0].url(document.name)
    for label, place in [("a file", document), ("a URL", online)]:
        with tally.case(f"mirrors: Metalink, {label}, the first source lies"), empty_folder(bench.folder) as target:
            bench.haul.run("get", "--quiet", "-c", "4", "-d", target, "--metalink", place).expect(0)
            payload.expect_same_digest(bench.sources / RESUMED, target / RESUMED)
    with tally.case("mirrors: a Metalink's URL without --metalink"), empty_folder(bench.folder) as target:
        bench.haul.run("get", "--quiet", "-d", target, online).expect(0)
        payload.expect_same_digest(document, target / document.name)
    hostile = folder / "hostile.meta4"
    hostile.write_text("<!DOCTYPE m [<!ENTITY a 'aaaa'>]><metalink/>", encoding="utf-8")
    with tally.case("mirrors: a Metalink with entities"):
        outcome = bench.haul.run("get", "-d", folder, "--metalink", hostile)
        if outcome.code == 0 or "entities" not in outcome.last_line():
            raise Wrong(f"exit code {outcome.code}: {outcome.last_line()}")


def _metalink(path, urls):
    content = path.read_bytes()
    pieces = [content[start:start + PIECE] for start in range(0, len(content), PIECE)]
    hashes = "".join(f"<hash>{hashlib.sha256(piece).hexdigest()}</hash>" for piece in pieces)
    sources = "".join(f'<url priority="{rank}">{url}</url>' for rank, url in enumerate(urls, 1))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="{path.name}"><size>{len(content)}</size>
<hash type="sha-256">{hashlib.sha256(content).hexdigest()}</hash>
<pieces length="{PIECE}" type="sha-256">{hashes}</pieces>{sources}</file></metalink>
"""
