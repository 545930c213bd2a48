"""What `make site` does beyond mkdocs: pages from outside of docs/, and links as GitHub and DocC write them.

mkdocs calls the functions `on_...` (https://www.mkdocs.org/user-guide/configuration/#hooks).
"""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).resolve().parent))
import reference  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]

LIBRARY = "Sources/Haul/Haul.docc"
# Pages from outside of docs/: the path in the repository, and the path in the site.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "ROADMAP.md": "project/roadmap.md",
    "CHANGELOG.md": "project/changes.md",
    "SECURITY.md": "project/security.md",
    "Examples/README.md": "library/examples.md",
    **{f"{LIBRARY}/{page.name}": f"library/{page.name}" for page in sorted((ROOT / LIBRARY).glob("*.md"))},
}
# Pages about the inside of the program.
INTERNAL = ("decisions/", "project/", "reliability.md", "features.md", "architecture.md", "benchmarks.md", "first-issues.md")
REFERENCE = {f"library/reference/{name}": text for name, text in reference.pages(ROOT / ".build/symbols").items()}
DECISIONS = sorted(page.name for page in (ROOT / "docs/decisions").glob("*.md"))

CODE = re.compile(r"^ *(?P<fence>```+|~~~+).*?^ *(?P=fence) *$|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
DOC = re.compile(r"<doc:(?P<page>\w+)>")
ELSEWHERE = re.compile(r"[a-z]+:|#")


def on_config(config):
    """Puts the decisions last, under the titles of their pages, and the reference of the API after the library's overview."""
    config.nav.append({"Decisions": [f"decisions/{name}" for name in DECISIONS]})
    if REFERENCE:
        library = next(section["The library"] for section in config.nav if "The library" in section)
        library.insert(1, {"API reference": "library/reference/index.md"})
    return config


def on_files(files, config):
    for source, target in PAGES.items():
        if (ROOT / source).exists():
            files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    for target, text in REFERENCE.items():
        files.append(File.generated(config, target, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    target = page.file.src_uri
    # In the search, what users look for comes first.
    if target.startswith(INTERNAL):
        page.meta["search"] = {"boost": 0.0001}
    # A guide comes before the symbols that it uses.
    if target in REFERENCE:
        page.meta["search"] = {"boost": 0.1}
        return markdown
    source = next((each for each, place in PAGES.items() if place == target), f"docs/{target}")
    places = {f"docs/{each.src_uri}": each.src_uri for each in files if each.generated_by is None} | PAGES
    if source.startswith(LIBRARY):
        markdown = without_columns(markdown)
        markdown = outside_code(markdown, lambda text: DOC.sub(lambda found: doc_link(found["page"]), text))
        markdown = re.sub(r"(?<!`)``(\w[^`]*)``(?!`)", lambda found: symbol_link(found[1]), markdown)

    def changed(found):
        if ELSEWHERE.match(found["target"]):
            return found[0]
        path, _, anchor = found["target"].partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        text = LINK.sub(changed, found["text"])
        if path in places:
            relative = posixpath.relpath(places[path], posixpath.dirname(target) or ".")
            return f"{found['image']}[{text}]({relative}{'#' + anchor if anchor else ''})"
        if path == "docs/decisions":
            first = posixpath.relpath(f"decisions/{DECISIONS[0]}", posixpath.dirname(target) or ".")
            return f"[{text}]({first})"
        if config.repo_url and (ROOT / path).exists():
            return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{path}{'#' + anchor if anchor else ''})"
        return text

    return outside_code(markdown, lambda text: LINK.sub(changed, text))


def on_page_content(html, page, config, files):
    """Keeps short code, such as an option, on one line: browsers break it after hyphens."""
    return re.sub(r"<code>([^<]{1,24})</code>", r'<code class="short">\1</code>', html)


def without_columns(markdown):
    """Puts DocC's columns (@Row, @Column) below each other."""
    lines, ends = [], []
    for line in markdown.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() in ("@Row {", "@Column {"):
            ends.append(indent + "}")
            lines.append("")
        elif ends and line == ends[-1]:
            ends.pop()
            lines.append("")
        else:
            inner = "   " * len(ends)
            lines.append(line[len(inner) :] if line.startswith(inner) else line)
    return "\n".join(lines)


def doc_link(name):
    title = re.search(r"^# (.+)$", (ROOT / LIBRARY / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    return f"[{title.strip('`')}]({name}.md)"


def symbol_link(name):
    """Links a symbol such as `DownloadManager/idle()` with the page of its type."""
    text = f"`{name.replace('/', '.')}`"
    page = f"{name.partition('/')[0]}.md"
    return f"[{text}](reference/{page})" if f"library/reference/{page}" in REFERENCE else text


def outside_code(markdown, change):
    """Changes the text between pieces of code. Code inside of a link's text is put back after the change."""
    kept = []

    def keep(found):
        kept.append(found[0])
        return f"\x00{len(kept) - 1}\x00"

    text = change(CODE.sub(keep, markdown))
    return re.sub(r"\x00(\d+)\x00", lambda found: kept[int(found[1])], text)
