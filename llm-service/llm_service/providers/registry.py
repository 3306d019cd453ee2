"""Which backend serves a request."""

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol

from llm_service.errors import BackendNotAvailable
from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse
from llm_service.providers.offline.provider import DEFAULT_DELAY_MS, MAX_DELAY_MS, OfflineProvider
from llm_service.providers.provider import ModelProvider
from llm_service.providers.shared.limits import StreamLimits, number_in

DEFAULT_BACKEND = "langchain"  # what an empty LLMConfig.backend means; fixed by the proto file


class LLMProvider(Protocol):
    """A backend. One object serves all requests of the process, many at a time."""

    def generate(self, request: GenerateRequest) -> AsyncGenerator[GenerateResponse, None]:
        """Stream the content of an answer, or raise; when cancelled or closed, let go of the connection at once."""

    async def close(self) -> None:
        """Release clients and connections; called once, after the last stream has ended."""


class ProviderRegistry:
    """Backends by the name that LLMConfig.backend uses."""

    def __init__(self, providers: Mapping[str, LLMProvider]) -> None:
        self._providers = dict(providers)

    def get(self, backend: str) -> LLMProvider:
        """Find a backend; BackendNotAvailable when none has that name."""
        name = backend or DEFAULT_BACKEND
        provider = self._providers.get(name)
        if provider is None:
            raise BackendNotAvailable(f"backend {name[:100]!r} is not available; available: {', '.join(self.names())}")
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
    offline = OfflineProvider(number_in(env, "OFFLINE_CHUNK_DELAY_MS", DEFAULT_DELAY_MS, least=0, most=MAX_DELAY_MS))
    # Two names from when they were two libraries; the engine chooses by its strategies.
    return ProviderRegistry({"offline": offline, "langchain": models, "google-native": models})
