"""The page as the service hands it out, what it is told at the start, and the events that it draws."""

import re
from typing import Any

import pytest

from evaluation.sample import passages_path
from graph.web.bringing import MAX_NAME
from graph.web.routes_page import FILES, FOLDER, PATHS
from graph.web.schemas import METHODS
from nodes.deps import Deps
from tests.unit.test_ingest_graph import FakeEmbedder
from tests.unit.web import PLAN, QUESTION, client, error, events, fake_deps, service
from tools.loading import LINES, MAX_FILE, SUFFIXES

SCRIPTS = [name for name in FILES if name.endswith(".js")]


def stored(**settings: Any) -> Any:
    """A service over an embedded store of its own."""
    return service(Deps(embedder=FakeEmbedder()), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", sorted(PATHS))
async def test_each_file_is_open_to_everybody_and_brings_nothing_from_elsewhere(path: str) -> None:
    async with client(service(lookahead_tokens="a=one"), address="203.0.113.9") as http:
        response = await http.get(path)
        assert response.status_code == 200
        assert response.headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        kinds = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
        assert response.headers["content-type"].startswith(kinds.get(path.rpartition(".")[2], "text/html"))
        assert (await http.head(path)).status_code == 200
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", response.text))
    assert addresses <= {"http://www.w3.org/2000/svg"}


async def test_a_file_that_has_not_changed_is_not_sent_again() -> None:
    async with client(service()) as http:
        first = await http.get("/page/main.js")
        again = await http.get("/page/main.js", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert first.headers["cache-control"] == "no-cache"
        other = await http.get("/page/dom.js", headers={"If-None-Match": first.headers["etag"]})
        assert other.status_code == 200


@pytest.mark.parametrize("name", ["nope.js", "../app.py", "..%2fapp.py", "%2e%2e/app.py", "", "index.html/x"])
async def test_nothing_else_is_handed_out(name: str) -> None:
    async with client(service()) as http:
        response = await http.get(f"/page/{name}")
        assert response.status_code == 404
        assert "import" not in response.text


def test_no_text_is_ever_read_as_html_and_no_code_or_style_stands_in_the_page() -> None:
    for name in SCRIPTS:
        script = (FOLDER / name).read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", script), (
            name
        )
        assert len(script.splitlines()) < 250, name
    page = (FOLDER / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page) == []
    assert set(re.findall(r'(?:src|href)="(/[^"]*)"', page)) <= PATHS


def test_each_script_imports_only_what_is_there() -> None:
    for name in SCRIPTS:
        for names, source in re.findall(r'import \{([^}]*)\} from "\./([^"]+)"', (FOLDER / name).read_text()):
            there = set(re.findall(r"export (?:async )?(?:function|const|class) (\w+)", (FOLDER / source).read_text()))
            assert {found.strip() for found in names.split(",")} <= there, (name, source)


def luminance(color: str) -> float:
    """Of `#rrggbb`, as WCAG 2 has it."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("theme", "place"), [("light", 0), ("dark", 1)])
def test_every_colour_of_text_stands_out_from_what_is_behind_it(theme: str, place: int) -> None:
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", (FOLDER / "style.css").read_text())
    colors = {name: (light, dark)[place] for name, light, dark in found}
    texts = ("ink", "quiet", "teal", "amber", "bad")
    pairs = [(text, paper) for text in texts for paper in ("paper", "card", "glow")]
    pairs += [("ink", "mark"), ("on-teal", "teal"), ("on-teal", "amber")]
    ratios = {}
    for pair in pairs:
        darker, lighter = sorted(luminance(colors[name]) for name in pair)
        ratios[pair] = (lighter + 0.05) / (darker + 0.05)
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < 4.5} == {}, theme


def test_no_colour_is_written_beside_those_that_are_measured_and_all_that_moves_can_be_still() -> None:
    css = (FOLDER / "style.css").read_text()
    rules = css.partition('[data-theme="dark"] { color-scheme: dark; }')[2]
    assert [color for color in re.findall(r"#[0-9a-f]{3,8}\b", rules) if color not in ("#0003", "#0007")] == []
    assert re.search(
        r"@media \(prefers-reduced-motion: reduce\) \{\s*\*[^}]*animation: none !important; transition: none", css
    )
    for name in SCRIPTS:
        script = (FOLDER / name).read_text()
        assert script.count('"smooth"') == script.count('calm() ? "auto" : "smooth"'), name
        assert ".animate(" not in script, name


async def test_what_the_page_must_know_is_told_to_clients_alone() -> None:
    for path in ("/start", "/start/sample"):
        async with client(service(lookahead_tokens="a=one")) as http:
            assert "a token is needed" in error(await http.get(path), 401)
        async with client(service(), address="203.0.113.9") as http:
            assert "no token is set" in error(await http.get(path), 403)


async def test_the_start_tells_what_is_there_and_the_sample_comes_in_by_one_request() -> None:
    async with client(stored(lookahead_max_question=500, lookahead_max_upload=1_000_000)) as http:
        start = (await http.get("/start")).json()
        assert (start["namespace"], start["documents"], start["bound"]) == ("default", 0, False)
        assert (start["sample"]["here"], start["most"]["question"]) == (False, 500)
        assert start["most"] == {"question": 500, "upload": 1_000_000, "file": MAX_FILE, "name": MAX_NAME}
        assert (set(start["suffixes"]), set(start["lines"])) == (set(SUFFIXES), set(LINES))
        assert set(start["methods"]) == set(METHODS)
        sample = (await http.get("/start/sample")).json()
        assert len(sample["documents"]) == start["sample"]["documents"] == len(passages_path().read_text().splitlines())
        assert (await http.post("/documents", json=sample, params={"namespace": "mine"})).status_code == 200
        start = (await http.get("/start", params={"namespace": "mine"})).json()
        assert (start["sample"]["here"], start["namespaces"]) == (True, ["mine"])
        assert len(start["sample"]["questions"]) == 6
        assert (await http.delete("/documents/old-man-sea", params={"namespace": "mine"})).status_code == 200
        assert not (await http.get("/start", params={"namespace": "mine"})).json()["sample"]["here"]


async def test_with_a_token_the_start_names_no_other_namespace() -> None:
    async with client(stored(lookahead_tokens="a=one,b=two")) as http:
        for token in "ab":
            http.headers["Authorization"] = f"Bearer {token}"
            await http.post("/documents", json={"documents": [{"title": "Bern", "text": "A city."}]})
        start = (await http.get("/start", params={"namespace": "one"})).json()
        assert (start["namespace"], start["namespaces"], start["bound"], start["documents"]) == ("two", [], True, 1)


async def test_what_the_page_draws_is_told_before_the_answer() -> None:
    async with client(service()) as http:
        told = events(await http.post("/ask", json={"question": QUESTION, "stream": True}))
    names = [name for name, _ in told]
    assert names.index("plan") < names.index("pruning") < names.index("evidence") < names.index("done")
    data = dict(told)
    assert data["pruning"]["pruning"]["kept"] == ["n1", "n2"]
    passage = next(p for p in data["evidence"]["evidence"] if p["title"] == "James Joyce")
    assert (passage["text"], passage["ids"][0][0]) == ("James Joyce was born in Dublin.", "n")


async def test_an_error_in_the_stream_brings_its_status() -> None:
    async with client(stored()) as http:
        told = events(await http.post("/ask", json={"question": QUESTION, "stream": True}))
    name, data = told[-1]
    assert (name, data["status"], "holds no documents" in data["error"]) == ("error", 404, True)


async def test_another_method_answers_the_same_question() -> None:
    async with client(service(fake_deps())) as http:
        body = {"question": QUESTION, "method": "standard_rag"}
        result = (await http.post("/ask", json=body)).json()
        assert [hop["id"] for hop in result["hops"]] == ["n0"]
        told = events(await http.post("/ask", json={**body, "method": "react", "stream": True}))
        steps = [data["steps"] for name, data in told if name == "steps"]
        assert steps[0][0]["action"] == "search"
        assert told[-1][1]["steps"] == steps[-1]
        limited = {"settings": {"max_steps": 0}}
        assert "max_steps=0" in error(await http.post("/ask", json={**body, "method": "react", **limited}), 422)


@pytest.mark.parametrize(
    ("more", "said"),
    [({"plan": {"nodes": PLAN}}, "does not take a ready plan"), ({"settings": {"approve_plan": True}}, "approve_plan")],
)
async def test_only_lookahead_has_a_plan_to_give_or_approve(more: dict[str, Any], said: str) -> None:
    async with client(service()) as http:
        assert said in error(await http.post("/ask", json={"question": QUESTION, "method": "react", **more}), 422)
        assert "method='oracle'" in error(await http.post("/ask", json={"question": QUESTION, "method": "oracle"}), 422)
