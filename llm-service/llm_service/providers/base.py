"""The contract between the servicer and a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse


class LLMProvider(Protocol):
    """A backend. One object serves all requests of the process, many at a time."""

    def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream the answer to a request that has been checked already.

        Yields content only: is_final and ErrorInfo are the servicer's. A failure is raised, best as an
        error of llm_service.errors. When the caller goes away the generator is cancelled or closed at
        its current await and must let go of the provider's connection there.
        """
        ...

    async def close(self) -> None:
        """Release clients and connections; called once, after the last stream has ended."""
        ...
