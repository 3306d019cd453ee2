"""The stores: turns for the next call, and models."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from llm_service.errors import MalformedToolCall, MissingCredentials
from llm_service.proto.llm_service_pb2 import ConversationMessage, ToolCall
from llm_service.providers.langchain import cache as cache_module
from llm_service.providers.langchain import replay
from llm_service.providers.langchain.cache import ModelCache
from llm_service.providers.langchain.model import Model
from llm_service.providers.langchain.replay import BlockJoiner, Turn, TurnStore
from llm_service.providers.langchain.settings import Api, ModelSettings
from llm_service.providers.langchain.tool_calls import to_object


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def turn(text: str = "", *ids: str, characters: int = 10) -> Turn:
    return Turn(text, ids, [], {}, characters)


def test_turns_are_kept_for_an_hour_after_the_last_use() -> None:
    clock = Clock()
    store = TurnStore(clock)
    store.add("e1", "m", turn("a"))
    store.add("e2", "m", turn("b"))
    clock.now = 3000
    assert [t.text for t in store.turns("e1", "m")] == ["a"]
    clock.now = 3700
    assert store.turns("e2", "m") == ()
    assert [t.text for t in store.turns("e1", "m")] == ["a"]
    clock.now = 7301
    assert store.turns("e1", "m") == ()
    assert len(store) == 0


def test_turns_belong_to_their_execution_and_model() -> None:
    store = TurnStore()
    store.add("e1", "m", turn("a"))
    store.add("", "m", turn("b"))
    assert store.turns("e1", "m2") == ()
    assert store.turns("e2", "m") == ()
    assert store.turns("", "m") == ()


def test_the_store_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MAX_EXECUTIONS", 3)
    monkeypatch.setattr(replay, "MAX_CHARACTERS", 100)
    store = TurnStore()
    for number in range(5):
        store.add(f"e{number}", "m", turn("x"))
    assert [bool(store.turns(f"e{number}", "m")) for number in range(5)] == [False, False, True, True, True]
    store.add("big", "m", turn("x", characters=85))
    assert [bool(store.turns(f"e{number}", "m")) for number in range(5)] == [False, False, False, False, True]
    store.add("too big", "m", turn("x", characters=101))
    assert not store.turns("too big", "m")
    assert store.turns("big", "m")


def test_a_turn_knows_its_message() -> None:
    calls = [ToolCall(id="a", name="x.y"), ToolCall(id="b", name="x.y")]
    asked = ConversationMessage(role="assistant", content="t", tool_calls=calls)
    assert turn("other", "a", "b").is_of(asked)
    # With a call more or less, the provider would miss a result or find one too many.
    assert not turn("t", "a").is_of(asked)
    assert not turn("t", "b", "a").is_of(asked)
    said = ConversationMessage(role="assistant", content=" t\n")
    assert turn("t").is_of(said)
    assert not turn("u").is_of(said)
    assert not turn("t").is_of(asked)


def test_thoughts_that_are_not_signed_are_not_sent_back() -> None:
    joiner = BlockJoiner()
    joiner.add([{"type": "thinking", "thinking": "a", "index": 0}, {"type": "text", "text": "b", "index": 1}])
    joiner.add("c")
    assert joiner.finish([]) == [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "{}"),
        (" \n", "{}"),
        ("null", "{}"),
        ('{"a": 1}', '{"a": 1}'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
    ],
)
def test_arguments(arguments: str, expected: str) -> None:
    assert to_object(arguments) == expected


@pytest.mark.parametrize("arguments", ["[]", "1", '"x"', "{", "{}{}", "[" * 100_000])
def test_arguments_that_are_no_object(arguments: str) -> None:
    with pytest.raises(MalformedToolCall):
        to_object(arguments)


def settings(name: str) -> ModelSettings:
    return ModelSettings(Api.OPENAI_CHAT, name)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []

    def build(wanted: ModelSettings) -> Model:
        async def close() -> None:
            names.append(wanted.model)

        if wanted.model == "bad":
            raise MissingCredentials("x")
        return Model(wanted, chat=None, close=close)  # type: ignore[arg-type]

    monkeypatch.setattr(cache_module, "build_model", build)
    return names


async def test_models_are_bounded_and_closed(closed: list[str]) -> None:
    cache = ModelCache(max_models=2)
    for name in ("a", "b", "a", "c"):
        model = await cache.acquire(settings(name))
        assert model.settings.model == name
        cache.release(settings(name))
    await asyncio.sleep(0)
    assert len(cache) == 2
    await cache.close()
    assert closed == ["b", "a", "c"]


async def test_a_model_in_use_is_not_closed(closed: list[str]) -> None:
    cache = ModelCache(max_models=1)
    await cache.acquire(settings("a"))
    await cache.acquire(settings("b"))
    cache.release(settings("b"))
    assert closed == []
    cache.release(settings("a"))
    await cache.close()
    assert sorted(closed) == ["a", "b"]


async def test_a_model_that_cannot_be_built_is_tried_again(closed: list[str]) -> None:
    cache = ModelCache()
    for _ in range(2):
        with pytest.raises(MissingCredentials):
            await cache.acquire(settings("bad"))
        assert len(cache) == 0
    await cache.close()
