"""Runs the tests of the page's functions over values (Tests/Page) with Node, where there is one."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def run():
    """How many tests passed, as a sentence; None where there is no Node. Complains with Node's output where one fails.

    The files are copied side by side: the page's are modules for browsers, which Node believes of a folder that says so only.
    """
    node = shutil.which("node")
    if not node:
        return None
    with tempfile.TemporaryDirectory(prefix="haul-page-") as folder:
        place = Path(folder)
        (place / "package.json").write_text(json.dumps({"type": "module"}))
        shutil.copytree(ROOT / "Sources/HaulServer/Page", place / "page")
        shutil.copytree(ROOT / "Tests/Page", place / "tests")
        done = subprocess.run([node, "--test", "tests/"], cwd=place, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stdout[-4000:] + done.stderr[-1000:])
    counts = [line[2:] for line in done.stdout.splitlines() if line.startswith(("# pass", "ℹ pass"))]
    return counts[0] if counts else "all passed"


if __name__ == "__main__":
    print(run() or "node is not there: skipped")
