"""Cancelling, silence, and many concurrent streams."""

from __future__ import annotations

import asyncio
import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from llm_service.providers.openai_chat import OWN_ENDPOINTS
from llm_service.providers.shared.limits import StreamLimits
from tests.wires import anthropic_events, chat_events, test_google, test_openai_responses
from tests.wires.conftest import LIMIT, Rig, error_of, request, rigged, short
from tests.wires.wire import Hold, Reply, Request, data, failure, named

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import GenerateRequest

BEGINNINGS = {
    "openai": data(chat_events.delta(content="Half")),
    "responses": test_openai_responses.stream(test_openai_responses.CREATED, *test_openai_responses.HALF),
    "xai": data(chat_events.delta(content="Half")),
    "anthropic": named(anthropic_events.START, *anthropic_events.text(0, "Half")),
    "google": data(test_google.chunk({"text": "Half"})),
}
EMPTY_BEGINNINGS = {
    "openai": data(chat_events.delta(role="assistant", content="")),
    "responses": test_openai_responses.stream(test_openai_responses.CREATED),
    "xai": b"",
    "anthropic": named(anthropic_events.START, anthropic_events.PING),
    "google": data(test_google.chunk()),
}
MODELS = {"openai": "m", "responses": "gpt-5.2", "xai": "grok", "anthropic": "claude-sonnet-5", "google": "gemini-3"}


def request_for(rig: Rig, api: str, monkeypatch: pytest.MonkeyPatch) -> GenerateRequest:
    if api == "responses":
        monkeypatch.setitem(OWN_ENDPOINTS, "openai", rig.server.url)
        return request(rig.config("openai", MODELS[api], base_url=""))
    return request(rig.config(api, MODELS[api]))


@pytest.mark.parametrize("api", BEGINNINGS)
async def test_a_cancelled_call_closes_the_connection(rig: Rig, api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.server.replies = [Reply([BEGINNINGS[api], Hold()])]
    call = rig.running.llm.Generate(request_for(rig, api, monkeypatch))
    async with asyncio.timeout(LIMIT):
        assert (await anext(aiter(call))).text.content == "Half"
    call.cancel()
    async with asyncio.timeout(LIMIT):
        await rig.server.gone.wait()


@pytest.mark.parametrize("api", BEGINNINGS)
async def test_closing_between_two_chunks_closes_the_connection(
    rig: Rig, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.server.replies = [Reply([BEGINNINGS[api], Hold()])]
    responses = rig.provider.generate(request_for(rig, api, monkeypatch))
    async with asyncio.timeout(LIMIT):
        assert (await anext(responses)).text.content == "Half"
    await responses.aclose()
    async with asyncio.timeout(LIMIT):
        await rig.server.gone.wait()


@pytest.mark.parametrize("api", BEGINNINGS)
async def test_a_call_cancelled_before_the_answer_closes_the_connection(
    rig: Rig, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = asyncio.Event()

    def hold(_request: Request) -> Reply:
        reached.set()
        return Reply([Hold()])

    rig.server.make_reply = hold
    call = rig.running.llm.Generate(request_for(rig, api, monkeypatch))
    reading = asyncio.ensure_future(anext(aiter(call)))
    async with asyncio.timeout(LIMIT):
        await reached.wait()
    call.cancel()
    async with asyncio.timeout(LIMIT):
        await rig.server.gone.wait()
    await asyncio.gather(reading, return_exceptions=True)


async def test_a_call_cancelled_during_a_wait_ends_it() -> None:
    waiting, ended = asyncio.Event(), asyncio.Event()

    async def sleep(_seconds: float) -> None:
        waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with rigged(sleep=sleep) as rig:
        rig.server.replies = [failure(429, {}, Retry_After="30")]
        call = rig.running.llm.Generate(request(rig.config("openai", "m")))
        reading = asyncio.ensure_future(anext(aiter(call)))
        async with asyncio.timeout(LIMIT):
            await waiting.wait()
            call.cancel()
            await ended.wait()
        await asyncio.gather(reading, return_exceptions=True)
        assert len(rig.server.requests) == 1


@pytest.mark.parametrize("api", BEGINNINGS)
@pytest.mark.parametrize("begun", [False, True], ids=["at once", "in the middle"])
async def test_silence(api: str, begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = Reply([BEGINNINGS[api] if begun else EMPTY_BEGINNINGS[api], b": still here\n\n", Hold()])
    async with rigged() as rig:
        # First a complete answer, because loading an SDK and its certificates takes longer than the timeout set here.
        rig.server.replies = [Reply([BEGINNINGS[api]]), silent]
        assert ("text", "Half") in short(await rig.ask(request_for(rig, api, monkeypatch)))
        rig.provider.limits = StreamLimits(first_token_seconds=LIMIT / 2 if begun else 2, stall_seconds=0.1)
        responses = await rig.ask(request_for(rig, api, monkeypatch))
        code = "stall_timeout" if begun else "initial_timeout"
        assert error_of(responses)[:2] == (code, True)
        assert short(responses)[:-1] == ([("text", "Half")] if begun else [])
        async with asyncio.timeout(LIMIT):
            await rig.server.gone.wait()


def many_chunks(stream: int, chunks: int) -> list[bytes]:
    events = [data(chat_events.delta(content=f"{stream}:{number} ")) for number in range(chunks)]
    end = data(chat_events.delta("stop"), chat_events.usage(1, chunks), "[DONE]")
    # Ten events per write, about as many as a fast local server sends in one packet.
    return [b"".join(events[begin : begin + 10]) for begin in range(0, chunks, 10)] + [end]


@pytest.mark.parametrize(
    ("streams", "chunks"), [(200, 2000) if os.environ.get("LLM_LOAD_TEST") == "full" else (100, 500)]
)
async def test_many_streams_at_once(rig: Rig, streams: int, chunks: int) -> None:
    def answer(asked: Request) -> Reply:
        return Reply(many_chunks(int(asked.body["messages"][-1]["content"]), chunks))

    rig.server.make_reply = answer

    async def one(number: int) -> int:
        ask: Any = request(rig.config("openai", "m"), execution_id=str(number))
        ask.messages[-1].content = str(number)
        position = 0
        async for response in rig.running.llm.Generate(ask):
            if response.HasField("text"):
                for word in response.text.content.split():
                    assert word == f"{number}:{position}"
                    position += 1
        return position

    assert await one(0) == chunks
    before = resident_bytes()
    counts = await asyncio.gather(*(one(number) for number in range(streams)))
    assert counts == [chunks] * streams
    # Both ends and the fake provider run in this process. Streams that kept their chunks would exceed this limit.
    assert resident_bytes() - before < streams * 512 * 1024


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
