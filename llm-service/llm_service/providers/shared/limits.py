"""How long a provider may be silent."""

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from llm_service.errors import InitialTimeout, StallTimeout

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
        first = number_in(env, "LLM_FIRST_TOKEN_SECONDS", cls.first_token_seconds, **bounds)
        return cls(first, number_in(env, "LLM_STALL_SECONDS", cls.stall_seconds, **bounds))


async def watched(
    source: AsyncGenerator[Sequence[T] | None, None], limits: StreamLimits, notice_seconds: float = NOTICE_SECONDS
) -> AsyncGenerator[list[T], None]:
    """Pass on what the source gives, read a little ahead, and what waits at once; Initial- or StallTimeout at silence.

    A None of the source is a mere sign of life; an empty list from here tells that it is being waited for: only that
    time counts.
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
            told = [part for part in parts if part is not None]
            if told:
                limit, error, did = limits.stall_seconds, StallTimeout, "stopped sending for"
            elif not parts and left <= 0:
                raise error(f"the provider {did} {limit:g} s")
            left = limit if parts else left
            parts.clear()
            room.set()
            if any(told) or quiet <= 0:
                yield [item for part in told for item in part]
            quiet = notice_seconds if told or quiet <= 0 else quiet
        reading.result()
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def number_in(env: Mapping[str, str], variable: str, default: float, *, least: float, most: float) -> float:
    """Read a number of the environment; ValueError when it is none, or out of its bounds."""
    try:
        number = float(env.get(variable) or default)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise ValueError(f"{variable}: a number from {least:g} to {most:g} is expected")
    return number
