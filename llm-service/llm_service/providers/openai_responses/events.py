"""Events of a Responses stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.openai_responses.next_turn import keep
from llm_service.providers.shared.failures import StreamedError
from llm_service.providers.shared.json_parts import as_dict, as_text
from llm_service.providers.shared.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm_service.proto.llm_service_pb2 import GenerateResponse
    from llm_service.providers.shared.answer import Answer

_PARAGRAPH = "\n\n"


class Events:
    """Reads one answer, item by item."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._items: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, list[str]] = {}
        self._whole: set[int] = set()

    def read(self, event: Any) -> Iterator[GenerateResponse]:
        """Take an event in; StreamedError when it tells of a failure."""
        answer, event = self._answer, as_dict(event)
        index, delta = event.get("output_index") or 0, as_text(event.get("delta"))
        match event.get("type"):
            case "response.output_item.added":
                self._begin(index, as_dict(event.get("item")))
            case "response.output_item.done":
                self._done(index, as_dict(event.get("item")))
            case "response.output_text.delta":
                self._texts.setdefault(index, []).append(delta)
                yield from answer.text(delta)
            case "response.reasoning_summary_part.added" if event.get("summary_index"):
                yield from answer.thinking(_PARAGRAPH)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from answer.thinking(delta)
            case "response.function_call_arguments.delta":
                answer.calls.add(index, arguments=delta)
            case "response.refusal.delta" | "response.refusal.done":
                answer.refused = True
                answer.stop_details = str(event.get("refusal") or answer.stop_details)[:200]
            case "response.completed" | "response.incomplete" | "response.failed":
                self._finish(as_dict(event.get("response")))
            case "error":
                raise StreamedError(event)

    def end(self) -> Iterator[GenerateResponse]:
        """Make items of those that were never told to be done."""
        for index, item in self._items.items():
            if item.get("type") == "message" and index not in self._whole:
                text = "".join(self._texts.get(index, []))
                item["content"] = [{"type": "output_text", "text": text, "annotations": []}]
        return iter(())

    def turn(self) -> Turn | None:
        """Give the items, in their order."""
        items = [item for _, item in sorted(self._items.items())]
        return Turn(keep(items, self._answer.finished)) if items else None

    def _begin(self, index: int, item: dict[str, Any]) -> None:
        self._items[index] = item
        if item.get("type") == "function_call":
            call = (as_text(item.get("call_id") or item.get("id")), as_text(item.get("name")))
            self._answer.calls.add(index, *call, as_text(item.get("arguments")))

    def _done(self, index: int, item: dict[str, Any]) -> None:
        known = index in self._items
        self._whole.add(index)
        if item.get("type") == "function_call":
            if not known:
                self._begin(index, item)
            elif not self._answer.calls.add(index).pieces:
                self._answer.calls.add(index, arguments=as_text(item.get("arguments")))
        self._items[index] = item

    def _finish(self, response: dict[str, Any]) -> None:
        self._answer.usage.add(response.get("usage"))
        reason = as_dict(response.get("incomplete_details")).get("reason")
        self._answer.stop = str(reason or response.get("status") or "completed")
        if response.get("error"):
            raise StreamedError({"error": response["error"]})
