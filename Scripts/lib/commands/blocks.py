"""Reads the marked blocks of a page.

    <!-- run -->             the next block has commands, each after `$ `, and what they print; see Scripts/check-commands
    <!-- run: exit 2 -->     each of its commands ends with this exit code
    <!-- run: any order -->  lines may come in another order
    <!-- run: 80 columns --> in a terminal of this width
    <!-- run: needs NAME --> is left out if this program is not installed
    <!-- not run: REASON --> the next block is not run
    <!-- file: list.txt -->  the next block is the text of this file
    <!-- setup: rm *.iso --> is run, and not shown
    <!-- restart -->         the next block begins in an empty folder
"""

import re
from dataclasses import dataclass, field

MARK = re.compile(r"^<!-- (run|file|setup|restart)(?:: (.+?))? -->$")


@dataclass
class Command:
    text: str
    number: int
    output: list[str] = field(default_factory=list)


@dataclass
class Block:
    """What a mark says, its argument, the number of its line, and the lines of the block after it."""

    kind: str
    argument: str
    number: int
    lines: list[str]

    def commands(self):
        """The commands with their output. A command that ends with a backslash continues on the next line."""
        found = []
        for offset, line in enumerate(self.lines, 2):
            if found and found[-1].text.endswith("\\") and not found[-1].output:
                found[-1].text += "\n" + line
            elif line.startswith("$ "):
                found.append(Command(line[2:], self.number + offset))
            elif found:
                found[-1].output.append(line)
        return found


def blocks(text):
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if not (mark := MARK.match(line)):
            continue
        kind, argument = mark[1], mark[2] or ""
        body = []
        if kind in ("run", "file"):
            begin = index + 1
            if begin >= len(lines) or not lines[begin].startswith("```"):
                raise SystemExit(f"line {index + 1}: no block after the mark")
            end = lines.index("```", begin)
            body = lines[begin + 1:end]
        yield Block(kind, argument, index + 1, body)


def unmarked(text):
    """The numbers of lines of blocks with haul's commands that have no mark and no reason for it (`<!-- not run: REASON -->`)."""
    lines = text.splitlines()
    inside = False
    for index, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        inside = not inside
        if not inside:
            continue
        body = lines[index + 1:lines.index("```", index + 1)]
        before = lines[index - 1] if index else ""
        if any(re.match(r"(\$ )?(haul|aria2c)\b", each) for each in body) and not before.startswith("<!-- "):
            yield index + 1
