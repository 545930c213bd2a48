"""Frames of a terminal, and the animated SVG that shows them."""

from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDE, HIGH, MARGIN = 8.4, 19, 16
# A pause longer than this is shortened; the last frame stays.
LONGEST, LAST = 1.2, 4.0
CLASSES = {"2": "d", "31": "r", "32": "g", "36": "c", "1": "b"}
STYLE = """text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d8dee4;white-space:pre}
.d{fill:#57606a}.r{fill:#ff7b72}.g{fill:#3fb950}.c{fill:#2dba9f}.b{font-weight:bold}"""


@dataclass
class Frame:
    """When it was seen, in seconds, and its rows of (character, style)."""

    time: float
    rows: list


class Film:
    """Collects frames that differ."""

    def __init__(self):
        self.frames = []

    def look(self, time, screen, interval=0.22):
        rows = [tuple(row) for row in screen.rows]
        if self.frames and self.frames[-1].rows == rows:
            return
        # Within the interval, the newer frame replaces the older one, so that the end of a burst is what is seen.
        if self.frames and time - self.frames[-1].time < interval and len(self.frames[-1].rows) == len(rows):
            if not getattr(self.frames[-1], "kept", False):
                self.frames[-1].rows = rows
            return
        self.frames.append(Frame(time, rows))

    def svg(self, title, columns):
        frames = self.frames
        lines = max(len(frame.rows) for frame in frames)
        width, height = round(columns * WIDE + 2 * MARGIN), lines * HIGH + 2 * MARGIN
        gaps = [min(LONGEST, after.time - before.time) for before, after in zip(frames, frames[1:])] + [LAST]
        known, pictures = {}, []
        for index, frame in enumerate(frames):
            uses = []
            for row, cells in enumerate(frame.rows):
                if any(character != " " for character, _ in cells):
                    name = known.setdefault(cells, f"l{len(known)}")
                    uses.append(f'<use href="#{name}" y="{index * height + row * HIGH}"/>')
            pictures.append("".join(uses))
        total, passed, steps = sum(gaps), 0.0, []
        for index, gap in enumerate(gaps):
            steps.append(f"{passed / total * 100:.2f}%{{transform:translateY({-index * height}px)}}")
            passed += gap
        last = f"transform:translateY({-(len(frames) - 1) * height}px)"
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}",
            f".f{{{last};animation:f {total:.1f}s step-end infinite}}@keyframes f{{{''.join(steps)}}}",
            "@media (prefers-reduced-motion:reduce){.f{animation:none}}</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#161b22"/>',
            "<defs>", *(f'<g id="{name}">{line(cells)}</g>' for cells, name in known.items()), "</defs>",
            f'<g class="f">{"".join(pictures)}</g>', "</svg>\n"])


def line(cells):
    """The runs of equal style, each at its column and as wide as its characters."""
    parts, start = [], 0
    while start < len(cells):
        end = start
        while end < len(cells) and cells[end][1] == cells[start][1]:
            end += 1
        text = "".join(character for character, _ in cells[start:end])
        shift = len(text) - len(text.lstrip(" "))
        text = text.strip(" ")
        if text:
            kind = CLASSES.get(cells[start][1])
            parts.append(
                f'<text x="{round(MARGIN + (start + shift) * WIDE, 1):g}" y="{MARGIN + 14}" textLength="{round(len(text) * WIDE, 1):g}"'
                f'{f""" class="{kind}" """.rstrip() if kind else ""}>{escape(text)}</text>')
        start = end
    return "".join(parts)
