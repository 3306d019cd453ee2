"""Silence is limited, slow readers are not."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from llm_service.errors import InitialTimeout, LLMServiceError, StallTimeout
from llm_service.providers.shared.limits import StreamLimits, watched

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Source:
    """Sends some numbers at once, then nothing more."""

    def __init__(self, count: int, *, end: bool = False) -> None:
        self._count = count
        self._end = end
        self.how = ""

    async def numbers(self) -> AsyncGenerator[int, None]:
        try:
            for number in range(self._count):
                yield number
            if not self._end:
                await asyncio.Event().wait()
            self.how = "ended"
        except asyncio.CancelledError:
            self.how = "cancelled"
            raise
        except GeneratorExit:
            self.how = "closed"
            raise


async def failing() -> AsyncGenerator[int, None]:
    """Has a limit of its own, which hits."""
    for number in (0,):
        if number == 0:
            raise TimeoutError("its own")
        yield number


def never() -> float:
    """The connection gave no sign of life."""
    return 0.0


@pytest.mark.parametrize(
    ("count", "limits", "error"),
    [(0, StreamLimits(0.05, 60), InitialTimeout), (2, StreamLimits(60, 0.05), StallTimeout)],
)
async def test_silence(count: int, limits: StreamLimits, error: type[LLMServiceError]) -> None:
    source = Source(count)
    numbers = watched(source.numbers(), limits, never)
    got = [await anext(numbers) for _ in range(count)]
    with pytest.raises(error, match=r"0\.05 s"):
        await anext(numbers)
    assert got == list(range(count))
    assert source.how == "cancelled"


async def test_a_stream_that_ends_in_time() -> None:
    source = Source(3, end=True)
    assert [number async for number in watched(source.numbers(), StreamLimits(), never)] == [0, 1, 2]
    assert source.how == "ended"


async def test_a_slow_reader_breaks_no_limit() -> None:
    source = Source(2, end=True)
    numbers = watched(source.numbers(), StreamLimits(0.05, 0.05), never)
    assert await anext(numbers) == 0
    loop = asyncio.get_running_loop()
    passed = loop.create_future()
    loop.call_later(0.1, passed.set_result, None)
    await passed
    assert [number async for number in numbers] == [1]


async def test_closing_closes_the_source() -> None:
    source = Source(2)
    numbers = watched(source.numbers(), StreamLimits(), never)
    await anext(numbers)
    await numbers.aclose()
    assert source.how == "cancelled"


async def test_signs_of_life_are_told_and_break_no_limit() -> None:
    beats = 0

    def heard() -> float:
        nonlocal beats
        beats += 1
        return time.monotonic() if beats < 20 else 0.0

    numbers = watched(Source(0).numbers(), StreamLimits(0.05, 0.05), heard, notice_seconds=0.01)
    assert [await anext(numbers) for _ in range(15)] == [None] * 15
    with pytest.raises(InitialTimeout):
        assert {item async for item in numbers} == {None}


async def test_a_timeout_of_the_source_itself_is_not_taken_for_ours() -> None:
    with pytest.raises(TimeoutError, match="its own"):
        await anext(watched(failing(), StreamLimits(), never))


def test_limits_from_the_environment() -> None:
    assert StreamLimits.from_env({}) == StreamLimits(120, 60)
    env = {"LLM_FIRST_TOKEN_SECONDS": "1.5", "LLM_STALL_SECONDS": "2"}
    assert StreamLimits.from_env(env) == StreamLimits(1.5, 2)


@pytest.mark.parametrize("variable", ["LLM_FIRST_TOKEN_SECONDS", "LLM_STALL_SECONDS"])
@pytest.mark.parametrize("value", ["0", "-1", "x", "3601", "nan", "inf"])
def test_limits_that_cannot_be_used_are_named(variable: str, value: str) -> None:
    with pytest.raises(ValueError, match=variable):
        StreamLimits.from_env({variable: value})
