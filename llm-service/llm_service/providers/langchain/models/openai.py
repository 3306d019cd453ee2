"""OpenAI: the Responses API at its own endpoint, Chat Completions at any other."""

from __future__ import annotations

from typing import Any

import httpx2
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import SecretStr

from llm_service.providers.langchain.model import CONNECT_SECONDS, MAX_CONNECTIONS, Model
from llm_service.providers.langchain.models.compatible import CompatibleStream, PlainCompletions
from llm_service.providers.langchain.settings import Api, ModelSettings
from llm_service.providers.langchain.thinking import OPENAI, find

OWN_ENDPOINT = "https://api.openai.com/v1"
"""Told to the SDK, because it would otherwise take one from OPENAI_BASE_URL."""


class CompatibleChatOpenAI(CompatibleStream, ChatOpenAI):
    """ChatOpenAI that also reads what other servers send."""


def sdk_client(settings: ModelSettings, own_endpoint: str) -> AsyncOpenAI:
    """Make the SDK's client: without retries, and with connections of its own."""
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    limits = httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=100)
    return AsyncOpenAI(
        api_key=settings.api_key,
        base_url=settings.base_url or own_endpoint,
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(timeout=timeout, limits=limits),
    )


def client_fields(client: AsyncOpenAI) -> dict[str, Any]:
    """Give the fields through which a LangChain model takes a client; a sync one, unused, would cost time."""
    completions = PlainCompletions(client)
    return {"client": completions, "async_client": completions, "root_async_client": client}


def build(settings: ModelSettings) -> Model:
    """Build the model for either API."""
    responses = settings.api is Api.OPENAI_RESPONSES
    client = sdk_client(settings, OWN_ENDPOINT)
    chat = CompatibleChatOpenAI(
        model=settings.model,
        api_key=SecretStr(settings.api_key),
        **client_fields(client),
        openai_proxy=None,
        stream_usage=True,
        stream_chunk_timeout=None,
        use_responses_api=responses,
        output_version="responses/v1" if responses else None,
        **(_responses_options(settings.model) if responses else {}),
    )
    return Model(
        settings=settings,
        chat=chat,
        close=client.close,
        replays=responses,
        replay_tag="openai",
        # Otherwise the Responses API may make optional arguments required ones.
        tool_options={"strict": False} if responses else {},
    )


def _responses_options(model: str) -> dict[str, Any]:
    # Nothing of an investigation is to stay with OpenAI, so its reasoning comes back to us, encrypted.
    options: dict[str, Any] = {"store": False}
    reasoning = find(OPENAI, model, None)
    if reasoning is not None:
        options["reasoning"] = reasoning
        options["include"] = ["reasoning.encrypted_content"]
    return options
