"""Gemini, through its own API or Vertex AI."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import httpx
from google.genai import Client
from google.genai.types import FunctionDeclaration, HttpOptions, Tool
from langchain_google_genai import ChatGoogleGenerativeAI

from llm_service.providers.google.models import family_of
from llm_service.providers.langchain.model import CONNECT_SECONDS, MAX_CONNECTIONS, Model
from llm_service.providers.langchain.models.vertex import load_credentials
from llm_service.providers.langchain.settings import Api
from llm_service.providers.shared.sse import normalise_sse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from langchain_core.outputs import ChatGenerationChunk

    from llm_service.providers.langchain.settings import ModelSettings

OWN_ENDPOINT = "https://generativelanguage.googleapis.com"

_open_responses: ContextVar[list[httpx.Response]] = ContextVar("open_responses")


class _Gemini(ChatGoogleGenerativeAI):
    """ChatGoogleGenerativeAI that leaves no connection behind.

    The SDK closes a response only when it is read to its end or its reading is cancelled.
    """

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        responses: list[httpx.Response] = []
        _open_responses.set(responses)
        try:
            async for chunk in super()._astream(*args, **kwargs):
                yield chunk
        finally:
            for response in responses:
                await response.aclose()


def build(settings: ModelSettings) -> Model:
    """Build the model for either API."""
    access = _access(settings)
    # One attempt is no retry.
    chat = _Gemini(model=settings.model, retries=1, temperature=None, **access, **_thinking(settings.model))
    # With a client of ours the SDK does not take aiohttp, with which it retries by itself.
    http = httpx.AsyncClient(
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        limits=httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=100),
        # Compressed events would wait in the compressor's buffers.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_remember, normalise_sse]},
    )
    base_url = settings.base_url or (None if access["vertexai"] else OWN_ENDPOINT)
    chat.client = Client(http_options=HttpOptions(httpx_async_client=http, base_url=base_url), **access)
    return Model(
        settings=settings,
        chat=chat,
        close=http.aclose,
        replays=True,
        usage_adds_up=True,
        replay_tag="google_genai",
        declare=_declare,
    )


def _declare(functions: list[dict[str, Any]]) -> list[Any]:
    """Hand schemas over as they are: LangChain's conversion fails over some and loses parts of others."""
    declarations = [
        FunctionDeclaration(
            name=function["name"],
            description=function["description"] or function["name"],
            parameters_json_schema=function["parameters"],
        )
        for function in (tool["function"] for tool in functions)
    ]
    return [Tool(function_declarations=declarations)]


def _access(settings: ModelSettings) -> dict[str, Any]:
    if settings.api is Api.GOOGLE:
        return {"vertexai": False, "api_key": settings.api_key}
    return {
        "vertexai": True,
        "project": settings.project,
        "location": settings.location,
        "credentials": load_credentials(settings),
    }


def _thinking(model: str) -> dict[str, Any]:
    family = family_of(model.rpartition("/")[2])
    if family.thinking_budget is not None:
        return {"include_thoughts": True, "thinking_budget": family.thinking_budget}
    if family.thinking_level is not None:
        return {"include_thoughts": True, "thinking_level": family.thinking_level.value.lower()}
    return {}


async def _remember(response: httpx.Response) -> None:
    _open_responses.get([]).append(response)
