"""The API reference of the site: a page for each public type, made of the symbol graphs that `Scripts/docs --symbols` writes.

Without the graphs, which need a build of the library, the site has no reference.
"""

import json
import re
from pathlib import Path

TYPES = {
    "swift.struct": "struct", "swift.class": "class", "swift.enum": "enum", "swift.protocol": "protocol", "swift.actor": "actor"}
SECTIONS = [
    ("Cases", ("swift.enum.case",)),
    ("Creating it", ("swift.init",)),
    ("Properties", ("swift.property", "swift.type.property")),
    ("Methods", ("swift.method", "swift.type.method", "swift.subscript", "swift.func")),
    ("Other names", ("swift.typealias",)),
]
# Requirements of Equatable, Hashable and Codable, which say nothing of their own.
OBVIOUS = {"hash(into:)", "encode(to:)", "init(from:)", "init(rawValue:)"}


def read(folder):
    """Returns the symbols by the path of their type, such as `DownloadSpec.Transfer`, and the types themselves."""
    types, members = {}, {}
    for graph in sorted(folder.glob("*.symbols.json")):
        module = graph.name.removesuffix(".symbols.json").partition("@")[0]
        for symbol in json.loads(graph.read_text(encoding="utf-8"))["symbols"]:
            kind, path = symbol["kind"]["identifier"], symbol["pathComponents"]
            if "::SYNTHESIZED::" in symbol["identifier"]["precise"] or path[-1] in OBVIOUS:
                continue
            if kind in TYPES:
                types[".".join(path)] = (module, symbol)
            elif len(path) > 1:
                members.setdefault(".".join(path[:-1]), []).append((module, symbol))
    return types, members


def comment(symbol):
    """Returns the documentation comment as Markdown; nested lists are indented by four spaces there."""
    lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
    text = "\n".join(re.sub(r"^( +)(?=- )", lambda indent: indent[1] * 2, line) for line in lines)
    # A list needs an empty line before it.
    text = re.sub(r"(?m)^(?! *- |\s*$)(.*)\n(?=- )", r"\1\n\n", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text).replace("<doc:", "`").strip()


def declaration(symbol):
    return "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])


def abstract(symbol):
    return comment(symbol).split("\n\n")[0].replace("\n", " ")


def page(name, types, members):
    module, symbol = types[name]
    lines = [f"# {name}", "", f"A {TYPES[symbol['kind']['identifier']]} of `{module}`. {abstract(symbol)}", ""]
    lines += ["```swift", declaration(symbol), "```", "", *comment(symbol).split("\n\n")[1:], ""]
    nested = sorted(other for other in types if other.rpartition(".")[0] == name)
    if nested:
        lines += ["## Types", "", *(f"- [`{other}`]({other}.md): {abstract(types[other][1])}" for other in nested), ""]
    for title, kinds in SECTIONS:
        found = [each for each in members.get(name, []) if each[1]["kind"]["identifier"] in kinds]
        if not found:
            continue
        lines += [f"## {title}", ""]
        for owner, each in sorted(found, key=lambda entry: entry[1]["names"]["title"]):
            lines += [f"### `{each['names']['title']}`", "", "```swift", declaration(each), "```", ""]
            lines += [*([f"With `import {owner}`."] if owner != module else []), "", comment(each), ""]
    return "\n".join(lines)


def pages(folder):
    """Returns the pages by their paths below the folder of the reference; none without graphs."""
    types, members = read(Path(folder))
    result = {f"{name}.md": page(name, types, members) for name in types}
    if not types:
        return result
    lines = ["# API reference", "", "The public types of the library, with what their documentation comments promise.", ""]
    for module in sorted({module for module, _ in types.values()}, key=lambda name: (name != "Haul", name)):
        lines += [f"## {module}", ""]
        outer = sorted(name for name, (owner, _) in types.items() if owner == module and "." not in name)
        lines += [f"- [`{name}`]({name}.md): {abstract(types[name][1])}" for name in outer]
        lines.append("")
    result["index.md"] = "\n".join(lines)
    return result
