"""Builds requests to the Responses API, with `store` false so that the provider stores nothing."""

from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.families import openai_effort, reads_at_marks
from llm_service.providers.settings import Settings
from llm_service.providers.shared.cache_marks import mark_prefixes
from llm_service.providers.shared.conversation import Conversation, Step
from llm_service.providers.shared.transport import PreparedRequest


def prepare(conversation: Conversation, settings: Settings, request: GenerateRequest) -> PreparedRequest:
    """Builds the request."""
    items = to_items(conversation)
    if reads_at_marks(settings):
        items = mark_prefixes(items, "input_text")
    body: dict[str, Any] = {"model": settings.model, "stream": True, "store": False, "input": items}
    effort = openai_effort(settings)
    if effort == "none":
        body["reasoning"] = {"effort": effort}
    elif effort:
        body["reasoning"] = {"effort": effort, "summary": "auto"}
        # Asks for encrypted reasoning to send back next time, because the provider stores none (`store`).
        body["include"] = ["reasoning.encrypted_content"]
    if settings.temperature is not None and effort in ("", "none"):
        body["temperature"] = settings.temperature
    if settings.max_output_tokens is not None:
        body["max_output_tokens"] = settings.max_output_tokens
    if request.execution_id:
        body["prompt_cache_key"] = request.execution_id[:64]
    # Tools are not strict, because strict mode may make optional arguments required.
    tools = [
        {"type": "function", "name": name, "description": description, "parameters": schema, "strict": False}
        for name, description, schema in conversation.tools
    ]
    if conversation.choice:
        body["tool_choice"] = {"type": "function", "name": conversation.choice}
    return PreparedRequest({**body, "tools": tools} if tools else body)


def to_items(conversation: Conversation) -> list[dict[str, Any]]:
    """Builds the input items."""
    items: list[dict[str, Any]] = []
    if conversation.system:
        items.append({"type": "message", "role": "system", "content": conversation.system})
    for step in conversation.steps:
        if step.user:
            items.append({"type": "message", "role": "user", "content": step.text})
            continue
        items += step.turn.content if step.turn is not None else _rebuilt(step)
        items += [
            {"type": "function_call_output", "call_id": result.call.id, "output": result.text}
            for result in step.results
        ]
    return items


def _rebuilt(step: Step) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if step.text.strip():
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        items.append({"type": "message", "role": "assistant", "content": content})
    return items + [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.text} for call in step.calls
    ]
