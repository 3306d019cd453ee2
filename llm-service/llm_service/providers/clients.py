"""Provider APIs and their clients, which are kept so that connections are reused."""

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
from llm_service.providers.shared.transport import PreparedRequest

MAX_CLIENTS = 64  # far more than a configuration names


class Client(Protocol):
    """A provider's client with its connections."""

    def stream(self, prepared: PreparedRequest) -> AsyncGenerator[Any, None]:
        """Sends a request and yields the events of the answer; None means activity without content."""

    async def close(self) -> None:
        """Closes the connections."""


class ProviderApi(Protocol):
    """A provider's API. Each is a package, so that its SDK is loaded on first use."""

    DIALECT: Dialect
    Events: type[EventReader]
    DROPPABLE: Sequence[str]  # optional parameters: without them a request means the same

    def connect(self, endpoint: Endpoint) -> Client:
        """Creates a client. Raises InvalidCredentials or MissingCredentials."""

    def prepare(self, conversation: Conversation, settings: Settings, request: GenerateRequest) -> PreparedRequest:
        """Builds the request. Raises InvalidRequest if it asks for an unknown feature."""


@dataclass(frozen=True)
class ConnectedClient:
    """A client and its API."""

    api: ProviderApi
    client: Client


def _connect(endpoint: Endpoint) -> ConnectedClient:
    api = cast("ProviderApi", importlib.import_module(f"llm_service.providers.{endpoint.api.value}"))
    connected = ConnectedClient(api, api.connect(endpoint))
    gc.freeze()  # keeps the garbage collector from scanning an SDK's million objects repeatedly
    return connected


class ClientPool:
    """Clients by endpoint; the least recently used one is evicted first."""

    def __init__(self, max_clients: int = MAX_CLIENTS) -> None:
        self._max = max_clients
        self._clients: OrderedDict[Endpoint, asyncio.Task[ConnectedClient]] = OrderedDict()
        self._users: Counter[Endpoint] = Counter()
        self._closing: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Returns the number of clients."""
        return len(self._clients)

    @contextlib.asynccontextmanager
    async def use(self, endpoint: Endpoint) -> AsyncIterator[ConnectedClient]:
        """Provides the endpoint's client, created on first use. Raises as ProviderApi.connect."""
        if endpoint not in self._clients:
            # In a thread because importing an SDK takes a second and would block all streams.
            self._clients[endpoint] = asyncio.create_task(asyncio.to_thread(_connect, endpoint))
        self._clients.move_to_end(endpoint)
        self._users[endpoint] += 1
        try:
            # A cancelled caller must not cancel the creation for the others.
            yield await asyncio.shield(self._clients[endpoint])
        finally:
            self._users -= Counter([endpoint])
            self._evict()

    async def close(self) -> None:
        """Closes all clients."""
        tasks = list(self._clients.values())
        self._clients.clear()
        await asyncio.gather(*map(_close, tasks), *self._closing)

    def _evict(self) -> None:
        """Removes unused clients: those that failed to connect, and the oldest above the maximum."""
        for endpoint in [endpoint for endpoint in self._clients if endpoint not in self._users]:
            task = self._clients[endpoint]
            failed = task.done() and not task.cancelled() and task.exception() is not None
            if failed or len(self._clients) > self._max:
                del self._clients[endpoint]
                closing = asyncio.create_task(_close(task))
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)


async def _close(task: asyncio.Task[ConnectedClient]) -> None:
    if not task.done():
        # The thread that creates the client cannot be stopped.
        task.cancel()
    else:
        with contextlib.suppress(Exception):  # it failed to connect, and its callers received the error
            await task.result().client.close()
