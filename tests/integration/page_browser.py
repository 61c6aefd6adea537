"""A real Chromium on the page: what it asked of whom, what it complained of, and what can be read on it.

Debian's package, or the program that CHROMIUM names: Playwright's own download is not used.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

SECONDS = 60_000
"""Longest wait for anything, in milliseconds: two cores may have other things to do."""

CHECKS = Path(__file__).with_name("page_checks.js")


def chromium(playwright: Playwright) -> Browser:
    """The browser, started."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    expect.set_options(timeout=SECONDS)
    assert program, "there is no chromium: install Debian's package, or name the program in CHROMIUM"
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])


class Visit:
    """One person at the page, in a browser profile of their own."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.address = address
        self.page: Page = context.new_page()
        self.page.set_default_timeout(SECONDS)
        self.asked: list[str] = []
        self.problems: list[str] = []
        context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        self.page.on("console", lambda line: self._heard(line.type, line.text))

    def _heard(self, kind: str, text: str) -> None:
        # A reply with an error status is logged by the browser; the page shows it, and tests look there.
        if kind == "error" and not text.startswith("Failed to load resource"):
            self.problems.append(text)

    def open(self, view: str = "ask", *, ready: bool = True) -> Page:
        self.page.goto(f"{self.address}/#{view}")
        if ready:
            expect(self.page.locator("#count")).not_to_be_empty()
        return self.page

    def ask(self, question: str) -> Page:
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")
        return self.page

    def answer(self) -> str:
        """The short answer, when it is there."""
        self.page.wait_for_selector("#said .short")
        return self.page.inner_text("#said .short")

    def shoot(self, folder: Path, name: str) -> None:
        """Screenshots of all of the page: light, dark, and at a phone's width."""
        size = self.page.viewport_size
        for theme in ("light", "dark"):
            self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            self.page.screenshot(path=folder / f"{name}-{theme}.png", full_page=True)
        self.page.set_viewport_size({"width": 390, "height": 844})
        self.page.emulate_media(color_scheme="light")
        self.page.wait_for_timeout(150)
        self.page.screenshot(path=folder / f"{name}-phone.png", full_page=True)
        assert self.page.evaluate("document.documentElement.scrollWidth") <= 390, f"{name} is wider than a phone"
        self.page.set_viewport_size(size or {"width": 1200, "height": 900})

    def readable(self) -> None:
        """Text stands out from what is behind it, in both themes, and every control says what it is."""
        for theme in ("light", "dark"):
            self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
            faint = self.page.evaluate("checks.faint()")
            assert faint == [], f"hard to read in {theme} colours"
        self.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        assert self.page.evaluate("checks.nameless()") == []


@contextmanager
def visiting(browser: Browser, address: str, **options: Any) -> Iterator[Visit]:
    """A visit; at its end nothing may have been asked of anyone but the service, and nothing have gone wrong."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, color_scheme="light", **options)
    try:
        context.add_init_script(path=CHECKS)
        visit = Visit(context, address)
        yield visit
        home = urlsplit(visit.address).netloc
        assert [url for url in visit.asked if urlsplit(url).netloc != home and not url.startswith("blob:")] == []
        assert visit.problems == []
    finally:
        context.close()


def bring(address: str, namespace: str, documents: list[dict[str, str]]) -> None:
    response = httpx.post(
        f"{address}/documents", params={"namespace": namespace}, json={"documents": documents}, timeout=60
    )
    assert response.json()["added"] == len(documents), response.text


def go_to(visit: Visit, namespace: str) -> None:
    """Choose a namespace as a person does."""
    page = visit.open("documents")
    page.fill("#namespace", namespace)
    page.press("#namespace", "Enter")
    expect(page.locator("#held")).to_contain_text(f"“{namespace}”")
