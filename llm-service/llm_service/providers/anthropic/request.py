"""A request to the Messages API, with the marks of what is to be cached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.anthropic.next_turn import to_messages
from llm_service.providers.families import claude
from llm_service.providers.shared.conversation import called_tools, read_conversation, read_tools
from llm_service.providers.wire import Prepared

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames

INTERLEAVED = "interleaved-thinking-2025-05-14"
_CACHED = {"type": "ephemeral"}


def prepare(request: GenerateRequest, settings: Settings, names: ToolNames) -> Prepared:
    """Write the request; InvalidRequest when it has no content."""
    conversation = read_conversation(request, settings, names)
    family, asked = claude(settings)
    body: dict[str, Any] = {"model": settings.model, "max_tokens": asked.pop("max_tokens"), "stream": True, **asked}
    tools = read_tools(request, names)
    if not tools and (tools := called_tools(request, names)):
        # A conversation with tool calls is refused when the request has no tools.
        body["tool_choice"] = {"type": "none"}
    if tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema} for tool in tools
        ]
        body["tools"][-1]["cache_control"] = _CACHED
    if conversation.system:
        body["system"] = [{"type": "text", "text": conversation.system, "cache_control": _CACHED}]
    body["messages"] = to_messages(conversation, needs_thoughts=family.needs_blocks)
    _mark(body["messages"])
    headers = {}
    if family.interleaved and tools:
        own = dict(settings.endpoint.headers).get("anthropic-beta")
        headers["anthropic-beta"] = f"{own},{INTERLEAVED}" if own else INTERLEAVED
    return Prepared(body, headers)


def _mark(messages: list[dict[str, Any]]) -> None:
    """Mark the end, to be read by the next turn, and the end of the turn before, which is read by this one."""
    ends = [message["content"] for message in messages if message["role"] == "user"]
    for content in ends[-2:]:
        content[-1] = {**content[-1], "cache_control": _CACHED}
