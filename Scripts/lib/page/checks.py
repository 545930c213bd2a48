"""What holds of the page as a whole: names for screen readers, contrast, phones, and the speed of a long list."""

import time
from pathlib import Path

from common.tally import Wrong
from page.browser import Browser, ROW

# The contrast of each text with what lies behind it (WCAG 2.2, 1.4.3), transparency left aside.
CONTRAST = """
const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const light = (rgb) => { const [r, g, b] = rgb.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = (node) => { for (; node; node = node.parentElement) { const c = parse(getComputedStyle(node).backgroundColor);
    if (c.length === 3 || c[3] > 0.9) return c; } return [255, 255, 255]; };
const bad = new Set();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) { const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility({ visibilityProperty: true }) || node.closest(':disabled, .unseen, noscript')) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.add(`${walker.currentNode.data.trim().slice(0, 30)}: ${ratio.toFixed(2)}`); }
return [...bad];
"""

NAMED = {"button", "checkbox", "radio", "textbox", "searchbox", "combobox", "progressbar", "grid", "dialog", "link", "spinbutton", "image"}


def fill(page, server):
    """A list with something of each state."""
    server.add("ubuntu-24.04-desktop-amd64.iso", size=400_000_000, rate=700_000)
    server.add("survey-data-2026.tar.zst", size=90_000_000, rate=300_000)
    server.add("lecture-07.mp4", fail=True)
    server.add("manual.pdf", size=2_300_000)
    server.add("photos-2025.zip", size=700_000_000, startsPaused=True)
    cancelled = server.add("old-backup.img", size=500_000_000, startsPaused=True)
    server.ask("POST", f"downloads/{cancelled}/cancel", {})
    for number in range(1, 9):
        server.add(f"episode-{number:02}.mkv", size=350_000_000, rate=500_000)
    page.until("something of each state", lambda: page.reason("lecture-07.mp4").startswith("Failed")
               and page.reason("manual.pdf").startswith("Finished"), 40)


def has_names(page, server):
    """Every control has a name, and the list is a grid with rows and cells."""
    fill(page, server)
    page.row("survey-data-2026.tar.zst").click()
    page.press("n")
    page.until("the form", lambda: page.find("dialog"))
    page.tool("Accessibility.enable")
    for _ in range(2):
        nodes = [node for node in page.tool("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
        roles = [node["role"]["value"] for node in nodes]
        nameless = [node["role"]["value"] for node in nodes
                    if node["role"]["value"] in NAMED and not node.get("name", {}).get("value")]
        if nameless:
            raise Wrong(f"without a name: {nameless}")
        if page.all("dialog"):
            page.escape()
    for role in ("grid", "row", "gridcell", "rowheader", "columnheader", "progressbar", "toolbar"):
        if role not in roles:
            raise Wrong(f"nothing has the role {role}")
    page.tool("Accessibility.disable")


def has_contrast(page, server):
    fill(page, server)
    page.row("survey-data-2026.tar.zst").click()
    page.run("document.querySelector('.row:nth-child(3) input').click()")
    for colours in ("light", "dark"):
        page.tool("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
        time.sleep(0.3)
        bad = page.run(CONTRAST)
        if bad:
            raise Wrong(f"{colours}: {bad}")
    page.tool("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])


def fits_a_phone(page, server):
    fill(page, server)
    for width in (320, 390, 600, 760, 1000):
        page.size(width, 780)
        time.sleep(0.3)
        wide = page.run("return [document.scrollingElement.scrollWidth, innerWidth]")
        if wide[0] > wide[1]:
            raise Wrong(f"at {width} pixels the page is {wide[0]} wide")
        over = page.run(f"""return [...document.querySelectorAll('{ROW}')].flatMap((row) => {{
            const box = row.getBoundingClientRect();
            return [...row.querySelectorAll('span, button')].filter((part) => part.checkVisibility() &&
                part.getBoundingClientRect().right > box.right + 1).map((part) => part.className); }})""")
        if over:
            raise Wrong(f"at {width} pixels these stand out of their row: {set(over)}")
        small = page.run(f"""return [...document.querySelectorAll('{ROW} button')].filter((made) =>
            made.checkVisibility() && Math.min(made.clientWidth, made.clientHeight) < 24).length""")
        if small:
            raise Wrong(f"at {width} pixels {small} buttons are smaller than 24 pixels (WCAG 2.2, 2.5.8)")


CASES = [
    ("has names and roles for screen readers", has_names), ("has contrast, light and dark", has_contrast),
    ("fits a phone", fits_a_phone),
]


def cost(page, work, times):
    """Milliseconds of scripting, style and layout of each of some steps, the next picture included."""
    names = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    before = page.metrics()
    for step in range(times):
        work(step)
        page.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
    after = page.metrics()
    return [1000 * (after[name] - before[name]) / times for name in names]


def many(tally, server, options):
    """A long list stays usable: of ten thousand, no step may take 100 ms of scripting."""
    if options.only and options.only not in "many downloads":
        return
    count = options.many
    with Browser() as page, tally.case(f"{count} downloads"):
        server.clear()
        for start in range(0, count, 1000):
            batch = [{"url": server.link(f"file-{start + number:06}.bin"), "startsPaused": True} for number in range(min(1000, count - start))]
            server.ask("POST", "downloads/batch", {"downloads": batch})
        page.tool("Performance.enable")
        began = time.monotonic()
        page.open(server)
        page.until("all counted", lambda: page.find("#views .count").text.replace(",", "") == str(count), 120)
        print(f"        all {count} read in {time.monotonic() - began:.1f} s, {len(page.all(ROW))} rows have elements")
        search = "const field = document.querySelector('#search input'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))"
        jump = "const list = document.querySelector('.scroller'); list.scrollTop = arguments[0] * list.scrollHeight"
        steps = [
            ("scroll by a page", 50, lambda step: page.run("document.querySelector('.scroller').scrollTop += 700")),
            ("jump anywhere", 20, lambda step: page.run(jump, step * 37 % 100 / 100)),
            ("jump to the end", 5, lambda step: (page.run(jump, 0), page.run(jump, 1))),
            ("search", 10, lambda step: (page.run(search, f"file-00{step}"), time.sleep(0.15))),
            ("change the view", 10, lambda step: (page.run("document.querySelectorAll('#views button')[arguments[0]].click()", step % 7))),
            ("select all", 6, lambda step: (page.run(search, ""), time.sleep(0.15), page.run("document.querySelector('.head input').click()"))),
        ]
        page.press("1")
        page.run(jump, 1)
        page.until("the last one", lambda: page.names()[-1] == f"file-{count - 1:06}.bin")
        page.run(jump, 0)
        for name, times, work in steps:
            script, layout, style = cost(page, work, times)
            print(f"        {name}: {script:.1f} ms of scripting, {layout:.1f} ms layout, {style:.1f} ms style")
            if script > 100 * max(1, count / 10_000):
                raise Wrong(f"{name} takes {script:.0f} ms of scripting")
            page.press("1")
        live(page, server)


def live(page, server):
    """Downloads that run in a long list cost little."""
    for number in range(3):
        server.add(f"live-{number}", size=400_000_000, rate=1_000_000)
    time.sleep(2)
    before, began = page.metrics(), time.monotonic()
    time.sleep(5)
    after, seconds = page.metrics(), time.monotonic() - began
    share = 100 * (after["TaskDuration"] - before["TaskDuration"]) / seconds
    print(f"        while 3 run: {share:.1f} % of a core, {after['JSHeapUsedSize'] / 1e6:.0f} MB of objects")


def pictures(server, place):
    """The pictures of the documentation."""
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    server.clear()
    for name, width, height, dark in (("page-light", 1280, 800, False), ("page-dark", 1280, 800, True), ("page-phone", 390, 780, False)):
        with Browser(width, height, dark) as page:
            page.open(server)
            page.until("the page", lambda: page.all("#commands button"))
            if name == "page-light":
                fill(page, server)
                time.sleep(25)
            else:
                page.until("the rows", lambda: len(page.rows()) > 5)
            if width > 600:
                page.row("ubuntu-24.04-desktop-amd64.iso").click()
            time.sleep(20 if width > 600 else 2)
            page.picture(folder / f"{name}.png")
