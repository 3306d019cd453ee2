"""Chunks of a Chat Completions stream, as servers really send them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from llm_service.providers.openai_chat.next_turn import OBJECT_FIELDS, TEXT_FIELDS, Fields
from llm_service.providers.openai_chat.think import ThinkTag
from llm_service.providers.shared.answer import text_of
from llm_service.providers.shared.failures import StreamedError
from llm_service.providers.shared.json_parts import as_dict, as_text, dicts_in
from llm_service.providers.shared.tool_calls import MAX_ID_LENGTH
from llm_service.providers.shared.transport import DONE
from llm_service.providers.shared.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.proto.llm_service_pb2 import GenerateResponse
    from llm_service.providers.shared.answer import Answer


class Events:
    """Reads one answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        # A clean close is an end too: not every server gives a finish_reason.
        answer.closes_without_reason = True
        self._fields = Fields()
        self._tag = ThinkTag()

    def read(self, event: Any) -> Iterator[GenerateResponse]:
        """Take a chunk in; StreamedError when it tells of a failure."""
        chunk = as_dict(event)
        if event == DONE:
            self._answer.stop = self._answer.stop or "stop"
        if chunk.get("error") or chunk.get("type") == "error":
            raise StreamedError(chunk)
        self._answer.usage.add(chunk.get("usage"))
        for choice in dicts_in(chunk.get("choices"))[:1]:
            self._answer.usage.add(choice.get("usage"))  # Kimi
            if choice.get("error"):
                raise StreamedError({"error": choice["error"]})
            # Some servers send the whole message at the end, or instead of deltas.
            whole = {} if self._answer.begun else choice.get("message")
            yield from self._delta(as_dict(choice.get("delta") or whole))
            self._answer.stop = str(choice.get("finish_reason") or self._answer.stop)

    def end(self) -> Iterator[GenerateResponse]:
        """Let out what waited for the rest of a tag."""
        for kind, text in self._tag.end():
            yield from self._out(kind, text)

    def turn(self) -> Turn | None:
        """Give what the server wants back besides text and calls."""
        finished = self._answer.finished
        ids = {call.id: call.provider_id for call in finished if len(call.provider_id) > MAX_ID_LENGTH}
        content: dict[str, Any] = {}
        if fields := self._fields.finish():
            content["fields"] = fields
        if any(call.extra for call in finished):
            content["calls"] = [call.extra for call in finished]
        return Turn(content, ids) if content or ids else None

    def _delta(self, delta: dict[str, Any]) -> Iterator[GenerateResponse]:
        self._fields.add(delta)
        yield from self._answer.thinking(_reasoning(delta))
        content = delta.get("content")
        for part in content if isinstance(content, list) else [content]:
            if as_dict(part).get("type") in ("thinking", "reasoning"):
                yield from self._answer.thinking(text_of(part))
            elif text := text_of(part):
                for kind, piece in self._tag.read(text):
                    yield from self._out(kind, piece)
        if delta.get("refusal"):
            self._answer.refused = True
            self._answer.stop_details = str(delta["refusal"])[:200]
        for call in dicts_in(delta.get("tool_calls")):
            self._call(call)

    def _out(self, kind: str, text: str) -> Iterator[GenerateResponse]:
        return self._answer.text(text) if kind == "text" else self._answer.thinking(text)

    def _call(self, piece: dict[str, Any]) -> None:
        function = as_dict(piece.get("function"))
        arguments = function.get("arguments") or ""
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        call_id, name = str(piece.get("id") or ""), as_text(function.get("name"))
        call = self._answer.calls.add(piece.get("index"), call_id, name, arguments)
        call.extra |= {key: piece[key] for key in OBJECT_FIELDS if piece.get(key)}


def _reasoning(delta: dict[str, Any]) -> str:
    """The reasoning of a delta, from the first field that has any: some servers fill several."""
    for key in TEXT_FIELDS:
        if text := as_text(delta.get(key)):
            return text
    pieces = dicts_in(delta.get("reasoning_details")) or dicts_in(delta.get("thinking_blocks"))
    return "".join(as_text(one.get("text") or one.get("summary") or one.get("thinking")) for one in pieces)
