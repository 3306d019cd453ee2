"""Cancelling a call releases the provider's connection at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from llm_service.providers.provider import ModelProvider
from llm_service.providers.shared.limits import StreamLimits
from tests.google.gemini import ENV, Gemini, answer, chunk, events, failure, start_gemini, text_part
from tests.shared.fake_http import Stream, happens

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

    from llm_service.proto.llm_service_pb2 import GenerateResponse

DEADLINE_SECONDS = 3.0
"""A wait (s) that is long enough for a second request to reach the provider, even on a busy machine."""


async def first_delta(call: AsyncIterable[GenerateResponse]) -> GenerateResponse:
    return await anext(aiter(call))


async def test_cancelling_in_the_middle_closes_the_connection(gemini: Gemini) -> None:
    gemini.http.replies.append(Stream(events(chunk(text_part("fine"))), end="hang"))
    call = gemini.running.llm.Generate(gemini.request())
    assert (await first_delta(call)).text.content == "fine"
    await happens(gemini.http.hanging)
    call.cancel()
    await happens(gemini.http.client_left)


async def test_cancelling_before_the_first_delta_closes_the_connection(gemini: Gemini) -> None:
    gemini.http.replies.append(Stream([], end="hang"))
    call = gemini.running.llm.Generate(gemini.request())
    await happens(gemini.http.hanging)
    call.cancel()
    await happens(gemini.http.client_left)


async def test_an_expired_deadline_closes_the_connection(gemini: Gemini) -> None:
    # First a complete answer, because loading an SDK and its certificates may take longer than the deadline.
    gemini.http.replies.append(answer(text_part("fine")))
    await gemini.ask()
    gemini.http.replies.append(Stream([], end="hang"))
    call = gemini.running.llm.Generate(gemini.request(), timeout=DEADLINE_SECONDS)
    await happens(gemini.http.hanging)
    with pytest.raises(Exception, match="DEADLINE_EXCEEDED"):
        await first_delta(call)
    await happens(gemini.http.client_left)


async def test_closing_between_two_deltas_closes_the_connection(gemini: Gemini) -> None:
    """Closes the generator at a yield, where no await could be interrupted by a cancellation."""
    gemini.http.replies.append(Stream(events(chunk(text_part("fine"))), end="hang"))
    provider = ModelProvider(ENV, StreamLimits())
    responses = provider.generate(gemini.request())
    assert (await anext(responses)).text.content == "fine"
    await happens(gemini.http.hanging)
    await responses.aclose()
    await happens(gemini.http.client_left)
    await provider.close()


async def test_cancelling_between_two_attempts_ends_the_wait() -> None:
    waiting = asyncio.Event()
    ended = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with start_gemini(sleep=sleep) as gemini:
        gemini.http.replies.append(failure(503, "UNAVAILABLE"))
        call = gemini.running.llm.Generate(gemini.request())
        await happens(waiting)
        call.cancel()
        await happens(ended)
        assert len(gemini.http.requests) == 1


async def test_the_next_call_works_after_a_cancelled_one(gemini: Gemini) -> None:
    gemini.http.replies.append(Stream(events(chunk(text_part("one"))), end="hang"))
    call = gemini.running.llm.Generate(gemini.request())
    await first_delta(call)
    call.cancel()
    await happens(gemini.http.client_left)
    gemini.http.replies.append(answer(text_part("two")))
    assert (await gemini.ask())[0] == {"text": {"content": "two"}}
