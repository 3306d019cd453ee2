"""Backends that are loaded when they are first used."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse
    from llm_service.providers.base import LLMProvider


class LazyProvider:
    """Loads the backend in a thread: importing a provider's SDK takes a second or more.

    So a service that is only used offline starts at once, and the first call of another backend
    does not stop the streams that are running.
    """

    def __init__(self, load: Callable[[], LLMProvider]) -> None:
        self._load = load
        self._loading: asyncio.Task[LLMProvider] | None = None

    async def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream what the backend streams."""
        provider = await self._provider()
        async with aclosing(provider.generate(request)) as responses:
            async for response in responses:
                yield response

    async def close(self) -> None:
        """Close the backend if it was loaded."""
        if self._loading is not None:
            provider = await self._loading
            await provider.close()

    async def _provider(self) -> LLMProvider:
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(self._load))
        # Shielded: others wait for the same task when this caller goes away.
        return await asyncio.shield(self._loading)
