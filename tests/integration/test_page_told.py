"""What the page reads out by itself, once each; and where the focus is when something was closed or taken away."""

import itertools
import re

import pytest
from playwright.sync_api import expect

from tests.integration.page_browser import Visit, bring, go_to
from tests.integration.test_serve import QUESTION

pytest_plugins = ["tests.integration.page_fixtures"]


def test_an_answer_is_read_out_once(visit: Visit) -> None:
    page = visit.open()
    page.evaluate("checks.listen()")
    visit.ask(QUESTION)
    visit.answer()
    expect(page.locator("#status")).to_contain_text(re.compile("Answer: Oak Park.*% sure"))
    page.locator(".stop[data-id=n2]").click()
    expect(page.locator("#stop")).to_contain_text("Where was Ernest Hemingway born?")
    heard = page.evaluate("checks.heard")
    assert [line for line in heard if "Oak Park" in line] == [page.inner_text("#status")]
    assert all(one != other for one, other in itertools.pairwise(heard)), heard
    assert page.locator("[role=status]").count() == 1
    assert page.evaluate("checks.nested()") == []


def test_an_error_is_read_out_once_and_not_with_every_second_of_its_wait(visit: Visit) -> None:
    page = visit.open()
    page.route(
        "**/ask", lambda route: route.fulfill(status=429, json={"error": "busy: wait"}, headers={"Retry-After": "2"})
    )
    page.evaluate("checks.listen()")
    visit.ask(QUESTION)
    again = page.locator("#failure button")
    expect(again).to_have_text("Ask again")
    expect(again).to_be_enabled()
    assert [line for line in page.evaluate("checks.heard") if "Asking" not in line] == ["busy: wait"]
    assert page.evaluate("checks.nested()") == []


def test_an_upload_and_a_deletion_are_read_out_once_and_the_focus_stays_at_the_list(visit: Visit) -> None:
    names = ("Aare", "Bern", "Chur")
    bring(
        visit.address,
        "said",
        [{"id": name.lower(), "title": name, "text": f"{name} is in Switzerland."} for name in names],
    )
    go_to(visit, "said")
    page = visit.page
    page.evaluate("checks.listen()")
    page.set_input_files("#files", {"name": "doubs.txt", "mimeType": "text/plain", "buffer": b"The Doubs is a river."})
    expect(page.locator("#list li")).to_have_count(4)
    sending, done = page.evaluate("checks.heard")
    assert (sending, done.startswith("“doubs.txt”: 1 added")) == ("Sending “doubs.txt”, 21 bytes …", True)
    for name, after in [("Bern", "Chur"), ("Doubs", "Chur")]:
        page.evaluate("checks.listen()")
        title = name if name == "Bern" else page.locator("#list .title").last.evaluate("e => e.firstChild.textContent")
        page.get_by_role("button", name=f"Delete {title}").click()
        page.get_by_role("button", name=f"Really delete {title}?").click()
        expect(page.get_by_role("button", name=f"Delete {after}")).to_be_focused()
        assert [line.partition(" was deleted. ")[0] for line in page.evaluate("checks.heard")] == [title]


def test_the_token_is_asked_for_once_and_the_focus_given_back(visit: Visit) -> None:
    page = visit.open()
    page.route("**/ask", lambda route: route.fulfill(status=401, json={"error": "token: a token is needed"}))
    page.evaluate("checks.listen()")
    visit.ask(QUESTION)
    dialog = page.get_by_role("dialog")
    expect(page.locator("#token")).to_be_focused()
    assert "token: a token is needed" not in page.evaluate("checks.heard")  # the dialog says it
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#question")).to_be_focused()
    enter = page.get_by_role("button", name="Enter a token")
    enter.click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(enter).to_be_focused()


@pytest.mark.parametrize("calm", [False, True])
def test_nothing_moves_for_those_who_want_it_so(visit: Visit, calm: bool) -> None:
    page = visit.open()
    page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
    page.evaluate(
        "() => { window.scrolls = []; Element.prototype.scrollIntoView = (how) => scrolls.push(how.behavior); }"
    )
    visit.ask(QUESTION)
    visit.answer()
    page.locator(".cite").first.press("Enter")
    assert page.evaluate("scrolls") == ["auto" if calm else "smooth"]
    if calm:
        assert page.evaluate("document.getAnimations().length") == 0
