"""Builds requests to the Messages API, with markers for the prompt cache."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.families import claude_parameters
from llm_service.providers.settings import Settings
from llm_service.providers.shared.conversation import ANY_OBJECT, Call, Conversation, Step, Tool
from llm_service.providers.shared.transport import PreparedRequest

INTERLEAVED = "interleaved-thinking-2025-05-14"
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_CACHED = {"type": "ephemeral"}


def prepare(conversation: Conversation, settings: Settings, _request: GenerateRequest) -> PreparedRequest:
    """Builds the request."""
    family, asked = claude_parameters(settings, forced=bool(conversation.choice))
    body: dict[str, Any] = {"model": settings.model, "max_tokens": asked.pop("max_tokens"), "stream": True, **asked}
    tools = conversation.tools
    if not tools:
        # Declares the tools called earlier, because without tools the API refuses a history with calls.
        called = dict.fromkeys(call.name for step in conversation.steps for call in step.calls)
        tools = [Tool(name, "", ANY_OBJECT) for name in called]
        body |= {"tool_choice": {"type": "none"}} if tools else {}
    if tools:
        body["tools"] = [
            {"name": name, "description": description, "input_schema": schema} for name, description, schema in tools
        ]
        body["tools"][-1]["cache_control"] = _CACHED
    # The API refuses to force a tool call while thinking is on.
    if conversation.choice and body.get("thinking", {}).get("type") not in ("adaptive", "enabled"):
        body["tool_choice"] = {"type": "tool", "name": conversation.choice}
    if conversation.system:
        body["system"] = [{"type": "text", "text": conversation.system, "cache_control": _CACHED}]
    body["messages"] = to_messages(conversation, needs_thoughts=family.needs_blocks)
    # Marks two user messages: this request reads the cache of the first, the next request that of the last.
    ends = [message["content"] for message in body["messages"] if message["role"] == "user"]
    for content in ends[-2:]:
        content[-1] = {**content[-1], "cache_control": _CACHED}
    if not (family.interleaved and tools):
        return PreparedRequest(body)
    own = dict(settings.endpoint.headers).get("anthropic-beta")
    return PreparedRequest(body, {"anthropic-beta": f"{own},{INTERLEAVED}" if own else INTERLEAVED})


_THOUGHTS = ("thinking", "redacted_thinking")


def to_messages(conversation: Conversation, *, needs_thoughts: bool) -> list[dict[str, Any]]:
    """Builds the messages; consecutive steps of one role become one message.

    Steps without their required thinking blocks become user text, because the API refuses them as calls.
    """
    messages: list[dict[str, Any]] = []
    lost = _lost(conversation.steps) if needs_thoughts else range(0)
    for number, step in enumerate(conversation.steps):
        if step.user or number in lost:
            _add(messages, "user", [{"type": "text", "text": _record(step) if number in lost else step.text}])
            continue
        _add(messages, "assistant", list(step.turn.content) if step.turn is not None else _rebuilt(step))
        results = [
            {"type": "tool_result", "tool_use_id": _id(result.call), "content": result.text, "is_error": result.failed}
            for result in step.results
        ]
        _add(messages, "user", results)
    return messages


def _rebuilt(step: Step) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": step.text}] if step.text.strip() else []
    return text + [
        {"type": "tool_use", "id": _id(call), "name": call.name, "input": call.arguments} for call in step.calls
    ]


def _id(call: Call) -> str | None:
    """Returns the call's id; an id with characters that this API refuses is replaced by its hash."""
    if call.id is None or _ID.fullmatch(call.id):
        return call.id
    return f"call_{hashlib.sha256(call.id.encode()).hexdigest()[:24]}"


def _add(messages: list[dict[str, Any]], role: str, content: list[dict[str, Any]]) -> None:
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] += content
    elif content:
        messages.append({"role": role, "content": content})


def _lost(steps: Sequence[Step]) -> range:
    """Returns the range of steps to write as text, because required thinking blocks are missing.

    The range starts after the last user message and ends with the last tool-calling step without thinking blocks.
    """
    begin = max((number for number, step in enumerate(steps) if step.user), default=-1) + 1
    lost = begin
    for number, step in enumerate(steps[begin:], begin):
        first = step.turn.content[:1] if step.turn is not None else []
        if step.calls and not any(block.get("type") in _THOUGHTS for block in first):
            lost = number + 1
    return range(begin, lost)


def _record(step: Step) -> str:
    parts = ["[Record of what was done so far]"]
    if step.text.strip():
        parts.append(step.text.strip())
    for result in step.results:
        kind = "failed" if result.failed else "result"
        parts.append(f"Called {result.call.name} with {result.call.text}; {kind}:\n{result.text}")
    return "\n\n".join(parts)
