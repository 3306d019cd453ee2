"""Retries of a provider call, while nothing was streamed yet.

After the first delta the engine has a part of an answer that a second attempt would contradict, so from
there on a failure goes to the engine, which decides.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
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
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

logger = logging.getLogger("llm_service.retry")

_ANSWERS = frozenset({"text", "tool_call", "code_execution", "grounding"})
"""Kinds of delta that make a response more than empty; thoughts alone do not."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently; `sleep` and `rand` are replaced in tests.

    The first wait is at most `base_seconds`, each further one twice as long, up to `max_seconds`. A provider that asks
    for more than `max_retry_after_seconds` is given up at once: the engine has better uses for the time.
    """

    max_retries: int = 3
    base_seconds: float = 2.0
    max_seconds: float = 30.0
    max_retry_after_seconds: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    rand: Callable[[], float] = random.random

    def wait_seconds(self, retry: int, retry_after: float | None) -> float:
        """Wait before the retry with this number (the first is 1): jittered, never shorter than asked for."""
        if retry_after is not None:
            return retry_after + self.rand() * min(1.0, self.base_seconds)
        return min(self.max_seconds, self.base_seconds * 2.0 ** (retry - 1)) * (0.5 + self.rand() / 2)


async def generate_with_retries(
    attempt: Callable[[], AsyncGenerator[GenerateResponse, None]],
    *,
    policy: RetryPolicy,
    map_error: Callable[[BaseException], LLMServiceError],
    where: Mapping[str, str],
) -> AsyncGenerator[GenerateResponse, None]:
    """Stream attempts until one answers; usage goes out last, also before an error.

    An attempt that ends without text, tool call, code execution or grounding counts as empty. Only errors whose class
    is `transient` are retried, each with a warning that carries `where`, the ids of the call. Cancelling or closing
    this generator closes the running attempt, or ends the wait, at once.

    Raises:
        RetriesExhausted: nothing was streamed and all retries failed.
        PartialStreamError: the provider broke off after something was streamed.
        LLMServiceError: any other failure, as map_error has it.
    """
    for retry in range(1, policy.max_retries + 2):
        run = _Attempt()
        try:
            async with contextlib.aclosing(run.stream(attempt())) as responses:
                async for response in responses:
                    yield response
        except Exception as raised:
            error = raised if isinstance(raised, LLMServiceError) else map_error(raised)
            failure = _failure(error, bool(run.sent - {"waiting"}), retry, policy)
            if failure is not None:
                for usage in run.usage:
                    yield usage
                raise failure from raised
        else:
            for usage in run.usage:
                yield usage
            return
        seconds = policy.wait_seconds(retry, error.retry_after)
        yield GenerateResponse(waiting=Waiting(reason=str(error), code=error.code, seconds=seconds))
        told = {"code": error.code, "retry": retry, "wait_seconds": round(seconds, 3)}
        logger.warning("provider call is retried", extra={**where, **told})
        await policy.sleep(seconds)


class _Attempt:
    """What one attempt has sent: the kinds of it, and the usage, which must follow everything else."""

    def __init__(self) -> None:
        self.sent: set[str] = set()
        self.usage: list[GenerateResponse] = []

    async def stream(self, source: AsyncGenerator[GenerateResponse, None]) -> AsyncGenerator[GenerateResponse, None]:
        async with contextlib.aclosing(source):
            async for response in source:
                kind = response.WhichOneof("content")
                if kind == "usage":
                    self.usage = [response]
                elif kind is not None:
                    self.sent.add(kind)
                    yield response
        if not self.sent & _ANSWERS:
            raise EmptyResponse("the model ended without text and without a tool call")


def _failure(error: LLMServiceError, streamed: bool, tries: int, policy: RetryPolicy) -> LLMServiceError | None:
    """Decide what is raised; None: try again."""
    if not error.transient:
        return error
    if streamed:
        # These two tell what the model did, not that the connection broke.
        if isinstance(error, EmptyResponse | MalformedToolCall):
            return error
        return PartialStreamError(f"the provider broke off in the middle of the answer: {error}").caused_by(error)
    too_long = error.retry_after is not None and error.retry_after > policy.max_retry_after_seconds
    if too_long and isinstance(error, RateLimited | ProviderUnavailable):
        return error
    if tries <= policy.max_retries:
        return None
    if isinstance(error, TransportError):
        return error
    return RetriesExhausted(f"gave up after {tries} tries: {error}").caused_by(error)
