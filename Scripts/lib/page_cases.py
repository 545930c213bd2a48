"""What the page has to do, case by case, with a real browser and the daemon behind it."""

import json

import page_checks
from page_browser import Browser, ROW
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tally import Wrong

MARKUP = "<img src=x onerror=\"document.title='run'\"><b>bold&amp;.iso"


def check(condition, complaint):
    if not condition:
        raise Wrong(complaint)


def wants_token(page, server):
    page.run("sessionStorage.clear()")
    page.open(server, token=False)
    field = page.until("the question for the token", lambda: page.find("dialog input[name=token]"))
    field.send_keys("wrong", Keys.ENTER)
    page.until("the question again", lambda: page.find("dialog input[name=token]") != field)
    page.write("dialog input[name=token]", server.token).send_keys(Keys.ENTER)
    page.until("the list", lambda: "no download yet" in page.find(".empty").text)
    check(page.run("return Object.keys(localStorage).length") == 0, "something was kept beyond the tab")
    page.open(server)
    page.until("the list", lambda: "no download yet" in page.find(".empty").text)
    check(page.run("return location.hash") == "", "the token stays in the address bar")


def adds(page, server):
    page.button("Add", "#commands")
    page.find("dialog textarea").send_keys(server.link("one.bin", 20_000_000, 1_000_000))
    page.button("Add", "dialog")
    page.until("progress", lambda: page.percent("one.bin") > 1)
    before = page.percent("one.bin")
    page.until("more progress", lambda: page.percent("one.bin") > before)
    check("/s" in page.find("#total-speed").text, "no speed over all")
    page.until("the name of a running download", lambda: "connection" in page.reason("one.bin"))


def adds_many(page, server):
    area = form(page)
    links = [server.link(f"many-{number}.bin") for number in range(5)]
    area.send_keys("\n".join([*links, "ftp://nothing.example/x"]))
    page.button("Add", "dialog")
    page.until("the complaint", lambda: "no http or https link" in page.find("dialog .problem").text)
    page.write("dialog textarea", "\n".join(links))
    page.find("dialog summary").click()
    page.find("dialog select[name=start] option[value=paused]").click()
    page.button("Add", "dialog")
    page.until("five downloads", lambda: len(page.rows()) == 5)
    check({row[1] for row in page.rows()} == {"Paused"}, f"not all are paused: {page.rows()}")


def refused_stay(page, server):
    form(page).send_keys(f"{server.link('good.bin')}\n{server.url}own-port")
    page.button("Add", "dialog")
    page.until("the complaint", lambda: "own-port" in page.find("dialog .problem").text)
    left = page.find("dialog textarea").get_attribute("value")
    check(left == f"{server.url}own-port", f"left in the form: {left}")
    page.until("the good one", lambda: page.names() == ["good.bin"])
    page.escape()
    form(page).send_keys(server.link("other.bin"))
    page.find("dialog summary").click()
    page.write("dialog input[name=connections]", "1000")
    page.button("Add", "dialog")
    page.until("the bound", lambda: "1 to 256" in page.find("dialog .problem").text)


def form(page):
    """Opens the form by its key; the answer is where links are written."""
    page.press("n")
    return page.until("the form", lambda: page.find("dialog textarea"))


def pauses_and_resumes(page, server):
    server.add("one.bin", size=20_000_000, rate=1_000_000)
    page.until("progress", lambda: page.percent("one.bin") > 1)
    page.verb("one.bin", "pause")
    page.until("a pause", lambda: page.reason("one.bin") == "Paused")
    kept = page.percent("one.bin")
    page.verb("one.bin", "resume")
    page.until("more progress", lambda: page.percent("one.bin") > kept)
    page.button("Pause all", "#commands")
    page.until("a pause of all", lambda: page.reason("one.bin") == "Paused")
    page.button("Resume all", "#commands")
    page.until("it runs", lambda: page.reason("one.bin").startswith("Running"))


def cancels_and_retries(page, server):
    server.add("one.bin", size=20_000_000, rate=1_000_000)
    page.until("it runs", lambda: page.reason("one.bin").startswith("Running"))
    page.verb("one.bin", "cancel")
    page.until("the end", lambda: page.reason("one.bin").startswith("Cancelled"))
    page.verb("one.bin", "retry")
    page.until("it runs", lambda: page.reason("one.bin").startswith("Running"))


def removes(page, server):
    number = server.add("gone.bin", startsPaused=True)
    server.add("stays.bin", startsPaused=True)
    page.verb("gone.bin", "remove")
    page.until("the question", lambda: page.find("dialog .subject").text == "gone.bin")
    page.escape()
    check(page.names() == ["gone.bin", "stays.bin"], "Escape removes")
    page.verb("gone.bin", "remove")
    page.until("the question", lambda: page.find("dialog .subject"))
    page.button("Remove", "dialog")
    page.until("one row", lambda: page.names() == ["stays.bin"])
    check(number not in [each["id"] for each in server.ask("GET", "downloads")["downloads"]], "the daemon still has it")


def shows_errors(page, server):
    server.add("missing.bin", fail=True)
    page.until("the error", lambda: page.reason("missing.bin").startswith("Failed: "), 40)
    told = next(each for each in server.ask("GET", "downloads")["downloads"])["error"]
    check(told["message"] in page.reason("missing.bin"), f"other words than the library's: {page.reason('missing.bin')}")
    page.run("document.querySelector('.row').click()")
    check(told["message"] in page.find("#details .reason").text, "the details lack the error")


def shows_markup_as_text(page, server):
    """The daemon makes names harmless before the page sees them; here the page is told one that is not."""
    server.ask("POST", "downloads", {"url": server.link("x.iso"), "group": MARKUP, "startsPaused": True})
    script = """const json = Response.prototype.json; Response.prototype.json = async function () {
        const told = await json.call(this); for (const each of told.downloads ?? []) each.name = NAME; return told; };"""
    patch = page.tool("Page.addScriptToEvaluateOnNewDocument", source=script.replace("NAME", json.dumps(MARKUP)))
    try:
        page.open(server)
        page.until("the row", lambda: page.names() == [MARKUP])
        page.run("document.querySelector('.row').click()")
        page.until("the details", lambda: page.find("#details h2").get_attribute("textContent") == MARKUP)
        check(page.run("return [...document.querySelectorAll('dd')].some((each) => each.textContent === arguments[0])", MARKUP),
              "the details lack the group")
        page.verb(MARKUP, "remove")
        page.until("the question", lambda: page.find("dialog .subject").get_attribute("textContent") == MARKUP)
        page.button("Remove", "dialog")
        page.until("an empty list", lambda: page.rows() == [])
        check(page.run("return document.querySelectorAll('main img, main b, dialog img, dialog b, .message b').length") == 0,
              "markup was built")
        check(page.run("return document.title") != "run", "a script of a name ran")
    finally:
        page.tool("Page.removeScriptToEvaluateOnNewDocument", identifier=patch["identifier"])


def reorders(page, server):
    for name in "abcde":
        server.add(name, startsPaused=True)
    page.until("five rows", lambda: page.names() == list("abcde"))
    expect = order_of(page, server)
    page.row("c").click()
    page.press(Keys.ARROW_UP, hold=Keys.ALT)
    expect("acbde", "Alt + up")
    page.press(Keys.END, hold=Keys.ALT)
    expect("abdec", "Alt + End")
    page.press(Keys.ESCAPE)
    for name in ("d", "e"):
        page.row(name).find_element(By.CSS_SELECTOR, "input").click()
    page.find("#choice button[aria-label='Move to the top']").click()
    expect("deabc", "two to the top")
    page.find("#choice button[aria-label='Move down']").click()
    expect("adebc", "a block down")
    page.find("#choice button[aria-label='Undo the selection']").click()
    drag(page, "c", "a")
    expect("cadeb", "a drag")
    server.ask("POST", f"downloads/{number_of(server, 'b')}/move", {"to": 1})
    expect("cbade", "a move by somebody else")


def order_of(page, server):
    def expect(names, what):
        page.until(f"{what}: {names}", lambda: page.names() == list(names))
        check(server.names() == list(names), f"{what}: the daemon has {server.names()}")
    return expect


def number_of(server, name):
    return next(each["id"] for each in server.ask("GET", "downloads")["downloads"] if each["name"] == name)


def drag(page, name, before):
    """Drags a row by its grip to the upper half of another."""
    grip, target = page.row(name).find_element(By.CSS_SELECTOR, ".grip"), page.row(before)
    chain = ActionChains(page.driver).move_to_element(grip).click_and_hold()
    chain.move_to_element_with_offset(target, 0, 10).move_to_element_with_offset(target, 0, -15).release().perform()


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
    page.write("dialog input[name=concurrentDownloads]", "1")
    page.write("dialog input[name=rateLimit]", "fast")
    page.button("Set", "dialog")
    page.until("the complaint", lambda: "is no rate" in page.find("dialog .problem").text)
    page.write("dialog input[name=rateLimit]", "2M")
    page.button("Set", "dialog")
    page.until("the limit at the head", lambda: "limit 2.0 MiB/s" in page.find("#total-words").text)
    settings = server.ask("GET", "settings")
    check((settings["concurrentDownloads"], settings["rateLimit"]) == (1, 2 << 20), f"the daemon has {settings}")
    number = server.add("one.bin", startsPaused=True)
    page.until("the row", lambda: page.row("one.bin")).click()
    page.write("#details input[name=limit]", "500K")
    page.write("#details input[name=priority]", "7").send_keys(Keys.ENTER)
    page.until("the limit of one", lambda: server.ask("GET", f"downloads/{number}")["request"].get("rateLimit") == 512000)
    server.ask("PATCH", "settings", {"concurrentDownloads": 3, "rateLimit": None})


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
    page.until("the keys", lambda: "go through the list" in page.find("dialog").text)
    page.escape()
    page.press("g")
    page.press(Keys.DELETE)
    page.until("the question", lambda: page.find("dialog .subject"))
    page.press(Keys.ENTER)
    page.until("an empty list", lambda: page.rows() == [])


def finds_back(page, server):
    server.add("before.bin", startsPaused=True)
    page.until("a row", lambda: page.names() == ["before.bin"])
    server.break_off()
    server.add("after.bin", startsPaused=True)
    page.until("what was added meanwhile", lambda: page.names() == ["before.bin", "after.bin"])
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
    ("asks for the token, and takes it from its URL", wants_token), ("adds one, and shows its progress", adds),
    ("adds many, and says what is no link", adds_many), ("what can't be added stays in the form, with the reason", refused_stay),
    ("pauses and resumes, one and all", pauses_and_resumes), ("cancels and retries", cancels_and_retries), ("removes", removes),
    ("shows errors in the library's words", shows_errors), ("shows markup in names as text", shows_markup_as_text),
    ("reorders by keys, buttons and drag", reorders), ("takes links that are dropped or pasted", takes_links),
    ("sets limits, of all and of one", sets_limits), ("does one thing to many", does_to_many), ("has a history with search", has_history),
    ("works by keyboard alone", works_by_keyboard), ("finds back when the connection breaks", finds_back),
    ("shows a graph and a map of segments", shows_details), *page_checks.CASES,
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
    page_checks.many(tally, server, options)
    if options.images:
        page_checks.pictures(server, options.images)


def expected(case):
    """What the console may say: it lists each answer that is no success."""
    if case is wants_token:
        return ["401"]
    if case is finds_back:
        return ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"]
    return ["400 (Bad Request)"] if case is refused_stay else []
