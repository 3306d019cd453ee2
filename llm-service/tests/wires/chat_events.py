"""Events of a Chat Completions stream."""

from __future__ import annotations

from typing import Any

from tests.wires.wire import data


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": fields, "finish_reason": finish, "logprobs": None}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def usage(prompt: int, completion: int, reasoning: int = 0) -> dict[str, Any]:
    tokens = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": tokens}


def piece(index: int | None, arguments: str | None = None, call_id: str | None = None, name: str | None = None) -> Any:
    call: dict[str, Any] = {"type": "function", "function": {}}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call["id"] = call_id
    if name is not None:
        call["function"]["name"] = name
    if arguments is not None:
        call["function"]["arguments"] = arguments
    return call


def calls(*pieces: Any) -> dict[str, Any]:
    return delta(tool_calls=list(pieces))


TEXT = data(
    delta(role="assistant", content=""),
    delta(content="Größe: "),
    delta(content="90 % 💾"),
    delta("stop"),
    usage(10, 7, 3),
    "[DONE]",
)
TEXT_OUT = [("text", "Größe: "), ("text", "90 % 💾"), ("usage", 10, 4, 3, 17)]
