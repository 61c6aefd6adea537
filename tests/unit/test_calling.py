"""Calls of a language model: what is asked again, how long is waited, what is counted, what is said in the end."""

import asyncio
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata

from models.calling import call, is_cut
from models.chat import ChatError, ChatModel
from models.chat_errors import explain, failed_generation, is_final, is_too_long
from models.health import Health, NotAsked
from models.limits import NO_LIMITS, Limits
from models.prices import Price
from models.retrying import Retry, retry_after
from models.scripted import ScriptedChatModel
from prompts.answer import Usage


class Clock:
    """Time that goes on only where something sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class StatusError(Exception):
    """An error of a provider's client: its status, and the headers of the response."""

    def __init__(self, status: int, message: str = "no", body: Any = None, **headers: str) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = body
        request = httpx.Request("POST", "http://model")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.response = httpx.Response(status, headers=named, request=request)


def named(name: str, *bases: type[Exception]) -> Exception:
    """An error of a client that is not imported."""
    error: Exception = type(name, bases or (Exception,), {})(name)
    return error


def caused_by(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def chat_model(clock: Clock, name: str = "test:model", chance: float = 1.0, **changes: Any) -> ChatModel:
    retry = Retry(random=lambda: chance, sleep=clock.sleep, clock=clock)
    health = Health(clock=clock, chance=lambda: 0.0)
    return ChatModel(name, ScriptedChatModel(), health=health, retry=retry, **changes)


def script(*answers: Any) -> Callable[[], Any]:
    """Asks that fail or answer, in order; the last one again and again."""
    left = list(answers)

    async def ask() -> AIMessage:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, BaseException):
            raise answer
        return AIMessage(answer, usage_metadata=UsageMetadata(input_tokens=100, output_tokens=10, total_tokens=110))

    return ask


async def made(chat: ChatModel, *answers: Any, limits: Limits = NO_LIMITS) -> Usage:
    _, usage = await call(chat, "plan", script(*answers), message_of=lambda reply: reply, limits=limits)
    return usage


async def refused(chat: ChatModel, *answers: Any, limits: Limits = NO_LIMITS) -> ChatError:
    with pytest.raises(ChatError) as failed:
        await made(chat, *answers, limits=limits)
    return failed.value


class TestRepeats:
    @pytest.mark.parametrize("status", [408, 409, 425, 429, 498, 500, 502, 503, 504, 529])
    async def test_a_busy_server_is_asked_again(self, status: int) -> None:
        clock = Clock()
        usage = await made(chat_model(clock), StatusError(status), "ok")
        assert usage["by_reason"] == {"plan": 1, f"plan: again after {status}": 1}
        assert (usage["llm_calls"], usage["prompt_tokens"]) == (2, 100)
        assert usage["wait_ms"] == sum(clock.slept) * 1000 > 0

    @pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422, 501])
    async def test_a_refusal_is_taken_at_its_word(self, status: int) -> None:
        clock = Clock()
        failed = await refused(chat_model(clock), StatusError(status))
        assert failed.usage["by_reason"] == {"plan": 1}
        assert clock.slept == []

    @pytest.mark.parametrize(
        ("error", "kind"),
        [
            (ConnectionRefusedError(), "no connection"),
            (httpx.ConnectError("all attempts failed"), "no connection"),
            (named("APIConnectionError"), "no connection"),
            (ConnectionResetError(), "broken stream"),
            (httpx.RemoteProtocolError("incomplete chunked read"), "broken stream"),
            (httpx.ReadError(""), "broken stream"),
            (named("APIError"), "broken stream"),
            (httpx.ReadTimeout("slow"), "timeout"),
            (named("APITimeoutError"), "timeout"),
            (TimeoutError(), "timeout"),
            (json.JSONDecodeError("half a line", "{", 1), "broken reply"),
        ],
    )
    async def test_a_line_that_breaks_is_tried_again(self, error: Exception, kind: str) -> None:
        usage = await made(chat_model(Clock()), error, "ok")
        assert usage["by_reason"] == {"plan": 1, f"plan: again after {kind}": 1}

    @pytest.mark.parametrize(
        "error", [ValueError("x"), TypeError("x"), FileNotFoundError("ca.pem"), httpx.UnsupportedProtocol("ftp")]
    )
    async def test_what_fails_before_anything_is_sent_fails_again(self, error: Exception) -> None:
        assert (await refused(chat_model(Clock()), error)).usage["llm_calls"] == 1

    @pytest.mark.parametrize("error", [TimeoutError(), json.JSONDecodeError("x", "", 0)])
    async def test_what_takes_long_or_comes_again_is_repeated_once(self, error: Exception) -> None:
        assert (await refused(chat_model(Clock()), error)).usage["llm_calls"] == 2

    async def test_the_cause_of_an_error_counts(self) -> None:
        wrapped = RuntimeError("wrapped")
        wrapped.__cause__ = ConnectionRefusedError()
        assert (await made(chat_model(Clock()), wrapped, "ok"))["llm_calls"] == 2

    async def test_an_error_of_ollama_in_the_middle_of_a_stream(self) -> None:
        error = named("ResponseError")
        error.status_code = -1  # type: ignore[attr-defined]
        assert "plan: again after broken stream" in (await made(chat_model(Clock()), error, "ok"))["by_reason"]

    async def test_four_calls_and_no_more(self) -> None:
        clock = Clock()
        failed = await refused(chat_model(clock), StatusError(429))
        assert failed.usage["llm_calls"] == 4
        assert failed.usage["by_reason"] == {"plan": 1, "plan: again after 429": 3}
        assert "(4 calls)" in str(failed)
        assert isinstance(failed.__cause__, StatusError)

    async def test_a_call_that_is_cancelled_stays_cancelled(self) -> None:
        chat = chat_model(Clock())
        with pytest.raises(asyncio.CancelledError):
            await made(chat, asyncio.CancelledError())

    async def test_another_task_s_cancelling_ends_the_wait(self) -> None:
        chat = ChatModel("m", ScriptedChatModel(), retry=Retry(random=lambda: 1.0))
        task = asyncio.create_task(made(chat, StatusError(503, retry_after="50")))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


class TestWaits:
    async def test_backoff_doubles_up_to_its_cap_with_full_jitter(self) -> None:
        retry = Retry(random=lambda: 1.0)
        assert [retry.backoff(n) for n in range(1, 7)] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]
        assert Retry(random=lambda: 0.25).backoff(3) == 0.5
        clock = Clock()
        await made(chat_model(clock), StatusError(503), httpx.ReadError(""), "ok")
        assert clock.slept == [0.5, 1.0]

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({"retry_after": "7"}, 7.0),
            ({"Retry_After": "2.5"}, 2.5),
            ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
            ({"retry_after": format_datetime(datetime.fromtimestamp(1_000_020, UTC), usegmt=True)}, 20.0),
            ({"retry_after": format_datetime(datetime.fromtimestamp(999_000, UTC), usegmt=True)}, 0.0),
            ({"retry_after": "soon"}, None),
            ({"retry_after": "-3"}, None),
            ({"retry_after": "nan"}, None),
            ({}, None),
        ],
    )
    def test_the_servers_wish_is_read(self, headers: dict[str, str], seconds: float | None) -> None:
        assert retry_after(StatusError(429, **headers), lambda: 1_000_000.0) == seconds

    def test_an_error_without_a_response_asks_nothing(self) -> None:
        assert retry_after(ConnectionRefusedError()) is None

    async def test_a_wait_that_was_asked_for_is_kept(self) -> None:
        clock = Clock()
        usage = await made(chat_model(clock), StatusError(429, retry_after="7"), "ok")
        assert clock.slept == [7.0]
        assert usage["wait_ms"] == 7000

    async def test_a_wait_beyond_the_deadline_is_not_begun(self) -> None:
        clock = Clock()
        failed = await refused(
            chat_model(clock), StatusError(429, retry_after="300"), limits=Limits(120.0, clock.now + 12)
        )
        assert "asks to wait 300 s, longer than the 12 s that are left" in str(failed)
        assert (clock.slept, failed.usage["llm_calls"]) == ([], 1)
        assert is_final(failed.__cause__)  # type: ignore[arg-type]

    async def test_without_a_deadline_a_minute_is_waited_in_all(self) -> None:
        clock = Clock()
        failed = await refused(chat_model(clock), StatusError(503, retry_after="40"))
        assert clock.slept == [40.0]
        assert "asks to wait 40 s, longer than the 20 s that are left" in str(failed)

    async def test_others_wait_too(self) -> None:
        """A server that asked one call to wait is not stormed by the next."""
        clock = Clock()
        chat = chat_model(clock)
        await refused(chat, StatusError(429, retry_after="90"))
        usage = await refused(chat, "ok")
        assert "asks to wait 90 s more, longer than the 60 s that are left; wait, or" in str(usage)
        assert usage.usage["llm_calls"] == 0
        clock.now += 50
        assert (await made(chat, "ok"))["wait_ms"] == pytest.approx(40_000, rel=0.01)

    def test_they_are_let_in_one_after_the_other(self) -> None:
        health = Health(clock=Clock(), chance=lambda: 0.5)
        health.hold(5.0)
        assert [round(health.admit(), 2) for _ in range(3)] == [5.05, 5.15, 5.25]
        assert max(health.admit() for _ in range(100)) == 10.0
        health.hold(6.0)
        assert health.admit() == 6.05


class TestTime:
    async def test_a_call_has_its_own_time_and_one_more_try(self) -> None:
        clock = Clock()
        chat, asked = chat_model(clock), []

        async def hang() -> AIMessage:
            asked.append(1)
            await asyncio.sleep(60)
            raise AssertionError

        with pytest.raises(
            ChatError, match=r"no answer within 0.005 s \(2 calls\); set a longer model_timeout"
        ) as failed:
            await call(chat, "plan", hang, message_of=lambda reply: reply, limits=Limits(0.005))
        assert failed.value.usage["by_reason"] == {"plan": 1, "plan: again after timeout": 1}
        assert len(asked) == 2

    async def test_the_deadline_ends_a_call_and_is_named(self) -> None:
        async def hang() -> AIMessage:
            await asyncio.sleep(60)
            raise AssertionError

        chat = ChatModel("m", ScriptedChatModel())
        limits = Limits(60.0, time.monotonic() + 0.02)
        with pytest.raises(ChatError, match="the deadline left; set a longer deadline_ms") as failed:
            await call(chat, "plan", hang, message_of=lambda reply: reply, limits=limits)
        assert failed.value.usage["by_reason"] == {"plan": 1}
        assert is_final(failed.value.__cause__)  # type: ignore[arg-type]

    async def test_nothing_is_asked_when_the_time_is_over(self) -> None:
        clock = Clock()
        failed = await refused(chat_model(clock), "ok", limits=Limits(10.0, clock.now - 1))
        assert "the run's time was over" in str(failed)
        assert failed.usage["llm_calls"] == 0


class TestBreaker:
    async def test_a_dead_server_is_left_alone_after_three_calls(self) -> None:
        clock = Clock()
        chat = chat_model(clock)
        first = await refused(chat, ConnectionRefusedError("refused"))
        assert first.usage["llm_calls"] == 3
        second = await refused(chat, "ok")
        assert second.usage["llm_calls"] == 0
        assert "was down a moment ago (ConnectionRefusedError: refused); it is asked again in 30 s" in str(second)
        assert "check that its server is running" in str(second)
        assert isinstance(second.__cause__, NotAsked)
        assert is_final(second.__cause__)

    async def test_it_is_asked_again_once_and_then_freely(self) -> None:
        clock = Clock()
        chat = chat_model(clock)
        await refused(chat, ConnectionRefusedError())
        clock.now += 31
        assert (await refused(chat, ConnectionRefusedError())).usage["llm_calls"] == 1
        clock.now += 31
        assert "asked again in 29 s" in str(await refused(chat, "ok"))
        clock.now += 31
        assert (await made(chat, "ok"))["llm_calls"] == 1
        assert (await made(chat, ConnectionRefusedError(), "ok"))["llm_calls"] == 2

    async def test_a_call_that_was_stopped_does_not_use_the_trial_up(self) -> None:
        clock = Clock()
        chat = chat_model(clock)
        await refused(chat, ConnectionRefusedError())
        clock.now += 31
        with pytest.raises(asyncio.CancelledError):
            await made(chat, asyncio.CancelledError())
        assert (await made(chat, "ok"))["llm_calls"] == 1

    @pytest.mark.parametrize("status", [401, 404, 429])
    async def test_a_server_that_refuses_is_there(self, status: int) -> None:
        chat = chat_model(Clock())
        for _ in range(4):
            failed = await refused(chat, StatusError(status))
        assert failed.usage["llm_calls"] >= 1


class TestCost:
    async def test_reported_tokens_have_their_price(self) -> None:
        usage = await made(chat_model(Clock(), price=Price(1.0, 10.0)), StatusError(503), "ok")
        assert usage["cost_usd"] == pytest.approx(0.0002)
        assert usage["unpriced_calls"] == 0

    async def test_what_is_not_known_is_said(self) -> None:
        assert (await made(chat_model(Clock()), "ok"))["unpriced_calls"] == 1
        broken = await made(chat_model(Clock(), price=Price(1.0, 1.0)), httpx.ReadError(""), "ok")
        assert broken["unpriced_calls"] == 1
        assert (await refused(chat_model(Clock()), StatusError(401))).usage["unpriced_calls"] == 0

    async def test_what_is_free_costs_nothing_however_it_ends(self) -> None:
        usage = await made(chat_model(Clock(), price=Price(0.0, 0.0)), httpx.ReadError(""), "ok")
        assert (usage["cost_usd"], usage["unpriced_calls"]) == (0.0, 0)


class TestPromptLength:
    async def test_the_rate_of_tokens_is_learnt_from_replies(self) -> None:
        chat = chat_model(Clock())
        prompt = [HumanMessage("é" * 100)]
        await call(chat, "plan", script("ok"), message_of=lambda reply: reply, prompt=prompt)
        assert chat.health.rate.bytes(100) == 180  # 200 bytes were 100 tokens; a tenth is kept back

    async def test_a_prompt_cut_by_the_server_teaches_nothing_and_is_noticed(self) -> None:
        chat = chat_model(Clock(), window=110)
        await call(chat, "plan", script("ok"), message_of=lambda reply: reply, prompt=[HumanMessage("x" * 700)])
        assert chat.health.rate.bytes(100) == 270
        assert is_cut(chat, reported=100, size=700)
        assert not is_cut(chat, reported=90, size=700)

    def test_ollama_reporting_too_few_tokens_has_cut_the_prompt(self) -> None:
        ollama, other = chat_model(Clock(), "ollama:m"), chat_model(Clock(), "openai:m")
        for chat in (ollama, other):
            chat.health.rate.learn(400, 100)
        assert is_cut(ollama, reported=4096, size=40_000)
        assert not is_cut(ollama, reported=4096, size=18_000)
        assert not is_cut(other, reported=4096, size=40_000)


class TestWords:
    @pytest.mark.parametrize(
        ("name", "error", "told"),
        [
            ("ollama:llama3.2:3b", ConnectionError("refused"), "start it with `ollama serve`, or set OLLAMA_HOST"),
            (
                "ollama:llama3.2:3b",
                StatusError(404, "model 'llama3.2:3b' not found"),
                "get it with `ollama pull llama3.2:3b`",
            ),
            ("ollama:big", StatusError(500, "model requires more system memory (9 GiB)"), "take a smaller model"),
            ("groq:x", StatusError(401, "Invalid API Key"), "check GROQ_API_KEY"),
            ("groq:x", StatusError(404, "no such model"), "`lookahead models`"),
            ("groq:x", StatusError(429), "the rate limit of this key is used up"),
            ("groq:x", StatusError(413, "Request too large"), "set a smaller context_tokens: the question needs more"),
            ("openai:x", StatusError(400, "maximum context length is 8192"), "set a smaller context_tokens"),
            ("openai:x", StatusError(401), "check its API key"),
            ("openai:x", TimeoutError(), "set a longer model_timeout_ms"),
            ("ollama:x", httpx.ConnectTimeout(""), "set OLLAMA_HOST to where it runs"),
            ("groq:x", caused_by(TimeoutError("timed out"), httpx.ConnectTimeout("")), "can be reached"),
        ],
    )
    def test_each_error_has_its_remedy(self, name: str, error: Exception, told: str) -> None:
        assert told in explain(name, error)

    def test_the_servers_own_words_are_quoted_without_their_wrapping(self) -> None:
        body = {"error": {"message": "Invalid API Key", "type": "invalid_request_error", "code": "invalid_api_key"}}
        error = StatusError(401, f"Error code: 401 - {body}", body)
        assert explain("groq:x", error).startswith("'groq:x' failed with StatusError: Invalid API Key; check GROQ")

    def test_a_plan_that_broke_the_schema_is_handed_on(self) -> None:
        body = {"error": {"message": "m", "code": "json_validate_failed", "failed_generation": '{"nodes": ['}}
        wrapped = RuntimeError("wrapped")
        wrapped.__cause__ = StatusError(400, "m", body)
        assert failed_generation(wrapped) == '{"nodes": ['
        assert failed_generation(StatusError(400)) is None

    def test_too_long_is_told_from_other_refusals(self) -> None:
        assert is_too_long(StatusError(413))
        assert is_too_long(StatusError(400, "Please reduce the length of the messages"))
        assert not is_too_long(StatusError(400, "bad schema"))
        assert not is_too_long(ValueError("too large"))


def test_a_reply_that_no_client_understands_points_to_the_address() -> None:
    page = AttributeError("'str' object has no attribute 'model_dump'")
    assert explain("groq:x", page).endswith("check GROQ_API_BASE, or take another model")
    assert explain("ollama:x", ValueError("<html>")).endswith("check OLLAMA_HOST, or take another model")
    assert explain("scripted", page).endswith("'embedded'")
