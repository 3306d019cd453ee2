"""Backends that are loaded on their first call."""

from __future__ import annotations

import asyncio
import threading

import pytest

from llm_service.errors import BackendNotAvailable
from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.lazy import LazyProvider
from llm_service.providers.registry import build_registry
from tests.conftest import GatedProvider


async def test_it_is_loaded_once_even_when_the_first_caller_leaves() -> None:
    go_on = threading.Event()
    loading = threading.Event()
    loads: list[GatedProvider] = []

    def load() -> GatedProvider:
        loading.set()
        go_on.wait(10)
        loads.append(GatedProvider())
        return loads[-1]

    lazy = LazyProvider(load)
    first = asyncio.create_task(anext(lazy.generate(GenerateRequest())))
    await asyncio.to_thread(loading.wait, 10)
    second = asyncio.create_task(anext(lazy.generate(GenerateRequest())))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    go_on.set()
    assert (await second).text.content == "first"
    assert len(loads) == 1
    await lazy.close()
    assert loads[0].closed


async def test_what_was_never_used_is_not_loaded() -> None:
    lazy = LazyProvider(lambda: pytest.fail("loaded"))
    await lazy.close()


async def test_the_registry() -> None:
    registry = build_registry({})
    assert {"offline", "google-native"} <= set(registry.names())
    with pytest.raises(BackendNotAvailable):
        registry.get("other")
    with pytest.raises(ValueError, match="LLM_STALL_SECONDS"):
        build_registry({"LLM_STALL_SECONDS": "x"})
    await registry.close()
