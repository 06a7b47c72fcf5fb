"""The page in headless Chromium: what a person presses, hears and sees."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from flows import approvals
from flows.workspace import Workspace
from tests.flows.review.conftest import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromium-driver are not installed"),
]

PHONE = {"width": 390, "height": 844, "pixelRatio": 2.0, "touch": True}


class Browser:
    """A browser with one page open; it keeps what the page asked for and what it complained of."""

    def __init__(self, address: str, *, phone: bool = False, dark: bool = False) -> None:
        options = Options()
        options.binary_location = CHROMIUM or ""
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
            "--autoplay-policy=no-user-gesture-required", "--window-size=1280,900", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
        ):  # fmt: skip
            options.add_argument(argument)
        if phone:
            options.add_experimental_option("mobileEmulation", {"deviceMetrics": PHONE})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        if dark:
            features = [{"name": "prefers-color-scheme", "value": "dark"}]
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get(address)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def ask(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def until(self, what: Callable[[], Any]) -> Any:
        return WebDriverWait(self.driver, 60, poll_frequency=0.05, ignored_exceptions=(Exception,)).until(
            lambda _: what()
        )

    def ready(self) -> None:
        self.until(lambda: self.ask("return document.body.dataset.ready") == "yes")
        self.until(lambda: self.text() != "")

    def text(self) -> str:
        return self.one("#text").text

    def playing(self) -> bool:
        return bool(self.ask("const a = document.querySelector('audio'); return !a.paused && a.currentTime > 0"))

    def find(self, text: str) -> None:
        """Go to the line that holds ``text``."""
        search = self.one("#search")
        search.clear()
        search.send_keys(text)
        row = self.until(
            lambda: next(one for one in self.driver.find_elements(By.CSS_SELECTOR, "#rows button") if text in one.text)
        )
        row.click()
        self.until(lambda: text in self.text())

    def complaints(self) -> list[str]:
        return [row["message"] for row in self.driver.get_log("browser")]

    def asked(self) -> set[str]:
        """Scheme and host of every address that was asked for."""
        messages = [json.loads(row["message"])["message"] for row in self.driver.get_log("performance")]
        sent = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
        return {f"{urlsplit(url).scheme}://{urlsplit(url).netloc}" for url in sent}


@pytest.fixture
def browse() -> Iterator[Callable[..., Browser]]:
    opened: list[Browser] = []

    def start(address: str, **settings: bool) -> Browser:
        opened.append(Browser(address, **settings))
        return opened[-1]

    yield start
    for one in opened:
        one.driver.quit()


def test_a_person_listens_approves_and_mends(
    book: Path, page: Callable[..., Page], browse: Callable[..., Browser]
) -> None:
    opened = page(book)
    browser = browse(opened.address)
    browser.ready()
    assert browser.text() == "雾散了，长老站在桥上。"  # the flagged line is first
    assert "token" not in browser.driver.current_url
    assert "silent" in browser.one("#reasons").text
    # keys: play, pause, next, back
    browser.press(Keys.SPACE)
    browser.until(browser.playing)
    browser.press(Keys.SPACE)
    browser.until(lambda: browser.one("#play").text.endswith("Play"))
    browser.press("j")
    browser.until(lambda: browser.text() != "雾散了，长老站在桥上。")
    browser.until(browser.playing)  # moving on plays
    browser.press("k")
    browser.until(lambda: browser.text() == "雾散了，长老站在桥上。")
    assert browser.ask(
        "const c = document.getElementById('wave'); return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(Boolean)"
    )
    # edit what is said
    browser.press("e")
    spoken = browser.one("#f-spoken")
    assert browser.driver.switch_to.active_element == spoken
    spoken.clear()
    spoken.send_keys("天晴了，老人站在桥上。")
    browser.one("#edit-dialog [type=submit]").click()
    browser.until(lambda: "is recorded and passes" in browser.one("#status").text)
    browser.until(browser.playing)
    assert browser.one("#where .chip").text == "passed"
    assert browser.one("#spoken").text == "天晴了，老人站在桥上。"
    script = (Workspace.of("book").script / "001.yaml").read_text("utf-8")
    assert "spoken: 天晴了，老人站在桥上。" in script
    # one more take, listened to, used
    browser.press("r")
    browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, "#tries button")) == 2)
    number = browser.one("#tries button[aria-pressed=true]").get_attribute("data-take")
    assert number != "0"
    browser.until(lambda: not browser.one("#status").get_attribute("class"))
    browser.press("u")
    browser.until(lambda: f"take: {number}" in (Workspace.of("book").script / "001.yaml").read_text("utf-8"))
    browser.until(lambda: "✓" in browser.one("#tries button[aria-pressed=true]").text)
    # approve, and go on
    browser.press("a")
    browser.until(lambda: browser.text() != "雾散了，长老站在桥上。")
    assert list(approvals.takes(Workspace.of("book").folder).values()) == [int(number)]
    # a reading of this line alone
    browser.find("轰隆隆")
    browser.one("#text").click()
    browser.press("g")
    browser.until(lambda: browser.one("#r-word").is_displayed())
    for box, value in (("#r-word", "轰隆隆"), ("#r-phones", "hong1 long1 long1")):
        browser.one(box).clear()
        browser.one(box).send_keys(value)
    browser.one("[name=scope][value=line]").click()
    browser.one("#reading-dialog [type=submit]").click()
    browser.until(lambda: "is recorded" in browser.one("#status").text)
    assert "[l][ōng][l][ōng]" in (Workspace.of("book").script / "002.yaml").read_text("utf-8")
    # what cannot be is said in the dialog, and nothing is lost
    browser.press("v")
    browser.until(lambda: browser.one("#f-voice").is_displayed())
    assert browser.driver.switch_to.active_element == browser.one("#f-voice")
    browser.press(Keys.ESCAPE)
    browser.until(lambda: not browser.one("#f-voice").is_displayed())
    browser.press("?")
    browser.until(lambda: browser.one("#help-title").is_displayed())
    browser.press(Keys.ESCAPE)
    assert browser.complaints() == []
    assert browser.asked() == {opened.root}


def test_the_page_fits_a_phone_in_the_dark(
    book: Path, page: Callable[..., Page], browse: Callable[..., Browser]
) -> None:
    opened = page(book)
    browser = browse(opened.address, phone=True, dark=True)
    browser.ready()
    assert browser.ask("return innerWidth") == 390

    def fits() -> bool:
        return bool(browser.ask("return document.documentElement.scrollWidth <= innerWidth"))

    assert fits()
    small = browser.ask(
        "return [...document.querySelectorAll('button, select, input:not([type=checkbox]):not([type=radio])')]"
        ".filter((one) => one.checkVisibility()).map((one) => [one.id || one.textContent, one.getBoundingClientRect()])"
        ".filter(([, box]) => box.height < 44 || box.width < 44).map(([name]) => name)"
    )
    assert small == []
    unnamed = browser.ask(
        "return [...document.querySelectorAll('button, select, input, textarea, canvas')]"
        ".filter((one) => !(one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim())).map((one) => one.outerHTML)"
    )
    assert unnamed == []
    ink, paper = browser.ask("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    assert (
        sum(map(int, ink.strip("rgb()").split(","))) > 3 * 200 > 3 * 60 > sum(map(int, paper.strip("rgb()").split(",")))
    )
    browser.one("#bar [data-do=next]").click()
    browser.until(browser.playing)
    for name in ("edit", "reading"):
        browser.one(f"[data-do={name}]").click()
        browser.until(lambda: browser.one("dialog[open]"))
        assert fits()
        box = browser.ask(
            "const b = document.querySelector('dialog[open]').getBoundingClientRect(); return [b.left, b.right]"
        )
        assert 0 <= box[0] < box[1] <= 390
        browser.one("dialog[open] .cancel").click()
    assert browser.complaints() == []
    assert browser.asked() == {opened.root}


def test_a_wrong_token_shows_nothing_of_the_book(
    book: Path, page: Callable[..., Page], browse: Callable[..., Browser]
) -> None:
    opened = page(book)
    browser = browse(f"{opened.root}/?token=wrong")
    assert "its token is missing here" in browser.one("body").text
    assert browser.driver.find_elements(By.CSS_SELECTOR, "main") == []
    browser.driver.get(opened.address)
    browser.ready()
    place = browser.driver.current_url
    browser.driver.get(opened.root + "/")  # the cookie counts from now on
    browser.ready()
    assert urlsplit(place).fragment
    assert os.fspath(book.parent) not in browser.driver.page_source
