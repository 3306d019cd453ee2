"""Clients that were made, so that connections are reused."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from llm_service.providers.settings import Endpoint
    from llm_service.providers.wire import Client, Wire

MAX_CLIENTS = 64
"""Far above the number of endpoints that a configuration names; the bound is for callers that make some up."""


@dataclass(frozen=True)
class Connected:
    """A client and the API that it speaks."""

    wire: Wire
    client: Client


def _connect(endpoint: Endpoint) -> Connected:
    """Import the provider's SDK, if that was not done yet, and make the client."""
    wire = cast("Wire", importlib.import_module(f"llm_service.providers.{endpoint.api.value}"))
    return Connected(wire, wire.connect(endpoint))


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
        """Give the client, made on first use, else CredentialsError; while it is used it is not closed."""
        self._users[endpoint] += 1
        try:
            yield await self._get(endpoint)
        finally:
            self._users -= Counter([endpoint])
            self._evict()

    async def close(self) -> None:
        """Close all clients."""
        tasks = list(self._clients.values())
        self._clients.clear()
        await asyncio.gather(*map(_close, tasks), *self._closing)

    async def _get(self, endpoint: Endpoint) -> Connected:
        task = self._clients.get(endpoint)
        if task is None:
            # In a thread, because importing an SDK takes a second, which no other stream should wait for.
            task = self._clients[endpoint] = asyncio.create_task(asyncio.to_thread(_connect, endpoint))
        self._clients.move_to_end(endpoint)
        try:
            # One caller that goes away must not end the making for the others.
            return await asyncio.shield(task)
        except BaseException:
            if task.done() and self._clients.get(endpoint) is task:
                del self._clients[endpoint]
            raise

    def _evict(self) -> None:
        """Close what is over the bound, except what is in use."""
        idle = [endpoint for endpoint in self._clients if endpoint not in self._users]
        for endpoint in idle[: max(0, len(self._clients) - self._max)]:
            closing = asyncio.create_task(_close(self._clients.pop(endpoint)))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)


async def _close(task: asyncio.Task[Connected]) -> None:
    if not task.done():
        # It is being made, in a thread that cannot be stopped; nobody waits for it any more.
        task.cancel()
    else:
        with contextlib.suppress(Exception):  # it was never made, and those who asked for it know why
            await task.result().client.close()
