"""Reads the events of a Messages stream."""

from collections.abc import Iterator
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateResponse
from llm_service.providers.shared.answer import Answer, EventReader
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.text import as_dict, as_text, read_json, to_json

_PIECES = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_NEEDED = {
    "text": "text",
    "thinking": "signature",
}  # key by block type; blocks where this key is blank are left out, because the API refuses them


class Events(EventReader):
    """Adds the events of a Messages stream to an answer, keeping its blocks for the next request."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        answer.usage.input_excludes_cache = True
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads one event and yields the responses to send to the engine."""
        answer, index = self._answer, event.get("index") or 0
        match event.get("type"):
            case "message_start":
                answer.usage.add(as_dict(event.get("message")).get("usage"))
            case "content_block_start":
                block = self._blocks[index] = dict(as_dict(event.get("content_block")))
                yield from answer.text(block.get("text"))
                yield from answer.thinking(block.get("thinking"))
                if block.get("type") == "tool_use":
                    whole = to_json(block["input"]) if block.get("input") else ""
                    answer.call(index, as_text(block.get("id")), as_text(block.get("name")), whole)
            case "content_block_delta":
                yield from self._delta(index, as_dict(event.get("delta")))
            case "message_delta":
                answer.usage.add(event.get("usage"))
                delta = as_dict(event.get("delta"))
                answer.stop = delta.get("stop_reason") or answer.stop
                answer.stop_details = as_text(as_dict(delta.get("stop_details")).get("explanation"))
            case "message_stop":
                answer.stop = answer.stop or "end_turn"

    def turn(self) -> Turn | None:
        """Returns the content blocks in the form that the next request sends back; None if there are none."""
        for (index, key), pieces in self._pieces.items():
            block = self._blocks.setdefault(index, {})
            block[key] = block.get(key, "") + "".join(pieces)
        content: list[dict[str, Any]] = []
        calls = iter(self._answer.finished)
        for _, block in sorted(self._blocks.items()):
            kind = as_text(block.get("type"))
            if kind == "tool_use" and (call := next(calls, None)):
                whole = read_json(call.arguments.encode())
                content.append({"type": kind, "id": call.id, "name": call.name, "input": whole})
            elif kind not in _NEEDED or as_text(block.get(_NEEDED[kind])).strip():
                content.append(block)
        return Turn(content) if content else None

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[GenerateResponse]:
        kind = as_text(delta.get("type"))
        if kind == "input_json_delta":
            self._answer.call(index, arguments=as_text(delta.get("partial_json")))
        elif (key := _PIECES.get(kind)) and (piece := as_text(delta.get(key))):
            self._pieces.setdefault((index, key), []).append(piece)
            if key != "signature":
                yield from self._answer.text(piece) if key == "text" else self._answer.thinking(piece)
