"""Events of a Messages stream."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from llm_service.providers.anthropic.next_turn import keep
from llm_service.providers.shared.answer import Answer
from llm_service.providers.shared.failures import StreamedError
from llm_service.providers.shared.turns import Turn
from llm_service.providers.shared.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llm_service.proto.llm_service_pb2 import GenerateResponse
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames


def reader(names: ToolNames, taken_ids: Sequence[str], _settings: Settings) -> tuple[Answer, AnthropicEvents]:
    """Begin to read an answer."""
    answer = Answer(names, taken_ids, Usage(input_excludes_cache=True))
    return answer, AnthropicEvents(answer)


class AnthropicEvents:
    """Reads one answer, block by block."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, list[str]] = {}

    def read(self, event: Any) -> Iterator[GenerateResponse]:
        """Take an event in.

        Raises:
            StreamedError: it tells of a failure.
        """
        answer = self._answer
        match event.get("type"):
            case "message_start":
                answer.usage.add((event.get("message") or {}).get("usage"))
            case "content_block_start":
                yield from self._start(event.get("index") or 0, event.get("content_block") or {})
            case "content_block_delta":
                yield from self._delta(event.get("index") or 0, event.get("delta") or {})
            case "message_delta":
                answer.usage.add(event.get("usage"))
                delta = event.get("delta") or {}
                answer.stop = delta.get("stop_reason") or answer.stop
                answer.stop_details = str((delta.get("stop_details") or {}).get("explanation") or "")[:200]
            case "message_stop":
                answer.stop = answer.stop or "end_turn"
            case "error":
                raise StreamedError(event)

    def end(self) -> Iterator[GenerateResponse]:
        """Join what came in pieces."""
        for index, pieces in self._pieces.items():
            block = self._blocks.get(index, {})
            key = "thinking" if block.get("type") == "thinking" else "text"
            block[key] = block.get(key, "") + "".join(pieces)
        return iter(())

    def turn(self) -> Turn | None:
        """Give the blocks, in their order."""
        blocks = [block for _, block in sorted(self._blocks.items())]
        content = keep(blocks, self._answer.finished)
        return Turn(content) if content else None

    def _start(self, index: int, block: dict[str, Any]) -> Iterator[GenerateResponse]:
        self._blocks[index] = dict(block)
        match block.get("type"):
            case "text":
                yield from self._answer.text(block.get("text"))
            case "thinking":
                yield from self._answer.thinking(block.get("thinking"))
            case "tool_use":
                whole = json.dumps(block["input"], ensure_ascii=False) if block.get("input") else ""
                self._answer.calls.add(index, block.get("id") or "", block.get("name") or "", whole)

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[GenerateResponse]:
        match delta.get("type"):
            case "text_delta":
                self._keep(index, delta.get("text"))
                yield from self._answer.text(delta.get("text"))
            case "thinking_delta":
                self._keep(index, delta.get("thinking"))
                yield from self._answer.thinking(delta.get("thinking"))
            case "signature_delta":
                block = self._blocks.setdefault(index, {})
                block["signature"] = block.get("signature", "") + (delta.get("signature") or "")
            case "input_json_delta":
                self._answer.calls.add(index, arguments=delta.get("partial_json") or "")

    def _keep(self, index: int, piece: object) -> None:
        if isinstance(piece, str):
            self._pieces.setdefault(index, []).append(piece)
