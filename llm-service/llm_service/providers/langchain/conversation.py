"""The conversation of a request as LangChain messages, and its tools as functions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from llm_service.errors import InvalidRequest
from llm_service.providers.shared.text import arguments_from_json
from llm_service.providers.shared.tool_results import cut_tool_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage, GenerateRequest
    from llm_service.providers.langchain.model import Model
    from llm_service.providers.langchain.replay import Turn
    from llm_service.providers.shared.tool_names import ToolNames

# How the engine begins a result that tells of a failure, with or without its delimiter in front.
_FAILURE = re.compile(r"(?:-----BEGIN TOOL RESULT-----\s*)?(?:Error\b|Tool \S{1,200} failed:)")


def to_messages(request: GenerateRequest, model: Model, names: ToolNames, turns: Sequence[Turn]) -> list[BaseMessage]:
    """Convert the messages.

    System messages become one at the beginning: that is where every provider accepts them. Messages of
    the user or the model without any content are left out, because most providers refuse them.

    Raises:
        InvalidRequest: nothing is left.
    """
    system = [message.content for message in request.messages if message.role == "system" and message.content]
    converted: list[BaseMessage] = [SystemMessage("\n\n".join(system))] if system else []
    unused = list(turns)
    for message in request.messages:
        if message.role == "user" and message.content.strip():
            converted.append(HumanMessage(message.content))
        elif message.role == "tool":
            converted.append(_tool_message(message, request.llm_config.max_tool_result_tokens, names))
        elif message.role == "assistant" and (message.content.strip() or message.tool_calls):
            turn = next((turn for turn in unused if turn.is_of(message)), None)
            if turn is not None:
                unused.remove(turn)
            converted.append(_assistant_message(message, turn, model, names))
    if len(converted) == len(system[:1]):
        raise InvalidRequest("messages has no content for the model")
    return converted


def to_functions(request: GenerateRequest, model: Model, names: ToolNames) -> list[dict[str, Any]]:
    """Convert the tools.

    Raises:
        InvalidRequest: the schema of a tool is not a JSON object.
    """
    return [
        {
            "type": "function",
            "function": {
                "name": names.to_provider(tool.name),
                "description": tool.description,
                "parameters": _schema(index, tool.parameters_schema),
                **model.tool_options,
            },
        }
        for index, tool in enumerate(request.tools)
    ]


def called_functions(request: GenerateRequest, names: ToolNames) -> list[dict[str, Any]]:
    """Declare the tools that the conversation has called, for a request in which none may be called."""
    called = dict.fromkeys(call.name for message in request.messages for call in message.tool_calls)
    return [
        {
            "type": "function",
            "function": {
                "name": names.to_provider(name),
                "description": "",
                "parameters": {"type": "object", "properties": {}},
            },
        }
        for name in called
    ]


def _schema(index: int, text: str) -> dict[str, Any]:
    try:
        schema = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        schema = None
    if not isinstance(schema, dict):
        raise InvalidRequest(f"tools[{index}].parameters_schema is not a JSON object")
    return {"type": "object", "properties": {}} | schema


def _tool_message(message: ConversationMessage, max_tokens: int, names: ToolNames) -> ToolMessage:
    return ToolMessage(
        content=cut_tool_result(message.content, max_tokens),
        tool_call_id=message.tool_call_id,
        name=names.to_provider(message.tool_name) if message.tool_name else None,
        status="error" if _FAILURE.match(message.content) else "success",
    )


def _assistant_message(message: ConversationMessage, turn: Turn | None, model: Model, names: ToolNames) -> AIMessage:
    calls = [
        ToolCall(
            name=names.to_provider(call.name), args=arguments_from_json(call.arguments), id=call.id, type="tool_call"
        )
        for call in message.tool_calls
    ]
    if turn is None:
        return AIMessage(content=message.content, tool_calls=calls)
    # LangChain only takes the blocks of a provider back to the same provider.
    return AIMessage(
        content=[dict(block) for block in turn.content],
        tool_calls=calls,
        additional_kwargs=dict(turn.additional),
        response_metadata={"model_provider": model.replay_tag},
    )
