"""Writes the manual pages: `manpages.py HAUL FOLDER`.

haul.1 is the complete page that `haul manual` prints; haul-get.1, haul-daemon-run.1 and so on have one section of it each, and the usage that
`haul get --help` prints.
"""

import re
import subprocess
import sys
from pathlib import Path

SECTION = re.compile(r'^\.SH "(HAUL [^"]+)"\n', re.MULTILINE)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def usage(haul, words):
    """Returns the lines after USAGE:, without the program's own indentation."""
    text = output(haul, *words, "--help").partition("USAGE: ")[2].partition("\n\n")[0]
    return [" ".join(line.split()) for line in text.splitlines()]


def page(haul, title, words, name, text):
    first, _, rest = text.partition("\n")
    description, found, options = rest.partition(".TP\n")
    lines = [title.replace("HAUL", escaped(name.upper()), 1), ".SH NAME", f"{escaped(name)} \\- {first.rstrip('.')}", ".SH SYNOPSIS", ".nf"]
    lines += [escaped(line) for line in usage(haul, words)]
    lines += [".fi", ".SH DESCRIPTION", first, description.rstrip("\n")]
    if found:
        lines += [".SH OPTIONS", ".TP", options.rstrip("\n")]
    return "\n".join([line for line in lines if line] + [".SH SEE ALSO", ".BR haul (1)", ""])


def main():
    haul, folder = sys.argv[1], Path(sys.argv[2])
    whole = output(haul, "manual")
    title = whole.partition("\n")[0]
    commands = whole.partition(".SH ENVIRONMENT\n")[0]
    parts = SECTION.split(commands)[1:]
    names = []
    for heading, text in zip(parts[::2], parts[1::2]):
        words = heading.lower().split()[1:]
        name = "-".join(["haul", *words])
        names.append(name)
        (folder / f"{name}.1").write_text(page(haul, title, words, name, text))
    others = ",\n".join(f".BR {escaped(name)} (1)" for name in [*names, "haul-aria2"])
    (folder / "haul.1").write_text(f"{whole}.SH SEE ALSO\n{others}\n")


if __name__ == "__main__":
    main()
