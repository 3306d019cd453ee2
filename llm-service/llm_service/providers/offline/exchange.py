"""Tool calls with what came of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.blocks import TOOL_RESULT, bodies
from llm_service.providers.offline.jsontext import parse_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage

# How the engine and MCP servers begin a failure. Only the beginning of a result is looked at: a log
# that has the word "error" somewhere is not a failed call.
_FAILURE = re.compile(
    r"\W{0,4}(?:(?:mcp|tool|call|execution|server|input|validation)\b[\s:.\-]{0,3}){0,3}(?:[\w.]{1,120}\s+)?"
    r"(?:error|failed|failure|exception|timed out|timeout|not allowed|outcome unknown)\b",
    re.IGNORECASE,
)
_FAILURE_CODE = re.compile(r"(?:[A-Z]{2,20}_[A-Z_]{2,40}|FAILED): ")
_MAX_FAILURE_CHARS = 4000
"""A longer result is data whose first line happens to speak of an error."""


@dataclass(frozen=True)
class Exchange:
    """One tool call and what came of it.

    Attributes:
        call_id: id of the call; "" when it was made by another agent.
        tool: canonical name.
        arguments: the arguments, {} when they cannot be read.
        result: what the tool returned, without the engine's delimiters; None = no answer yet.
        failed: the result tells of an error.
        turn: which assistant message made the call, counted from 1.
    """

    call_id: str
    tool: str
    arguments: dict[str, Any]
    result: str | None
    failed: bool
    turn: int


def is_failure(result: str) -> bool:
    """Tell whether a tool result tells of an error instead of carrying data."""
    if len(result) > _MAX_FAILURE_CHARS:
        return False
    value = parse_json(result)
    if isinstance(value, dict):
        if value.get("isError") is True or value.get("ok") is False or value.get("success") is False:
            return True
        return bool(value.get("error")) and len(value) <= 4
    start = result[:300].lstrip()
    return bool(_FAILURE.match(start) or _FAILURE_CODE.match(start))


def read_exchanges(messages: Sequence[ConversationMessage]) -> list[Exchange]:
    """All tool calls of a conversation, in order."""
    results = {m.tool_call_id: m.content for m in messages if m.role == "tool"}
    found: list[Exchange] = []
    turn = 0
    for message in messages:
        if message.role != "assistant" or not message.tool_calls:
            continue
        turn += 1
        for call in message.tool_calls:
            arguments = parse_json(call.arguments)
            content = results.get(call.id)
            result = None if content is None else _strip_delimiters(content)
            found.append(
                Exchange(
                    call_id=call.id,
                    tool=call.name,
                    arguments=arguments if isinstance(arguments, dict) else {},
                    result=result,
                    failed=result is not None and (is_failure(result) or is_failure(content or "")),
                    turn=turn,
                )
            )
    return found


def _strip_delimiters(content: str) -> str:
    """Take the engine's delimiters off a tool result."""
    blocks = bodies(content, TOOL_RESULT)
    return "\n".join(blocks) if blocks else content
