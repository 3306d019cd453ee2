"""Finds the backend that serves a request."""

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

from llm_service.errors import BackendNotAvailable
from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse
from llm_service.providers.offline.provider import DEFAULT_DELAY_MS, MAX_DELAY_MS, OfflineProvider
from llm_service.providers.provider import ModelProvider
from llm_service.providers.shared.limits import StreamLimits, read_number

DEFAULT_BACKEND = "langchain"  # backend of an empty LLMConfig.backend, as the proto file defines it


class LLMProvider(Protocol):
    """A backend. One object serves all concurrent requests of the process."""

    def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Streams the answer, or raises. Closing the generator releases the connection at once."""

    async def close(self) -> None:
        """Releases clients and connections. Called once, after the last stream has ended."""


class ProviderRegistry:
    """Finds backends by their name in LLMConfig.backend."""

    def __init__(self, providers: Mapping[str, LLMProvider]) -> None:
        self._providers = dict(providers)

    def get(self, backend: str) -> LLMProvider:
        """Returns the backend with this name. Raises BackendNotAvailable if there is none."""
        name = backend or DEFAULT_BACKEND
        provider = self._providers.get(name)
        if provider is None:
            raise BackendNotAvailable(f"backend {name[:100]!r} is not available; available: {', '.join(self.names())}")
        return provider

    def names(self) -> list[str]:
        """Returns the names of the backends, sorted."""
        return sorted(self._providers)

    async def close(self) -> None:
        """Closes each backend once, even if it is registered under several names."""
        for provider in {id(one): one for one in self._providers.values()}.values():
            await provider.close()


def build_registry(env: Mapping[str, str]) -> ProviderRegistry:
    """Builds all backends from the environment. Raises ValueError naming an invalid variable."""
    models = ModelProvider(env, StreamLimits.from_env(env))
    offline = OfflineProvider(read_number(env, "OFFLINE_CHUNK_DELAY_MS", DEFAULT_DELAY_MS, least=0, most=MAX_DELAY_MS))
    # One backend under two names, because configurations use both. The engine picks the name by iteration strategy.
    return ProviderRegistry({"offline": offline, "langchain": models, "google-native": models})
