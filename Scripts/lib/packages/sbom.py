"""Prints the software bill of materials of a release, as CycloneDX 1.6 JSON: `sbom.py VERSION Package.resolved PROGRAM`.

Contains the Swift packages with their versions and commits, the system's libraries that are linked in, and the shared libraries that the program
needs. The time is that of
SOURCE_DATE_EPOCH, so that the same sources and program give the same document.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

# Everything else is under the Apache License 2.0.
LICENSES = {"grdb.swift": "MIT"}


def package(pin):
    address, state = pin["location"].removesuffix(".git"), pin["state"]
    version = state.get("version", state["revision"])
    name = address.removeprefix("https://")
    return {
        "type": "library", "bom-ref": f"pkg:swift/{name}@{version}", "purl": f"pkg:swift/{name}@{version}", "name": pin["identity"],
        "version": version, "scope": "required", "licenses": [{"license": {"id": LICENSES.get(pin["identity"], "Apache-2.0")}}],
        "externalReferences": [{"type": "vcs", "url": address, "comment": f"commit {state['revision']}"}],
    }


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libraries(program):
    shared = sorted(re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", program)))
    versions = dict(re.findall(r"^library: (\S+) (\S+)$", output(program, "--version", "--verbose"), re.MULTILINE))
    compiler = re.search(r"GCC: \([^)]*\) (\S+)", output("readelf", "-p", ".comment", program))
    versions["libstdc++"] = compiler.group(1) if compiler else ""
    for name, file, license in (
        ("SQLite", "libsqlite3", "blessing"), ("zlib", "libz", "Zlib"), ("libstdc++", "libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1")):
        if not any(each.startswith(file + ".so") for each in shared):
            yield {
                "type": "library", "bom-ref": f"static:{name}", "name": name, "version": versions[name], "scope": "required",
                "description": "library of the system, linked in", "licenses": [{"expression": license}],
            }
    for name in shared:
        yield {"type": "library", "bom-ref": f"shared:{name}", "name": name, "scope": "required", "description": "shared library of the system"}
    yield {"type": "library", "bom-ref": "shared:libcurl.so.4", "name": "libcurl.so.4", "scope": "optional", "description": "shared library of the system, loaded for FTP, SFTP and SOCKS"}


def main():
    version, resolved, program = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    pins = sorted(json.loads(resolved.read_text())["pins"], key=lambda pin: pin["identity"])
    components = [package(pin) for pin in pins] + list(libraries(program))
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    haul = f"pkg:generic/haul@{version}"
    time = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc)
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, haul + digest)}",
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "bom-ref": haul, "purl": haul, "name": "haul", "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}], "hashes": [{"alg": "SHA-256", "content": digest}],
            },
        },
        "components": components,
        "dependencies": [{"ref": haul, "dependsOn": [each["bom-ref"] for each in components]}],
    }
    print(json.dumps(document, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
