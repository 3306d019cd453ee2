"""The interface of provider APIs, and a pool of their clients that keeps connections open between calls."""

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
from llm_service.providers.shared.quirks import Quirk
from llm_service.providers.shared.tool_schemas import Dialect
from llm_service.providers.shared.transport import PreparedRequest

MAX_CLIENTS = 64  # far more than one configuration has endpoints


class Client(Protocol):
    """The client of one endpoint, with its connections."""

    def stream(self, prepared: PreparedRequest) -> AsyncGenerator[Any, None]:
        """Sends a request and yields the events of the answer; yields None for activity without an event."""

    async def close(self) -> None:
        """Closes the connections."""


class ProviderApi(Protocol):
    """A provider's API. The package of each API is imported on first use, because SDKs load slowly."""

    DIALECT: Dialect
    Events: type[EventReader]
    DROPPABLE: Sequence[str]  # parameters to leave out if the provider refuses them
    QUIRKS: Sequence[Quirk]  # forms of a request to try if the provider refuses the usual one

    def connect(self, endpoint: Endpoint) -> Client:
        """Creates a client. Raises InvalidCredentials or MissingCredentials."""

    def prepare(self, conversation: Conversation, settings: Settings, request: GenerateRequest) -> PreparedRequest:
        """Builds the request. Raises InvalidRequest if it names an unknown native tool."""


@dataclass(frozen=True)
class ConnectedClient:
    """A client and the API that it belongs to."""

    api: ProviderApi
    client: Client


def _connect(endpoint: Endpoint) -> ConnectedClient:
    api = cast("ProviderApi", importlib.import_module(f"llm_service.providers.{endpoint.api.value}"))
    connected = ConnectedClient(api, api.connect(endpoint))
    gc.freeze()  # so that the garbage collector does not scan an SDK's million objects repeatedly
    return connected


class ClientPool:
    """Clients by endpoint. Above the maximum, the least recently used client without a call is evicted."""

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
        """Provides the endpoint's client, created on first use. Raises the errors of ProviderApi.connect."""
        if endpoint not in self._clients:
            # Connects in a thread, because importing an SDK takes a second and would block all streams.
            self._clients[endpoint] = asyncio.create_task(asyncio.to_thread(_connect, endpoint))
        self._clients.move_to_end(endpoint)
        self._users[endpoint] += 1
        try:
            # Shielded, because a cancelled caller must not cancel the creation for other callers.
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
        """Removes clients without a call: failed ones, and the least recently used above the maximum."""
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
        # Does not wait, because the thread that creates the client cannot be stopped.
        task.cancel()
    else:
        with contextlib.suppress(Exception):  # a failure to connect was reported to the callers
            await task.result().client.close()
