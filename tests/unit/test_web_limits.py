"""What a client cannot do to the service: large, endless, unpacked, deep, slow, and before it may come in."""

import asyncio
import gzip
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from graph.web import limits, routes_state, streaming
from models.planner import Planned
from nodes.deps import Deps
from tests.fakes import FakePlanner, FakeSearch, FakeSynthesizer
from tests.unit.test_web_ask import APPROVE, Hanging
from tests.unit.test_web_service import ROUTES, SECRET, stored, upload
from tests.unit.web import QUESTION, client, error, events, fake_deps, service, until

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(("method", "path"), [route for route in ROUTES if route[0] == "POST"])
async def test_who_may_not_come_in_has_no_body_read(method: str, path: str) -> None:
    read = []

    async def body() -> Any:
        read.append(1)
        yield b"{nope"

    async with client(service(lookahead_tokens=f"{SECRET}=one")) as http:
        for headers in (JSON, {**JSON, "Authorization": "Bearer wrong"}):
            assert "a token is needed" in error(await http.request(method, path, content=body(), headers=headers), 401)
        assert read == []
        page = (await http.get("/metrics", headers={"Authorization": f"Bearer {SECRET}"})).text
        assert 'lookahead_errors_total{stage="access"} 2.0' in page


async def stalls() -> AsyncIterator[bytes]:
    yield b'{"question": '
    await asyncio.sleep(60)


async def drips() -> AsyncIterator[bytes]:
    """Never silent for long, and never at its end."""
    while True:
        yield b" "
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("body", [stalls, drips])
@pytest.mark.parametrize("path", ["/ask", "/documents"])
async def test_a_body_that_does_not_come_on_is_not_waited_for(path: str, body: Any) -> None:
    app = stored(lookahead_stalled_seconds=0.1)
    async with client(app) as http:
        refused = await asyncio.wait_for(http.post(path, content=body(), headers=JSON), 10)
        assert "LOOKAHEAD_STALLED_SECONDS" in error(refused, 408)
        assert refused.headers["connection"] == "close"
        assert (app.state.service.ingests.taken, app.state.service.runs.taken) == (0, 0)


async def test_a_large_body_has_the_time_that_its_bytes_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLOWEST", 1_000)

    async def steady() -> AsyncIterator[bytes]:
        yield b'{"documents": [{"title": "Bern", "text": "' + b"Bern is a city. " * 1_000
        for _ in range(12):
            await asyncio.sleep(0.1)
            yield b"Bern is a city. "
        yield b'"}]}'

    async with client(stored(lookahead_stalled_seconds=1)) as http:
        assert (await http.post("/documents", content=steady(), headers=JSON)).json()["added"] == 1


@pytest.mark.parametrize("stream", [False, True])
async def test_a_question_that_takes_too_long_is_stopped(stream: bool) -> None:
    planner = Hanging()
    for seconds in (0.5, 5, 30):  # a busy machine may not have come to the planner yet
        app = service(fake_deps(planner=planner), lookahead_max_seconds=seconds)
        async with client(app) as http:
            response = await http.post("/ask", json={"question": QUESTION, "stream": stream})
        if stream:
            name, data = events(response)[-1]
            assert (name, "LOOKAHEAD_MAX_SECONDS" in data["error"]) == ("error", True)
        else:
            assert f"longer than {seconds:g} seconds" in error(response, 504)
        assert (planner.running, app.state.service.runs.taken) == (0, 0)
        if planner.stopped:
            break
    assert planner.stopped == 1


@pytest.mark.parametrize("stuck", [b"event: start", b"event: stage", b": still here"])
async def test_a_client_that_does_not_read_keeps_no_place(monkeypatch: pytest.MonkeyPatch, stuck: bytes) -> None:
    """Whether an event finds that nothing goes out, or what is sent where a run is silent for long."""
    monkeypatch.setattr(streaming, "KEEP_ALIVE_SECONDS", 0.01)
    planner = Hanging()
    app = service(fake_deps(planner=planner), lookahead_stalled_seconds=0.1)
    messages = [{"type": "http.request", "body": json.dumps({"question": QUESTION, "stream": True}).encode()}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.sleep(60)

    async def send(message: Any) -> None:
        if message.get("body", b"").startswith(stuck):
            await asyncio.sleep(60)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/ask", "raw_path": b"/ask", "query_string": b"",
             "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2), "scheme": "http",
             "asgi": {"version": "3.0"}, "http_version": "1.1", "root_path": ""}  # fmt: skip
    await asyncio.wait_for(app(scope, receive, send), 10)
    assert (planner.running, app.state.service.runs.taken) == (0, 0)
    assert b'lookahead_errors_total{stage="request"} 1.0' in app.state.service.metrics.page()
    await app.state.service.close()


class HangingSearch(FakeSearch):
    """Every search of a hop hangs; knows whether it was ended."""

    running = stopped = 0

    async def search(self, query: str, **options: Any) -> Any:
        self.running += 1
        try:
            await asyncio.sleep(60)
        finally:
            self.stopped += 1


class HangingSynthesizer(FakeSynthesizer):
    """Never answers."""

    running = stopped = 0

    async def synthesize(self, *given: Any, **options: Any) -> Any:
        self.running += 1
        try:
            await asyncio.sleep(60)
        finally:
            self.stopped += 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("method", ["lookahead", "standard_rag"])
@pytest.mark.parametrize("place", ["search", "synthesizer"])
async def test_a_client_that_goes_away_stops_whatever_its_run_is_at(place: str, method: str, stream: bool) -> None:
    hanging: Any = HangingSearch({}) if place == "search" else HangingSynthesizer("")
    app = service(fake_deps(**{place: hanging}))
    async with client(app) as http:
        body = {"question": QUESTION, "stream": stream, "method": method}
        asking = asyncio.create_task(http.post("/ask", json=body))
        await until(lambda: hanging.running)
        asking.cancel()
        await until(lambda: not app.state.service.runs.taken)
        assert hanging.stopped == hanging.running
        assert "lookahead_runs_in_flight 0.0" in (await http.get("/metrics")).text


async def test_a_decided_plan_whose_client_goes_away_is_stopped_too(tmp_path: Path) -> None:
    hanging = HangingSynthesizer("")
    app = service(fake_deps(synthesizer=hanging), lookahead_runs=str(tmp_path / "runs.sqlite"))
    async with client(app) as http:
        run = (await http.post("/ask", json=APPROVE)).json()["run_id"]
        going_on = asyncio.create_task(http.post(f"/runs/{run}/plan", json={"action": "approve"}))
        await until(lambda: hanging.running)
        going_on.cancel()
        await until(lambda: not app.state.service.runs.taken)
        assert hanging.stopped == 1
        assert "ask the question again" in error(await http.post(f"/runs/{run}/plan", json={"action": "approve"}), 404)


def lines(number: int) -> bytes:
    return b"".join(b'{"title": "T%d", "text": "%s"}\n' % (n, b"x" * 1_000) for n in range(number))


async def test_files_that_unpack_to_too_much_are_refused_before_anything_is_stored() -> None:
    async with client(stored(lookahead_max_unpacked=50_000)) as http:
        bomb = gzip.compress(lines(200))
        assert len(bomb) < 5_000
        for files in (
            upload(("bomb.jsonl.gz", bomb)),
            upload(("plain.jsonl", lines(200))),
            upload(*((f"part{n}.jsonl.GZ", gzip.compress(lines(20))) for n in range(3))),
            upload(("bomb.txt.gz", gzip.compress(b"x" * 60_000))),
        ):
            assert "unpack to more than 50,000 bytes" in error(await http.post("/documents", files=files), 413)
            name, data = events(await http.post("/documents", files=files, params={"stream": True}))[-1]
            assert (name, "LOOKAHEAD_MAX_UNPACKED" in data["error"]) == ("error", True)
        assert (await http.get("/documents")).json()["total"] == 0
        taken = await http.post("/documents", files=upload(("few.jsonl.gz", gzip.compress(lines(20)))))
        assert taken.json()["added"] == 20


async def test_documents_as_json_are_few_enough_to_be_parsed_at_once() -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        yield b'{"documents": [{"title": "t", "text": "'
        while True:
            sent += 1
            yield b"x" * 100_000

    async with client(stored()) as http:
        said = error(await http.post("/documents", content=endless(), headers=JSON), 413)
        assert "as a file" in said
        assert sent <= 51


async def test_a_broken_gzip_file_is_told_by_its_reader() -> None:
    async with client(stored()) as http:
        broken = upload(("a.txt.gz", b"no gzip"), ("b.jsonl.gz", gzip.compress(lines(3))[:-9]), ("c.txt", "Fine."))
        told = (await http.post("/documents", files=broken)).json()
        assert (told["failed"], told["added"] >= 1) == (2, True)
        assert all("is a broken gzip file" in failure["reason"] for failure in told["failures"])


async def test_a_disk_that_is_full_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("graph.web.bringing.shutil.copyfileobj", full)
    async with client(stored()) as http:
        said = error(await http.post("/documents", files=upload(("a.txt", "x"))), 503)
        assert "No space left on device" in said


async def test_deep_metadata_is_refused_and_spoils_no_list() -> None:
    deep = '{"title": "t", "text": "x", "m": %s}' % ("[" * 100 + "]" * 100)
    deeper = '{"title": "t", "text": "x", "m": %s}' % ("[" * 700 + r'"\u00e9"' + "]" * 700)
    async with client(stored()) as http:
        files = upload(("a.jsonl", f'{deep}\n{deeper}\n{{"title": "ok", "text": "fine"}}\n'))
        told = (await http.post("/documents", files=files)).json()
        assert (told["added"], told["failed"]) == (1, 2)
        assert all("nested" in failure["reason"] for failure in told["failures"])
        told = (await http.post("/documents", content=f'{{"documents": [{deep}]}}'.encode(), headers=JSON)).json()
        assert told["failed"] == 1
        assert (await http.get("/documents")).json()["total"] == 1


async def test_a_body_that_no_parser_takes_is_refused_in_our_words() -> None:
    async with client(service()) as http:
        body = b'{"question": "q", "settings": ' + b"[" * 20_000 + b"]" * 20_000 + b"}"
        said = error(await http.post("/ask", content=body, headers=JSON), 400)
        assert said.startswith("request: its body cannot be read as JSON")


async def test_long_values_are_not_repeated() -> None:
    async with client(service()) as http:
        for settings in ({"top_k": "x" * 5_000}, {"x" * 5_000: 1}, {"planner": "x" * 5_000}):
            assert len(error(await http.post("/ask", json={"question": "q", "settings": settings}), 422)) < 1_500


async def test_ready_tells_strangers_only_what_is_missing_and_looks_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "store.sqlite").write_text("no database" * 100)
    deps, looks = Deps(str(tmp_path / "broken")), 0
    store = deps.store

    async def counted() -> Any:
        nonlocal looks
        looks += 1
        return await store()

    monkeypatch.setattr(deps, "store", counted)
    monkeypatch.setattr(routes_state, "KNOWN_SECONDS", 60)
    async with client(service(deps, lookahead_tokens=f"{SECRET}=one")) as http:
        stranger, known = await asyncio.gather(
            http.get("/ready"), http.get("/ready", headers={"Authorization": f"Bearer {SECRET}"})
        )
        assert str(tmp_path) not in error(stranger, 503)
        assert list(stranger.json()["missing"]) == ["store"]
        assert str(tmp_path) in error(known, 503)
        assert looks == 1


async def test_no_label_holds_what_a_client_wrote() -> None:
    class Odd(FakePlanner):
        async def plan(self, question: str, **_: Any) -> Planned:
            raise ValueError("made-up-1: nobody knows it")

    async with client(service(fake_deps(planner=Odd()))) as http:
        odd = "made-up-2"
        await http.post("/ask", json={"question": QUESTION, "settings": {odd: 1}})
        await http.post("/ask", json={odd: "x"})
        await http.post("/ask", json={"question": QUESTION, "namespace": odd})
        await http.get(f"/{odd}")
        await http.request("MADEUP-3", "/ask")
        await http.post(f"/runs/{odd}/plan", json={"action": odd})
        await http.delete(f"/documents/{odd}")
        page = (await http.get("/metrics")).text
    assert "made-up" not in page.lower()
    assert "madeup" not in page.lower()
    assert "process_resident_memory_bytes" in page
    assert "lookahead_ingests_in_flight 0.0" in page


async def test_weak_tokens_are_said_aloud_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    app = service(fake_deps(), lookahead_tokens="tiny-one=one,a-token-of-enough-letters=two")
    with caplog.at_level(logging.WARNING):
        async with app.router.lifespan_context(app):
            pass
    assert caplog.text.count("can be guessed") == 1
    assert "tiny-one" not in caplog.text


async def test_every_error_and_stream_stands_in_the_description() -> None:
    async with client(service()) as http:
        spec = (await http.get("/openapi.json")).json()
    expected = {
        ("/ask", "post"): {"200", "202", "401", "403", "404", "408", "413", "422", "429", "503", "504"},
        ("/runs/{run_id}/plan", "post"): {"200", "401", "404", "409", "410", "413", "422", "429", "503", "504"},
        ("/documents", "post"): {"200", "401", "403", "408", "413", "422", "429", "503"},
        ("/documents", "get"): {"200", "401", "403", "422", "503"},
        ("/documents/{key}", "delete"): {"200", "401", "403", "404", "503"},
        ("/health", "get"): {"200"},
        ("/ready", "get"): {"200", "503"},
        ("/metrics", "get"): {"200", "401", "403"},
    }
    for (path, method), statuses in expected.items():
        responses = spec["paths"][path][method]["responses"]
        assert statuses <= set(responses), (path, statuses - set(responses))
        for status, response in responses.items():
            if status.startswith(("4", "5")) and path != "/ready":
                assert response["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Failure"}
    for path in ("/ask", "/runs/{run_id}/plan"):
        assert "`retry_after`" in spec["paths"][path]["post"]["description"]
    for path in ("/ask", "/runs/{run_id}/plan", "/documents"):
        assert {"application/json", "text/event-stream"} <= set(
            spec["paths"][path]["post"]["responses"]["200"]["content"]
        )
    assert "HTTPValidationError" not in spec["components"]["schemas"]
