"""Reads the chunks of a Chat Completions stream, tolerating deviations of compatible servers."""

from collections.abc import Iterator
from typing import Any

from llm_service.proto.llm_service_pb2 import GenerateResponse
from llm_service.providers.openai_chat.think_tag import ThinkTag
from llm_service.providers.shared.answer import Answer, EventReader, part_text
from llm_service.providers.shared.conversation import Turn
from llm_service.providers.shared.failures import StreamedError
from llm_service.providers.shared.text import as_dict, as_text, dicts_in, to_json
from llm_service.providers.shared.transport import DONE


class Events(EventReader):
    """Adds the chunks of a Chat Completions stream to an answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        # A stream that closes cleanly is a complete answer, because some servers send no finish_reason.
        answer.closes_without_reason = True
        # Streamed fields by name, which the next request sends back.
        self._texts: dict[str, list[str]] = {}
        self._lists: dict[str, list[dict[str, Any]]] = {}
        self._objects: dict[str, Any] = {}
        self._tag = ThinkTag()
        # The text as received: with <think> tags, and as a list of parts if the server streams thinking in parts.
        self._content: list[str] = []
        self._parts: list[dict[str, Any]] = []
        self._has_thinking_parts = False

    def read(self, event: dict[str, Any]) -> Iterator[GenerateResponse]:
        """Reads one chunk and yields the responses to send. Raises StreamedError if the choice failed."""
        if event.get("type") == DONE:
            self._answer.stop = self._answer.stop or "stop"
        self._answer.usage.add(event.get("usage"))
        for choice in dicts_in(event.get("choices"))[:1]:
            self._answer.usage.add(choice.get("usage"))  # Kimi sends usage here
            if choice.get("error"):
                raise StreamedError({"error": choice["error"]})
            # Some servers send a whole message instead of deltas. A message after deltas is ignored.
            whole = {} if self._answer.begun else choice.get("message")
            yield from self._delta(as_dict(choice.get("delta") or whole))
            self._answer.stop = str(choice.get("finish_reason") or self._answer.stop)

    def end(self) -> Iterator[GenerateResponse]:
        """Yields text that was held back because it could have been part of a <think> tag."""
        return self._out(self._tag.end())

    def turn(self) -> Turn | None:
        """Returns the extra fields and ids that the next request sends back; None if there are none."""
        finished = self._answer.finished
        ids: dict[str, str | None] = {call.id: call.kept_id for call in finished if call.kept_id not in ("", call.id)}
        fields = {**{key: "".join(pieces) for key, pieces in self._texts.items()}, **self._lists, **self._objects}
        fields = {key: value for key, value in fields.items() if value}
        content: dict[str, Any] = {"fields": fields} if fields else {}
        if any(call.extra for call in finished):
            content["calls"] = [call.extra for call in finished]
        if finished and not self._answer.rebuilt:
            content |= self._said()
        return Turn(content, ids) if content or ids else None

    def _said(self) -> dict[str, Any]:
        """Returns the content with its thinking: parts as a list, or text with tags; {} if there was no thinking."""
        if self._has_thinking_parts:
            return {"parts": self._parts}
        text = "".join(self._content)
        return {"tagged": text} if "</think>" in text else {}

    def _delta(self, delta: dict[str, Any]) -> Iterator[GenerateResponse]:
        self._keep(delta)
        yield from self._answer.thinking(_reasoning(delta))
        content = delta.get("content")
        for part in content if isinstance(content, list) else [content]:
            self._keep_part(part)
            if as_dict(part).get("type") in _THINKING_PARTS:
                yield from self._answer.thinking(part_text(part))
            elif text := part_text(part):
                yield from self._out(self._tag.read(text))
        if delta.get("refusal"):
            self._answer.refused = True
            self._answer.stop_details = str(delta["refusal"])
        for call in dicts_in(delta.get("tool_calls")):
            self._call(call)

    def _out(self, pairs: list[tuple[str, str]]) -> Iterator[GenerateResponse]:
        for kind, text in pairs:
            if kind == "was_thinking":
                yield from self._answer.text_was_thinking()
            else:
                yield from self._answer.text(text) if kind == "text" else self._answer.thinking(text)

    def _keep_part(self, part: object) -> None:
        text = part_text(part)
        if not text:
            return
        kind = as_text(as_dict(part).get("type"))
        if kind in _THINKING_PARTS:
            self._has_thinking_parts = True
        else:
            kind = "text"
            self._content.append(text)
        if self._parts and self._parts[-1]["type"] == kind:
            text = part_text(self._parts.pop()) + text
        inner = [{"type": "text", "text": text}] if kind == "thinking" else text
        self._parts.append({"type": kind, "text" if kind == "text" else kind: inner})

    def _keep(self, delta: dict[str, Any]) -> None:
        for key in TEXT_FIELDS:
            if isinstance(delta.get(key), str):
                self._texts.setdefault(key, []).append(delta[key])
        for key in LIST_FIELDS:
            for piece in dicts_in(delta.get(key)):
                _join(self._lists.setdefault(key, []), piece)
        self._objects |= {key: delta[key] for key in OBJECT_FIELDS if delta.get(key)}

    def _call(self, piece: dict[str, Any]) -> None:
        function = as_dict(piece.get("function"))
        arguments = function.get("arguments") or ""
        text = arguments if isinstance(arguments, str) else to_json(arguments)
        call_id, name = str(piece.get("id") or ""), as_text(function.get("name"))
        call = self._answer.call(piece.get("index"), call_id, name, text)
        call.extra |= {key: piece[key] for key in OBJECT_FIELDS if piece.get(key)}


_THINKING_PARTS = ("thinking", "reasoning")


def _reasoning(delta: dict[str, Any]) -> str:
    """Returns a delta's reasoning, from one field only because some servers repeat the text in several."""
    for key in TEXT_FIELDS:
        if text := as_text(delta.get(key)):
            return text
    pieces = dicts_in(delta.get("reasoning_details")) or dicts_in(delta.get("thinking_blocks"))
    return "".join(as_text(one.get("text") or one.get("summary") or one.get("thinking")) for one in pieces)


TEXT_FIELDS = ("reasoning_content", "reasoning")  # "reasoning": OpenRouter, Ollama, newer vLLM
LIST_FIELDS = ("reasoning_details", "thinking_blocks")  # list fields of OpenRouter, and of LiteLLM for Claude
OBJECT_FIELDS = ("extra_content", "provider_specific_fields", "thought_signature")  # signatures of Gemini and LiteLLM
_JOINED = ("text", "summary", "data", "thinking", "signature")


def _join(pieces: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """Appends a piece to the entry with its index, or else to the last entry; another type begins an entry."""
    index = piece.get("index")
    same = [one for one in pieces if one.get("index") == index] if index is not None else pieces[-1:]
    target = same[-1] if same else None
    if target is None or target.get("type") != piece.get("type") or (target.get("signature") and index is None):
        pieces.append(dict(piece))
        return
    for key, value in piece.items():
        if key in _JOINED and isinstance(value, str) and isinstance(target.get(key), str):
            target[key] += value
        elif value is not None:
            target[key] = value
