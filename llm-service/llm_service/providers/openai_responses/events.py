"""Reads the events of a Responses stream."""

from collections.abc import Iterator
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateResponse
from llm_service.providers.shared.answer import Answer, EventReader
from llm_service.providers.shared.arguments import is_complete
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.failures import StreamedError
from llm_service.providers.shared.text import arguments_from_json, as_dict, as_text, dicts_in, to_json, without

_NOT_SENT = ("status", "logprobs")


class Events(EventReader):
    """Adds the events of a Responses stream to an answer, and keeps its output items for the next request."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self._items: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, list[str]] = {}
        self._whole: set[int] = set()
        self._places: dict[str, int] = {}  # index by id, of items that the server sends without an index

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads one event and yields the responses to send. Raises StreamedError if the answer failed."""
        answer = self._answer
        index, delta = self._index(event), as_text(event.get("delta"))
        match event.get("type"):
            case "response.output_item.added":
                self._begin(index, as_dict(event.get("item")))
            case "response.output_item.done":
                self._done(index, as_dict(event.get("item")))
            case "response.output_text.delta":
                self._texts.setdefault(index, []).append(delta)
                yield from answer.text(delta)
            case "response.reasoning_summary_part.added" if event.get("summary_index"):
                yield from answer.thinking("\n\n")
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from answer.thinking(delta)
            case "response.function_call_arguments.delta":
                answer.call(index, arguments=delta)
            case "response.refusal.delta" | "response.refusal.done":
                answer.refused = True
                answer.stop_details = str(event.get("refusal") or answer.stop_details)
            case "response.completed" | "response.incomplete" | "response.failed" | None:
                yield from self._end(event)

    def turn(self) -> Turn | None:
        """Returns the output items in order. An unfinished message gets the text received so far."""
        kept: list[dict[str, Any]] = []
        calls = iter(self._answer.finished)
        for index, item in sorted(self._items.items()):
            if item.get("type") == "message" and index not in self._whole:
                text = "".join(self._texts.get(index, []))
                item["content"] = [{"type": "output_text", "text": text, "annotations": []}]
            # Removes fields that the API sends but refuses in a request.
            whole = without(item, lambda key, value: key in _NOT_SENT or value is None)
            if whole.get("type") == "function_call" and (call := next(calls, None)):
                readable = is_complete(call.arguments)
                text = call.arguments if readable else to_json(arguments_from_json(call.arguments))
                whole |= {"call_id": call.id, "arguments": text}
            kept.append(whole)
        return Turn(kept) if kept and not self._answer.rebuilt else None

    def _index(self, event: dict[str, Any]) -> int:
        """Returns the index of the event's item. Without one, items are counted, and their ids tell them apart."""
        index = event.get("output_index")
        if isinstance(index, int):
            return index
        latest = max(len(self._places) - 1, 0)
        if "item" not in event:
            return self._places.get(as_text(event.get("item_id")), latest)
        item = as_dict(event["item"])
        own = as_text(item.get("id") or item.get("call_id"))
        return self._places.setdefault(own, len(self._places))

    def _end(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        # Without a type, the event is the response itself.
        response = as_dict(event.get("response")) or event
        if response is event:
            yield from self._whole_response(response)
        self._answer.usage.add(response.get("usage"))
        reason = as_dict(response.get("incomplete_details")).get("reason")
        self._answer.stop = str(reason or response.get("status") or "completed")
        if response.get("error"):
            raise StreamedError({"error": response["error"]})

    def _whole_response(self, response: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads a response that arrived in one piece although the request asked for a stream."""
        for index, item in enumerate(dicts_in(response.get("output"))):
            for part in [*dicts_in(item.get("summary")), *dicts_in(item.get("content"))]:
                text = as_text(part.get("text"))
                yield from self._answer.text(text) if part.get("type") == "output_text" else self._answer.thinking(text)
            self._done(index, item)

    def _begin(self, index: int, item: dict[str, Any]) -> None:
        self._items[index] = item
        if item.get("type") == "function_call":
            call = (as_text(item.get("call_id") or item.get("id")), as_text(item.get("name")))
            self._answer.call(index, *call, as_text(item.get("arguments")))

    def _done(self, index: int, item: dict[str, Any]) -> None:
        known = index in self._items
        self._whole.add(index)
        if item.get("type") == "function_call":
            if not known:
                self._begin(index, item)
            elif not self._answer.call(index).pieces:
                self._answer.call(index, arguments=as_text(item.get("arguments")))
        self._items[index] = item
