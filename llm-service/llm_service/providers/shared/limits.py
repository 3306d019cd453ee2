"""How long a provider may be silent."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from llm_service.errors import InitialTimeout, StallTimeout

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

FIRST_TOKEN_VARIABLE = "LLM_FIRST_TOKEN_SECONDS"  # noqa: S105 -- not a password
STALL_VARIABLE = "LLM_STALL_SECONDS"
DEFAULT_FIRST_TOKEN_SECONDS = 120.0
"""Models that think for long before they stream need it; a provider that is down is found by it all the same."""
DEFAULT_STALL_SECONDS = 60.0
MAX_SECONDS = 3600.0

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


async def limited(source: AsyncIterator[T], limits: StreamLimits) -> AsyncGenerator[T, None]:
    """Pass the source on until it ends or is silent for too long.

    Only time spent waiting for the source counts, so a slow reader of ours breaks no limit. The source is
    cancelled at its current await when a limit hits, and closed at every end: it must let go of its
    connection there.

    Raises:
        InitialTimeout: nothing came in time.
        StallTimeout: something came, then nothing for too long.
    """
    first = True
    async with _closing(source):
        while True:
            seconds = limits.first_token_seconds if first else limits.stall_seconds
            timer = asyncio.timeout(seconds)
            try:
                async with timer:
                    item = await anext(source)
            except StopAsyncIteration:
                return
            except TimeoutError:
                if not timer.expired():
                    raise
                if first:
                    raise InitialTimeout(f"the provider sent nothing within {seconds:g} s") from None
                raise StallTimeout(f"the provider stopped sending for {seconds:g} s") from None
            first = False
            yield item


def _closing(source: AsyncIterator[T]) -> contextlib.AbstractAsyncContextManager[object]:
    return contextlib.aclosing(source) if isinstance(source, AsyncGenerator) else contextlib.nullcontext()


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
