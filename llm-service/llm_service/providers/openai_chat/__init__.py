"""OpenAI's Chat Completions, as many servers speak it."""

import asyncio
import contextlib
import importlib
from collections.abc import Awaitable, Callable
from typing import Any

import openai

from llm_service.errors import MissingCredentials
from llm_service.providers.openai_chat.events import Events
from llm_service.providers.openai_chat.request import prepare
from llm_service.providers.settings import Endpoint
from llm_service.providers.shared.tool_schemas import OPENAI as DIALECT
from llm_service.providers.shared.transport import SdkClient, common

__all__ = ["DIALECT", "DROPPABLE", "Events", "connect", "prepare"]
DROPPABLE = ("stream_options", "prompt_cache_key", "reasoning_effort", "temperature", "tool_choice")
OWN_ENDPOINTS = {"openai": "https://api.openai.com/v1", "xai": "https://api.x.ai/v1"}
# The SDK uses this one as soon as it is among the loaded modules: half of it, while another thread loads Google's SDK.
with contextlib.suppress(ImportError):
    importlib.import_module("httpx")
_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"


def connect(endpoint: Endpoint, path: str = "/chat/completions") -> SdkClient:
    """Make the client; InvalidCredentials or MissingCredentials when they cannot be used."""
    return SdkClient(_sdk(endpoint), openai.AsyncStream, path)


def _sdk(endpoint: Endpoint) -> Any:
    if endpoint.provider != "azure":
        base_url = endpoint.base_url or OWN_ENDPOINTS[endpoint.provider]
        return openai.AsyncOpenAI(api_key=endpoint.api_key, base_url=base_url, **common(endpoint))
    token = None if endpoint.api_key else _entra_token()
    address = endpoint.base_url.removesuffix("/openai/v1").removesuffix("/openai")
    if not endpoint.api_version:
        key = endpoint.api_key or token
        return openai.AsyncOpenAI(api_key=key, base_url=f"{address}/openai/v1", **common(endpoint))
    return openai.AsyncAzureOpenAI(
        azure_endpoint=address,
        api_version=endpoint.api_version,
        api_key=endpoint.api_key or None,
        azure_ad_token_provider=token,
        **common(endpoint),
    )


def _entra_token() -> Callable[[], Awaitable[str]]:
    """Tokens of Entra ID, from whatever identity the machine has."""
    try:
        from azure.identity import DefaultAzureCredential, get_bearer_token_provider
    except ImportError as error:
        told = "Azure without a key needs the packages of requirements-all.lock, which are not installed"
        raise MissingCredentials(told) from error
    provider = get_bearer_token_provider(DefaultAzureCredential(), _AZURE_SCOPE)

    async def token() -> str:
        # In a thread: it may ask over the network; it keeps what it got.
        return await asyncio.to_thread(provider)

    return token
