"""Retries, with the waits replaced."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from llm_service.errors import (
    ContentBlocked,
    EmptyResponse,
    InternalError,
    LLMServiceError,
    MalformedToolCall,
    PartialStreamError,
    ProviderUnavailable,
    RateLimited,
    RetriesExhausted,
    TransportError,
)
from llm_service.proto.llm_service_pb2 import GenerateResponse, ProviderTurn, TextDelta, ThinkingDelta, UsageInfo
from llm_service.providers.shared.retry import RetryPolicy, generate_with_retries
from tests.shared.fake_http import happens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence


def used(times: int) -> GenerateResponse:
    return GenerateResponse(usage=UsageInfo(input_tokens=3 * times, output_tokens=2 * times, total_tokens=5 * times))


TEXT = GenerateResponse(text=TextDelta(content="x"))
THOUGHT = GenerateResponse(thinking=ThinkingDelta(content="x"))
USAGE = used(1)
TURN = GenerateResponse(provider_turn=ProviderTurn(data=b"x"))

Item = GenerateResponse | BaseException


class Script:
    """Attempts that send responses and may end with an error."""

    def __init__(self, *attempts: Sequence[Item]) -> None:
        self._attempts = list(attempts)
        self.started = 0
        self.closed = 0
        self.waits: list[float] = []

    async def attempt(self) -> AsyncGenerator[GenerateResponse, None]:
        items = self._attempts[self.started]
        self.started += 1
        try:
            for item in items:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.closed += 1

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def run(self, rand: float = 1.0, **policy: float) -> AsyncGenerator[GenerateResponse, None]:
        settings = RetryPolicy(sleep=self.sleep, rand=lambda: rand, **policy)  # type: ignore[arg-type]
        return generate_with_retries(self.attempt, policy=settings, map_error=mapped, where={"execution_id": "e"})


def asked(error: LLMServiceError, retry_after: float) -> LLMServiceError:
    error.retry_after = retry_after
    return error


def mapped(error: BaseException) -> LLMServiceError:
    return TransportError("mapped") if isinstance(error, OSError) else InternalError("mapped")


async def received(responses: AsyncIterator[GenerateResponse]) -> tuple[list[GenerateResponse], LLMServiceError | None]:
    got: list[GenerateResponse] = []
    try:
        async for response in responses:
            if response.HasField("waiting"):
                continue
            got.append(response)
    except LLMServiceError as error:
        return got, error
    return got, None


async def test_usage_comes_last() -> None:
    assert await received(Script([USAGE, TEXT, GenerateResponse(), TEXT]).run()) == ([TEXT, TEXT, USAGE], None)


async def test_each_attempt_is_billed() -> None:
    script = Script([USAGE], [RateLimited("x")], [USAGE, MalformedToolCall("x")], [TEXT, USAGE])
    assert await received(script.run()) == ([TEXT, used(3)], None)


async def test_the_provider_turn_comes_before_usage() -> None:
    assert await received(Script([TEXT, USAGE, TURN]).run()) == ([TEXT, TURN, USAGE], None)


async def test_a_provider_turn_alone_is_no_answer() -> None:
    assert await received(Script([TURN], [TEXT]).run()) == ([TEXT], None)


@pytest.mark.parametrize("error", [RateLimited("x"), ProviderUnavailable("x"), OSError(), MalformedToolCall("x")])
async def test_transient_errors_are_retried(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    script = Script([error], [USAGE, error], [], [TEXT])
    assert await received(script.run()) == ([TEXT, USAGE], None)
    assert script.waits == [2, 4, 8]
    assert script.closed == 4
    told_ = [(vars(record)["retry"], vars(record)["execution_id"]) for record in caplog.records]
    assert told_ == [(1, "e"), (2, "e"), (3, "e")]


async def test_a_wait_is_reported_with_its_reason() -> None:
    script = Script([RateLimited("busy")], [TEXT])
    waiting, text = [response async for response in script.run()]
    told_ = waiting.waiting
    assert (told_.reason, told_.code, told_.seconds) == ("busy", "rate_limited", 2)
    assert text == TEXT


async def test_waits_are_jittered_and_bounded() -> None:
    script = Script(*[[RateLimited("x")]] * 9)
    await received(script.run(rand=0.0, max_retries=8, max_seconds=5))
    assert script.waits == [1, 2, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]


async def test_retry_after_is_respected_and_jittered() -> None:
    script = Script([asked(RateLimited("x"), 10)], [asked(ProviderUnavailable("x"), 0)], [TEXT])
    assert await received(script.run(rand=0.5)) == ([TEXT], None)
    assert script.waits == [10.5, 0.5]


async def test_a_too_long_retry_after_ends_the_retries() -> None:
    script = Script([asked(RateLimited("x"), 61)])
    _, error = await received(script.run())
    assert isinstance(error, RateLimited)
    assert error.retry_after == 61
    assert script.waits == []


@pytest.mark.parametrize(
    ("error", "left"),
    [
        (RateLimited("why"), RetriesExhausted),
        (EmptyResponse("why"), EmptyResponse),
        (MalformedToolCall("why"), MalformedToolCall),
        (OSError(), TransportError),
    ],
)
async def test_at_most_three_retries(error: Exception, left: type[LLMServiceError]) -> None:
    attempt: list[Item] = [USAGE, error]
    script = Script(*[attempt] * 5)
    got, raised = await received(script.run())
    assert type(raised) is left
    assert script.started == 4
    assert got == [used(4)]
    if left is RetriesExhausted:
        assert "4 tries" in str(raised)
        assert "why" in str(raised)


@pytest.mark.parametrize("error", [ContentBlocked("x"), InternalError("x"), ValueError("x")])
async def test_other_errors_are_not_retried(error: Exception) -> None:
    script = Script([error])
    got, raised = await received(script.run())
    assert got == []
    assert isinstance(raised, ContentBlocked | InternalError)
    assert script.started == 1


@pytest.mark.parametrize("sent", [TEXT, THOUGHT])
@pytest.mark.parametrize(
    ("error", "left"),
    [
        (RateLimited("x"), PartialStreamError),
        (OSError(), PartialStreamError),
        (MalformedToolCall("x"), MalformedToolCall),
        (ContentBlocked("x"), ContentBlocked),
    ],
)
async def test_nothing_is_retried_after_content_was_streamed(
    sent: GenerateResponse, error: Exception, left: type[LLMServiceError]
) -> None:
    script = Script([sent, USAGE, error])
    got, raised = await received(script.run())
    assert got == [sent, USAGE]
    assert type(raised) is left
    assert script.started == 1


async def test_thinking_alone_is_an_empty_response() -> None:
    got, raised = await received(Script([THOUGHT]).run())
    assert got == [THOUGHT]
    assert type(raised) is EmptyResponse


async def test_closing_closes_the_attempt() -> None:
    script = Script([TEXT, TEXT])
    responses = script.run()
    await anext(responses)
    await responses.aclose()
    assert script.closed == 1


async def test_cancelling_ends_the_wait() -> None:
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    script = Script([RateLimited("x")], [TEXT])
    policy = RetryPolicy(sleep=sleep)
    responses = generate_with_retries(script.attempt, policy=policy, map_error=mapped, where={"execution_id": "e"})
    task = asyncio.create_task(received(responses))
    await happens(waiting)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert script.started == 1


async def test_a_cancelled_attempt_is_not_an_error() -> None:
    script = Script([asyncio.CancelledError()], [TEXT])
    with pytest.raises(asyncio.CancelledError):
        await received(script.run())
    assert script.started == 1
