"""Checks of a request that hold for every backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.errors import InvalidRequest

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import ConversationMessage, GenerateRequest

ROLES = ("system", "user", "assistant", "tool")


def check_request(request: GenerateRequest) -> None:
    """Check what the proto file promises and a type cannot say; InvalidRequest names positions, never content."""
    if not request.messages:
        raise InvalidRequest("messages is empty")
    if not request.HasField("llm_config"):
        raise InvalidRequest("llm_config is missing")
    known_calls: set[str] = set()
    for index, message in enumerate(request.messages):
        _check_message(index, message, known_calls)
    if all(message.role == "system" for message in request.messages):
        raise InvalidRequest("messages has nothing but system messages")
    seen: set[str] = set()
    for index, tool in enumerate(request.tools):
        if not tool.name:
            raise InvalidRequest(f"tools[{index}].name is empty")
        if tool.name in seen:
            raise InvalidRequest(f"tools[{index}].name is there twice")
        seen.add(tool.name)


def _check_message(index: int, message: ConversationMessage, known_calls: set[str]) -> None:
    if message.role not in ROLES:
        raise InvalidRequest(f"messages[{index}].role is not one of {', '.join(ROLES)}")
    if message.tool_calls and message.role != "assistant":
        raise InvalidRequest(f"messages[{index}].tool_calls is for assistant messages only")
    for position, call in enumerate(message.tool_calls):
        if not call.id or not call.name:
            raise InvalidRequest(f"messages[{index}].tool_calls[{position}] has no id or no name")
        if call.id in known_calls:
            raise InvalidRequest(f"messages[{index}].tool_calls[{position}].id is there twice")
        known_calls.add(call.id)
    if message.role == "tool" and message.tool_call_id not in known_calls:
        raise InvalidRequest(f"messages[{index}].tool_call_id answers no earlier tool call")
