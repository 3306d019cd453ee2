"""The cache of the model's own turns keeps its bounds."""

from __future__ import annotations

from dataclasses import dataclass

from google.genai import types

from llm_service.providers.google.content_cache import (
    MAX_BYTES,
    TTL_SECONDS,
    CachedTurn,
    ContentCache,
    turn_key,
)

ONE = ("execution-1", "model", "")
TWO = ("execution-2", "model", "")


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def turn(text: str = "x") -> CachedTurn:
    part = types.Part(text=text, thought_signature=b"s")
    return CachedTurn(types.Content(role="model", parts=[part]))


def test_defaults() -> None:
    assert TTL_SECONDS == 3600
    assert MAX_BYTES == 64 * 1024 * 1024


def test_a_turn_is_found_by_conversation_and_key() -> None:
    cache = ContentCache()
    kept = turn()
    cache.put(ONE, "a", kept)
    assert cache.get(ONE, "a") is kept
    assert cache.get(ONE, "b") is None
    assert cache.get(TWO, "a") is None


def test_keys_tell_turns_apart() -> None:
    keys = {
        turn_key([], ""),
        turn_key([], "a"),
        turn_key(["a"], ""),
        turn_key(["a", "b"], ""),
        turn_key(["b", "a"], ""),
    }
    assert len(keys) == 5
    assert turn_key(["a"], "text") == turn_key(["a"], "other text")


def test_a_conversation_is_dropped_an_hour_after_its_last_use() -> None:
    clock = Clock()
    cache = ContentCache(clock=clock)
    cache.put(ONE, "a", turn())
    cache.put(TWO, "a", turn())
    clock.now = TTL_SECONDS - 1
    assert cache.get(ONE, "a") is not None
    clock.now = TTL_SECONDS
    assert cache.get(TWO, "a") is None
    assert len(cache) == 1
    clock.now = 2 * TTL_SECONDS - 1
    assert cache.get(ONE, "a") is None
    assert cache.size_bytes == 0


def test_the_number_of_conversations_is_bounded() -> None:
    cache = ContentCache(max_conversations=2)
    cache.put(ONE, "a", turn())
    cache.put(TWO, "a", turn())
    assert cache.get(ONE, "a") is not None
    cache.put(("execution-3", "model", ""), "a", turn())
    assert len(cache) == 2
    assert cache.get(TWO, "a") is None
    assert cache.get(ONE, "a") is not None


def test_the_size_is_bounded_across_and_within_conversations() -> None:
    cache = ContentCache(max_bytes=10_000)
    cache.put(ONE, "a", turn("x" * 4000))
    cache.put(TWO, "a", turn("x" * 4000))
    cache.put(TWO, "b", turn("x" * 4000))
    assert cache.get(ONE, "a") is None
    cache.put(TWO, "c", turn("x" * 4000))
    assert cache.get(TWO, "a") is None
    assert cache.get(TWO, "c") is not None
    assert cache.size_bytes <= 10_000
    cache.put(TWO, "huge", turn("x" * 20_000))
    assert cache.get(TWO, "huge") is None
    assert cache.get(TWO, "c") is not None


def test_a_turn_that_is_put_twice_counts_once() -> None:
    cache = ContentCache()
    cache.put(ONE, "a", turn("x" * 100))
    size = cache.size_bytes
    cache.put(ONE, "a", turn("y" * 100))
    assert cache.size_bytes == size
    assert size > 100
    calls = types.Part(function_call=types.FunctionCall(name="n", args={"text": "x" * 1000}))
    cache.put(ONE, "b", CachedTurn(types.Content(role="model", parts=[calls])))
    assert cache.size_bytes > size + 1000
