"""The conversation as items, reasoning with its encrypted content included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.shared.conversation import Conversation, Step
    from llm_service.providers.shared.tool_calls import FinishedCall

_NOT_SENT = ("status", "logprobs")


def to_items(conversation: Conversation) -> list[dict[str, Any]]:
    """Write the items."""
    items: list[dict[str, Any]] = []
    if conversation.system:
        items.append({"type": "message", "role": "system", "content": conversation.system})
    for step in conversation.steps:
        if step.user:
            items.append({"type": "message", "role": "user", "content": step.text})
            continue
        items += step.turn.content if step.turn is not None else _rebuilt(step)
        items += [
            {"type": "function_call_output", "call_id": result.call.id, "output": result.text}
            for result in step.results
        ]
    return items


def keep(items: Sequence[dict[str, Any]], calls: Sequence[FinishedCall]) -> list[dict[str, Any]]:
    """Make the items of an answer what goes back."""
    remaining = iter(calls)
    kept = []
    for item in items:
        whole = _without(item)
        if whole.get("type") == "function_call" and (call := next(remaining, None)):
            whole |= {"call_id": call.id, "arguments": call.arguments}
        kept.append(whole)
    return kept


def _without(value: Any) -> Any:
    """Leave out what the API says of an item but does not take."""
    if isinstance(value, dict):
        return {key: _without(one) for key, one in value.items() if key not in _NOT_SENT and one is not None}
    return [_without(one) for one in value] if isinstance(value, list) else value


def _rebuilt(step: Step) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if step.text.strip():
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        items.append({"type": "message", "role": "assistant", "content": content})
    return items + [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.text} for call in step.calls
    ]
