"""The provider-independent form of a request: steps, turns and tools."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from llm_service.errors import InvalidRequest
from llm_service.proto import llm_service_pb2 as pb
from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse
from llm_service.providers.settings import Settings
from llm_service.providers.shared.calls import portable_id
from llm_service.providers.shared.text import arguments_from_json, read_json, to_json
from llm_service.providers.shared.tool_names import ToolNames

MAX_BYTES = 8 * 1024 * 1024  # maximum size of one stored turn


@dataclass(frozen=True)
class Turn:
    """An answer in the form of the provider's API. `ids` maps the engine's call ids to the provider's own."""

    content: Any
    ids: Mapping[str, str | None] = field(default_factory=dict)


def to_provider_turn(turn: Turn, call_ids: Sequence[str], settings: Settings) -> GenerateResponse | None:
    """Returns the turn as a message for the engine; None if it is too large."""
    envelope = {"by": _writer(settings), "calls": list(call_ids), "ids": dict(turn.ids), "content": turn.content}
    data = json.dumps(envelope, ensure_ascii=True, separators=(",", ":")).encode()
    return GenerateResponse(provider_turn=pb.ProviderTurn(data=data)) if len(data) <= MAX_BYTES else None


def from_provider_turn(message: pb.ConversationMessage, settings: Settings) -> Turn | None:
    """Returns a message's turn; None if missing, from another model, or with other calls than the message."""
    try:
        envelope = read_json(message.provider_turn or b"null")
        own = envelope["by"] == _writer(settings) and envelope["calls"] == [call.id for call in message.tool_calls]
        return Turn(envelope["content"], envelope["ids"]) if own else None
    except (ValueError, KeyError, TypeError):
        return None


def _writer(settings: Settings) -> str:
    endpoint = settings.endpoint
    parts = (endpoint.api.value, endpoint.provider, endpoint.base_url, endpoint.project, settings.model)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


ANY_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
_NO_RESULT = pb.ConversationMessage(content="the tool gave no result", failed=True)
CHARACTERS_PER_TOKEN = 4  # the usual estimate for English text and JSON; the engine uses the same number
# Matches the line with which the engine closes a tool result, to mark untrusted text.
_END = re.compile(r"\n-----END [A-Z ]+-----\s*\Z")


@dataclass(frozen=True)
class Call:
    """A tool call in the history, with the provider's name and id (None if the provider sent none)."""

    id: str | None
    name: str
    arguments: dict[str, Any]
    text: str


@dataclass(frozen=True)
class Result:
    """The result of a tool call."""

    call: Call
    text: str
    failed: bool


@dataclass(frozen=True)
class Step:
    """A user message, or an answer with the results of its calls. `turn` is the answer in the API's form."""

    text: str
    user: bool
    turn: Turn | None = None
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


class Tool(NamedTuple):
    """A tool with the name and schema that the provider accepts."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """A conversation. `choice`: provider's name of the tool that must be called; "" = the model chooses."""

    system: str
    steps: list[Step]
    tools: list[Tool]
    choice: str


def called_tools(conversation: Conversation) -> list[Tool]:
    """Returns the tools called earlier, for APIs that refuse calls in the history without declared tools."""
    names = dict.fromkeys(call.name for step in conversation.steps for call in step.calls)
    return [Tool(name, "", ANY_OBJECT) for name in names]


def read_conversation(request: GenerateRequest, settings: Settings, names: ToolNames) -> Conversation:
    """Converts the messages, leaving out empty ones. Raises InvalidRequest if none remains."""
    system = [message.content for message in request.messages if message.role == "system" and message.content]
    results = {message.tool_call_id: message for message in request.messages if message.role == "tool"}
    limit = request.llm_config.max_tool_result_tokens
    steps: list[Step] = []
    for message in request.messages:
        if message.role == "user" and message.content.strip():
            steps.append(Step(message.content, user=True))
        elif message.role == "assistant" and (message.content.strip() or message.tool_calls):
            turn = from_provider_turn(message, settings)
            calls = [_call(call, turn, names) for call in message.tool_calls]
            pairs = zip(calls, (results.get(call.id, _NO_RESULT) for call in message.tool_calls), strict=True)
            answers = [Result(call, cut_tool_result(one.content, limit), one.failed) for call, one in pairs]
            steps.append(Step(message.content, user=False, turn=turn, calls=calls, results=answers))
    if not steps:
        raise InvalidRequest("messages has no content for the model")
    tools = [
        Tool(names.to_provider(tool.name), tool.description, ANY_OBJECT | json.loads(tool.parameters_schema or "{}"))
        for tool in request.tools
    ]
    # The choice is "" if the forced tool was left out because the provider refuses it.
    offered = any(tool.name == request.tool_choice for tool in request.tools)
    return Conversation("\n\n".join(system), steps, tools, names.to_provider(request.tool_choice) if offered else "")


def _call(call: pb.ToolCall, turn: Turn | None, names: ToolNames) -> Call:
    own = turn.ids.get(call.id, call.id) if turn is not None else portable_id(call.id)
    arguments = arguments_from_json(call.arguments)
    # Keeps the model's own text if possible, because a changed prompt misses the provider's cache.
    is_object = call.arguments.lstrip().startswith("{") and (arguments or "{}" in call.arguments)
    text = call.arguments if is_object and "input" not in arguments else to_json(arguments)
    return Call(own, names.to_provider(call.name), arguments, text)


def cut_tool_result(text: str, max_tokens: int) -> str:
    """Cuts a tool result to about `max_tokens` (0 = unlimited), adds a note, and keeps the closing line."""
    limit = max_tokens * CHARACTERS_PER_TOKEN
    if max_tokens <= 0 or len(text) <= limit:
        return text
    end = _END.search(text)
    ending = end.group() if end is not None else ""
    return f"{text[:limit]}\n\n[cut: {len(text)} characters, only the first {limit} are shown]{ending}"
