"""Runs a real server on a free port, with a real channel to it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from grpc import aio
from grpc_health.v1 import health_pb2_grpc

from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse, TextDelta
from llm_service.proto.llm_service_pb2_grpc import LLMServiceStub
from llm_service.providers.offline.provider import OfflineProvider
from llm_service.providers.registry import ProviderRegistry
from llm_service.server import LLMServer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable

    from llm_service.proto.llm_service_pb2_grpc import LLMServiceAsyncStub
    from llm_service.providers.registry import LLMProvider


class Deltas(list[Any]):
    """A list of deltas: tuples (kind, content, …) or dictionaries {kind: {"content": …}}.

    Comparisons join the text of adjacent deltas first.
    """

    def __init__(self, received: Iterable[Any]) -> None:
        super().__init__()
        for one in received:
            kind, text = _text_of(one)
            before, begun = _text_of(self[-1]) if self else ("", "")
            if kind and kind == before:
                self[-1] = (kind, begun + text) if isinstance(one, tuple) else {kind: {"content": begun + text}}
            else:
                self.append(one)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and list(self) == list(Deltas(other))

    __hash__ = None


def _text_of(one: Any) -> tuple[str, str]:
    kind, content = (*one, "")[:2] if isinstance(one, tuple) else next(iter(one.items()), ("", ""))
    return (
        (kind, content if isinstance(one, tuple) else content["content"]) if kind in ("text", "thinking") else ("", "")
    )


def health_stub(channel: aio.Channel) -> Any:
    """Returns the health client; its published types do not declare its methods."""
    return health_pb2_grpc.HealthStub(channel)


@dataclass
class GatedProvider:
    """Sends one text and then waits for the gate, so that a test can act in the middle of a stream."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    how: str = ""
    closed: bool = False

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        try:
            yield GenerateResponse(text=TextDelta(content="first"))
            self.started.set()
            await self.gate.wait()
            yield GenerateResponse(text=TextDelta(content="second"))
            self.how = "finished"
        except asyncio.CancelledError:
            self.how = "cancelled"
            raise
        except GeneratorExit:
            self.how = "closed"
            raise
        finally:
            self.ended.set()

    async def close(self) -> None:
        self.closed = True


@dataclass
class FailingProvider:
    """Sends some responses, then raises."""

    error: Exception
    before: list[GenerateResponse] = field(default_factory=list)

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        for response in self.before:
            yield response
        raise self.error

    async def close(self) -> None: ...


@dataclass
class Running:
    """A server with its clients."""

    server: LLMServer
    channel: aio.Channel
    llm: LLMServiceAsyncStub
    health: Any


@contextlib.asynccontextmanager
async def serving(providers: dict[str, LLMProvider]) -> AsyncIterator[Running]:
    """Serves until the end of the block and always stops, because freeing a running gRPC server blocks the process."""
    server = LLMServer(ProviderRegistry(providers), "127.0.0.1", 0)
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield Running(server, channel, LLMServiceStub(channel), health_stub(channel))
    finally:
        await server.stop(0)


@pytest.fixture
def gated() -> GatedProvider:
    return GatedProvider()


@pytest.fixture
async def running(gated: GatedProvider) -> AsyncIterator[Running]:
    async with serving({"offline": OfflineProvider(0), "gated": gated}) as started:
        yield started
