"""Silence of a provider has a time limit; slow readers of the stream have none."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from llm_service.errors import InitialTimeout, LLMServiceError, StallTimeout
from llm_service.providers.shared.limits import StreamLimits, with_timeouts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Source:
    """Sends some numbers at once, then nothing more."""

    def __init__(self, count: int, *, end: bool = False) -> None:
        self._count = count
        self._end = end
        self.how = ""

    async def numbers(self) -> AsyncGenerator[list[int], None]:
        try:
            for number in range(self._count):
                yield [number]
            if not self._end:
                await asyncio.Event().wait()
            self.how = "ended"
        except asyncio.CancelledError:
            self.how = "cancelled"
            raise
        except GeneratorExit:
            self.how = "closed"
            raise


async def failing() -> AsyncGenerator[list[int], None]:
    """Raises a TimeoutError of its own."""
    for number in (0,):
        if number == 0:
            raise TimeoutError("its own")
        yield [number]


@pytest.mark.parametrize(
    ("count", "limits", "error"),
    [(0, StreamLimits(0.05, 60), InitialTimeout), (2, StreamLimits(60, 0.05), StallTimeout)],
)
async def test_silence(count: int, limits: StreamLimits, error: type[LLMServiceError]) -> None:
    source = Source(count)
    numbers = with_timeouts(source.numbers(), limits)
    if count:
        assert await anext(numbers) == list(range(count))
    with pytest.raises(error, match=r"0\.05 s"):
        await anext(numbers)
    assert source.how == "cancelled"


async def test_a_stream_that_ends_in_time() -> None:
    source = Source(3, end=True)
    assert [number async for part in with_timeouts(source.numbers(), StreamLimits()) for number in part] == [0, 1, 2]
    assert source.how == "ended"


async def test_a_slow_reader_breaks_no_limit() -> None:
    source = Source(2, end=True)
    numbers = with_timeouts(source.numbers(), StreamLimits(2, 2))
    assert await anext(numbers) == [0, 1]
    loop = asyncio.get_running_loop()
    passed = loop.create_future()
    loop.call_later(3, passed.set_result, None)
    await passed
    assert [number async for number in numbers] == []


async def test_closing_closes_the_source() -> None:
    source = Source(2)
    numbers = with_timeouts(source.numbers(), StreamLimits())
    await anext(numbers)
    await numbers.aclose()
    assert source.how == "cancelled"


async def beating(times: int, seconds: float) -> AsyncGenerator[list[int] | None, None]:
    """Yields activity without content, then falls silent."""
    for _ in range(times):
        await asyncio.sleep(seconds)
        yield None
    await asyncio.Event().wait()


async def test_activity_without_content_resets_the_timeout_and_is_reported() -> None:
    begun = time.monotonic()
    numbers = with_timeouts(beating(8, 0.5), StreamLimits(3, 3), notice_seconds=1)
    assert await anext(numbers) == []
    with pytest.raises(InitialTimeout):
        assert [number async for part in numbers for number in part] == []
    assert time.monotonic() - begun >= 6.5


async def test_a_timeout_of_the_source_is_passed_on() -> None:
    with pytest.raises(TimeoutError, match="its own"):
        await anext(with_timeouts(failing(), StreamLimits()))


def test_limits_from_the_environment() -> None:
    assert StreamLimits.from_env({}) == StreamLimits(120, 60)
    env = {"LLM_FIRST_TOKEN_SECONDS": "1.5", "LLM_STALL_SECONDS": "2"}
    assert StreamLimits.from_env(env) == StreamLimits(1.5, 2)


@pytest.mark.parametrize("variable", ["LLM_FIRST_TOKEN_SECONDS", "LLM_STALL_SECONDS"])
@pytest.mark.parametrize("value", ["0", "-1", "x", "3601", "nan", "inf"])
def test_invalid_limits_are_named(variable: str, value: str) -> None:
    with pytest.raises(ValueError, match=variable):
        StreamLimits.from_env({variable: value})
