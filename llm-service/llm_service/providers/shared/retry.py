"""Retries of a provider call, while nothing was streamed yet.

After the first delta the engine has a part of an answer that a second attempt would contradict, so from
there on a failure goes to the engine, which decides.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm_service.errors import (
    EmptyResponse,
    LLMServiceError,
    MalformedToolCall,
    PartialStreamError,
    ProviderUnavailable,
    RateLimited,
    RetriesExhausted,
    TransportError,
)
from llm_service.proto.llm_service_pb2 import GenerateResponse, Waiting

if TYPE_CHECKING:
    import logging

_ANSWERS = frozenset({"text", "tool_call", "code_execution", "grounding"})
"""Kinds of delta that make a response more than empty; thoughts alone do not."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently.

    Attributes:
        max_retries: attempts after the first one.
        base_seconds: the first wait at its longest; each further one is twice as long.
        max_seconds: no wait of our own choice is longer.
        max_retry_after_seconds: a provider that asks for a longer wait is given up at once: the engine
            has better uses for the time, such as another provider.
        sleep: waits; replaced in tests.
        rand: a number from 0 to 1; replaced in tests.
    """

    max_retries: int = 3
    base_seconds: float = 2.0
    max_seconds: float = 30.0
    max_retry_after_seconds: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    rand: Callable[[], float] = random.random

    def wait_seconds(self, retry: int, retry_after: float | None) -> float:
        """Wait before the retry with this number (the first is 1): jittered, never shorter than asked for."""
        longest = min(self.max_seconds, self.base_seconds * 2.0 ** (retry - 1))
        if retry_after is not None:
            return retry_after + self.rand() * min(1.0, self.base_seconds)
        return longest * (0.5 + self.rand() / 2)


async def generate_with_retries(
    attempt: Callable[[], AsyncIterator[GenerateResponse]],
    *,
    policy: RetryPolicy,
    map_error: Callable[[BaseException], LLMServiceError],
    log: logging.Logger | logging.LoggerAdapter[logging.Logger],
) -> AsyncGenerator[GenerateResponse, None]:
    """Stream attempts until one answers; usage goes out last, also before an error.

    An attempt is an async generator of deltas. One that ends without text, tool call, code execution or
    grounding counts as empty. Only errors whose class is `transient` are retried. Cancelling or closing
    this generator closes the running attempt, or ends the wait, at once.

    Args:
        attempt: starts a new provider call.
        policy: how often and how patiently to retry.
        map_error: the service's error for what an attempt raised.
        log: gets one warning a retry; it should carry the ids of the call.

    Raises:
        RetriesExhausted: nothing was streamed and all retries failed.
        PartialStreamError: the provider broke off after something was streamed.
        LLMServiceError: any other failure, as map_error has it.
    """
    retry = 0
    while True:
        run = _Attempt()
        try:
            async with contextlib.aclosing(run.stream(attempt())) as responses:
                async for response in responses:
                    yield response
            if not run.answered:
                raise EmptyResponse("the model ended without text and without a tool call")  # noqa: TRY301
        except Exception as raised:
            error = raised if isinstance(raised, LLMServiceError) else map_error(raised)
            failure = _failure(error, run, retry, policy)
            if failure is not None:
                if run.usage is not None:
                    yield run.usage
                raise failure from raised
        else:
            if run.usage is not None:
                yield run.usage
            return
        retry += 1
        seconds = policy.wait_seconds(retry, error.retry_after)
        yield GenerateResponse(waiting=Waiting(reason=str(error), code=error.code, seconds=seconds))
        log.warning(
            "provider call is retried",
            extra={"code": error.code, "retry": retry, "wait_seconds": round(seconds, 3)},
        )
        await policy.sleep(seconds)


class _Attempt:
    """What one attempt has sent."""

    def __init__(self) -> None:
        self.streamed = False
        self.answered = False
        self.usage: GenerateResponse | None = None

    async def stream(self, source: AsyncIterator[GenerateResponse]) -> AsyncGenerator[GenerateResponse, None]:
        """Pass on all but the usage, which is kept: it must follow everything else."""
        closing = contextlib.aclosing(source) if isinstance(source, AsyncGenerator) else contextlib.nullcontext()
        async with closing:
            async for response in source:
                kind = response.WhichOneof("content")
                if kind == "usage":
                    self.usage = response
                elif kind == "waiting":
                    yield response
                elif kind is not None:
                    self.streamed = True
                    self.answered = self.answered or kind in _ANSWERS
                    yield response


def _failure(error: LLMServiceError, run: _Attempt, retry: int, policy: RetryPolicy) -> LLMServiceError | None:
    """Decide what is raised; None: try again."""
    if not error.transient:
        return error
    if run.streamed:
        # These two tell what the model did, not that the connection broke.
        if isinstance(error, EmptyResponse | MalformedToolCall):
            return error
        return PartialStreamError(f"the provider broke off in the middle of the answer: {error}").caused_by(error)
    too_long = error.retry_after is not None and error.retry_after > policy.max_retry_after_seconds
    if too_long and isinstance(error, RateLimited | ProviderUnavailable):
        return error
    if retry < policy.max_retries:
        return None
    if isinstance(error, TransportError):
        return error
    return RetriesExhausted(f"gave up after {retry + 1} tries: {error}").caused_by(error)
