"""Chromium without a window, as the tests of the page use it."""

import shutil
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from common.tally import Wrong

ROW = "#list .space .row"


class Browser:
    """One tab."""

    def __init__(self, width=1280, height=800, dark=False, reduced=False):
        program, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if not program or not driver:
            raise SystemExit("chromium or chromedriver is missing; run: Scripts/install-dependencies --page")
        options = webdriver.ChromeOptions()
        options.binary_location = program
        # Root has no sandbox, and a container little shared memory.
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.size(width, height)
        features = [("prefers-color-scheme", "dark" if dark else "light"), ("prefers-reduced-motion", "reduce" if reduced else "")]
        self.tool("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in features])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def tool(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def size(self, width, height):
        self.tool("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def open(self, server, token=True):
        # A fragment alone would not load the page anew.
        self.driver.get("about:blank")
        self.driver.get(server.url + (f"#token={server.token}" if token is True else f"#token={token}" if token else ""))

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def until(self, what, condition, seconds=20):
        """Waits for something; what it was for is the complaint."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = condition()
            except (WebDriverException, StaleElementReferenceException):
                found = None
            if found:
                return found
            if time.monotonic() > end:
                raise Wrong(f"not seen within {seconds} s: {what}; the list: {self.rows()[:6]}")
            time.sleep(0.05)

    def rows(self):
        """The rows in sight, from the top: name, reason and percent of each."""
        return self.run(f"""return [...document.querySelectorAll('{ROW}')].map((row) => [
            row.querySelector('.title').textContent, row.querySelector('.reason').textContent,
            row.querySelector('.percent').textContent])""")

    def names(self):
        return [row[0] for row in self.rows()]

    def row(self, name):
        """The row of a download in sight."""
        return self.run(f"""return [...document.querySelectorAll('{ROW}')].find(
            (row) => row.querySelector('.title').textContent === arguments[0])""", name)

    def reason(self, name):
        return next((row[1] for row in self.rows() if row[0] == name), "")

    def percent(self, name):
        text = next((row[2] for row in self.rows() if row[0] == name), "")
        return int(text.split()[0]) if text else 0

    def press(self, *keys, hold=None):
        """Presses keys wherever the focus is."""
        chain = ActionChains(self.driver)
        if hold:
            chain.key_down(hold)
        for key in keys:
            chain.send_keys(key)
        if hold:
            chain.key_up(hold)
        chain.perform()

    def escape(self):
        """Closes the dialog; the browser does that a little later than it hears the key."""
        self.press(Keys.ESCAPE)
        self.until("the end of the dialog", lambda: not self.all("dialog"))

    def verb(self, name, verb):
        """Clicks a button of a row."""
        self.until(f"the row {name}", lambda: self.row(name)).find_element(By.CSS_SELECTOR, f"[data-verb='{verb}']").click()

    def button(self, text, within="body"):
        for each in self.all(f"{within} button"):
            if each.text == text:
                each.click()
                return
        raise Wrong(f"there is no button {text}")

    def write(self, selector, text):
        place = self.find(selector)
        place.send_keys(Keys.CONTROL, "a")
        place.send_keys(Keys.DELETE)
        place.send_keys(text)
        return place

    def complaints(self):
        """What the console says: blocked by the policy, not caught, not found."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def metrics(self):
        found = self.tool("Performance.getMetrics")["metrics"]
        return {each["name"]: each["value"] for each in found}

    def picture(self, path):
        self.driver.save_screenshot(str(path))
