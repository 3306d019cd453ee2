"""Builds requests to Chat Completions."""

import re
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.families import chat_effort, keeps_think_tags, needs_short_ids, openai_effort, reads_at_marks
from llm_service.providers.openai_chat.events import TEXT_FIELDS
from llm_service.providers.settings import Settings
from llm_service.providers.shared.cache_marks import mark_prefixes
from llm_service.providers.shared.calls import short_id
from llm_service.providers.shared.conversation import Call, Conversation, Step, Tool, called_tools
from llm_service.providers.shared.quirks import Quirk
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
    if reads_at_marks(settings):
        body["messages"] = mark_prefixes(body["messages"], "text")
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
        for one in _declared(conversation, settings)
    ]
    if conversation.choice:
        body["tool_choice"] = {"type": "function", "function": {"name": conversation.choice}}
    elif tools and not conversation.tools:
        body["tool_choice"] = "none"
    return PreparedRequest({**body, "tools": tools} if tools else body)


def to_messages(conversation: Conversation, settings: Settings) -> list[dict[str, Any]]:
    """Builds the messages in the order that the strictest servers accept.

    User text never follows tool results or other user text, but joins them. For servers that demand reasoning in every
    turn, turns without reasoning get a placeholder.
    """
    quirks, system = settings.quirks, conversation.system
    messages: list[dict[str, Any]] = []
    if system and Quirk.NO_SYSTEM_ROLE not in quirks:
        messages.append({"role": "system", "content": system})
    elif system:
        messages.append({"role": "user", "content": system})
    demanded = _DEMANDING.search(settings.family) or any(_FIELD in _fields(step) for step in conversation.steps)
    for step in conversation.steps:
        if step.user:
            _tell(messages, step.text)
        elif Quirk.NO_TOOL_ROLE in quirks:
            _add_as_text(messages, step)
        else:
            answer = _assistant(step, settings, {_FIELD: NO_REASONING} if demanded else {})
            if messages and messages[-1]["role"] == "assistant":
                answer["content"] = "\n\n".join(filter(None, (messages.pop()["content"], answer["content"])))
            messages.append(answer)
            messages += [
                {"role": "tool", "tool_call_id": _id(result.call, settings), "content": result.text}
                for result in step.results
            ]
    return messages


def _tell(messages: list[dict[str, Any]], text: str) -> None:
    """Appends user text to the last message if that is a tool result or user text, otherwise adds a message."""
    if messages and messages[-1]["role"] in ("tool", "user"):
        messages[-1]["content"] += f"\n\n{text}"
    else:
        messages.append({"role": "user", "content": text})


def _add_as_text(messages: list[dict[str, Any]], step: Step) -> None:
    calls = [f'<tool_call>\n{{"name": "{call.name}", "arguments": {call.text}}}\n</tool_call>' for call in step.calls]
    content = "\n\n".join(filter(None, (step.text, *calls)))
    if messages and messages[-1]["role"] == "assistant":
        content = f"{messages.pop()['content']}\n\n{content}"
    messages.append({"role": "assistant", "content": content})
    for result in step.results:
        _tell(messages, f"{'Failure' if result.failed else 'Result'} of {result.call.name}:\n{result.text}")


def _fields(step: Step) -> dict[str, Any]:
    return step.turn.content.get("fields", {}) if step.turn is not None else {}


def _id(call: Call, settings: Settings) -> str | None:
    return short_id(call.id) if call.id is not None and needs_short_ids(settings) else call.id


def _assistant(step: Step, settings: Settings, demanded: dict[str, str]) -> dict[str, Any]:
    empty = "" if Quirk.TEXT_CONTENT in settings.quirks else None
    own = step.turn.content if step.turn is not None else {}
    said = own.get("parts") or (own.get("tagged") if keeps_think_tags(settings) else None)
    message: dict[str, Any] = {"role": "assistant", "content": said or step.text or empty, **demanded, **_fields(step)}
    extras = own.get("calls", [])
    calls = [
        {
            "type": "function",
            "id": _id(call, settings),
            "function": {"name": call.name, "arguments": call.text},
            **(extras[number] if number < len(extras) else {}),
        }
        for number, call in enumerate(step.calls)
    ]
    return {**message, "tool_calls": calls} if calls else message


def _declared(conversation: Conversation, settings: Settings) -> list[Tool]:
    """Returns the tools to declare: the offered ones, or those called earlier if the server needs them declared."""
    if conversation.tools or Quirk.DECLARED_TOOLS not in settings.quirks:
        return conversation.tools
    return called_tools(conversation)
