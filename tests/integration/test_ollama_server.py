"""The real Ollama through langchain-ollama: what our code relies on, and the server's own starting and ending.

What the pipeline makes of it is tested elsewhere; here stands what the server does, so that a new version that does
otherwise is noticed.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessageChunk
from langchain_ollama import ChatOllama
from ollama import ResponseError

from prompts.plan import repair
from prompts.planning import PLAN_SCHEMA, planning_messages
from tests.integration.ollama_build import VERSION
from tests.integration.ollama_server import MODEL, OllamaServer
from tests.integration.tiny_model import WINDOW

ROOT = Path(__file__).parents[2]
LONG_LIST = {"type": "array", "items": {"type": "string", "minLength": 20}, "minItems": 1500}
"""More text than fits into the sockets between server and test: it cannot all be there before the server is killed."""


@asynccontextmanager
async def chat(server: OllamaServer, model: str = MODEL, **options: Any) -> AsyncIterator[ChatOllama]:
    client = ChatOllama(model=model, base_url=server.address, **options)
    try:
        yield client
    finally:
        await client._async_client._client.aclose()
        client._client._client.close()


def post(server: OllamaServer, path: str, **body: Any) -> httpx.Response:
    return httpx.post(f"{server.address}{path}", json=body, timeout=60, trust_env=False)


def ask(server: OllamaServer, text: str, num_ctx: int, **body: Any) -> httpx.Response:
    options = {"num_ctx": num_ctx, "num_predict": 5}
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    return post(server, "/api/chat", model=MODEL, messages=messages, stream=False, options=options, **body)


class TestServer:
    def test_it_is_the_version_asked_for_and_has_the_model(self, ollama: OllamaServer) -> None:
        with httpx.Client(base_url=ollama.address, trust_env=False) as client:
            assert client.get("/api/version").json() == {"version": VERSION}
            assert [model["name"] for model in client.get("/api/tags").json()["models"]] == [f"{MODEL}:latest"]

    def test_it_tells_the_window_of_the_model(self, ollama: OllamaServer) -> None:
        shown = post(ollama, "/api/show", model=MODEL).json()
        architecture = shown["model_info"]["general.architecture"]
        assert shown["model_info"][f"{architecture}.context_length"] == WINDOW
        assert shown["capabilities"] == ["completion"]

    async def test_killed_and_started_again_it_has_the_same_address_and_model(self, ollama: OllamaServer) -> None:
        address = ollama.address
        async with chat(ollama, num_predict=3) as client:
            ollama.kill()
            with pytest.raises(httpx.ConnectError):
                await client.ainvoke("Hello")
            ollama.start()
            assert ollama.address == address
            assert (await client.ainvoke("Hello")).content

    def test_it_ends_with_the_process_that_started_it(self, ollama_path: Path, tmp_path: Path) -> None:
        script = (
            "import sys, pathlib; from tests.integration.ollama_server import OllamaServer\n"
            "server = OllamaServer(*map(pathlib.Path, sys.argv[1:])); server.start()\n"
            "print(server.address, flush=True); sys.stdin.read()"
        )
        owner = subprocess.Popen(
            [sys.executable, "-c", script, ollama_path, tmp_path],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with owner:
            assert owner.stdout is not None
            address = owner.stdout.readline().strip()
            assert httpx.get(f"{address}/api/version", trust_env=False).is_success
            owner.send_signal(signal.SIGKILL)
        assert gone(address)


def gone(address: str) -> bool:
    """Whether a server stops answering within ten seconds."""
    for _ in range(200):
        try:
            httpx.get(f"{address}/api/version", trust_env=False)
        except httpx.TransportError:
            return True
        time.sleep(0.05)
    return False


class TestText:
    async def test_it_comes_in_chunks_and_the_last_one_says_why_it_ended(self, ollama: OllamaServer) -> None:
        async with chat(ollama, num_predict=5, temperature=0) as client:
            chunks = [chunk async for chunk in client.astream("Hello")]
        assert len([chunk for chunk in chunks if chunk.content]) == 5
        whole = sum(chunks[1:], chunks[0])
        assert isinstance(whole, AIMessageChunk)
        assert whole.response_metadata["done_reason"] == "length"
        assert whole.usage_metadata is not None
        assert whole.usage_metadata["output_tokens"] == 5

    async def test_at_temperature_0_it_is_the_same_every_time(self, ollama: OllamaServer) -> None:
        async with chat(ollama, num_predict=30, temperature=0) as client:
            first, second = [await client.ainvoke("Who wrote it?") for _ in range(2)]
        assert first.content == second.content

    @pytest.mark.parametrize("stream", [False, True])
    async def test_a_model_that_is_not_pulled_is_not_found(self, ollama: OllamaServer, stream: bool) -> None:
        async with chat(ollama, "llama9:70b") as client:
            with pytest.raises(ResponseError, match="model 'llama9:70b' not found") as raised:
                _ = [c async for c in client.astream("Hello")] if stream else await client.ainvoke("Hello")
        assert raised.value.status_code == 404


class TestJson:
    @pytest.mark.parametrize("temperature", [0, 0.8])
    async def test_under_a_schema_the_noise_is_valid(self, ollama: OllamaServer, temperature: float) -> None:
        colours = {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}, "minItems": 1, "maxItems": 3}
        fields = {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer"}, "likes": colours}
        schema = {"type": "object", "properties": fields, "required": list(fields), "title": "person"}
        async with chat(ollama, temperature=temperature, num_predict=300) as client:
            answer = await client.with_structured_output(schema, method="json_schema").ainvoke("Who?")
        assert isinstance(answer, dict)
        assert list(answer) == list(fields)
        assert len(answer["name"]) <= 20
        assert isinstance(answer["age"], int)
        assert set(answer["likes"]) <= {"red", "blue"}

    @pytest.mark.parametrize("temperature", [0, 0.8])
    async def test_a_plan_under_our_own_schema_ends_by_itself(self, ollama: OllamaServer, temperature: float) -> None:
        question = "Where was the author of The Old Man and the Sea born?"
        async with chat(ollama, temperature=temperature, seed=1, num_ctx=WINDOW, num_predict=1024) as client:
            message = await client.bind(format=PLAN_SCHEMA).ainvoke(planning_messages(question, [], 8))
        assert message.response_metadata["done_reason"] == "stop"
        plan, _ = repair(json.loads(str(message.content)), question, 8)
        assert plan.nodes


class TestWindow:
    TEXT = " ".join(str(number) for number in range(300))

    def test_a_prompt_that_is_too_long_is_cut_silently(self, ollama: OllamaServer) -> None:
        """All that tells of it is a count of prompt tokens equal to `num_ctx`."""
        reply = ask(ollama, self.TEXT, num_ctx=128)
        assert reply.status_code == 200
        assert reply.json()["prompt_eval_count"] == 128
        assert ask(ollama, "Hello", num_ctx=128).json()["prompt_eval_count"] < 128

    def test_it_is_refused_when_cutting_is_forbidden(self, ollama: OllamaServer) -> None:
        reply = ask(ollama, self.TEXT, num_ctx=128, truncate=False)
        assert reply.status_code == 400
        assert reply.json() == {"error": "the input length exceeds the context length"}
        assert ask(ollama, "Hello", num_ctx=128, truncate=False).status_code == 200


class TestEndInTheMiddle:
    async def test_of_the_server_breaks_the_connection(self, ollama: OllamaServer) -> None:
        async with chat(ollama, num_ctx=WINDOW, num_predict=WINDOW, format=LONG_LIST) as client:
            stream = client.astream("Hello")
            await anext(stream)
            ollama.kill()
            with pytest.raises(httpx.RemoteProtocolError, match="peer closed connection"):
                _ = [chunk async for chunk in stream]

    async def test_of_the_model_is_an_error_in_the_stream(self, ollama: OllamaServer) -> None:
        async with chat(ollama, num_ctx=WINDOW, num_predict=WINDOW, format=LONG_LIST) as client:
            stream = client.astream("Hello")
            await anext(stream)
            ollama.kill_model()
            with pytest.raises(ResponseError, match="error was encountered while running the model"):
                _ = [chunk async for chunk in stream]
        async with chat(ollama, num_predict=3) as client:
            assert (await client.ainvoke("Hello")).content
