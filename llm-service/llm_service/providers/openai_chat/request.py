"""A request to Chat Completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.families import chat_effort, openai_effort
from llm_service.providers.openai_chat.next_turn import to_messages
from llm_service.providers.settings import Door
from llm_service.providers.shared.conversation import read_conversation, read_tools
from llm_service.providers.wire import Prepared

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames


def prepare(request: GenerateRequest, settings: Settings, names: ToolNames) -> Prepared:
    """Write the request; InvalidRequest when it has no content."""
    endpoint = settings.endpoint
    own = endpoint.door is Door.AZURE or (endpoint.provider == "openai" and not endpoint.base_url)
    body: dict[str, Any] = {
        "model": settings.model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": to_messages(read_conversation(request, settings, names), settings),
    }
    effort = openai_effort(settings) if own else chat_effort(settings)
    if effort:
        body["reasoning_effort"] = effort
    if settings.max_output_tokens is not None:
        # Models that reason know the new name only, other servers mostly the old one.
        body["max_completion_tokens" if own else "max_tokens"] = settings.max_output_tokens
    if settings.temperature is not None and not (own and effort not in ("", "none")):
        body["temperature"] = settings.temperature
    if own and request.execution_id:
        body["prompt_cache_key"] = request.execution_id[:64]
    tools = [
        {"type": "function", "function": {"name": one.name, "description": one.description, "parameters": one.schema}}
        for one in read_tools(request, names)
    ]
    return Prepared({**body, "tools": tools} if tools else body)
