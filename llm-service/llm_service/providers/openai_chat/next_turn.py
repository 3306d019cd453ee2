"""The conversation for Chat Completions, with what servers want back besides text and tool calls.

DeepSeek, Kimi, OpenRouter, LiteLLM and Gemini's compatible endpoint refuse, or think anew, when reasoning or
signatures are missing. What came goes back in the fields in which it came; who sends nothing gets nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from llm_service.providers.shared.json_parts import dicts_in

if TYPE_CHECKING:
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.conversation import Conversation, Step

TEXT_FIELDS = ("reasoning_content", "reasoning")
"""DeepSeek, Kimi, xAI, llama.cpp and SGLang use the first, OpenRouter, Ollama and newer vLLM the second."""
LIST_FIELDS = ("reasoning_details", "thinking_blocks")
"""OpenRouter's, and LiteLLM's for Claude: pieces that hold signatures or encrypted reasoning."""
OBJECT_FIELDS = ("extra_content", "provider_specific_fields", "thought_signature")
"""Gemini's compatible endpoint and LiteLLM put signatures there, of calls and of texts."""
_JOINED = ("text", "summary", "data", "thinking", "signature")

_FIELD = TEXT_FIELDS[0]
_DEMANDING = re.compile(r"(?:^|[/.:_-])(deepseek|kimi)")
NO_REASONING = " "
"""Of a turn without any, for servers that refuse an answer without the field: Kimi takes an empty text for none."""


def to_messages(conversation: Conversation, settings: Settings) -> list[dict[str, Any]]:
    """Write the messages. Where reasoning goes back, no answer is without: one would have the whole request refused."""
    messages: list[dict[str, Any]] = []
    if conversation.system:
        messages.append({"role": "system", "content": conversation.system})
    demanded = _DEMANDING.search(settings.family) or any(_FIELD in _fields(step) for step in conversation.steps)
    for step in conversation.steps:
        if step.user:
            messages.append({"role": "user", "content": step.text})
            continue
        messages.append(_assistant(step, {_FIELD: NO_REASONING} if demanded else {}))
        messages += [
            {"role": "tool", "tool_call_id": result.call.id, "content": result.text} for result in step.results
        ]
    return messages


def _fields(step: Step) -> dict[str, Any]:
    return step.turn.content.get("fields", {}) if step.turn is not None else {}


def _assistant(step: Step, demanded: dict[str, str]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None, **demanded, **_fields(step)}
    extras = step.turn.content.get("calls", []) if step.turn is not None else []
    calls = [
        {
            "type": "function",
            "id": call.id,
            "function": {"name": call.name, "arguments": call.text},
            **(extras[number] if number < len(extras) else {}),
        }
        for number, call in enumerate(step.calls)
    ]
    return {**message, "tool_calls": calls} if calls else message


class Fields:
    """Collects what goes back, from the pieces of a stream."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._lists: dict[str, list[dict[str, Any]]] = {}
        self._objects: dict[str, Any] = {}

    def add(self, delta: dict[str, Any]) -> None:
        """Take in the fields of a delta."""
        for key in TEXT_FIELDS:
            if isinstance(delta.get(key), str):
                self._texts.setdefault(key, []).append(delta[key])
        for key in LIST_FIELDS:
            for piece in dicts_in(delta.get(key)):
                _join(self._lists.setdefault(key, []), piece)
        self._objects |= {key: delta[key] for key in OBJECT_FIELDS if delta.get(key)}

    def finish(self) -> dict[str, Any]:
        """Give the fields as they go back."""
        texts = {key: "".join(pieces) for key, pieces in self._texts.items()}
        return {key: value for key, value in {**texts, **self._lists, **self._objects}.items() if value}


def _join(pieces: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """Put a piece to the one that it goes on with: the one with its index, else the last one, if of its type."""
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
