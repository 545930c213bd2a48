"""What the page has to do with downloads, with a real browser and the daemon behind it: add them, show them, and do each verb."""

import json

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from common.tally import Wrong

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
    page.until("the list", lambda: "No downloads yet" in page.find(".empty").text)
    check(page.run("return Object.keys(localStorage).length") == 0, "something was kept beyond the tab")
    page.open(server)
    page.until("the list", lambda: "No downloads yet" in page.find(".empty").text)
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
    area.send_keys("\n".join(links))
    page.find("dialog summary").click()
    page.find("dialog select[name=start] option[value=paused]").click()
    page.button("Add", "dialog")
    page.until("five downloads", lambda: len(page.rows()) == 5)
    check({row[1] for row in page.rows()} == {"Paused"}, f"not all are paused: {page.rows()}")


def refused_stay(page, server):
    lines = ["this is not a link", server.link("good.bin"), f"{server.url}own-port", "ftp://nothing.example/x", server.link("more.bin")]
    area = form(page)
    area.send_keys("\n".join(lines))
    page.button("Add", "dialog")
    page.until("the good ones", lambda: page.names() == ["good.bin", "more.bin"])
    told = page.until("the reasons", lambda: [each.text.split("\n") for each in page.all("dialog .reasons li")])
    check(told == [[lines[0], "not an http or https link"], [lines[2], "the daemon does not download from its own port"],
                   [lines[3], "not an http or https link"]], f"the reasons: {told}")
    check(area.get_attribute("value").split("\n") == [lines[0], lines[2], lines[3]], f"left in the form: {area.get_attribute('value')}")
    page.write("dialog textarea", server.link("other.bin"))
    page.find("dialog summary").click()
    page.write("dialog input[name=connections]", "1000")
    page.button("Add", "dialog")
    page.until("the bound", lambda: "1 to 256" in page.find("dialog form > .problem").text)


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
    page.verb("stays.bin", "remove")
    page.until("the question", lambda: page.find("dialog .subject"))
    server.clear()
    page.until("an empty list", lambda: page.rows() == [])
    page.button("Remove", "dialog")
    page.until("the error", lambda: "Remove stays.bin" in page.find("#messages").text)
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
    page.find("#choice button[aria-label='Clear the selection']").click()
    drag(page, "c", "a")
    expect("cadeb", "a drag")
    server.ask("POST", f"downloads/{number_of(server, 'b')}/move", {"to": 1})
    expect("cbade", "a move by somebody else")


def drops_below_a_search(page, server):
    for name in "abcde":
        server.add(name, startsPaused=True, group="seen" if name in "ac" else "other")
    page.until("five rows", lambda: page.names() == list("abcde"))
    page.press("/")
    page.press("seen")
    page.until("two rows", lambda: page.names() == ["a", "c"])
    drag(page, "a", "c", below=True)
    page.until("another order of these", lambda: page.names() == ["c", "a"])
    check(server.names() == list("bcade"), f"the daemon has {server.names()}")


def order_of(page, server):
    def expect(names, what):
        page.until(f"{what}: {names}", lambda: page.names() == list(names))
        check(server.names() == list(names), f"{what}: the daemon has {server.names()}")
    return expect


def number_of(server, name):
    return next(each["id"] for each in server.ask("GET", "downloads")["downloads"] if each["name"] == name)


def drag(page, name, onto, below=False):
    """Drags a row by its grip to the upper or the lower half of another."""
    grip, target = page.row(name).find_element(By.CSS_SELECTOR, ".grip"), page.row(onto)
    chain = ActionChains(page.driver).move_to_element(grip).click_and_hold()
    chain.move_to_element_with_offset(target, 0, -5 if below else 10)
    chain.move_to_element_with_offset(target, 0, 15 if below else -15).release().perform()


CASES = [
    ("asks for the token, and takes it from its URL", wants_token), ("adds one, and shows its progress", adds),
    ("adds many", adds_many), ("adds the valid lines; the others stay in the form, each with its reason", refused_stay),
    ("pauses and resumes, one and all", pauses_and_resumes), ("cancels and retries", cancels_and_retries), ("removes", removes),
    ("shows errors in the library's words", shows_errors), ("shows markup in names as text", shows_markup_as_text),
    ("reorders by keys, buttons and drag", reorders), ("drops below the last row of a search", drops_below_a_search),
]
