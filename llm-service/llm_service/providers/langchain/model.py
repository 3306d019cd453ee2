"""A model that is ready to be called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

    from llm_service.providers.langchain.settings import ModelSettings

CONNECT_SECONDS = 10.0
"""For the connection alone. How long a provider may think is not a matter of the HTTP client."""

MAX_CONNECTIONS = 1000
"""Of one client; above the number of agents that one engine runs at a time."""


@dataclass(frozen=True)
class Model:
    """A chat model with what is special about its provider.

    Attributes:
        settings: what it was built from.
        chat: the LangChain model; bound to no tools.
        close: ends its connections.
        replays: its next turn needs more of this one than text and tool calls.
        usage_adds_up: usage of the stream's chunks is to be added; otherwise the last one counts.
        wants_called_tools: a conversation with tool calls is refused when the request has no tools.
        replay_tag: the "model_provider" that LangChain knows the replayed message by.
        request_options: further arguments of a call, seen from the messages that are sent.
        tool_options: added to each tool's function.
        declare: makes the tools of a call from functions, where LangChain's own way would lose or refuse some.
    """

    settings: ModelSettings
    chat: BaseChatModel
    close: Callable[[], Awaitable[None]]
    replays: bool = False
    usage_adds_up: bool = False
    wants_called_tools: bool = False
    replay_tag: str = ""
    request_options: Callable[[Sequence[BaseMessage]], dict[str, Any]] = field(default=lambda _messages: {})
    tool_options: dict[str, Any] = field(default_factory=dict)
    declare: Callable[[list[dict[str, Any]]], list[Any]] | None = None
