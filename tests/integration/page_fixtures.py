"""Browser, service and visit for all tests of the page; a module of tests names this one in `pytest_plugins`."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.integration.page_browser import Visit, chromium, visiting
from tests.integration.test_serve import serving


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = chromium(playwright)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, sample_store: str) -> Iterator[str]:
    """A service on a copy of the sample, for all tests of the page; each that writes has a namespace of its own."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(sample_store, folder / "store")
    with serving(folder, str(folder / "store"), LOOKAHEAD_AUTO="embedded", XDG_CACHE_HOME=str(folder / "cache")) as at:
        yield at


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    with visiting(browser, address) as opened:
        yield opened
