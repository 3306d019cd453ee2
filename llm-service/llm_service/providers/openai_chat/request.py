"""Builds requests to Chat Completions."""

import re
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.families import chat_effort, openai_effort
from llm_service.providers.openai_chat.events import TEXT_FIELDS
from llm_service.providers.settings import Settings
from llm_service.providers.shared.conversation import Conversation, Step
from llm_service.providers.shared.transport import PreparedRequest

_FIELD = TEXT_FIELDS[0]
_DEMANDING = re.compile(r"(?:^|[/.:_-])(deepseek|kimi)")
NO_REASONING = " "  # placeholder for turns without reasoning; Kimi treats an empty text as missing


def prepare(conversation: Conversation, settings: Settings, request: GenerateRequest) -> PreparedRequest:
    """Builds the request."""
    endpoint = settings.endpoint
    own = endpoint.provider == "azure" or (endpoint.provider == "openai" and not endpoint.base_url)
    body: dict[str, Any] = {
        "model": settings.model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": to_messages(conversation, settings),
    }
    effort = openai_effort(settings) if own else chat_effort(settings)
    if effort:
        body["reasoning_effort"] = effort
    if settings.max_output_tokens is not None:
        # OpenAI's reasoning models accept only max_completion_tokens, most other servers only max_tokens.
        body["max_completion_tokens" if own else "max_tokens"] = settings.max_output_tokens
    if settings.temperature is not None and not (own and effort not in ("", "none")):
        body["temperature"] = settings.temperature
    if own and request.execution_id:
        body["prompt_cache_key"] = request.execution_id[:64]
    tools = [
        {"type": "function", "function": {"name": one.name, "description": one.description, "parameters": one.schema}}
        for one in conversation.tools
    ]
    if conversation.choice:
        body["tool_choice"] = {"type": "function", "function": {"name": conversation.choice}}
    return PreparedRequest({**body, "tools": tools} if tools else body)


def to_messages(conversation: Conversation, settings: Settings) -> list[dict[str, Any]]:
    """Builds the messages.

    For servers that demand reasoning in every turn, turns without reasoning get a placeholder.
    """
    messages: list[dict[str, Any]] = []
    if conversation.system:
        messages.append({"role": "system", "content": conversation.system})
    demanded = _DEMANDING.search(settings.family) or any(_FIELD in _fields(step) for step in conversation.steps)
    for step in conversation.steps:
        if step.user:
            messages.append({"role": "user", "content": step.text})
            continue
        messages.append(_assistant(step, {_FIELD: NO_REASONING} if demanded else {}))
        messages += [
            {"role": "tool", "tool_call_id": result.call.id, "content": result.text} for result in step.results
        ]
    return messages


def _fields(step: Step) -> dict[str, Any]:
    return step.turn.content.get("fields", {}) if step.turn is not None else {}


def _assistant(step: Step, demanded: dict[str, str]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None, **demanded, **_fields(step)}
    extras = step.turn.content.get("calls", []) if step.turn is not None else []
    calls = [
        {
            "type": "function",
            "id": call.id,
            "function": {"name": call.name, "arguments": call.text},
            **(extras[number] if number < len(extras) else {}),
        }
        for number, call in enumerate(step.calls)
    ]
    return {**message, "tool_calls": calls} if calls else message
