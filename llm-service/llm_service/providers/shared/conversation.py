"""What all requests have in common: a conversation that every provider takes, with its turns and its tools."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.errors import InvalidRequest
from llm_service.providers.shared.text import arguments_from_json
from llm_service.providers.shared.turns import unseal

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import ConversationMessage, GenerateRequest, ToolCall
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames
    from llm_service.providers.shared.turns import Turn

_NO_RESULT = "the tool gave no result"
CHARACTERS_PER_TOKEN = 4
"""The usual estimate for English text and JSON; the engine counts with the same one."""
# The engine puts tool results between such lines, because they are untrusted text.
_BEGIN = re.compile(r"\A-----BEGIN [A-Z ]+-----\n")
_END = re.compile(r"\n-----END [A-Z ]+-----\s*\Z")
_ERROR = re.compile(r"\s*error\b", re.IGNORECASE)


@dataclass(frozen=True)
class Call:
    """A tool call in the history: the provider's name and id of it."""

    id: str | None
    name: str
    arguments: dict[str, Any]
    text: str


@dataclass(frozen=True)
class Result:
    """The answer to a call."""

    call: Call
    text: str
    failed: bool


@dataclass(frozen=True)
class Step:
    """A message of the user, or an answer of the model with the results of all of its calls, in their order.

    The turn is the answer in the provider's own form; None when it is not to be had.
    """

    text: str
    user: bool
    turn: Turn | None = None
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


@dataclass(frozen=True)
class Conversation:
    """A whole conversation: all system messages, which every provider wants at the beginning, and the steps."""

    system: str
    steps: list[Step]


@dataclass(frozen=True)
class Tool:
    """A tool as a provider knows it: its name, and a schema in the provider's dialect."""

    name: str
    description: str
    schema: dict[str, Any]


def read_conversation(request: GenerateRequest, settings: Settings, names: ToolNames) -> Conversation:
    """Put the messages in order. What has no content is left out, because most providers refuse it.

    InvalidRequest when nothing is left.
    """
    system = [message.content for message in request.messages if message.role == "system" and message.content]
    results = {message.tool_call_id: message for message in request.messages if message.role == "tool"}
    limit = request.llm_config.max_tool_result_tokens
    steps: list[Step] = []
    for message in request.messages:
        if message.role == "user" and message.content.strip():
            steps.append(Step(message.content, user=True))
        elif message.role == "assistant" and (message.content.strip() or message.tool_calls):
            turn = unseal(message, settings)
            calls = [_call(call, turn, names) for call in message.tool_calls]
            own = zip(calls, message.tool_calls, strict=True)
            answers = [_result(call, results.get(told.id), limit) for call, told in own]
            steps.append(Step(message.content, user=False, turn=turn, calls=calls, results=answers))
    if not steps:
        raise InvalidRequest("messages has no content for the model")
    return Conversation("\n\n".join(system), steps)


def read_tools(request: GenerateRequest, names: ToolNames) -> list[Tool]:
    """The tools of a request, whose schemas are normalised already."""
    empty = {"type": "object", "properties": {}}
    return [
        Tool(names.to_provider(tool.name), tool.description, empty | json.loads(tool.parameters_schema or "{}"))
        for tool in request.tools
    ]


def called_tools(request: GenerateRequest, names: ToolNames) -> list[Tool]:
    """The tools that the conversation has called, for a request in which none may be called."""
    called = dict.fromkeys(call.name for message in request.messages for call in message.tool_calls)
    return [Tool(names.to_provider(name), "", {"type": "object", "properties": {}}) for name in called]


def _call(call: ToolCall, turn: Turn | None, names: ToolNames) -> Call:
    own = turn.ids.get(call.id, call.id) if turn is not None else call.id
    arguments = arguments_from_json(call.arguments)
    # The model's own text where it can be sent: a prefix that changes is not read from a cache.
    is_object = call.arguments.lstrip().startswith("{") and (arguments or "{}" in call.arguments)
    text = call.arguments if is_object and "input" not in arguments else json.dumps(arguments, ensure_ascii=False)
    return Call(own, names.to_provider(call.name), arguments, text)


def _result(call: Call, message: ConversationMessage | None, max_tokens: int) -> Result:
    if message is None:
        return Result(call, _NO_RESULT, failed=True)
    # An engine from before the flag marks failures by its own words alone.
    return Result(call, cut_tool_result(message.content, max_tokens), message.failed or is_tool_error(message.content))


def cut_tool_result(text: str, max_tokens: int) -> str:
    """Cut a tool result to about this many tokens and say so; 0 or less means no limit.

    The line that marks the end of untrusted text is kept.
    """
    limit = max_tokens * CHARACTERS_PER_TOKEN
    if max_tokens <= 0 or len(text) <= limit:
        return text
    end = _END.search(text)
    ending = end.group() if end is not None else ""
    return f"{text[:limit]}\n\n[cut: {len(text)} characters, only the first {limit} are shown]{ending}"


def is_tool_error(text: str) -> bool:
    """Whether the text of a result begins with the word "error", as the engine's own failure texts do."""
    begin = _BEGIN.match(text)
    return _ERROR.match(text, begin.end() if begin is not None else 0) is not None
