"""The command lines of Haul and of the programs it is compared with."""

import shutil
import subprocess

from common.haul import REPOSITORY

BENCH = REPOSITORY / ".build/release/HaulBench"
PEERS = {"aria2c": "aria2", "curl": "curl", "wget2": "wget2", "axel": "axel"}


def available(name):
    if name.split()[0] == "bare":
        return BENCH.exists()
    return name.split()[0] == "haul" or shutil.which(name.split()[0]) is not None


def versions(haul):
    """One line with the first line of each program's --version."""
    found = [f"haul: {_first_line([str(haul.path), '--version'])}"]
    for program, package in PEERS.items():
        found.append(_first_line([program, "--version"]) if available(program) else f"{package} is not installed")
    return "; ".join(found)


def _first_line(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout.strip().splitlines() or ["?"])[0][:60].split(" (")[0]


def single(haul, name, url, folder, certificate, size=None):
    """The command that downloads one file to folder/out.bin; the name tells program and connections."""
    program, *rest = name.split()
    count = rest[0][2:] if rest else None
    authority = str(certificate.authority) if url.startswith("https:") else None
    out = f"{folder}/out.bin"
    if program == "haul":
        trust = ["--ca-certificate", authority] if authority else []
        return haul.command("get", "--quiet", "-d", folder, "-o", "out.bin", *(["-c", count] if count else []),
                            *trust, url)
    if program == "bare":
        return [str(BENCH), "loop", "--connections", count, str(size), url, out]
    if program == "aria2c":
        split = [f"-x{count}", f"-s{count}", "-k1M", "--file-allocation=none"] if count else []
        trust = [f"--ca-certificate={authority}"] if authority else []
        return ["aria2c", "--no-conf", "-q", *split, *trust, "-d", str(folder), "-o", "out.bin", url]
    if program == "axel":
        return ["axel", "-q", *(["-k"] if authority else []), "-n", count, "-o", out, url]
    if program == "wget2":
        return ["wget2", "-q", *([f"--ca-certificate={authority}"] if authority else []), "-O", out, url]
    return ["curl", "-s", *(["--cacert", authority] if authority else []), "-o", out, url]


def many(haul, name, lists, folder, certificate, https):
    """The command that downloads a list of files, 16 at once, into the folder."""
    program = name.split()[0]
    authority = str(certificate.authority)
    if program == "haul":
        trust = ["--ca-certificate", authority] if https else []
        return haul.command("get", "--quiet", "-d", folder, "-j", 16, *trust, "-i", lists / "urls.txt")
    if program == "aria2c":
        trust = [f"--ca-certificate={authority}"] if https else []
        return ["aria2c", "--no-conf", "-q", "-j16", *trust, "-d", str(folder), "-i", str(lists / "urls.txt")]
    if program == "wget2":
        trust = [f"--ca-certificate={authority}"] if https else []
        return ["wget2", "-q", "-nd", "--max-threads=16", *trust, "-P", str(folder), "-i", str(lists / "urls.txt")]
    trust = ["--cacert", authority] if https else []
    return ["curl", "-s", "-Z", "--parallel-max", "16", *trust, "-K", str(lists / "curl.conf")]
