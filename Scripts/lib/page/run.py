"""How the page is used beyond single verbs: links dropped, limits, many at once, history, keyboard, details; and what runs all cases."""

from common.tally import Wrong
from page import cases, checks, use
from page.browser import Browser, ROW
from page.cases import check, form, refused_stay, wants_token
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


def takes_links(page, server):
    text = f"see {server.link('dropped.bin')} and\n{server.link('other.bin')}"
    script = """const data = new DataTransfer(); data.setData('text/plain', arguments[1]);
        const init = { bubbles: true, cancelable: true, [arguments[0] === 'paste' ? 'clipboardData' : 'dataTransfer']: data };
        document.body.dispatchEvent(arguments[0] === 'paste' ? new ClipboardEvent('paste', init) : new DragEvent('drop', init));"""
    for kind in ("drop", "paste"):
        page.run(script, kind, text)
        area = page.until(f"the form after a {kind}", lambda: page.find("dialog textarea"))
        found = area.get_attribute("value").split()
        check(len(found) == 2 and "dropped.bin" in found[0], f"{kind}: {found}")
        page.escape()


def sets_limits(page, server):
    page.press("l")
    page.until("the limits", lambda: page.find("dialog input[name=rateLimit]"))
    page.write("dialog input[name=jobs]", "1")
    page.write("dialog input[name=rateLimit]", "fast")
    page.button("Set", "dialog")
    page.until("the complaint", lambda: "Invalid speed" in page.find("dialog .problem").text)
    page.write("dialog input[name=rateLimit]", "2M")
    page.button("Set", "dialog")
    page.until("the limit at the head", lambda: "limit 2.0 MiB/s" in page.find("#total-words").text)
    settings = server.ask("GET", "settings")
    check((settings["jobs"], settings["rateLimit"]) == (1, 2 << 20), f"the daemon has {settings}")
    number = server.add("one.bin", startsPaused=True)
    page.until("the row", lambda: page.row("one.bin")).click()
    page.write("#details input[name=limit]", "500K")
    page.write("#details input[name=priority]", "7").send_keys(Keys.ENTER)
    page.until("the limit of one", lambda: server.ask("GET", f"downloads/{number}")["request"].get("rateLimit") == 512000)
    server.ask("PATCH", "settings", {"jobs": 3, "rateLimit": None})


def does_to_many(page, server):
    for number in range(6):
        server.add(f"n{number}", size=50_000_000, rate=100_000)
    page.until("six rows", lambda: len(page.rows()) == 6)
    page.find(".head input").click()
    page.button("Pause", "#choice")
    page.until("all paused", lambda: {row[1] for row in page.rows()} == {"Paused"})
    page.row("n0").find_element(By.CSS_SELECTOR, "input").click()
    page.button("Remove", "#choice")
    page.until("the question", lambda: page.find("dialog .subject").text == "5 downloads")
    page.button("Remove", "dialog")
    page.until("one row", lambda: page.names() == ["n0"])


def has_history(page, server):
    server.add("old.bin")
    server.add("bad.bin", fail=True)
    server.add("open.bin", startsPaused=True)
    page.until("both ended", lambda: page.reason("old.bin").startswith("Finished") and page.reason("bad.bin").startswith("Failed"), 40)
    page.press("7")
    page.until("the history", lambda: sorted(page.names()) == ["bad.bin", "old.bin"])
    page.press("/")
    page.press("OLD")
    page.until("what was searched", lambda: page.names() == ["old.bin"])
    page.press(Keys.ESCAPE)
    page.until("all of the history", lambda: len(page.names()) == 2)
    page.button("Paused\n1", "#views")
    page.until("the paused ones", lambda: page.names() == ["open.bin"])


def finds_failures(page, server):
    for name, more in (("bad0.bin", {"fail": True}), ("bad1.bin", {"fail": True}), ("good.bin", {})):
        server.add(name, retries=0, **more)
    server.ask("POST", "downloads", {"url": "http://127.0.0.1:9/refused.bin", "retries": 0})
    page.until("four ended", lambda: not {"Waiting", "Running"} & {row[1] for row in page.rows()} and len(page.rows()) == 4, 40)
    page.press("6")
    page.until("the failures", lambda: sorted(page.names()) == ["bad0.bin", "bad1.bin", "refused.bin"])
    reasons = [each.text for each in page.all("#reasons button")]
    code = reasons[0].split("\n")[0]
    if not reasons[0].endswith("2") or "connectionFailed\n1" not in reasons:
        raise Wrong(f"the reasons are {reasons}")
    page.button(reasons[0], "#reasons")
    page.until("those of one code", lambda: sorted(page.names()) == ["bad0.bin", "bad1.bin"])
    field = page.find("#search input")
    if field.get_attribute("value") != f"code:{code}":
        raise Wrong(f"the search is {field.get_attribute('value')}")
    page.button("connectionFailed\n1", "#reasons")
    page.until("those of the other code", lambda: page.names() == ["refused.bin"])
    page.button("connectionFailed\n1", "#reasons")
    page.until("all failures again", lambda: len(page.names()) == 3)
    page.press("1")
    page.until("no reasons in other views", lambda: not page.find("#reasons").is_displayed())


def works_by_keyboard(page, server):
    form(page)
    page.press(server.link("typed.bin", 50_000_000, 500_000))
    page.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER)
    page.until("it runs", lambda: page.reason("typed.bin").startswith("Running"))
    page.press("g")
    page.press("p")
    page.until("a pause", lambda: page.reason("typed.bin") == "Paused")
    page.press(Keys.ENTER)
    page.until("the details", lambda: page.run("return document.activeElement.closest('#details') !== null"))
    page.press(Keys.ESCAPE)
    check(page.run(f"return document.activeElement.matches('{ROW}')"), "the focus did not come back to the row")
    page.press(Keys.TAB, Keys.TAB, Keys.ENTER)
    page.until("it runs again", lambda: page.reason("typed.bin").startswith(("Running", "Waiting")))
    page.press("?")
    page.until("the keys", lambda: "move through the list" in page.find("dialog").text)
    page.escape()
    page.press("g")
    page.press(Keys.DELETE)
    page.until("the question", lambda: page.find("dialog .subject"))
    page.press(Keys.ENTER)
    page.until("an empty list", lambda: page.rows() == [])


def finds_back(page, server):
    server.add("before.bin", startsPaused=True)
    page.until("a row", lambda: page.names() == ["before.bin"])
    # Its event may arrive before the kill, and the request for it fail.
    server.add("late.bin", startsPaused=True)
    server.break_off()
    server.add("after.bin", startsPaused=True)
    page.until("what was added meanwhile", lambda: page.names() == ["before.bin", "late.bin", "after.bin"])
    page.until("the message that the list could not be read is gone", lambda: not page.all("#messages .message"))
    page.until("the line that said so is gone", lambda: not page.find("#connection").is_displayed())


def shows_details(page, server):
    server.add("one.bin", size=30_000_000, rate=300_000)
    page.until("progress", lambda: page.percent("one.bin") > 1)
    page.row("one.bin").click()
    page.until("the map", lambda: "segments" in page.find("#details .map").get_attribute("aria-label"))
    painted = """const canvas = document.querySelector(arguments[0]); const { width, height } = canvas;
        const data = canvas.getContext('2d').getImageData(0, 0, width, height).data; const seen = new Set();
        for (let at = 0; at < data.length; at += 4) seen.add(data.slice(at, at + 4).join()); return seen.size;"""
    for canvas in ("#details .map", "#details .graph", "#total-graph"):
        page.until(f"a picture in {canvas}", lambda name=canvas: page.run(painted, name) > 2)


CASES = [
    *cases.CASES, ("takes links that are dropped or pasted", takes_links), ("sets limits, of all and of one", sets_limits),
    ("does one thing to many", does_to_many), ("has a history with search", has_history), ("finds failures by error", finds_failures),
    ("works by keyboard alone", works_by_keyboard), ("finds back when the connection breaks", finds_back),
    ("shows a graph and a map of segments", shows_details), *use.CASES, *checks.CASES,
]


def run_all(tally, server, options, folder):
    """Each case on an empty list and a fresh page; what the console complains of makes it a failure."""
    wanted = [(name, case) for name, case in CASES if options.only in name]
    with Browser() as page:
        page.tool("Performance.enable")
        for name, case in wanted:
            with tally.case(name):
                server.clear()
                page.size(1280, 800)
                page.open(server)
                page.until("the page", lambda: page.all("#commands button"))
                page.complaints()
                try:
                    case(page, server)
                except Exception as problem:
                    page.picture(folder.parent / "haul-page-failed.png")
                    raise problem if isinstance(problem, Wrong) else Wrong(f"{type(problem).__name__}: {problem}") from None
                wrong = [text for text in page.complaints() if not any(status in text for status in expected(case))]
                check(not wrong, f"the console says: {wrong[:3]}")
    checks.many(tally, server, options)
    if options.images:
        checks.pictures(server, options.images)


def expected(case):
    """What the console may say: it lists each answer that is no success."""
    if case is wants_token:
        return ["401"]
    if case is cases.removes:
        return ["404 (Not Found)"]
    if case is finds_back:
        return ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"]
    return ["400 (Bad Request)"] if case is refused_stay else []
