"""How long a provider may be silent."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from llm_service.errors import InitialTimeout, StallTimeout

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

FIRST_TOKEN_VARIABLE = "LLM_FIRST_TOKEN_SECONDS"  # noqa: S105 -- not a password
STALL_VARIABLE = "LLM_STALL_SECONDS"
DEFAULT_FIRST_TOKEN_SECONDS = 120.0
"""Models that think for long before they stream need it; a provider that is down is found by it all the same."""
DEFAULT_STALL_SECONDS = 60.0
MAX_SECONDS = 3600.0
NOTICE_SECONDS = 10.0
"""Below the limits of those who call us, which are set for a service that says nothing at all."""
_AHEAD = 16
"""Items that are read before they are asked for; enough that neither side waits for the other."""

T = TypeVar("T")


@dataclass(frozen=True)
class StreamLimits:
    """Limits of one stream, in seconds.

    Attributes:
        first_token_seconds: from the start of the call to the first thing that the provider sends.
        stall_seconds: between any two things after that.
    """

    first_token_seconds: float = DEFAULT_FIRST_TOKEN_SECONDS
    stall_seconds: float = DEFAULT_STALL_SECONDS

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> StreamLimits:
        """Read LLM_FIRST_TOKEN_SECONDS and LLM_STALL_SECONDS.

        Raises:
            ValueError: a value is not a number of seconds above 0 and up to 3600.
        """
        return cls(
            _seconds(env, FIRST_TOKEN_VARIABLE, DEFAULT_FIRST_TOKEN_SECONDS),
            _seconds(env, STALL_VARIABLE, DEFAULT_STALL_SECONDS),
        )


async def watched(
    source: AsyncGenerator[T, None],
    limits: StreamLimits,
    heard: Callable[[], float],
    notice_seconds: float = NOTICE_SECONDS,
) -> AsyncGenerator[T | None, None]:
    """Pass the source on until it ends or is silent for too long; None tells that it is only being waited for.

    Only time spent waiting for the source counts, so a slow reader of ours breaks no limit. The source is
    cancelled at its current await when a limit hits or the reader leaves: it must let go of its connection there.

    Args:
        source: what is read, a few items ahead.
        limits: how long it may be silent.
        heard: when the connection last gave a sign of life, by time.monotonic().
        notice_seconds: how often a silence is told.

    Raises:
        InitialTimeout: nothing came in time.
        StallTimeout: something came, then nothing for too long.
    """
    queue: asyncio.Queue[T | _End] = asyncio.Queue(_AHEAD)
    reading = asyncio.create_task(_read(source, queue))
    limit, error = limits.first_token_seconds, _too_late
    try:
        while True:
            since = time.monotonic()
            while queue.empty():
                left = max(since, heard()) + limit - time.monotonic()
                if left <= 0:
                    raise error(limit)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(left, notice_seconds)):
                        item = await queue.get()
                        break
                if time.monotonic() - since >= notice_seconds:
                    yield None
            else:
                item = queue.get_nowait()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
            limit, error = limits.stall_seconds, _stalled
    finally:
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading


@dataclass(frozen=True)
class _End:
    error: BaseException | None


async def _read(source: AsyncGenerator[T, None], queue: asyncio.Queue[T | _End]) -> None:
    error: BaseException | None = None
    try:
        async with contextlib.aclosing(source):
            async for item in source:
                await queue.put(item)
    except Exception as raised:  # noqa: BLE001 -- raised where it is read
        error = raised
    await queue.put(_End(error))


def _too_late(seconds: float) -> InitialTimeout | StallTimeout:
    return InitialTimeout(f"the provider sent nothing within {seconds:g} s")


def _stalled(seconds: float) -> InitialTimeout | StallTimeout:
    return StallTimeout(f"the provider stopped sending for {seconds:g} s")


def _seconds(env: Mapping[str, str], variable: str, default: float) -> float:
    text = env.get(variable)
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(f"{variable}: a number of seconds above 0 and up to {MAX_SECONDS:g} is expected")
    return seconds
