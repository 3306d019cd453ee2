"""Reads the events of a Messages stream."""

from collections.abc import Iterator
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateResponse
from llm_service.providers.anthropic.server_tools import USES, ServerTools
from llm_service.providers.shared.answer import Answer, EventReader
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.text import arguments_from_json, as_dict, as_text, dicts_in, to_json
from llm_service.providers.shared.transport import PreparedRequest

_PAUSED = "pause_turn"
_PIECES = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_NEEDED = {
    "text": "text",
    "thinking": "signature",
}  # the key that the API requires by block type; blocks where its value is blank are left out


class Events(EventReader):
    """Adds the events of a Messages stream to an answer, keeping its blocks for the next request."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        answer.usage.input_excludes_cache = True
        self._blocks: dict[int, dict[str, Any]] = {}
        # Index of the current request's first block; an answer takes several requests if the API pauses it.
        self._first = 0
        self._server_tools = ServerTools(answer)

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads one event and yields the responses to send to the engine."""
        answer, index = self._answer, self._first + (event.get("index") or 0)
        match event.get("type"):
            case "message":
                yield from self._whole(event)
            case "message_start":
                self._first = len(self._blocks)
                answer.usage.add(as_dict(event.get("message")).get("usage"))
            case "content_block_start":
                yield from self._start(index, as_dict(event.get("content_block")))
            case "content_block_delta":
                yield from self._delta(index, as_dict(event.get("delta")))
            case "content_block_stop":
                yield from self._stop(index)
            case "message_delta":
                answer.usage.add(event.get("usage"))
                delta = as_dict(event.get("delta"))
                answer.stop = delta.get("stop_reason") or answer.stop
                answer.stop_details = as_text(as_dict(delta.get("stop_details")).get("explanation"))
            case "message_stop":
                answer.stop = answer.stop or "end_turn"

    def next_request(self, prepared: PreparedRequest) -> PreparedRequest | None:
        """Returns the request that lets the API continue a paused answer; None if the answer is over."""
        content = self._content()
        if self._answer.stop != _PAUSED or not content:
            return None
        self._answer.stop = ""
        self._answer.usage.next_request()
        return prepared.adding_message({"role": "assistant", "content": content})

    def sources(self) -> list[GenerateResponse]:
        """Returns the sources that the API's own tools found."""
        return self._server_tools.sources()

    def turn(self) -> Turn | None:
        """Returns the content blocks in the form that the next request sends back; None if there are none."""
        content = self._content()
        return Turn(content) if content and not self._answer.rebuilt else None

    def _content(self) -> list[dict[str, Any]]:
        content: list[dict[str, Any]] = []
        calls = iter(self._answer.finished)
        for _, block in sorted(self._blocks.items()):
            kind = as_text(block.get("type"))
            if kind == "tool_use" and (call := next(calls, None)):
                whole = arguments_from_json(call.arguments)
                content.append({"type": kind, "id": call.id, "name": call.name, "input": whole})
            elif kind not in _NEEDED or as_text(block.get(_NEEDED[kind])).strip():
                content.append({key: value for key, value in block.items() if key != _JSON})
        return content

    def _whole(self, message: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads a message that arrived in one piece although the request asked for a stream."""
        for index, block in enumerate(dicts_in(message.get("content"))):
            yield from self._start(index, block)
            yield from self._stop(index)
        self._answer.usage.add(message.get("usage"))
        self._answer.stop = as_text(message.get("stop_reason")) or "end_turn"

    def _start(self, index: int, begun: dict[str, Any]) -> Iterator[GenerateResponse]:
        block = self._blocks[index] = dict(begun)
        yield from self._answer.text(block.get("text"))
        yield from self._answer.thinking(block.get("thinking"))
        if block.get("type") == "tool_use":
            whole = to_json(block["input"]) if block.get("input") else ""
            self._answer.call(index, as_text(block.get("id")), as_text(block.get("name")), whole)
        elif as_text(block.get("type")).endswith("_tool_result"):
            yield from self._server_tools.result(block)

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[GenerateResponse]:
        kind, block = as_text(delta.get("type")), self._blocks.setdefault(index, {})
        if kind == "input_json_delta":
            if block.get("type") in USES:
                block[_JSON] = block.get(_JSON, "") + as_text(delta.get("partial_json"))
            else:
                self._answer.call(index, arguments=as_text(delta.get("partial_json")))
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
        elif (key := _PIECES.get(kind)) and (piece := as_text(delta.get(key))):
            block[key] = as_text(block.get(key)) + piece
            if key != "signature":
                yield from self._answer.text(piece) if key == "text" else self._answer.thinking(piece)

    def _stop(self, index: int) -> Iterator[GenerateResponse]:
        block = self._blocks.get(index, {})
        if block.get("type") in USES:
            if written := block.pop(_JSON, ""):
                block["input"] = arguments_from_json(written)
            yield from self._server_tools.use(block)
        self._server_tools.cite(block)


_JSON = "partial_json"  # key under which a block's incomplete input JSON is collected
