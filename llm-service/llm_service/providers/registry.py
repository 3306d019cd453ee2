"""Which backend serves a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.errors import BackendNotAvailable
from llm_service.providers.offline.provider import OfflineProvider
from llm_service.providers.provider import ModelProvider
from llm_service.providers.shared.limits import StreamLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llm_service.providers.base import LLMProvider

DEFAULT_BACKEND = "langchain"
"""What an empty LLMConfig.backend means; fixed by the proto file."""


class ProviderRegistry:
    """Backends by the name that LLMConfig.backend uses."""

    def __init__(self, providers: Mapping[str, LLMProvider]) -> None:
        self._providers = dict(providers)

    def get(self, backend: str) -> LLMProvider:
        """Find a backend.

        Raises:
            BackendNotAvailable: no backend has that name.
        """
        name = backend or DEFAULT_BACKEND
        provider = self._providers.get(name)
        if provider is None:
            raise BackendNotAvailable(name, self._providers)
        return provider

    def names(self) -> list[str]:
        """Names of the backends, sorted."""
        return sorted(self._providers)

    async def close(self) -> None:
        """Close every backend."""
        # One may stand under several names.
        for provider in {id(one): one for one in self._providers.values()}.values():
            await provider.close()


def build_registry(env: Mapping[str, str]) -> ProviderRegistry:
    """Build the backends of this process from its environment.

    Raises:
        ValueError: a variable has a value that cannot be used; the message names it.
    """
    models = ModelProvider(env, StreamLimits.from_env(env))
    # Two names from when they were two libraries; the engine chooses by its strategies.
    return ProviderRegistry({"offline": OfflineProvider.from_env(env), "langchain": models, "google-native": models})
