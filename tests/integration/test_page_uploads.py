"""Documents that a person brings on the page: several at a time, some that are not taken, some that fail on the way."""

from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.integration.page_browser import Visit, go_to, visiting
from tests.integration.test_serve import serving

pytest_plugins = ["tests.integration.page_fixtures"]

DROP = """(names) => {
  const data = new DataTransfer();
  for (const name of names) data.items.add(new File([`The Aare flows past ${name}.`], name));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
PRETEND = """([name, size]) => {
  const file = new File(["x"], name);
  Object.defineProperty(file, "size", { value: size });
  const data = new DataTransfer();
  const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], files: [file] } });
  document.body.dispatchEvent(event);
}"""


def held(page: Page) -> list[Route]:
    """Uploads from now on; the first of them stays on its way until somebody lets it through."""
    routes: list[Route] = []

    def take(route: Route) -> None:
        if route.request.method == "POST":
            routes.append(route)
        if len(routes) != 1 or route.request.method != "POST":
            route.continue_()

    page.route("**/documents?*", take)
    return routes


def two_dropped(visit: Visit, namespace: str) -> tuple[Route, Locator]:
    """One file on its way, as its route, and another waiting; with the lines that tell of them."""
    go_to(visit, namespace)
    page, lines = visit.page, visit.page.locator("#bringing > li")
    routes = held(page)
    with page.expect_request(lambda request: request.method == "POST"):  # it says that it sends before it does
        page.evaluate(DROP, ["one.txt"])
    page.evaluate(DROP, ["two.txt"])
    expect(lines).to_contain_text(["Sending", "waiting"])
    return routes[0], lines


def test_what_is_dropped_during_an_upload_waits_and_is_sent_after_it(visit: Visit) -> None:
    go_to(visit, "queue")
    page, lines = visit.page, visit.page.locator("#bringing > li")
    routes = held(page)
    page.evaluate(DROP, ["first.txt"])
    expect(lines).to_contain_text(["Sending “first.txt”"])
    page.evaluate(DROP, ["second.txt", "third.txt"])
    page.evaluate(DROP, ["fourth.txt"])
    expect(lines).to_contain_text(
        ["Sending “first.txt”", "2 files, 61 bytes: waiting", "“fourth.txt”, 31 bytes: waiting"]
    )
    assert len(routes) == 1
    go_to(visit, "elsewhere")  # where they go was chosen when they were dropped
    routes[0].continue_()
    expect(lines).to_contain_text(["“first.txt”: 1 added", "2 files: 2 added", "“fourth.txt”: 1 added"])
    go_to(visit, "queue")
    expect(page.locator("#list .title small")).to_have_text(["first.txt", "fourth.txt", "second.txt", "third.txt"])


def test_what_cannot_be_taken_is_refused_before_it_is_sent_and_the_others_go(visit: Visit) -> None:
    go_to(visit, "refusals")
    page, refused = visit.page, visit.page.locator("#refused li")
    page.evaluate(
        DROP, ["good.txt", "photo.<b>png</b>", "folder", "good.txt", ".md", f"{'long' * 50}.txt", "notes.MD.gz"]
    )
    expect(refused).to_have_count(5)
    expect(refused).to_contain_text(
        [
            "“photo.<b>png</b>” (37 bytes) is of a kind that is not taken; taken are .txt,",
            "“folder” (27 bytes) is a folder, or its name does not say what it is",
            "“good.txt” (29 bytes) comes twice",
            "“.md” (24 bytes)",
            "has a name of 204 bytes, and at most 200 are taken",
        ]
    )
    expect(page.locator("#bringing > li")).to_contain_text("2 files: 1 added, 1 failed")  # the .gz is none
    expect(page.locator("#bringing .warnings")).to_contain_text("notes.MD.gz")
    expect(page.locator("#list .title small")).to_have_text(["good.txt"])
    sent = len(visit.asked)
    for name, size, said in [
        ("book.txt", 61_400_000, "“book.txt” has 61.4 MB, and at most 50 MB are taken of one document: split it."),
        (
            "lines.jsonl",
            100_000_000,
            "“lines.jsonl” has 100,000,422 bytes, and at most 100,000,000 bytes are taken at once.",
        ),
    ]:
        page.evaluate(PRETEND, [name, size])
        expect(refused).to_have_text(said)
    assert [url for url in visit.asked[sent:] if "/documents" in url] == []
    visit.readable()


def test_files_too_many_for_one_request_go_in_several(visit: Visit) -> None:
    go_to(visit, "groups")
    groups = """async () => {
      const { sorted } = await import("/page/taking.js");
      const file = (name, size) => ({ name, size, type: "" });
      const start = { most: { upload: 3000, file: 2500, name: 200 }, suffixes: [".txt", ".jsonl"], lines: [".jsonl"] };
      const many = [...Array(501)].map((_, place) => file(`${place}.txt`, 1));
      const names = ({ groups }) => groups.map((group) => group.map((one) => one.name).join(" "));
      const roomy = { ...start, most: { ...start.most, upload: 1e9 } };
      return [
        names(sorted([file("a.txt", 1500), file("b.txt", 1000), file("c.txt", 900)], start)),
        sorted(many, roomy).groups.map((group) => group.length),
      ];
    }"""
    assert visit.page.evaluate(groups) == [["a.txt", "b.txt c.txt"], [500, 1]]


def test_an_upload_that_failed_is_named_and_sent_again_with_the_next(visit: Visit) -> None:
    sending, lines = two_dropped(visit, "again")
    sending.abort()
    expect(lines.first).to_contain_text("“one.txt” did not come in.")
    expect(lines.first).to_contain_text("The server does not answer")
    expect(lines.last).to_contain_text("waiting")
    visit.readable()
    visit.page.evaluate(DROP, ["three.txt"])  # what comes later has what failed before sent again too
    expect(lines).to_contain_text([f"“{name}.txt”: 1 added" for name in ("one", "two", "three")])


def test_one_click_sends_what_failed_again_and_then_the_others(visit: Visit) -> None:
    sending, lines = two_dropped(visit, "click")
    sending.abort()
    lines.first.get_by_role("button", name="Try again").click()
    expect(lines).to_contain_text(["“one.txt”: 1 added", "“two.txt”: 1 added"])
    expect(visit.page.locator("#list li")).to_have_count(2)


def test_what_the_service_refuses_for_good_stops_no_other(visit: Visit) -> None:
    sending, lines = two_dropped(visit, "stopped")
    sending.fulfill(status=422, json={"error": "upload: <i>no</i>"})
    expect(lines).to_contain_text(["upload: <i>no</i>", "“two.txt”: 1 added"])
    expect(lines.first.get_by_role("button")).to_have_count(0)


def test_the_limits_are_those_of_the_service(browser: Browser, own_folders: Path, sample_store: str) -> None:
    with (
        serving(own_folders, sample_store, LOOKAHEAD_MAX_UPLOAD="2000") as address,
        visiting(browser, address) as visit,
    ):
        page = visit.open("documents")
        expect(page.locator("#kinds")).to_contain_text("an upload up to 2 kB")
        page.evaluate(PRETEND, ["some.txt", 1990])
        expect(page.locator("#refused")).to_have_text("“some.txt” has 2.4 kB, and at most 2 kB are taken at once.")
