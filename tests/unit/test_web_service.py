"""The service around its questions: tokens, documents, state, counters and its description."""

import asyncio
import io
import logging
from typing import Any

import pytest
from fastapi import FastAPI

from graph.web.app import create_app
from graph.web.service import STUDIO
from graph.web.settings import WebSettings
from models.planner import Planned
from nodes.deps import Deps
from tests.fakes import FakePlanner
from tests.unit.test_ingest_graph import FakeEmbedder
from tests.unit.web import QUESTION, client, error, events, fake_deps, service, until


class Hanging(FakePlanner):
    """Plans for ever."""

    async def plan(self, question: str, **_: Any) -> Planned:
        await asyncio.sleep(60)
        raise AssertionError


ROUTES = [("POST", "/ask"), ("POST", "/runs/x/plan"), ("POST", "/documents"), ("GET", "/documents"),
          ("DELETE", "/documents/x"), ("GET", "/metrics")]  # fmt: skip
SECRET = "token-of-one"


def stored(**settings: Any) -> FastAPI:
    """A service over an embedded store of its own."""
    return service(Deps(embedder=FakeEmbedder()), **settings)  # type: ignore[arg-type]


def upload(*files: tuple[str, str | bytes]) -> list[tuple[str, tuple[str, io.BytesIO]]]:
    return [("files", (name, io.BytesIO(text if isinstance(text, bytes) else text.encode()))) for name, text in files]


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_no_route_opens_without_a_token(method: str, path: str, caplog: pytest.LogCaptureFixture) -> None:
    app = service(lookahead_tokens=f"{SECRET}=one")
    async with client(app) as http:
        body = {"question": QUESTION} if path == "/ask" else {"action": "approve"}
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            response = await http.request(method, path, json=body, headers=headers)
            assert "a token is needed" in error(response, 401)
            assert response.headers["www-authenticate"] == "Bearer"
    assert SECRET not in caplog.text + repr(app.state.service.settings) + str(vars(app.state.service))


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_without_tokens_no_route_opens_to_another_machine(method: str, path: str) -> None:
    async with client(service(), address="203.0.113.9") as http:
        body = {"question": QUESTION} if path == "/ask" else {"action": "approve"}
        assert "no token is set" in error(await http.request(method, path, json=body), 403)


async def test_a_tokens_namespace_stands_above_every_other() -> None:
    async with client(stored(lookahead_tokens=f"{SECRET}=one"), token=SECRET) as http:
        given = {"documents": [{"id": "u", "title": "Ulysses", "text": "By James Joyce."}]}
        brought = await http.post("/documents", json=given, params={"namespace": "two"})
        assert (brought.json()["namespace"], brought.json()["added"]) == ("one", 1)
        listed = (await http.get("/documents", params={"namespace": "two"})).json()
        assert (listed["namespace"], [found["id"] for found in listed["documents"]]) == ("one", ["u"])
    async with client(service(lookahead_tokens=f"{SECRET}=one"), token=SECRET) as http:
        body = {"question": QUESTION, "namespace": "two", "settings": {"namespace": "three"}, "stream": True}
        assert events(await http.post("/ask", json=body))[0][1]["namespace"] == "one"


async def test_without_tokens_the_request_names_its_namespace() -> None:
    async with client(service()) as http:
        for body, namespace in [({}, "default"), ({"namespace": "a"}, "a"), ({"settings": {"namespace": "b"}}, "b")]:
            told = events(await http.post("/ask", json={"question": QUESTION, "stream": True, **body}))
            assert told[0][1]["namespace"] == namespace


async def test_files_are_uploaded_listed_by_pages_updated_and_deleted() -> None:
    async with client(stored()) as http:
        lines = '{"id": "k", "title": "K", "text": "Kiel."}\n{"title": "no text"}\n'
        files = upload(("note.txt", "A note."), ("folder/two.jsonl", lines))
        told = events(await http.post("/documents", files=files, params={"stream": True}))
        names = [name for name, _ in told]
        assert (names[0], names[-1], set(names[1:-1])) == ("start", "done", {"progress"})
        assert told[1][1]["bytes_total"] == len("A note.") + len(lines)
        done = told[-1][1]
        assert (done["added"], done["failed"]) == (2, 1)
        assert done["failures"] == [{"source": "two.jsonl, line 2", "reason": "has no field 'text' (it has 'title')"}]
        again = (await http.post("/documents", files=upload(("note.txt", "A note, mended.")))).json()
        assert (again["added"], again["updated"]) == (0, 1)
        page = (await http.get("/documents", params={"limit": 1, "offset": 1})).json()
        assert (page["total"], [found["id"] for found in page["documents"]]) == (2, ["note.txt"])
        assert page["documents"][0]["source"] == "note.txt"
        assert (await http.delete("/documents/note.txt")).json()["deleted"] == "note.txt"
        assert "there is no document 'note.txt'" in error(await http.delete("/documents/note.txt"), 404)
        assert (await http.get("/documents")).json()["total"] == 1


async def test_an_empty_namespace_lists_nothing_and_cannot_be_asked() -> None:
    async with client(stored()) as http:
        assert (await http.get("/documents")).json()["total"] == 0
        assert "holds no documents" in error(await http.post("/ask", json={"question": QUESTION}), 404)
        assert "there is no document" in error(await http.delete("/documents/x"), 404)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("photo.png", "is of an unknown kind"),
        (".txt", "is no name"),
        ("..", "is no name"),
        ("a" * 201 + ".txt", "is no name"),
    ],
)
async def test_a_file_that_cannot_be_taken_is_refused(name: str, said: str) -> None:
    async with client(stored()) as http:
        assert said in error(await http.post("/documents", files=upload((name, "x"))), 422)
        assert "comes twice" in error(await http.post("/documents", files=upload(("a.md", "x"), ("b/a.md", "y"))), 422)


async def test_what_is_neither_files_nor_documents_is_refused() -> None:
    async with client(stored(lookahead_max_upload=1_000)) as http:
        for body in ({}, {"documents": []}, {"documents": ["x"]}, {"documents": [{}], "paths": ["/etc/passwd"]}):
            assert "documents: " in error(await http.post("/documents", json=body), 422)
        assert "'text/plain' cannot be read" in error(
            await http.post("/documents", content=b"x", headers={"Content-Type": "text/plain"}), 422
        )
        form = await http.post("/documents", files={"other": ("a.txt", b"x")})
        assert "no file in the form" in error(form, 422)
        large = await http.post("/documents", files=upload(("a.txt", "x" * 2_000)))
        assert "more than 1,000 bytes" in error(large, 413)
        assert (await http.get("/documents")).json()["total"] == 0


async def test_health_says_alive_and_ready_says_what_is_missing(tmp_path: Any) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "store.sqlite").write_text("no database" * 100)
    app = service(Deps(str(tmp_path / "broken")), lookahead_tokens="a=one")
    async with client(app) as http:
        assert (await http.get("/health")).json() == {"alive": True}
        response = await http.get("/ready")
        assert "store" in error(response, 503)
        assert list(response.json()["missing"]) == ["store"]
    async with client(service(Deps())) as http:
        assert (await http.get("/ready")).json() == {"ready": True}


async def test_what_happened_is_counted() -> None:
    async with client(service()) as http:
        await http.post("/ask", json={"question": QUESTION})
        await http.post("/ask", json={"question": ""})
        await http.post("/ask", json={"question": "x", "settings": {"nope": 1}})
        page = (await http.get("/metrics")).text
    assert 'lookahead_run_seconds_count{outcome="answered"} 1.0' in page
    for stage in ("plan", "retrieve", "synthesize"):
        assert f'lookahead_stage_seconds_count{{stage="{stage}"}} 1.0' in page
    for stage in ("question", "settings"):
        assert f'lookahead_errors_total{{stage="{stage}"}} 1.0' in page
    assert "lookahead_runs_in_flight 0.0" in page
    assert "Ulysses" not in page


async def test_the_description_names_every_route_with_examples_and_errors() -> None:
    async with client(service()) as http:
        spec = (await http.get("/openapi.json")).json()
    paths = {path for path in spec["paths"]}
    assert paths == {"/ask", "/runs/{run_id}/plan", "/documents", "/documents/{key}", "/health", "/ready", "/metrics"}
    assert spec["components"]["schemas"]["Ask"]["examples"]
    assert {"200", "202", "401", "413", "422", "429"} <= set(spec["paths"]["/ask"]["post"]["responses"])
    assert "multipart/form-data" in spec["paths"]["/documents"]["post"]["requestBody"]["content"]


async def test_pages_elsewhere_are_let_in_by_name_alone() -> None:
    origin = {"Origin": "https://mine.example", "Access-Control-Request-Method": "POST"}
    async with client(service()) as http:
        assert "access-control-allow-origin" not in (await http.options("/ask", headers=origin)).headers
        said = await http.post("/ask", json={"question": QUESTION}, headers={"Origin": f"https://{STUDIO}"})
        assert "may not call" in error(said, 403)
    async with client(service(lookahead_origins="https://mine.example/")) as http:
        answer = await http.options("/ask", headers=origin)
        assert answer.headers["access-control-allow-origin"] == "https://mine.example"
        assert (await http.post("/ask", json={"question": QUESTION}, headers=origin)).status_code == 200


async def test_it_is_said_aloud_that_no_token_is_set(caplog: pytest.LogCaptureFixture) -> None:
    for tokens, said in [("", True), ("a=one", False)]:
        caplog.clear()
        app = service(fake_deps(), lookahead_tokens=tokens)
        with caplog.at_level(logging.WARNING):
            async with app.router.lifespan_context(app):
                pass
        assert ("only this machine is answered" in caplog.text) is said


async def test_models_are_loaded_before_the_first_question_and_ready_waits_for_it() -> None:
    deps = fake_deps(planner=Hanging([]))
    app = create_app(deps, WebSettings(_env_file=None), warm=True)  # type: ignore[call-arg]
    async with app.router.lifespan_context(app), client(app) as http:
        await until(lambda: app.state.service.warming)
        said = await http.get("/ready")
        assert "models: they are being loaded" in error(said, 503)
        assert list(said.json()["missing"]) == ["models"]
    for failing in (fake_deps(), Deps()):  # with documents, and without any
        app = create_app(failing, WebSettings(_env_file=None), warm=True)  # type: ignore[call-arg]
        async with app.router.lifespan_context(app), client(app) as http:
            await asyncio.sleep(0)
            await until(lambda app=app: not app.state.service.warming)
            assert 'outcome="' not in (await http.get("/metrics")).text
