"""How long a provider may be silent."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from llm_service.errors import InitialTimeout, ProviderError, StallTimeout

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

FIRST_TOKEN_VARIABLE = "LLM_FIRST_TOKEN_SECONDS"  # noqa: S105 -- not a password
STALL_VARIABLE = "LLM_STALL_SECONDS"
MAX_SECONDS = 3600.0
NOTICE_SECONDS = 10.0
"""Below the limits of those who call us, which are set for a service that says nothing at all."""
_AHEAD = 16
"""Items that are read before they are asked for; enough that neither side waits for the other."""

T = TypeVar("T")


@dataclass(frozen=True)
class StreamLimits:
    """Limits of one stream, in seconds: to the first thing that the provider sends, and between any two after that.

    Models that think for long before they stream need the first one; who is down is found by it all the same.
    """

    first_token_seconds: float = 120.0
    stall_seconds: float = 60.0

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> StreamLimits:
        """Read LLM_FIRST_TOKEN_SECONDS and LLM_STALL_SECONDS; ValueError when one is not above 0 and up to 3600."""
        first = _seconds(env, FIRST_TOKEN_VARIABLE, cls.first_token_seconds)
        return cls(first, _seconds(env, STALL_VARIABLE, cls.stall_seconds))


async def watched(
    source: AsyncGenerator[T | None, None], limits: StreamLimits, notice_seconds: float = NOTICE_SECONDS
) -> AsyncGenerator[T | None, None]:
    """Pass the source on, read a few items ahead; InitialTimeout or StallTimeout when it is silent for too long.

    A None of the source is a sign of life, and nothing more; a None from here tells, now and then, that the source is
    only being waited for. Only that time counts, so a slow reader of ours breaks no limit. The source is cancelled at
    its current await when a limit hits or the reader leaves: it must let go of its connection there.
    """
    queue: asyncio.Queue[T | _End | None] = asyncio.Queue(_AHEAD)
    reading = asyncio.create_task(_read(source, queue))
    limit, begun = limits.first_token_seconds, False
    heard = told = time.monotonic()
    try:
        while True:
            item: T | _End | None = None
            if not queue.empty():
                item = queue.get_nowait()
            else:
                now = time.monotonic()
                if now >= heard + limit:
                    raise _too_silent(limit, begun)
                if now >= told + notice_seconds:
                    yield None
                    told = time.monotonic()
                    heard += told - now
                    continue
                try:
                    async with asyncio.timeout(min(heard + limit, told + notice_seconds) - now):
                        item = await queue.get()
                except TimeoutError:
                    continue
            heard = time.monotonic()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            if item is not None:
                yield item
                limit, begun = limits.stall_seconds, True
                heard = told = time.monotonic()
    finally:
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading


@dataclass(frozen=True)
class _End:
    error: BaseException | None


async def _read(source: AsyncGenerator[T | None, None], queue: asyncio.Queue[T | _End | None]) -> None:
    error: BaseException | None = None
    try:
        async with contextlib.aclosing(source):
            async for item in source:
                await queue.put(item)
    except Exception as raised:  # noqa: BLE001 -- raised where it is read
        error = raised
    await queue.put(_End(error))


def _too_silent(seconds: float, begun: bool) -> ProviderError:
    if begun:
        return StallTimeout(f"the provider stopped sending for {seconds:g} s")
    return InitialTimeout(f"the provider sent nothing within {seconds:g} s")


def _seconds(env: Mapping[str, str], variable: str, default: float) -> float:
    try:
        seconds = float(env.get(variable) or default)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(f"{variable}: a number of seconds above 0 and up to {MAX_SECONDS:g} is expected")
    return seconds
