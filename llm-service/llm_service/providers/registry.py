"""Which backend serves a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from llm_service.errors import BackendNotAvailable
from llm_service.providers.offline.provider import OfflineProvider
from llm_service.providers.provider import ModelProvider
from llm_service.providers.shared.limits import StreamLimits

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse

DEFAULT_BACKEND = "langchain"
"""What an empty LLMConfig.backend means; fixed by the proto file."""


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


class ProviderRegistry:
    """Backends by the name that LLMConfig.backend uses."""

    def __init__(self, providers: Mapping[str, LLMProvider]) -> None:
        self._providers = dict(providers)

    def get(self, backend: str) -> LLMProvider:
        """Find a backend; BackendNotAvailable when none has that name."""
        name = backend or DEFAULT_BACKEND
        provider = self._providers.get(name)
        if provider is None:
            available = ", ".join(self.names()) or "none"
            raise BackendNotAvailable(f"backend {name[:100]!r} is not available; available: {available}")
        return provider

    def names(self) -> list[str]:
        """Names of the backends, sorted."""
        return sorted(self._providers)

    async def close(self) -> None:
        """Close every backend; one may stand under several names."""
        for provider in {id(one): one for one in self._providers.values()}.values():
            await provider.close()


def build_registry(env: Mapping[str, str]) -> ProviderRegistry:
    """Build the backends of this process from its environment; ValueError names a variable that cannot be used."""
    models = ModelProvider(env, StreamLimits.from_env(env))
    # Two names from when they were two libraries; the engine chooses by its strategies.
    return ProviderRegistry({"offline": OfflineProvider.from_env(env), "langchain": models, "google-native": models})
