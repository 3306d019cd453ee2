"""Anthropic, and Claude on Vertex AI: the same Messages API behind different doors."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import anthropic
import httpx2
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import SecretStr

from llm_service.providers.langchain.model import CONNECT_SECONDS, MAX_CONNECTIONS, Model
from llm_service.providers.langchain.models.vertex import load_credentials
from llm_service.providers.langchain.settings import Api, ModelSettings
from llm_service.providers.langchain.thinking import CLAUDE, NO_CLAUDE_THINKING, ClaudeThinking, find

if TYPE_CHECKING:
    from collections.abc import Sequence

OWN_ENDPOINT = "https://api.anthropic.com"
_THOUGHTS = ("thinking", "redacted_thinking")


class _Claude(ChatAnthropic):
    """ChatAnthropic over a client that is given to it."""

    sdk_client: Any

    @cached_property
    def _async_client(self) -> Any:
        return self.sdk_client


def build(settings: ModelSettings) -> Model:
    """Build the model for either door."""
    client = anthropic.DefaultAsyncHttpxClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=100),
    )
    thinking = find(CLAUDE, settings.model, NO_CLAUDE_THINKING)
    chat = _Claude(
        model_name=settings.model,
        api_key=SecretStr(settings.api_key or "unused"),
        base_url=settings.base_url or OWN_ENDPOINT,
        max_tokens_to_sample=thinking.max_tokens,
        max_retries=0,
        timeout=None,
        stop=None,
        sdk_client=_sdk_client(settings, client),
    )
    return Model(
        settings=settings,
        chat=chat,
        close=client.aclose,
        replays=True,
        wants_called_tools=True,
        replay_tag="anthropic",
        request_options=partial(_thinking_options, thinking),
    )


def _sdk_client(settings: ModelSettings, client: httpx2.AsyncClient) -> Any:
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    if settings.api is Api.ANTHROPIC_VERTEX:
        return anthropic.AsyncAnthropicVertex(
            project_id=settings.project,
            region=settings.location,
            base_url=settings.base_url or None,
            credentials=load_credentials(settings),
            max_retries=0,
            timeout=timeout,
            http_client=client,
        )
    return anthropic.AsyncAnthropic(
        api_key=settings.api_key,
        base_url=settings.base_url or OWN_ENDPOINT,
        max_retries=0,
        timeout=timeout,
        http_client=client,
    )


def _thinking_options(thinking: ClaudeThinking, messages: Sequence[BaseMessage]) -> dict[str, Any]:
    if thinking.parameter is None:
        return {}
    if thinking.needs_blocks and _lacks_thoughts(messages):
        return {"thinking": {"type": "disabled"}}
    return {"thinking": thinking.parameter}


def _lacks_thoughts(messages: Sequence[BaseMessage]) -> bool:
    """Tell whether a turn since the last question called tools without its thoughts being known any more.

    They are not after a restart of the service, or when another model had that turn.
    """
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            return False
        if isinstance(message, AIMessage) and message.tool_calls:
            first = message.content[0] if message.content else None
            if not (isinstance(first, dict) and first.get("type") in _THOUGHTS):
                return True
    return False
