"""Writes src/haul/_options.py: the options of the program as types, read from the program itself.

HAUL=PATH python3 tools/options.py           writes the file
HAUL=PATH python3 tools/options.py --check   fails if it differs
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "src/haul/_options.py"

# What the package decides itself, and what prints something else than events.
OWN = {"json", "quiet", "verbosity", "why", "no-why", "help", "version", "log-level", "log-file", "input-file"}
BATCH = {"out", "check", "deep", "plan"}
# What belongs to a manifest: the adapters write it.
MANIFEST = [
    "manifest-format",
    "url-column",
    "id-column",
    "name-column",
    "shard",
    "shard-by",
    "shard-name",
    "prometheus",
    "per-host",
]

HEAD = '''"""The options of the program, as types.

Written by tools/options.py from `haul --experimental-dump-help`; do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

Value = str | int | float | os.PathLike[str]
Values = Value | Sequence[Value]
'''


def options(name: str, program: str) -> list[dict[str, Any]]:
    """Return the options of a command that have a long name."""
    text = subprocess.run([program, name, "--experimental-dump-help"], check=True, capture_output=True).stdout
    found = []
    for argument in json.loads(text)["command"]["arguments"]:
        names = [each["name"] for each in argument.get("names", []) if each["kind"] == "long"]
        if names and names[0] not in OWN:
            found.append({**argument, "long": names[0]})
    return found


def key(name: str) -> str:
    """Return an option's name in Python."""
    text = name.replace("-", "_")
    return text + "_" if text == "continue" else text


def members(chosen: list[dict[str, Any]]) -> str:
    """Return the members of a class, with their help."""
    lines = ""
    for option in chosen:
        kind = "bool" if option["kind"] == "flag" else "Values" if option["isRepeating"] else "Value"
        # An option whose value may be left out, those with a list of values separated by commas, and names with values.
        if option["long"] == "retry-failed":
            kind = "bool | Values"
        elif option["long"] in {"accept", "disallow", "no-proxy"}:
            kind = "Values"
        elif option["long"] == "header":
            kind = "Values | Mapping[str, Value]"
        lines += f'    {key(option["long"])}: {kind}\n    """{option["abstract"]}"""\n'
    return lines


def text(program: str) -> str:
    """Return the content of the file."""
    get, batch = options("get", program), [each for each in options("batch", program) if each["long"] not in BATCH]
    rows = [each for each in batch if each["long"] not in MANIFEST]
    rest = [each for each in batch if each["long"] in MANIFEST]
    parts = [
        HEAD,
        '\nclass GetOptions(TypedDict, total=False):\n    """The options of `haul get`."""\n\n' + members(get),
        '\nclass RowOptions(TypedDict, total=False):\n    """The options of `haul batch` for rows and parts."""\n\n'
        + members(rows),
        '\nclass BatchOptions(RowOptions, total=False):\n    """All options of `haul batch`."""\n\n' + members(rest),
    ]
    repeated = sorted({key(each["long"]) for each in get + batch if each["isRepeating"]})
    listed = "".join(f'        "{name}",\n' for name in repeated)
    return "\n".join(parts) + f"\n\nREPEATED = frozenset(\n    {{\n{listed}    }}\n)\n"


def main() -> None:
    """Write or check the file."""
    program = os.environ.get("HAUL") or "haul"
    wanted = text(program)
    if "--check" not in sys.argv:
        TARGET.write_text(wanted)
    elif TARGET.read_text() != wanted:
        raise SystemExit(f"{TARGET.name} differs from the options of {program}: run tools/options.py")


if __name__ == "__main__":
    main()
