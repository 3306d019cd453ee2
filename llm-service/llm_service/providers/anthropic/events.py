"""Events of a Messages stream."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from llm_service.providers.anthropic.next_turn import keep
from llm_service.providers.shared.failures import StreamedError
from llm_service.providers.shared.json_parts import as_dict, as_text
from llm_service.providers.shared.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.proto.llm_service_pb2 import GenerateResponse
    from llm_service.providers.shared.answer import Answer


class Events:
    """Reads one answer, block by block."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        answer.usage.input_excludes_cache = True
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def read(self, event: Any) -> Iterator[GenerateResponse]:
        """Take an event in; StreamedError when it tells of a failure."""
        answer, event = self._answer, as_dict(event)
        index = event.get("index") or 0
        match event.get("type"):
            case "message_start":
                answer.usage.add(as_dict(event.get("message")).get("usage"))
            case "content_block_start":
                yield from self._start(index, dict(as_dict(event.get("content_block"))))
            case "content_block_delta":
                yield from self._delta(index, as_dict(event.get("delta")))
            case "message_delta":
                answer.usage.add(event.get("usage"))
                delta = as_dict(event.get("delta"))
                answer.stop = delta.get("stop_reason") or answer.stop
                answer.stop_details = as_text(as_dict(delta.get("stop_details")).get("explanation"))[:200]
            case "message_stop":
                answer.stop = answer.stop or "end_turn"
            case "error":
                raise StreamedError(event)

    def end(self) -> Iterator[GenerateResponse]:
        """Join what came in pieces."""
        for (index, key), pieces in self._pieces.items():
            block = self._blocks.setdefault(index, {})
            block[key] = block.get(key, "") + "".join(pieces)
        return iter(())

    def turn(self) -> Turn | None:
        """Give the blocks, in their order."""
        content = keep([block for _, block in sorted(self._blocks.items())], self._answer.finished)
        return Turn(content) if content else None

    def _start(self, index: int, block: dict[str, Any]) -> Iterator[GenerateResponse]:
        self._blocks[index] = block
        match block.get("type"):
            case "text":
                yield from self._answer.text(block.get("text"))
            case "thinking":
                yield from self._answer.thinking(block.get("thinking"))
            case "tool_use":
                whole = json.dumps(block["input"], ensure_ascii=False) if block.get("input") else ""
                self._answer.calls.add(index, as_text(block.get("id")), as_text(block.get("name")), whole)

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[GenerateResponse]:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                self._pieces.setdefault((index, "text"), []).append(text)
                yield from self._answer.text(text)
            case {"type": "thinking_delta", "thinking": str(text)}:
                self._pieces.setdefault((index, "thinking"), []).append(text)
                yield from self._answer.thinking(text)
            case {"type": "signature_delta", "signature": str(text)}:
                self._pieces.setdefault((index, "signature"), []).append(text)
            case {"type": "input_json_delta", "partial_json": str(text)}:
                self._answer.calls.add(index, arguments=text)
