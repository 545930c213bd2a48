"""aria2's command line as scripts and yt-dlp use it, one function a case."""

import os
import socket
import subprocess
import sys
import time

from aria2.bench import expect

def versions(bench):
    """aria2c -v and --version say what clients look for"""
    for option in ("-v", "--version"):
        told = bench.run(option)
        expect(told.returncode, 0, option)
        expect(told.stdout.splitlines()[0], "aria2 version 1.37.0", option)
        expect("Metalink" in told.stdout, True, option)
    expect(bench.run("--no-such-option").returncode, 28, "an unknown option")


def plain(bench):
    """the notebooks' call: -c -x 16 -s 16 -k 1M URL -d DIR -o FILE, and the same again"""
    place = bench.place()
    call = ["--console-log-level=error", "-c", "-x", "16", "-s", "16", "-k", "1M", bench.files.url("/a.bin"), "-d", place / "new", "-o", "F"]
    for _ in range(2):
        told = bench.run(*call)
        expect(told.returncode, 0, told.stdout + told.stderr)
        expect("|OK  |" in told.stdout, True, "the table")
        bench.check(place / "new/F", "/a.bin")
    expect(sorted(os.listdir(place / "new")), ["F"], "the folder")


def as_command(bench):
    """haul aria2c is the same program"""
    place = bench.place()
    told = bench.run("aria2c", "-q", "-d", place, bench.files.url("/a.bin"), command=[str(bench.haul.path)])
    expect((told.returncode, told.stdout), (0, ""), told.stderr)
    bench.check(place / "a.bin", "/a.bin")


def list_file(bench):
    """apt-fast's call: a list of mirrors with out="""
    place = bench.place()
    mirrors = f"{bench.files.url('/a.bin')}\t{bench.files.url('/a.bin?mirror')}\n out=one\n{bench.files.url('/b.mp4')}\n out=two\n"
    (place / "list").write_text(mirrors)
    told = bench.run(
        "-c", "-j", "5", "-x", "5", "--min-split-size=1M", "-i", place / "list", "--connect-timeout=600", "--timeout=600", "-m0",
        cwd=place)
    expect(told.returncode, 0, told.stdout)
    bench.check(place / "one", "/a.bin")
    bench.check(place / "two", "/b.mp4")


def failures(bench):
    """exit codes: 3 not found, 1 no connection (as aria2 itself), 13 exists, 32 checksum, 7 interrupted and resumed"""
    place = bench.place()
    url = bench.files.url("/a.bin")
    expect(bench.run("-q", "-d", place, bench.files.url("/missing")).returncode, 3, "missing")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        told = bench.run("-q", "-m1", "-d", place, f"http://127.0.0.1:{closed.getsockname()[1]}/x")
        expect(told.returncode, 1, "no connection")
    (place / "there").write_text("old")
    told = bench.run("-q", "-d", place, "-o", "there", "--auto-file-renaming=false", url)
    expect(told.returncode, 13, "exists")
    expect((place / "there").read_text(), "old", "what stood there")
    told = bench.run("-q", "-d", place, "-o", "sum", f"--checksum=sha-256={'0' * 64}", url)
    expect(told.returncode, 32, "checksum")
    call = [str(bench.program), "-d", str(place), "-o", "slow", "-x1", "-s1", bench.files.url("/slow")]
    process = subprocess.Popen(call, env=bench.haul.environment, stdout=subprocess.PIPE, text=True)
    time.sleep(3)
    process.terminate()
    told = process.communicate(timeout=20)[0]
    expect(process.returncode, 7, told)
    expect("[#" in told and "CN:1 DL:" in told and "|INPR|" in told, True, f"the readout in {told!r}")
    expect(bench.run(*call[1:4], "slow", "-x4", "-s4", bench.files.url("/slow")).returncode, 0, "the second run")
    bench.check(place / "slow", "/slow")


def downloader(bench):
    """yt-dlp --downloader aria2c on a plain URL"""
    place = bench.place()
    command = [
        sys.executable, "-m", "yt_dlp", "--ignore-config", "--verbose", "--downloader", str(bench.program), "--no-playlist", "-P", str(place),
        "-o", "video.%(ext)s", bench.files.url("/b.mp4"),
    ]
    told = subprocess.run(command, env={**bench.haul.environment, "XDG_CACHE_HOME": str(place / "cache")}, capture_output=True, text=True, timeout=120)
    expect(told.returncode, 0, (told.stdout + told.stderr)[-800:])
    bench.check(place / "video.mp4", "/b.mp4")
    expect("aria2c command line" in told.stdout + told.stderr, True, "whether yt-dlp ran aria2c")


CASES = [versions, plain, as_command, list_file, failures, downloader]
