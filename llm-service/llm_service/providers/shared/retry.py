"""Retries of a provider call, while nothing was streamed that a second attempt would contradict."""

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from llm_service import errors
from llm_service.errors import LLMServiceError
from llm_service.proto.llm_service_pb2 import GenerateResponse, UsageInfo, Waiting

logger = logging.getLogger("llm_service.retry")

_ANSWERS = frozenset({"text", "tool_call", "code_execution", "grounding"})  # thoughts alone are no answer


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently: each wait is twice as long; who asks for more than the last is given up at once."""

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
    """Stream attempts until one answers; last go out what the next turn needs and, before an error too, all usage.

    Only `transient` errors are retried, each with a warning that carries `where`, the ids of the call. RetriesExhausted
    when the provider could not be had through all of them, PartialStreamError when something was out already, else what
    map_error makes of the failure.
    """
    used: list[GenerateResponse] = []
    for retry in range(1, policy.max_retries + 2):
        sent: set[str] = set()
        turn: list[GenerateResponse] = []
        try:
            async with contextlib.aclosing(attempt()) as responses:
                async for response in responses:
                    kind = response.WhichOneof("content")
                    if kind in ("usage", "provider_turn"):
                        # They follow all else; an answer that says nothing may have both.
                        (used if kind == "usage" else turn).append(response)
                    elif kind is not None:
                        sent.add(kind)
                        yield response
            _check_answer(sent)
        except Exception as raised:
            error = raised if isinstance(raised, LLMServiceError) else map_error(raised)
            failure = _failure(error, bool(sent - {"waiting"}), retry, policy)
            if failure is not None:
                for response in _in_all(used):
                    yield response
                raise failure from raised
        else:
            for response in turn + _in_all(used):
                yield response
            return
        seconds = policy.wait_seconds(retry, error.retry_after)
        yield GenerateResponse(waiting=Waiting(reason=str(error), code=error.code, seconds=seconds))
        told = {"code": error.code, "retry": retry, "wait_seconds": round(seconds, 3)}
        logger.warning("provider call is retried", extra={**where, **told})
        await policy.sleep(seconds)


def _in_all(used: Sequence[GenerateResponse]) -> list[GenerateResponse]:
    """The usage of all attempts as one: each is billed."""
    total = {one.name: sum(getattr(told.usage, one.name) for told in used) for one in UsageInfo.DESCRIPTOR.fields}
    return [GenerateResponse(usage=UsageInfo(**total))] if used else []


def _check_answer(sent: set[str]) -> None:
    if not sent & _ANSWERS:
        raise errors.EmptyResponse("the model ended without text and without a tool call")


def _failure(error: LLMServiceError, streamed: bool, tries: int, policy: RetryPolicy) -> LLMServiceError | None:
    """Decide what is raised; None: try again."""
    if not error.transient:
        return error
    # These two tell what the model did, not that nobody took the call.
    useless = isinstance(error, errors.EmptyResponse | errors.MalformedToolCall)
    if streamed:
        if useless:
            return error
        told = f"the provider broke off in the middle of the answer: {error}"
        return errors.PartialStreamError(told).caused_by(error)
    too_long = error.retry_after is not None and error.retry_after > policy.max_retry_after_seconds
    if too_long and isinstance(error, errors.RateLimited | errors.ProviderUnavailable):
        return error
    if tries <= policy.max_retries:
        return None
    if useless or isinstance(error, errors.TransportError):
        return error
    return errors.RetriesExhausted(f"gave up after {tries} tries: {error}").caused_by(error)
