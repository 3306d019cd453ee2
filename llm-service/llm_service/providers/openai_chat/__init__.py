"""OpenAI's Chat Completions API and compatible servers."""

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
from llm_service.providers.shared.quirks import Quirk
from llm_service.providers.shared.tool_schemas import OPENAI as DIALECT
from llm_service.providers.shared.transport import SdkClient, common_options

__all__ = ["DIALECT", "DROPPABLE", "QUIRKS", "Events", "connect", "prepare"]
DROPPABLE = (
    "prompt_cache_breakpoint",
    "stream_options",
    "prompt_cache_key",
    "reasoning_effort",
    "temperature",
    "tool_choice",
    "stream",  # last, because error texts about other parameters contain the word "stream" too
)
QUIRKS = (
    Quirk.EFFORT_XHIGH,
    Quirk.EFFORT_HIGH,
    Quirk.SHORT_IDS,
    Quirk.DECLARED_TOOLS,
    Quirk.TEXT_CONTENT,
    Quirk.NO_SYSTEM_ROLE,
    Quirk.NO_TOOL_ROLE,
)
OWN_ENDPOINTS = {"openai": "https://api.openai.com/v1", "xai": "https://api.x.ai/v1"}
# The SDK uses httpx if sys.modules has it. Imported here, so that no thread finds httpx half loaded.
with contextlib.suppress(ImportError):
    importlib.import_module("httpx")
_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"


def connect(endpoint: Endpoint, path: str = "/chat/completions", answer_key: str = "choices") -> SdkClient:
    """Creates the client. Raises InvalidCredentials or MissingCredentials."""
    return SdkClient(_sdk(endpoint), openai.AsyncStream, path, answer_key=answer_key)


def _sdk(endpoint: Endpoint) -> Any:
    if endpoint.provider != "azure":
        base_url = endpoint.base_url or OWN_ENDPOINTS[endpoint.provider]
        return openai.AsyncOpenAI(api_key=endpoint.api_key, base_url=base_url, **common_options(endpoint))
    token = None if endpoint.api_key else _entra_token()
    address = endpoint.base_url.removesuffix("/openai/v1").removesuffix("/openai")
    if not endpoint.api_version:
        key = endpoint.api_key or token
        return openai.AsyncOpenAI(api_key=key, base_url=f"{address}/openai/v1", **common_options(endpoint))
    return openai.AsyncAzureOpenAI(
        azure_endpoint=address,
        api_version=endpoint.api_version,
        api_key=endpoint.api_key or None,
        azure_ad_token_provider=token,
        **common_options(endpoint),
    )


def _entra_token() -> Callable[[], Awaitable[str]]:
    """Returns a function that gets Entra ID tokens for the machine's identity."""
    try:
        from azure.identity import DefaultAzureCredential, get_bearer_token_provider
    except ImportError as error:
        message = "Azure without a key needs the packages of requirements-all.lock, which are not installed"
        raise MissingCredentials(message) from error
    provider = get_bearer_token_provider(DefaultAzureCredential(), _AZURE_SCOPE)

    async def token() -> str:
        # Runs in a thread, because getting a token may use the network; azure-identity caches the token.
        return await asyncio.to_thread(provider)

    return token
