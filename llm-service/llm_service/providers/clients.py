"""APIs and their clients: those that were made are kept, so that connections are reused."""

import asyncio
import contextlib
import gc
import importlib
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.settings import Endpoint, Settings
from llm_service.providers.shared.answer import EventReader
from llm_service.providers.shared.conversation import Conversation
from llm_service.providers.shared.tool_schemas import Dialect
from llm_service.providers.shared.transport import Prepared

MAX_CLIENTS = 64  # far above the number of endpoints that a configuration names


class Client(Protocol):
    """An SDK's client with its connections."""

    def stream(self, prepared: Prepared) -> AsyncGenerator[Any, None]:
        """Send a request, and give the events of the answer; None for any other sign of life."""

    async def close(self) -> None:
        """End the connections."""


class Wire(Protocol):
    """An API. Each is a module, so that its SDK is loaded when it is needed."""

    DIALECT: Dialect
    Events: type[EventReader]
    DROPPABLE: Sequence[str]  # parameters without which a request still means the same

    def connect(self, endpoint: Endpoint) -> Client:
        """Make a client; InvalidCredentials or MissingCredentials when they cannot be used."""

    def prepare(self, conversation: Conversation, settings: Settings, request: GenerateRequest) -> Prepared:
        """Write the request; InvalidRequest when it asks for something that there is not."""


@dataclass(frozen=True)
class Connected:
    """A client and the API that it speaks."""

    wire: Wire
    client: Client


def _connect(endpoint: Endpoint) -> Connected:
    wire = cast("Wire", importlib.import_module(f"llm_service.providers.{endpoint.api.value}"))
    connected = Connected(wire, wire.connect(endpoint))
    gc.freeze()  # an SDK is a million objects, which the collector would look at again and again
    return connected


class ClientPool:
    """Clients by their endpoint; the one that was not used for longest goes first."""

    def __init__(self, max_clients: int = MAX_CLIENTS) -> None:
        self._max = max_clients
        self._clients: OrderedDict[Endpoint, asyncio.Task[Connected]] = OrderedDict()
        self._users: Counter[Endpoint] = Counter()
        self._closing: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Count the clients."""
        return len(self._clients)

    @contextlib.asynccontextmanager
    async def use(self, endpoint: Endpoint) -> AsyncIterator[Connected]:
        """Give the client, made on first use; while it is used it is not closed. Errors are those of Wire.connect."""
        if endpoint not in self._clients:
            # In a thread, because importing an SDK takes a second, which no other stream should wait for.
            self._clients[endpoint] = asyncio.create_task(asyncio.to_thread(_connect, endpoint))
        self._clients.move_to_end(endpoint)
        self._users[endpoint] += 1
        try:
            # One caller that goes away must not end the making for the others.
            yield await asyncio.shield(self._clients[endpoint])
        finally:
            self._users -= Counter([endpoint])
            self._evict()

    async def close(self) -> None:
        """Close all clients."""
        tasks = list(self._clients.values())
        self._clients.clear()
        await asyncio.gather(*map(_close, tasks), *self._closing)

    def _evict(self) -> None:
        """Of what is not in use, forget what could not be made, and close what is over the bound."""
        for endpoint in [endpoint for endpoint in self._clients if endpoint not in self._users]:
            task = self._clients[endpoint]
            failed = task.done() and not task.cancelled() and task.exception() is not None
            if failed or len(self._clients) > self._max:
                del self._clients[endpoint]
                closing = asyncio.create_task(_close(task))
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)


async def _close(task: asyncio.Task[Connected]) -> None:
    if not task.done():
        # It is being made, in a thread that cannot be stopped; nobody waits for it any more.
        task.cancel()
    else:
        with contextlib.suppress(Exception):  # it was never made, and those who asked for it know why
            await task.result().client.close()
