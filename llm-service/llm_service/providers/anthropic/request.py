"""Builds requests to the Messages API, with markers for the prompt cache."""

from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.families import claude_parameters
from llm_service.providers.settings import Settings
from llm_service.providers.shared.conversation import Conversation, Step, called_tools
from llm_service.providers.shared.quirks import Quirk
from llm_service.providers.shared.transport import PreparedRequest

INTERLEAVED = "interleaved-thinking-2025-05-14"
_CACHED = {"type": "ephemeral"}


def prepare(conversation: Conversation, settings: Settings, _request: GenerateRequest) -> PreparedRequest:
    """Builds the request."""
    family, asked = claude_parameters(settings, forced=bool(conversation.choice))
    body: dict[str, Any] = {"model": settings.model, "max_tokens": asked.pop("max_tokens"), "stream": True, **asked}
    tools = conversation.tools
    if not tools:
        tools = called_tools(conversation)
        body |= {"tool_choice": {"type": "none"}} if tools else {}
    if tools:
        body["tools"] = [
            {"name": name, "description": description, "input_schema": schema} for name, description, schema in tools
        ]
        body["tools"][-1]["cache_control"] = _CACHED
    # The API refuses to force a tool call while thinking is on. Some models refuse forced calls always.
    if conversation.choice and body.get("thinking", {}).get("type", "disabled") == "disabled":
        body["tool_choice"] = {"type": "tool", "name": conversation.choice}
    if conversation.system:
        body["system"] = [{"type": "text", "text": conversation.system, "cache_control": _CACHED}]
    body["messages"] = to_messages(
        conversation,
        needs_thoughts=family.needs_blocks,
        sends_thoughts=Quirk.NO_THOUGHTS not in settings.quirks,
    )
    # Sets cache marks at the last two user messages. This request reads the cache up to the first mark; the next
    # request reads it up to the last one.
    ends = [message["content"] for message in body["messages"] if message["role"] == "user"]
    for content in ends[-2:]:
        content[-1] = {**content[-1], "cache_control": _CACHED}
    if not (family.interleaved and tools):
        return PreparedRequest(body)
    own = dict(settings.endpoint.headers).get("anthropic-beta")
    return PreparedRequest(body, {"anthropic-beta": f"{own},{INTERLEAVED}" if own else INTERLEAVED})


_THOUGHTS = ("thinking", "redacted_thinking")


def to_messages(conversation: Conversation, *, needs_thoughts: bool, sends_thoughts: bool) -> list[dict[str, Any]]:
    """Builds the messages; consecutive steps of one role become one message.

    `needs_thoughts`: the API refuses tool calls without a thinking block before them. A step with calls but without
    thinking becomes user text, and the other steps stay as they are.
    """
    messages: list[dict[str, Any]] = []
    for step in conversation.steps:
        turn = step.turn.content if step.turn is not None and sends_thoughts else None
        is_lost = needs_thoughts and step.calls and (turn or [{}])[0].get("type") not in _THOUGHTS
        if step.user or is_lost:
            _add(messages, "user", [{"type": "text", "text": step.text if step.user else _record(step)}])
            continue
        _add(messages, "assistant", list(turn) if turn is not None else _rebuilt(step))
        results = [
            {"type": "tool_result", "tool_use_id": result.call.id, "content": result.text, "is_error": result.failed}
            for result in step.results
        ]
        _add(messages, "user", results)
    return messages


def _rebuilt(step: Step) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": step.text}] if step.text.strip() else []
    return text + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in step.calls
    ]


def _add(messages: list[dict[str, Any]], role: str, content: list[dict[str, Any]]) -> None:
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] += content
    elif content:
        messages.append({"role": role, "content": content})


def _record(step: Step) -> str:
    parts = ["[Record of what was done so far]"]
    if step.text.strip():
        parts.append(step.text.strip())
    for result in step.results:
        kind = "failed" if result.failed else "result"
        parts.append(f"Called {result.call.name} with {result.call.text}; {kind}:\n{result.text}")
    return "\n\n".join(parts)
