"""The conversation as Gemini wants it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.genai import types

from llm_service.errors import InvalidRequest
from llm_service.providers.google.content_cache import turn_key
from llm_service.providers.shared.text import arguments_from_json
from llm_service.providers.shared.tool_results import cut_tool_result, is_tool_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llm_service.proto.llm_service_pb2 import ConversationMessage
    from llm_service.providers.google.content_cache import CachedTurn
    from llm_service.providers.shared.tool_names import ToolNames

NO_SIGNATURE = b"skip_thought_signature_validator"
"""The value that the Gemini API documents for a function call whose signature is not to be had any more."""

_NO_RESULT = "the tool gave no result"


@dataclass(frozen=True)
class Conversation:
    """What is sent.

    Attributes:
        system: the system messages, None when there is none.
        contents: the turns.
    """

    system: str | None
    contents: list[types.Content]


@dataclass(frozen=True)
class ContentsBuilder:
    """Turns messages into contents.

    Attributes:
        names: names of the request's tools.
        cached: finds the model's own turn by its key.
        max_tool_result_tokens: longer tool results are cut; 0: never.
        wants_signatures: mark function calls whose signature is lost.
    """

    names: ToolNames
    cached: Callable[[str], CachedTurn | None]
    max_tool_result_tokens: int
    wants_signatures: bool

    def build(self, messages: Sequence[ConversationMessage]) -> Conversation:
        """Convert all messages.

        Raises:
            InvalidRequest: no message has any content.
        """
        results = {message.tool_call_id: message for message in messages if message.role == "tool"}
        system: list[str] = []
        contents: list[types.Content] = []
        for message in messages:
            if message.role == "system":
                if message.content:
                    system.append(message.content)
            elif message.role == "user":
                if message.content:
                    contents.append(types.Content(role="user", parts=[types.Part(text=message.content)]))
            elif message.role == "assistant":
                contents.extend(self._turn(message, results))
        if not contents:
            raise InvalidRequest("messages has no message with content")
        return Conversation("\n\n".join(system) or None, contents)

    def _turn(self, message: ConversationMessage, results: dict[str, ConversationMessage]) -> list[types.Content]:
        """Build the model's turn and, right behind it as Gemini demands, the answers to all of its calls."""
        turn = self.cached(turn_key((call.id for call in message.tool_calls), message.content))
        model = turn.content if turn is not None else self._rebuilt(message)
        if not model.parts:
            return []
        if not message.tool_calls:
            return [model]
        answers = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=turn.provider_ids.get(call.id) if turn is not None else call.id,
                    name=self.names.to_provider(call.name),
                    response=self._result(results.get(call.id)),
                )
            )
            for call in message.tool_calls
        ]
        return [model, types.Content(role="user", parts=answers)]

    def _rebuilt(self, message: ConversationMessage) -> types.Content:
        parts = [types.Part(text=message.content)] if message.content else []
        for index, call in enumerate(message.tool_calls):
            function_call = types.FunctionCall(
                id=call.id, name=self.names.to_provider(call.name), args=arguments_from_json(call.arguments)
            )
            # Of parallel calls only the first carries a signature.
            signature = NO_SIGNATURE if self.wants_signatures and index == 0 else None
            parts.append(types.Part(function_call=function_call, thought_signature=signature))
        return types.Content(role="model", parts=parts)

    def _result(self, message: ConversationMessage | None) -> dict[str, object]:
        if message is None:
            return {"error": _NO_RESULT}
        text = cut_tool_result(message.content, self.max_tool_result_tokens)
        return {"error" if is_tool_error(text) else "output": text}
