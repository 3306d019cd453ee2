"""The conversation as Anthropic wants it, thinking blocks with their signatures included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.shared.conversation import Conversation, Step
    from llm_service.providers.shared.tool_calls import FinishedCall

_THOUGHTS = ("thinking", "redacted_thinking")


def to_messages(conversation: Conversation, *, needs_thoughts: bool) -> list[dict[str, Any]]:
    """Write the steps; those of one side that follow each other become one message.

    With `needs_thoughts` a loop of tool calls is refused when its thinking blocks are lost. Such a part is told as a
    record by the user, so that the model can go on thinking.
    """
    messages: list[dict[str, Any]] = []
    lost = _lost(conversation.steps) if needs_thoughts else range(0)
    for number, step in enumerate(conversation.steps):
        if step.user or number in lost:
            _add(messages, "user", [{"type": "text", "text": _record(step) if number in lost else step.text}])
            continue
        _add(messages, "assistant", list(step.turn.content) if step.turn is not None else _rebuilt(step))
        results = [
            {"type": "tool_result", "tool_use_id": result.call.id, "content": result.text, "is_error": result.failed}
            for result in step.results
        ]
        _add(messages, "user", results)
    return messages


def keep(blocks: Sequence[dict[str, Any]], calls: Sequence[FinishedCall]) -> list[dict[str, Any]]:
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
                kept.append(_tool_use(call.id, call.name, json.loads(call.arguments)))
            case _:
                kept.append(block)
    return kept


def _rebuilt(step: Step) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": step.text}] if step.text.strip() else []
    return text + [_tool_use(call.id, call.name, call.arguments) for call in step.calls]


def _tool_use(call_id: str | None, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _add(messages: list[dict[str, Any]], role: str, content: list[dict[str, Any]]) -> None:
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] += content
    elif content:
        messages.append({"role": role, "content": content})


def _lost(steps: Sequence[Step]) -> range:
    """Steps since the last question, up to the last one that called tools and whose thoughts are lost."""
    begin = max((number for number, step in enumerate(steps) if step.user), default=-1) + 1
    lost = [number for number in range(begin, len(steps)) if steps[number].calls and not _has_thoughts(steps[number])]
    return range(begin, lost[-1] + 1) if lost else range(0)


def _has_thoughts(step: Step) -> bool:
    return step.turn is not None and any(block.get("type") in _THOUGHTS for block in step.turn.content[:1])


def _record(step: Step) -> str:
    parts = ["[Record of what was done so far]"]
    if step.text.strip():
        parts.append(step.text.strip())
    for result in step.results:
        kind = "failed" if result.failed else "result"
        parts.append(f"Called {result.call.name} with {result.call.text}; {kind}:\n{result.text}")
    return "\n\n".join(parts)
