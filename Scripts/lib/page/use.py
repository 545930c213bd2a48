"""How the page feels: keys in the form and in the details, what covers what, and what fits on a narrow screen."""

import re

from page.browser import ROW
from page.cases import check, form
from page.checks import fill
from selenium.webdriver.common.keys import Keys

# What a click at the middle of each visible control would not reach.
COVERED = """return [...document.querySelectorAll(arguments[0])].filter((made) => {
    if (!made.checkVisibility({ visibilityProperty: true })) return false;
    const box = made.getBoundingClientRect();
    const list = document.querySelector('.scroller').getBoundingClientRect();
    if (made.closest('.row') && (box.bottom > list.bottom || box.top < list.top)) return false;
    return !made.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
}).map((made) => made.ariaLabel ?? made.textContent)"""
CONTROLS = f"#commands button, #views button, #search input, .head input, {ROW} button, {ROW} input"

# Phrases of the dialect that the page once spoke.
STILTED = re.compile(r"\bis none\b|\bis no \w|\banew\b|\bgoes on\b|\bgo on\b|what is there|\bas many as\b|\bverifiable\b|record goes|\btold\b"
                     r"|keys of one letter|does not do|as it was told|one a line|nothing is the|not verif", re.IGNORECASE)


def adds_by_key(page, server):
    form(page).send_keys(server.link("by-key.bin"))
    page.press(Keys.ENTER, hold=Keys.CONTROL)
    page.until("the download", lambda: page.names() == ["by-key.bin"])
    page.until("the end of the form", lambda: not page.all("dialog"))


def asks_before_discarding(page, server):
    form(page)
    page.escape()
    form(page).send_keys("half a li")
    for leave in (lambda: page.press(Keys.ESCAPE), lambda: page.button("Cancel", "dialog"),
                  lambda: page.find("dialog button[aria-label=Close]").click()):
        leave()
        page.until("the question", lambda: "Discard" in page.all("dialog")[-1].text)
        page.press(Keys.ESCAPE)
        page.until("the form", lambda: len(page.all("dialog")) == 1)
        check(page.find("dialog textarea").get_attribute("value") == "half a li", "the text is gone")
    page.find("dialog textarea").send_keys("nk")
    page.press(Keys.ESCAPE, Keys.ENTER)
    page.until("the form again", lambda: len(page.all("dialog")) == 1)
    check(page.find("dialog textarea").get_attribute("value") == "half a link", "Enter discards")
    page.press(Keys.ESCAPE)
    page.until("the question", lambda: len(page.all("dialog")) == 2)
    page.button("Discard", "dialog:last-of-type")
    page.until("the end of both", lambda: not page.all("dialog"))


def details_cover_nothing(page, server):
    fill(page, server)
    for width in (1280, 1000, 800, 660):
        page.size(width, 760)
        page.row("survey-data-2026.tar.zst").click()
        page.until("the details", lambda: page.find("#details").is_displayed())
        page.until(f"the list at {width} pixels", lambda: page.run("return document.querySelector('#list').clientWidth") > 300)
        covered = page.run(COVERED, CONTROLS)
        check(not covered, f"at {width} pixels the details cover {covered}")
    page.size(400, 780)
    page.press(Keys.ESCAPE)
    check(not page.find("#details").is_displayed(), "Escape does not close the details")


def keys_reach_the_opened(page, server):
    server.add("first.bin", startsPaused=True)
    server.add("second.bin", size=50_000_000, rate=500_000)
    page.until("it runs", lambda: page.reason("second.bin").startswith("Running"))
    page.press("c", Keys.DELETE)
    check(not page.all("dialog") and page.reason("first.bin") == "Paused", "a key reaches a download that nobody selected")
    page.press("g")
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    page.until("the focus in the details", lambda: page.run("return document.activeElement.closest('#details') !== null"))
    for key, state in (("p", "Paused"), ("p", "Running"), ("c", "Cancelled"), ("r", "Running")):
        page.press(key)
        page.until(f"{state} after {key}", lambda wanted=state: page.reason("second.bin").startswith(wanted))
    page.press(Keys.DELETE)
    page.until("the question", lambda: page.find("dialog .subject").text == "second.bin")
    page.escape()
    page.run("document.activeElement.blur()")
    page.press("p")
    page.until("a pause of the one in the details", lambda: page.reason("second.bin") == "Paused")
    page.press("p")
    page.until("it runs again", lambda: page.reason("second.bin").startswith("Running"))
    page.press(Keys.ESCAPE)
    page.row("second.bin").click()
    page.find("#details dl").click()
    page.press("p")
    page.until("a pause after a click into the details", lambda: page.reason("second.bin") == "Paused")
    check(page.reason("first.bin") == "Paused", "another download was changed")
    page.write("#details input[name=limit]", "5p")
    check(page.reason("second.bin") == "Paused", "a letter that was typed is a command")


def keeps_what_is_typed(page, server):
    """The forms in the details stay while the state changes, and change only what was edited."""
    number = server.add("one.bin", size=20_000_000, rate=500_000)
    page.until("it runs", lambda: page.reason("one.bin").startswith("Running"))
    page.row("one.bin").click()
    page.until("the details", lambda: page.find("#details summary")).click()
    page.write("#details input[name=url]", "https://mirror.example/new.iso")
    page.write("#details input[name=limit]", "500K")
    server.ask("POST", f"downloads/{number}/pause", {})
    server.ask("PATCH", f"downloads/{number}", {"priority": 50})
    page.until("a pause", lambda: page.find("#details .reason").text == "Paused")

    def value(name):
        return page.find(f"#details input[name={name}]").get_attribute("value")

    def asked(name):
        return server.ask("GET", f"downloads/{number}")["request"].get(name)

    page.until("the other's priority", lambda: value("priority") == "50")
    check((value("url"), value("limit")) == ("https://mirror.example/new.iso", "500K"), f"left: {value('url')}, {value('limit')}")
    page.press(Keys.ENTER)
    page.until("the limit", lambda: asked("rateLimit") == 512000)
    check(asked("priority") == 50, f"the priority is {asked('priority')}")
    server.ask("PATCH", f"downloads/{number}", {"rateLimit": 1024})
    page.until("the other's limit", lambda: value("limit") == "1K")
    link = server.link("other.bin", 20_000_000, 500_000)
    page.write("#details input[name=url]", link).send_keys(Keys.ENTER)
    page.until("the end of the form for a link", lambda: not page.find("#details details").get_attribute("open"))
    check((asked("url"), value("url")) == (link, ""), f"the link is {asked('url')}")


def works_on_a_phone(page, server):
    fill(page, server)
    page.size(400, 780)
    page.until("cards", lambda: page.run(f"return document.querySelector('{ROW}').clientHeight") < 80)
    hidden = page.run("""return [...document.querySelectorAll('#views button')].filter((made) => {
        const box = made.getBoundingClientRect();
        return box.left < 0 || box.right > innerWidth || !made.contains(document.elementFromPoint(box.left + 5, box.top + 5));
    }).map((made) => made.textContent)""")
    check(not hidden, f"tabs that can't be reached: {hidden}")
    bands = page.run(f"""return [...document.querySelectorAll('{ROW}')].map((row) => {{
        const parts = [...row.querySelectorAll('.title, .reason, .percent, .speed, .left')].filter((part) => part.textContent && part.checkVisibility());
        const boxes = parts.map((part) => part.getBoundingClientRect());
        const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
        const row_ = row.getBoundingClientRect();
        return [row.querySelector('.title').textContent, top - row_.top, row_.bottom - bottom]; }})""")
    wrong = [band for band in bands if band[1] < 0 or band[2] < 0 or band[1] > 16 or band[2] > 16]
    check(not wrong, f"rows with empty bands, or too full: {wrong}")
    page.verb("survey-data-2026.tar.zst", "cancel")
    page.until("the end", lambda: page.reason("survey-data-2026.tar.zst").startswith("Cancelled"))


def boxes_are_targets(page, server):
    fill(page, server)
    page.press("?")
    page.until("the switch", lambda: page.find("dialog input[type=checkbox]"))
    for width in (1280, 1000, 400):
        page.size(width, 780)
        small = page.run("""return [...document.querySelectorAll('input[type=checkbox]')].map((box) => box.getBoundingClientRect())
            .filter(({ width, height }) => width < 24 || height < 24).length""")
        check(small == 0, f"at {width} pixels {small} check boxes are smaller than 24 pixels")


def speaks_plain_english(page, server):
    fill(page, server)
    said = []

    def note(selector="body"):
        script = """const within = document.querySelector(arguments[0]);
            return within.innerText + [...within.querySelectorAll('[title], [aria-label], [placeholder]')].map((each) =>
                `\\n${each.title}\\n${each.ariaLabel ?? ''}\\n${each.placeholder ?? ''}`).join('')"""
        said.extend(page.run(script, selector).split("\n"))

    page.row("manual.pdf").click()
    note()
    page.row("survey-data-2026.tar.zst").click()
    page.until("the explanation", lambda: page.all("#details .why li"))
    note()
    page.press("7")
    page.press("/")
    page.press("no such name")
    page.until("an empty list", lambda: page.rows() == [])
    note()
    page.press(Keys.ESCAPE)
    page.run("document.activeElement.blur()")
    page.press("1", "g")
    for key in ("n", "l", "?", Keys.DELETE):
        page.press(key)
        page.until(f"the dialog of {key}", lambda: page.all("dialog"))
        page.run("for (const each of document.querySelectorAll('dialog details')) each.open = true")
        note("dialog")
        page.escape()
    stilted = {line for line in said if STILTED.search(line)}
    check(not stilted, f"not plain English: {stilted}")


CASES = [
    ("adds by Ctrl + Enter", adds_by_key), ("asks before it discards what was typed", asks_before_discarding),
    ("details cover nothing", details_cover_nothing), ("keys reach the download in the details", keys_reach_the_opened),
    ("keeps what is typed into the details", keeps_what_is_typed), ("works on a phone: tabs, rows, Cancel", works_on_a_phone),
    ("check boxes are large enough", boxes_are_targets), ("speaks plain English", speaks_plain_english),
]
