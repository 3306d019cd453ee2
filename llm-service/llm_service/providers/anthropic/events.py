"""Events of a Messages stream."""

from collections.abc import Iterator, Sequence
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateResponse
from llm_service.providers.shared.answer import Answer, Call, EventReader
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.text import as_dict, as_text, read_json, to_json

_PIECES = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class Events(EventReader):
    """Reads one answer, block by block."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        answer.usage.input_excludes_cache = True
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Take an event in."""
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
        """Give the blocks, in their order, joined of their pieces."""
        for (index, key), pieces in self._pieces.items():
            block = self._blocks.setdefault(index, {})
            block[key] = block.get(key, "") + "".join(pieces)
        content = _keep([block for _, block in sorted(self._blocks.items())], self._answer.finished)
        return Turn(content) if content else None

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[GenerateResponse]:
        kind = as_text(delta.get("type"))
        key = _PIECES.get(kind, "partial_json")
        piece = as_text(delta.get(key))
        if piece and key != "partial_json":
            self._pieces.setdefault((index, key), []).append(piece)
        match kind:
            case "text_delta":
                yield from self._answer.text(piece)
            case "thinking_delta":
                yield from self._answer.thinking(piece)
            case "input_json_delta":
                self._answer.call(index, arguments=piece)


def _keep(blocks: Sequence[dict[str, Any]], calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Make the blocks of an answer what goes back; what is empty or not signed would be refused."""
    remaining = list(calls)
    kept: list[dict[str, Any]] = []
    for block in blocks:
        match block.get("type"):
            case "thinking" if not block.get("signature"):
                continue
            case "text" if not block.get("text"):
                continue
            case "tool_use" if remaining:
                call = remaining.pop(0)
                kept.append(
                    {"type": "tool_use", "id": call.id, "name": call.name, "input": read_json(call.arguments.encode())}
                )
            case _:
                kept.append(block)
    return kept
