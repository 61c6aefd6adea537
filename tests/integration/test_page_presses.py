"""Esc closes one thing at a time and stops a question only where nothing is open; pressing twice is pressing once."""

import json
from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, expect

from tests.integration.page_browser import Visit

pytest_plugins = ["tests.integration.page_fixtures"]

NODE = {"id": "n1", "op": "lookup", "query": "the Aare", "depends_on": []}
PASSAGE = {"ids": ["n1.1"], "title": "Aare", "text": "It is long.", "document_id": "a", "score": 1, "compressed": False}
UNDER_WAY = [
    ("start", {"run_id": "r1"}),
    ("plan", {"plan": {"nodes": [NODE]}}),
    ("search", {"hop": "n1", "query": "the Aare"}),
    ("evidence", {"evidence": [PASSAGE]}),
    ("text", {"text": "It is long. [n1.1]"}),
]
WAITS = [("approval", {"run_id": "r1", "plan": {"nodes": [NODE]}})]
SERVICE = """(told) => {
  // Tells these events when it is asked, and then says no more; counts what it is sent, and who goes away.
  const real = window.fetch;
  window.sent = [];
  window.gone = 0;
  window.fetch = (path, options) => {
    if (!/^\\/(ask|runs)/.test(path)) return real(path, options);
    sent.push(path + " " + options.body);
    const ends = path === "/ask" && told.includes("event: approval");
    return Promise.resolve(new Response(new ReadableStream({
      start(out) {
        if (path === "/ask") out.enqueue(new TextEncoder().encode(told));
        if (ends) return out.close();
        options.signal.addEventListener("abort", () => {
          gone += 1;
          out.error(new DOMException("", "AbortError"));
        });
      },
    })));
  };
}"""


def answering(page: Page, events: Sequence[tuple[str, object]]) -> None:
    """A service in the page that tells these events."""
    page.evaluate(SERVICE, "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events))


@pytest.fixture
def running(visit: Visit) -> Page:
    page = visit.open()
    answering(page, UNDER_WAY)
    visit.ask("How long is the Aare?")
    expect(page.locator(".cite")).to_be_visible()
    return page


class TestEscape:
    def test_it_closes_one_thing_at_a_time_and_then_stops(self, running: Page) -> None:
        running.locator(".stop[data-id=n1]").press("Enter")
        expect(running.locator("#stop")).to_contain_text("the Aare")
        running.locator(".cite").focus()
        expect(running.locator("#source")).to_be_visible()
        running.keyboard.press("Escape")
        expect(running.locator("#source")).to_be_hidden()
        expect(running.locator("#stop")).not_to_be_empty()
        running.keyboard.press("Escape")
        expect(running.locator("#stop")).to_be_empty()
        expect(running.locator("#ask-button")).to_have_text("Stop")
        assert running.evaluate("gone") == 0
        running.keyboard.press("Escape")
        expect(running.locator("#said")).to_contain_text("Stopped.")
        assert running.evaluate("gone") == 1

    def test_one_that_closes_the_dialog_stops_nothing(self, running: Page) -> None:
        running.evaluate("document.querySelector('#sign-in').showModal()")
        running.keyboard.press("Escape")
        expect(running.get_by_role("dialog")).to_be_hidden()
        assert running.evaluate("gone") == 0

    def test_one_on_another_view_or_within_a_word_being_composed_stops_nothing(self, running: Page) -> None:
        composed = "new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true })"
        running.evaluate(f"document.querySelector('#question').dispatchEvent({composed})")
        running.click("nav a[href='#documents']")
        expect(running.locator("#held")).not_to_be_empty()
        running.keyboard.press("Escape")
        assert running.evaluate("gone") == 0


class TestTwice:
    @pytest.mark.parametrize("press", ["dblclick", "Enter in the box", "Enter on the button", "Enter held down"])
    def test_a_question_is_asked_once(self, visit: Visit, press: str) -> None:
        page = visit.open()
        answering(page, UNDER_WAY)
        page.fill("#question", "How long is the Aare?")
        if press == "dblclick":
            page.dblclick("#ask-button")
        elif press == "Enter on the button":
            page.evaluate(
                "document.querySelector('#ask-button').click(), document.querySelector('#ask-button').click()"
            )
        else:
            more = "{ key: 'Enter', bubbles: true, cancelable: true, repeat: %s }"
            first, second = more % "false", more % ("true" if "held" in press else "false")
            page.evaluate(f"""() => {{
              const box = document.querySelector("#question");
              for (const key of [{first}, {second}]) box.dispatchEvent(new KeyboardEvent("keydown", key));
            }}""")
        expect(page.locator(".cite")).to_be_visible()
        expect(page.locator("#ask-button")).to_have_text("Stop")
        assert page.evaluate("[sent.length, gone]") == [1, 0]

    @pytest.mark.parametrize("name", ["Approve", "Reject"])
    def test_a_plan_is_decided_once(self, visit: Visit, name: str) -> None:
        page = visit.open()
        answering(page, WAITS)
        visit.ask("How long is the Aare?")
        button = page.locator("#approval").get_by_role("button", name=name)
        expect(button).to_be_visible()
        button.evaluate("button => { button.click(); button.click(); }")
        expect(page.locator("#answer")).to_be_focused()
        sent = page.evaluate("sent")
        assert [line.partition(" ")[0] for line in sent] == ["/ask", "/runs/r1/plan"]
        assert json.loads(sent[1].partition(" ")[2]) == {"action": name.lower()}

    def test_a_double_click_deletes_nothing(self, visit: Visit) -> None:
        page = visit.open("documents")
        remove = page.locator("#list button").first
        expect(remove).to_be_visible()
        page.evaluate("""() => {
          window.setTimeout = () => 0; // what it asks stays asked
          window.sent = [];
          window.fetch = (path) => (sent.push(path), new Promise(() => {}));
        }""")
        remove.dblclick()
        expect(remove).to_have_text("Really?")
        assert page.evaluate("sent") == []
        remove.click()
        assert len(page.evaluate("sent")) == 1
