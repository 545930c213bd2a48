"""The complete files of docs/fleet, as they are tested: with other options, and folders of this machine."""

import re

from common.haul import REPOSITORY
from common.tally import Wrong

FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def block(page, start, changes):
    """The block of a page that begins with this text; `changes` maps the starts of lines to other lines.

    Each must occur once, so that a change of the page is noticed.
    """
    text = (REPOSITORY / "docs/fleet" / page).read_text()
    found = [each["text"] for each in FENCE.finditer(text) if each["text"].startswith(start)]
    if len(found) != 1:
        raise Wrong(f"docs/fleet/{page} has {len(found)} blocks that begin with {start!r}")
    lines = found[0].splitlines()
    for begin, line in changes.items():
        places = [index for index, each in enumerate(lines) if each.startswith(begin)]
        if len(places) != 1:
            raise Wrong(f"docs/fleet/{page}: {len(places)} lines begin with {begin!r}")
        lines[places[0]] = line
    return "\n".join(lines) + "\n"
