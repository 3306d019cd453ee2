"""The conversation for Chat Completions, with what servers want back besides text and tool calls.

DeepSeek, Kimi, OpenRouter, LiteLLM and Gemini's compatible endpoint refuse, or think anew, when reasoning or
signatures are missing. What came goes back in the fields in which it came; who sent nothing gets nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llm_service.providers.shared.conversation import Conversation, Step

TEXT_FIELDS = ("reasoning_content", "reasoning")
"""DeepSeek, Kimi, xAI, llama.cpp and SGLang use the first, OpenRouter, Ollama and newer vLLM the second."""
LIST_FIELDS = ("reasoning_details", "thinking_blocks")
"""OpenRouter's, and LiteLLM's for Claude: pieces that hold signatures or encrypted reasoning."""
OBJECT_FIELDS = ("extra_content", "provider_specific_fields", "thought_signature")
"""Gemini's compatible endpoint and LiteLLM put signatures there, of calls and of texts."""
_JOINED = ("text", "summary", "data", "thinking", "signature")


def to_messages(conversation: Conversation) -> list[dict[str, Any]]:
    """Write the messages."""
    messages: list[dict[str, Any]] = []
    if conversation.system:
        messages.append({"role": "system", "content": conversation.system})
    for step in conversation.steps:
        if step.user:
            messages.append({"role": "user", "content": step.text})
            continue
        messages.append(_assistant(step))
        messages += [
            {"role": "tool", "tool_call_id": result.call.id, "content": result.text} for result in step.results
        ]
    return messages


def _assistant(step: Step) -> dict[str, Any]:
    kept = step.turn.content if step.turn is not None else {}
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None, **kept.get("fields", {})}
    if step.calls:
        extras = kept.get("calls", [])
        message["tool_calls"] = [
            {
                "type": "function",
                "id": call.id,
                "function": {"name": call.name, "arguments": call.text},
                **(extras[number] if number < len(extras) else {}),
            }
            for number, call in enumerate(step.calls)
        ]
    return message


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
            for piece in delta[key] if isinstance(delta.get(key), list) else ():
                if isinstance(piece, dict):
                    _join(self._lists.setdefault(key, []), piece)
        for key in OBJECT_FIELDS:
            if delta.get(key):
                self._objects[key] = delta[key]

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
