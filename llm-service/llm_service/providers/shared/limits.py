"""How long a provider may be silent."""

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Self, TypeVar

from llm_service.errors import InitialTimeout, StallTimeout

FIRST_TOKEN_VARIABLE = "LLM_FIRST_TOKEN_SECONDS"  # noqa: S105 -- not a password
STALL_VARIABLE = "LLM_STALL_SECONDS"
MIN_SECONDS, MAX_SECONDS = 0.001, 3600.0
NOTICE_SECONDS = 10.0  # below the limits of those who call us, which are set for a service that says nothing at all
_AHEAD = 16  # items that are read before they are asked for; enough that neither side waits for the other

T = TypeVar("T")


@dataclass(frozen=True)
class StreamLimits:
    """Limits of one stream, in seconds: to the first thing that the provider sends, and between any two after that."""

    first_token_seconds: float = 120.0
    stall_seconds: float = 60.0

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Read LLM_FIRST_TOKEN_SECONDS and LLM_STALL_SECONDS; ValueError when one is not from 0.001 to 3600."""
        bounds = {"least": MIN_SECONDS, "most": MAX_SECONDS}
        first = number_in(env, FIRST_TOKEN_VARIABLE, cls.first_token_seconds, **bounds)
        return cls(first, number_in(env, STALL_VARIABLE, cls.stall_seconds, **bounds))


async def watched(
    source: AsyncGenerator[T | None, None], limits: StreamLimits, notice_seconds: float = NOTICE_SECONDS
) -> AsyncGenerator[T | None, None]:
    """Pass the source on, read a few items ahead; InitialTimeout or StallTimeout when it is silent for too long.

    A None of the source is a mere sign of life; one from here tells that it is being waited for: only that time counts.
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
                    kind, did = (
                        (StallTimeout, "stopped sending for") if begun else (InitialTimeout, "sent nothing within")
                    )
                    raise kind(f"the provider {did} {limit:g} s")
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


def number_in(env: Mapping[str, str], variable: str, default: float, *, least: float, most: float) -> float:
    """Read a number of the environment; ValueError when it is none, or out of its bounds."""
    try:
        number = float(env.get(variable) or default)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise ValueError(f"{variable}: a number from {least:g} to {most:g} is expected")
    return number
