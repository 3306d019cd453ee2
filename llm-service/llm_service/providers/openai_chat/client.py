"""Clients of Chat Completions, and of OpenAI's APIs in general."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import openai

from llm_service.errors import MissingCredentials
from llm_service.providers.settings import Door
from llm_service.providers.shared.sdk import SdkClient
from llm_service.providers.shared.transport import http_client

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from llm_service.providers.settings import Endpoint

OWN_ENDPOINTS = {"openai": "https://api.openai.com/v1", "xai": "https://api.x.ai/v1"}
"""Told to the SDK, because it would otherwise take one from its own environment variables."""
_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"


def connect(endpoint: Endpoint) -> SdkClient:
    """Make the client.

    Raises:
        CredentialsError: the credentials cannot be used.
    """
    return SdkClient(openai_sdk(endpoint), openai.AsyncStream, "/chat/completions")


def openai_sdk(endpoint: Endpoint) -> Any:
    """Make the SDK's client: without retries, and with connections of its own."""
    common: dict[str, Any] = {
        "max_retries": 0,
        "timeout": None,
        "http_client": http_client(),
        "default_headers": dict(endpoint.headers),
    }
    if endpoint.door is not Door.AZURE:
        base_url = endpoint.base_url or OWN_ENDPOINTS[endpoint.provider]
        return openai.AsyncOpenAI(api_key=endpoint.api_key, base_url=base_url, **common)
    token = None if endpoint.api_key else _entra_token()
    if endpoint.api_version:
        return openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint.base_url.removesuffix("/openai/v1").removesuffix("/openai"),
            api_version=endpoint.api_version,
            api_key=endpoint.api_key or None,
            azure_ad_token_provider=token,
            **common,
        )
    address = endpoint.base_url.removesuffix("/openai/v1").removesuffix("/openai") + "/openai/v1"
    return openai.AsyncOpenAI(api_key=endpoint.api_key or token, base_url=address, **common)


def _entra_token() -> Callable[[], Awaitable[str]]:
    """Tokens of Entra ID, from whatever identity the machine has."""
    try:
        from azure.identity import DefaultAzureCredential, get_bearer_token_provider
    except ImportError as error:
        raise MissingCredentials(
            "Azure without a key needs the packages of requirements-all.lock, which are not installed"
        ) from error
    provider = get_bearer_token_provider(DefaultAzureCredential(), _AZURE_SCOPE)

    async def token() -> str:
        # In a thread: it may ask over the network; it keeps what it got.
        return await asyncio.to_thread(provider)

    return token
