"""Texts of odd kinds and lengths stay readable and within a phone's width, and what is doubtful or empty says so."""

import json
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.integration.page_browser import Visit, bring, go_to

pytest_plugins = ["tests.integration.page_fixtures"]

HEBREW = "ירושלים היא עיר הבירה."
LONG = "x" * 2_000
DOUBT = "check: its source does not bear out 'It is <b>so</b> [n1.1].'"


def answered(page: Page, answer: str, **more: Any) -> None:
    """A service that answers so, whatever it is asked."""
    result: dict[str, Any] = {
        "answer": answer,
        "abstained": False,
        "confidence": 0.9,
        "explanation": f"{answer} [n1.1]",
        "citations": [],
        "plan": {"nodes": [{"id": "n1", "op": "lookup", "query": answer, "depends_on": []}]},
        "pruning": {"dropped": []},
        "steps": [],
        "hops": [],
        "usage": {"llm_calls": 0, "wait_ms": 0},
        "models": {"planner": LONG},
        "warnings": [],
        "fallbacks": [],
        "timings_ms": {"total": 5.0},
        **more,
    }
    passage = {"ids": ["n1.1"], "title": LONG, "text": LONG, "document_id": LONG, "score": 1, "compressed": False}
    told = [("evidence", {"evidence": [passage]}), ("done", result)]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in told)
    page.route("**/ask", lambda route: route.fulfill(body=body, content_type="text/event-stream"))


def test_the_longest_words_stay_within_a_phone(visit: Visit) -> None:
    bring(visit.address, "odd", [{"id": LONG[:120], "title": LONG[:200], "text": HEBREW}, {"id": "he", "text": HEBREW}])
    go_to(visit, "odd")
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) <= 390
    expect(page.locator("#list .title").first).to_have_css("grid-column-end", "-1")
    page = visit.open()
    answered(page, LONG)
    visit.ask(LONG[:1_500])
    visit.answer()
    assert page.evaluate(width) <= 390
    visit.readable()


def test_a_text_from_right_to_left_begins_at_the_right(visit: Visit) -> None:
    page = visit.open()
    answered(page, HEBREW)
    visit.ask(HEBREW)
    assert visit.answer() == HEBREW
    starts = """(place) => {
      const [text, box] = [document.createRange(), document.querySelector(place)];
      text.selectNodeContents(box.firstChild);
      return Math.abs(text.getBoundingClientRect().right - box.getBoundingClientRect().right) < 2;
    }"""
    assert page.evaluate(starts, ".explanation")


def test_what_the_check_doubts_stands_beside_the_answer_and_a_guess_is_less_loud(visit: Visit) -> None:
    page = visit.open()
    answered(page, "Sharks", confidence=0.16, warnings=[DOUBT, "plan: another matter"])
    visit.ask("What was for breakfast?")
    expect(page.locator("#said .short")).to_have_class("short unsure")
    expect(page.locator("#said .problem")).to_have_text(
        "Look twice: its source does not bear out 'It is <b>so</b> [n1.1].'"
    )
    expect(page.locator("#facts .warnings li")).to_have_text(["plan: another matter"])


def test_an_empty_namespace_offers_the_sample_among_the_documents(visit: Visit) -> None:
    go_to(visit, "bare")
    page = visit.page
    brought: list[str] = []
    done = {"added": 174, "failures": [], "timings_ms": {"total": 5.0}}

    def take(route: Route) -> None:
        if route.request.method != "POST":
            return route.continue_()
        brought.append(route.request.post_data or "")
        route.fulfill(body=f"event: done\ndata: {json.dumps(done)}\n\n", content_type="text/event-stream")

    page.route("**/documents?*", take)
    page.get_by_role("button", name="Bring in the sample").click()
    expect(page.locator("#bringing")).to_contain_text("The sample: 174 added in 5 ms.")
    assert [len(json.loads(body)["documents"]) for body in brought] == [174]
