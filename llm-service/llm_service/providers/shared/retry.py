"""Retries provider calls, unless streamed content could be contradicted by another attempt."""

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

# Kinds of responses that make an answer; thinking alone is none.
_ANSWERS = frozenset({"text", "tool_call", "code_execution", "grounding"})


@dataclass(frozen=True)
class RetryPolicy:
    """Number of retries, and their waits (s), which double.

    A call is not retried if the provider asks for a wait of more than max_retry_after_seconds.
    """

    max_retries: int = 3
    base_seconds: float = 2.0
    max_seconds: float = 30.0
    max_retry_after_seconds: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    rand: Callable[[], float] = random.random

    def wait_seconds(self, retry: int, retry_after: float | None) -> float:
        """Returns the jittered wait (s) before retry 1, 2, …; never shorter than the provider asks for."""
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
    """Streams attempts until one answers. The provider turn and the usage of all attempts come last.

    Usage is also sent before an error. Only transient errors are retried. Each retry logs the ids in `where`.
    Raises RetriesExhausted if the provider stays unavailable, PartialStreamError if content was streamed
    before, otherwise the error from map_error.
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
                        # Held back until the end, because a failed attempt may send usage and turn too.
                        (used if kind == "usage" else turn).append(response)
                    elif kind is not None:
                        _note_sent(sent, kind)
                        yield response
            _check_answer(sent)
        except Exception as raised:
            error = raised if isinstance(raised, LLMServiceError) else map_error(raised)
            failure = _failure(error, bool(sent - {"waiting"}), retry, policy)
            if failure is not None:
                for response in _total_usage(used):
                    yield response
                raise failure from raised
        else:
            for response in turn + _total_usage(used):
                yield response
            return
        seconds = policy.wait_seconds(retry, error.retry_after)
        yield GenerateResponse(waiting=Waiting(reason=str(error), code=error.code, seconds=seconds))
        fields = {"code": error.code, "retry": retry, "wait_seconds": round(seconds, 3)}
        logger.warning("provider call retried", extra={**where, **fields})
        await policy.sleep(seconds)


def _total_usage(used: Sequence[GenerateResponse]) -> list[GenerateResponse]:
    """Returns the sum of all attempts' usage, because each is billed; an empty list if there is none."""
    total = {
        one.name: sum(getattr(response.usage, one.name) for response in used) for one in UsageInfo.DESCRIPTOR.fields
    }
    return [GenerateResponse(usage=UsageInfo(**total))] if used else []


def _note_sent(sent: set[str], kind: str) -> None:
    sent.add(kind)
    if kind == "text_was_thinking":
        sent.discard("text")


def _check_answer(sent: set[str]) -> None:
    if not sent & _ANSWERS:
        raise errors.EmptyResponse("the model ended without text and without a tool call")


def _failure(error: LLMServiceError, streamed: bool, tries: int, policy: RetryPolicy) -> LLMServiceError | None:
    """Returns the error to raise; None if the call should be retried."""
    if not error.transient:
        return error
    # These two errors describe the model's output, not an unavailable provider.
    useless = isinstance(error, errors.EmptyResponse | errors.MalformedToolCall)
    if streamed:
        if useless:
            return error
        message = f"the provider interrupted its answer: {error}"
        return errors.PartialStreamError(message).caused_by(error)
    too_long = error.retry_after is not None and error.retry_after > policy.max_retry_after_seconds
    if too_long and isinstance(error, errors.RateLimited | errors.ProviderUnavailable):
        return error
    if tries <= policy.max_retries:
        return None
    if useless or isinstance(error, errors.TransportError | errors.ModelNotFound):
        return error
    return errors.RetriesExhausted(f"gave up after {tries} tries: {error}").caused_by(error)
