"""Timeouts for silent providers."""

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from llm_service.errors import InitialTimeout, StallTimeout

MIN_SECONDS, MAX_SECONDS = 0.001, 3600.0
NOTICE_SECONDS = 10.0  # interval of `waiting` notices; below the engine's timeouts for a silent service
_AHEAD = 16  # items read ahead, so that source and consumer rarely wait for each other

T = TypeVar("T")


@dataclass(frozen=True)
class StreamLimits:
    """Timeouts of one stream in seconds: until the first item, and between later items."""

    first_token_seconds: float = 120.0
    stall_seconds: float = 60.0

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Reads LLM_FIRST_TOKEN_SECONDS and LLM_STALL_SECONDS. Raises ValueError if one is not from 0.001 to 3600."""
        bounds = {"least": MIN_SECONDS, "most": MAX_SECONDS}
        first = read_number(env, "LLM_FIRST_TOKEN_SECONDS", cls.first_token_seconds, **bounds)
        return cls(first, read_number(env, "LLM_STALL_SECONDS", cls.stall_seconds, **bounds))


async def with_timeouts(
    source: AsyncGenerator[Sequence[T] | None, None], limits: StreamLimits, notice_seconds: float = NOTICE_SECONDS
) -> AsyncGenerator[list[T], None]:
    """Passes on the source's items, reading a little ahead. Raises InitialTimeout or StallTimeout on silence.

    None from the source is activity without content. After `notice_seconds` without content, yields [].
    Time that the consumer takes does not count.
    """
    parts: list[Sequence[T] | None] = []
    news, room = asyncio.Event(), asyncio.Event()

    async def read() -> None:
        async with contextlib.aclosing(source):
            async for part in source:
                parts.append(part)
                news.set()
                if len(parts) >= _AHEAD:
                    room.clear()
                    await room.wait()

    reading = asyncio.create_task(read())
    reading.add_done_callback(lambda _: news.set())
    limit, error, did = limits.first_token_seconds, InitialTimeout, "sent nothing within"
    left, quiet = limit, notice_seconds
    try:
        while parts or not reading.done():
            if not parts:
                news.clear()
                begun = time.monotonic()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(left, quiet)):
                        await news.wait()
                waited = time.monotonic() - begun
                left, quiet = left - waited, quiet - waited
            content = [part for part in parts if part is not None]
            if content:
                limit, error, did = limits.stall_seconds, StallTimeout, "stopped sending for"
            elif not parts and left <= 0:
                raise error(f"the provider {did} {limit:g} s")
            left = limit if parts else left
            parts.clear()
            room.set()
            if any(content) or quiet <= 0:
                yield [item for part in content for item in part]
            quiet = notice_seconds if content or quiet <= 0 else quiet
        reading.result()
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def read_number(env: Mapping[str, str], variable: str, default: float, *, least: float, most: float) -> float:
    """Returns the number in an environment variable. Raises ValueError if it is invalid or out of bounds."""
    try:
        number = float(env.get(variable) or default)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise ValueError(f"{variable}: expected a number from {least:g} to {most:g}")
    return number
